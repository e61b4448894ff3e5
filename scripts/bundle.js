// Joins the packages that svcctl uses a small part of into dist/bundled/, so that an install does not carry the rest of them.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { licenses } from './licenses.js'

/**
 * Loaded late, by the live views, the traces, the hosted tools, `svcctl import` and `svcctl prices`: 75 MB installed, of which 2 MB run.
 * `yaml` is among them for its 72 modules, which took a tenth of the CPU of `svcctl validate` to load.
 */
const BUNDLED = /^(?:diff|ink|react|yaml|@opentelemetry\/.+|@modelcontextprotocol\/sdk\/.+|svc-gateway-import)$/
/** Packages that the bundles share with the rest of svcctl. */
const SHARED = ['re2js']
const NO_OAUTH = `export const auth = () => {}
export const extractWWWAuthenticateParams = () => ({})
export class UnauthorizedError extends Error {}`
/** Replaces ink's view of its own errors, which would show the source line: a whole module here. */
const SHOWN_ERROR = `import { createElement } from 'react'
import Text from './Text.js'
export default ({ error }) => createElement(Text, null, error.stack ?? error.message)`
const NO_EXPONENTIAL_HISTOGRAM = `export class ExponentialHistogramAccumulation {}
export class ExponentialHistogramAggregator {}`
const SPECIFIER = /(\bfrom |\bimport\()'([^'.][^']*)'/g

/** Bundles what the modules of `dist` import of these packages, and has them import the bundles. */
export async function bundle(dist) {
  const importers = readdirSync(dist, { recursive: true })
    .filter(name => name.endsWith('.js'))
    .map(name => ({ path: join(dist, name), text: readFileSync(join(dist, name), 'utf8') }))
  const wanted = new Map()
  for (const { text } of importers)
    for (const [, , specifier] of text.matchAll(SPECIFIER))
      if (BUNDLED.test(specifier))
        wanted.set(specifier, [...(wanted.get(specifier) ?? []), ...namesOf(text, specifier)])
  const fileOf = specifier => `${specifier.replace(/\.js$/, '').replaceAll(/[@/]/g, '-').replace(/^-/, '')}.js`
  const built = await rolldown({
    input: Object.fromEntries(
      [...wanted.keys()].map(specifier => [fileOf(specifier).replace(/\.js$/, ''), `bundled:${specifier}`]),
    ),
    platform: 'node',
    external: SHARED,
    // The modules of OpenTelemetry, in place of its CommonJS, of which nothing unused can be left out.
    resolve: {
      ...{ mainFields: ['module', 'main'], conditionNames: ['module', 'node'] },
      // The workspace as this build compiled it, whatever node_modules links to.
      alias: { 'svc-gateway-import': join(dist, '../importers/dist/index.js') },
    },
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    plugins: [entries(wanted), lighter],
  })
  const out = join(dist, 'bundled')
  const { output } = await built.write({
    dir: out,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunk-[hash].js',
    minify: true,
  })
  writeFileSync(join(out, 'LICENSES.txt'), licenses(output.flatMap(({ moduleIds = [] }) => moduleIds)))
  for (const { path, text } of importers) {
    const to = specifier => relative(dirname(path), join(out, fileOf(specifier)))
    const next = text.replaceAll(SPECIFIER, (whole, before, specifier) => {
      if (!wanted.has(specifier)) return whole
      const target = to(specifier)
      return `${before}'${target.startsWith('.') ? target : `./${target}`}'`
    })
    if (next !== text) writeFileSync(path, next)
  }
}

/** The names that a module imports of a package; none where it imports the package late. */
function namesOf(text, specifier) {
  const named = [...text.matchAll(/\bimport \{([^}]*)\} from '([^']+)'/g)].filter(([, , from]) => from === specifier)
  return named.flatMap(([, names]) =>
    names
      .split(',')
      .map(name => name.trim().split(' as ')[0])
      .filter(Boolean),
  )
}

/** One entry for each package: the names that are imported, or all of one that is imported late. */
const entries = wanted => ({
  name: 'bundled',
  resolveId: id => (id.startsWith('bundled:') ? `\0${id}` : null),
  load: id => {
    if (!id.startsWith('\0bundled:')) return null
    const specifier = id.slice('\0bundled:'.length)
    const names = [...new Set(wanted.get(specifier))]
    return names.length > 0 ? `export { ${names.join(', ')} } from '${specifier}'` : `export * from '${specifier}'`
  },
})

/** Changes modules of packages before they are joined. */
const lighter = {
  name: 'lighter',
  transform(code, id) {
    const path = id.split('/node_modules/').at(-1)
    // Where DEV=true is set, ink reads its package.json and asks for the developer tools of React, which no install has.
    if (path === 'ink/build/components/ErrorOverview.js') return SHOWN_ERROR
    if (path.startsWith('ink/')) return code.replaceAll('isDev()', 'false')
    // The client is given another validator: src/adapters/tools/mcp-session.ts.
    if (path.endsWith('sdk/dist/esm/validation/ajv-provider.js')) return 'export class AjvJsonSchemaValidator {}'
    // Nor does it sign in by OAuth: it sends the key of the tool.
    if (path.endsWith('sdk/dist/esm/client/auth.js')) return NO_OAUTH
    // Nothing writes a JSON Schema of one of Zod's.
    if (path === 'zod/v4/classic/schemas.js')
      return code
        .replace(/^ *inst\._zod\.processJSONSchema = .*;$/gm, '')
        .replace(/create(?:Standard|To)JSONSchemaMethod\(this, .+?\)/g, '(() => undefined)')
    // The metrics that are sent are those of prom-client, which has buckets of its own.
    if (path.endsWith('sdk-metrics/build/esm/aggregator/ExponentialHistogram.js')) return NO_EXPONENTIAL_HISTOGRAM
    if (path.startsWith('yoga-layout/dist/binaries/')) return withFile(code, 'layout.wasm.br', this)
    return null
  },
}

/** The module with its WebAssembly in a file beside it, compressed: as base64 within the module it is half as long again. */
function withFile(code, fileName, plugin) {
  const [whole, type, base64] = /"(data:application\/octet-stream;base64,)([\w+/=]+)"/.exec(code)
  plugin.emitFile({ type: 'asset', fileName, source: brotliCompressSync(Buffer.from(base64, 'base64')) })
  const bytes = `brotliDecompressSync(readFileSync(new URL('./${fileName}', import.meta.url)))`
  return `import { readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'
${code.replace(whole, `'${type}' + ${bytes}.toString('base64')`)}`
}

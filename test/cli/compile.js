// Compiles the packages into a folder, for compiled.ts. Argument: the folder.
// Each module becomes a file, as in dist/. The modules that a process or a thread starts with are then joined with everything they
// import: Node spends a third of a gateway's start on finding and linking its 700 modules, and the tests start hundreds of them.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { transformSync } from 'rolldown/experimental'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** The workspaces, where the compiled gateway finds them. */
const WORKSPACES = { demo: 'node_modules/svc-gateway-demo', importers: 'node_modules/svc-gateway-import' }
/** As in tsconfig.build.json. */
const OPTIONS = { target: 'es2023', typescript: { onlyRemoveTypeImports: true, rewriteImportExtensions: true } }
const MAIN = 'cli/main.js'
/** Entry points of the gateway's processes and threads, besides main. A missing module still runs, but unbundled. */
const STARTED = [
  'adapters/embedded/check/check-process.js',
  'server/comparer/worker.js',
  'server/examiner/worker.js',
  'server/workers/store-process.js',
  'server/workers/worker-process.js',
]

const [, , out] = process.argv

/** Gives joined code the URL of the module it was written in, relative to the joined file: a test copies the folder. */
const ownUrls = {
  name: 'own-urls',
  transform: (code, id) =>
    code.replaceAll('import.meta.url', `new URL('@root/${relative(out, id)}', import.meta.url).href`),
  renderChunk: (code, { fileName }) => code.replaceAll('@root/', `./${'../'.repeat(fileName.split('/').length - 1)}`),
}

for (const [workspace, place] of Object.entries(WORKSPACES)) {
  compile(join(root, workspace, 'src'), join(out, place, 'dist'))
  cpSync(join(root, workspace, 'package.json'), join(out, place, 'package.json'))
}
compile(join(root, 'src'), out)
// Main stays as it is: runInTurn evaluates it again for each command. It shares the modules it imports with the joined code.
await joinModules([...importsOf(MAIN), ...STARTED])

/** Strips the types of each module; `npm run check` checks them. */
function compile(from, to) {
  const modules = readdirSync(from, { recursive: true }).filter(name => /(?<!\.d)\.ts$/.test(name))
  for (const name of modules) {
    const { code, errors } = transformSync(name, readFileSync(join(from, name), 'utf8'), OPTIONS)
    if (errors.length > 0) throw new Error(`${join(from, name)}: ${errors[0].message}`)
    const path = join(to, name.replace(/ts$/, 'js'))
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, code)
  }
}

/** The modules of the gateway from which another one imports names. */
function importsOf(module) {
  const imports = readFileSync(join(out, module), 'utf8').matchAll(/ from ["'](\.[^"']*)["']/g)
  return [...imports].map(([, path]) => posix.join(posix.dirname(module), path))
}

/** Replaces each of these modules by one that has the code of everything it imports, in as few files as sharing allows. */
async function joinModules(modules) {
  const built = await rolldown({
    input: Object.fromEntries(modules.map(module => [module.replace(/\.js$/, ''), join(out, module)])),
    platform: 'node',
    external: /^[^./]/,
    plugins: [ownUrls],
  })
  await built.write({
    dir: out,
    format: 'esm',
    keepNames: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'joined/[name]-[hash].js',
  })
}

// Writes what is made of other files: types of the YAML files, and the code of wasm/. `--check` exits 1 when one is stale.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import asc from 'assemblyscript/asc'
import { compile } from 'json-schema-to-typescript'

const banner = source => `// Generated from ${source} by scripts/generate.js. Do not edit.`

const TYPES = [
  { schema: 'schema/config.schema.json', target: 'src/config/file.ts', name: 'ConfigFile' },
  { schema: 'schema/tests.schema.json', target: 'src/simulate/file.ts', name: 'TestsFile' },
]

for (const { schema, target, name } of TYPES) {
  const generated = await compile(JSON.parse(readText(schema)), name, {
    bannerComment: banner(schema),
    additionalProperties: false,
    ignoreMinAndMaxItems: true,
    format: true,
    style: { semi: false, singleQuote: true, printWidth: 120, trailingComma: 'all' },
  })
  put(target, generated)
}

const code = await compiled('wasm/outline.ts')
put(
  'src/wire/fast/outline-code.ts',
  `${banner('wasm/outline.ts')}\n\n/** WebAssembly, in base64. */\nexport const OUTLINE_CODE =\n${quoted(code.toString('base64'))}\n`,
)

/** Nothing but its own code: no library, no checks of its own, no names. */
async function compiled(source) {
  const options = ['-O3', '--runtime', 'stub', '--noAssert', '--enable', 'simd', '--enable', 'bulk-memory']
  let binary
  const { error, stderr } = await asc.main([source, '--outFile', 'code.wasm', '--use', 'abort=', ...options], {
    readFile: readOrNull,
    writeFile: (name, contents) => {
      if (name === 'code.wasm') binary = Buffer.from(contents)
    },
  })
  if (error || !binary) throw new Error(`${source} cannot be compiled\n${stderr}`)
  return binary
}

/** In lines as long as others. */
function quoted(text) {
  return (text.match(/.{1,110}/g) ?? []).map(line => `  '${line}'`).join(' +\n')
}

function put(target, text) {
  const file = new URL(`../${target}`, import.meta.url)
  if (!process.argv.includes('--check')) {
    writeFileSync(file, text)
  } else if (readOrNull(target) !== text) {
    console.error(`${fileURLToPath(file)} is stale: run node scripts/generate.js`)
    process.exitCode = 1
  }
}

function readText(path) {
  return readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
}

function readOrNull(path) {
  try {
    return readText(path)
  } catch (error) {
    if (error.code === 'ENOENT') return null
    throw error
  }
}

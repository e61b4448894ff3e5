// Writes src/config/file.ts, the types of the YAML files, from schema/config.schema.json. `--check` exits 1 when it is stale.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { compile } from 'json-schema-to-typescript'

const schema = new URL('../schema/config.schema.json', import.meta.url)
const types = new URL('../src/config/file.ts', import.meta.url)

const generated = await compile(JSON.parse(readFileSync(schema, 'utf8')), 'ConfigFile', {
  bannerComment: '// Generated from schema/config.schema.json by scripts/generate.js. Do not edit.',
  additionalProperties: false,
  ignoreMinAndMaxItems: true,
  format: true,
  style: { semi: false, singleQuote: true, printWidth: 120, trailingComma: 'all' },
})

if (!process.argv.includes('--check')) {
  writeFileSync(types, generated)
} else if (readText(types) !== generated) {
  console.error(`${fileURLToPath(types)} is stale: run node scripts/generate.js`)
  process.exitCode = 1
}

function readText(url) {
  try {
    return readFileSync(url, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return ''
    throw error
  }
}

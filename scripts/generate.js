// Writes the types of the YAML files from their schemas. `--check` exits 1 when one is stale.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { compile } from 'json-schema-to-typescript'

const FILES = [
  { schema: 'schema/config.schema.json', types: 'src/config/file.ts', name: 'ConfigFile' },
  { schema: 'schema/tests.schema.json', types: 'src/cases/file.ts', name: 'TestsFile' },
]

for (const { schema, types, name } of FILES) {
  const file = new URL(`../${types}`, import.meta.url)
  const generated = await compile(JSON.parse(readFileSync(new URL(`../${schema}`, import.meta.url), 'utf8')), name, {
    bannerComment: `// Generated from ${schema} by scripts/generate.js. Do not edit.`,
    additionalProperties: false,
    ignoreMinAndMaxItems: true,
    format: true,
    style: { semi: false, singleQuote: true, printWidth: 120, trailingComma: 'all' },
  })

  if (!process.argv.includes('--check')) {
    writeFileSync(file, generated)
  } else if (readText(file) !== generated) {
    console.error(`${fileURLToPath(file)} is stale: run node scripts/generate.js`)
    process.exitCode = 1
  }
}

function readText(url) {
  try {
    return readFileSync(url, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return ''
    throw error
  }
}

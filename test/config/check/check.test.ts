import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { configFile, newAjv, policyFile } from '../../../src/config/check/check.ts'
import { configSchema, policySchema } from '../../../src/config/model/schema.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const yamlIn = (folder: string) =>
  readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.yaml'))
    .map(name => `${folder}/${name}`)

/** Texts of files with and without mistakes, configurations or not. */
const written = ['config.example.yaml', ...yamlIn('policies'), ...yamlIn('test/config')].flatMap(file =>
  parseAllDocuments(readFileSync(root + file, 'utf8'))
    .filter(document => document.errors.length === 0)
    .map(document => {
      try {
        return document.toJS()
      } catch {
        return undefined
      }
    }),
)

test.each([
  ['a main file', configFile, configSchema],
  ['an included file', policyFile, policySchema],
])('the generated code accepts as %s what the schema accepts, and nothing else', (_name, { accepts }, schema) => {
  const bySchema = newAjv({}).compile(schema)

  const verdicts = written.map(data => bySchema(data))
  expect(written.map(data => accepts(data))).toEqual(verdicts)
  expect(verdicts).toContain(true)
  expect(verdicts).toContain(false)
})

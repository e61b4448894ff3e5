import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { fields } from '../../../src/config/model/schema.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

// The gateway does not do so at every start.
test.each(['config', 'policy', 'parameters'])('the %s schema is JSON Schema 2020-12', name => {
  const ajv = new Ajv2020({ strict: false })

  expect([
    ajv.validateSchema(JSON.parse(readFileSync(`${root}/schema/${name}.schema.json`, 'utf8'))),
    ajv.errors,
  ]).toEqual([true, null])
})

test('every field of the schema is described in a sentence', () => {
  expect(fields.length).toBeGreaterThan(50)
  expect(fields.filter(({ schema }) => !/\w.*\.$/.test(schema.description ?? '')).map(({ path }) => path)).toEqual([])
})

test('every map of the schema either knows its fields or takes names', () => {
  const maps = fields.filter(({ schema }) => [schema.type].flat().includes('object'))

  expect(maps.filter(({ schema }) => schema.additionalProperties === undefined).map(({ path }) => path)).toEqual([])
})

const policies = readdirSync(`${root}/policies`).filter(file => file.endsWith('.yaml'))

test.each(['config.example.yaml', ...policies.map(file => `policies/${file}`)])('%s tells editors its schema', file => {
  const [, path = ''] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(readFileSync(`${root}/${file}`, 'utf8')) ?? []

  expect(JSON.parse(readFileSync(new URL(path, `file://${root}/${file}`), 'utf8'))).toHaveProperty('$schema')
})

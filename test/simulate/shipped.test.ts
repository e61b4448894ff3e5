import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { fieldsIn, readSchema } from '../../src/config/model/schema.ts'
import { run } from '../../src/simulate/run-tests.ts'
import { readTests, type Tests } from '../../src/simulate/test-file.ts'
import { example, root } from './example.ts'

const loaded = example()
const files = readdirSync(join(root, 'policies/tests')).map(file => join('policies/tests', file))
const tests = files.map((file): Tests => {
  const { tests } = readTests(join(root, file), root, loaded, problem => {
    throw new Error(JSON.stringify(problem))
  })
  if (!tests) throw new Error(file)
  return tests
})

test('the policies that ship pass the tests that ship, which exercise every route, plan, model and tool', async () => {
  const { files, coverage } = await run(loaded, tests, () => true)

  const failed = files.flatMap(({ results }) => results.filter(({ mismatches }) => mismatches.length > 0))
  expect(failed).toEqual([])
  expect(files.flatMap(({ results }) => results).length).toBeGreaterThan(70)
  expect(coverage.map(({ of, declared, missed }) => [of, declared, missed])).toEqual([
    ['routes', 2, []],
    ['plans', 4, []],
    ['models', 6, []],
    ['tools', 4, []],
  ])
})

test('each row of the table of errors has a case', () => {
  const expected = tests.flatMap(({ cases }) => cases.map(({ expect }) => expect))
  const codes = new Set(expected.map(({ code }) => code))
  const types = new Set(expected.map(({ type }) => type))

  // The codes of docs/api/errors.md that a policy can answer.
  for (const code of [
    ...['NO_AUTH', 'INVALID_KEY', 'INVALID_TOKEN', 'rate_limit_exceeded', 'quota_exceeded'],
    ...['UPSTREAMS_EXHAUSTED', 'VALIDATION_ERROR'],
  ])
    expect(codes).toContain(code)
  for (const type of ['requests', 'tokens', 'daily_limit', 'quota_hold', 'plan_limit']) expect(types).toContain(type)
})

test('every policy test tells editors its schema, which is JSON Schema and described in sentences', () => {
  for (const file of files) {
    const [, path = ''] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(readFileSync(join(root, file), 'utf8')) ?? []
    expect(join(root, 'policies/tests', path)).toBe(join(root, 'schema/tests.schema.json'))
  }
  const schema = readSchema('tests.schema.json')
  expect(new Ajv2020({ strict: false }).validateSchema(schema)).toBe(true)
  const undescribed = fieldsIn(schema).filter(({ schema }) => !/\w.*\.$/.test(schema.description ?? ''))
  expect(undescribed.map(({ path }) => path)).toEqual([])
})

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { registerValidate } from '../../../src/cli/validate/validate.ts'
import { runCommand } from '../../cli/run-command.ts'
import { directoryOf, type Files, small } from '../files.ts'

/** Runs `svcctl validate` in a directory with files. */
async function validate(files: Files, ...options: string[]) {
  const { code, stdout } = await runCommand(registerValidate, ['validate', ...options], { cwd: directoryOf(files) })
  return { exitCode: code, stdout }
}

const warning = `${small}  far: { site: cloud, replicas: [https://b/v1], model: m }\n`

test('a configuration in order is counted, and the exit code is 0', async () => {
  const { exitCode, stdout } = await validate({ 'config.yaml': small })

  expect(stdout).toMatch(/^config\.yaml is valid: 1 plan, 1 model, 0 aliases, 1 pool \(\d+ ms\)\n$/)
  expect(exitCode).toBe(0)
})

test('problems are printed to stdout, and the exit code is 1', async () => {
  const { exitCode, stdout } = await validate(
    { 'other.yaml': small.replace('rpm: 20', 'rpm: 0') },
    '--config',
    'other.yaml',
  )

  expect(stdout).toMatch(/✗ other\.yaml:3:29 {2}`0` is out of range.*\n.*\n.*\n\n1 error in 1 file\n$/)
  expect(exitCode).toBe(1)
})

test('a file that is not there is a problem', async () => {
  const { exitCode, stdout } = await validate({}, '--format', 'json')

  expect(JSON.parse(stdout).problems).toMatchObject([{ file: 'config.yaml', line: 1, column: 1, rule: 'no-file' }])
  expect(exitCode).toBe(1)
})

test('warnings are printed, and fail only a strict run', async () => {
  const mild = await validate({ 'config.yaml': warning })
  const strict = await validate({ 'config.yaml': warning }, '--strict')

  expect(mild.stdout).toMatch(/▲ config\.yaml:9:3 .*\n[\s\S]*1 warning in 1 file\nconfig\.yaml is valid/)
  expect(mild.exitCode).toBe(0)
  expect(strict.exitCode).toBe(1)
  expect(strict.stdout).not.toContain('is valid')
})

test('formats for programs print nothing else', async () => {
  const json = await validate({ 'config.yaml': small }, '--format', 'json')
  const github = await validate({ 'config.yaml': warning }, '--format', 'github')

  expect(JSON.parse(json.stdout)).toEqual({ problems: [] })
  expect((await validate({ 'config.yaml': small }, '--json')).stdout).toBe(json.stdout)
  expect(github.stdout).toMatch(/^::warning file=config\.yaml,line=9,col=3,title=unused-pool::.*\n$/)
})

test('SARIF is what its published schema says, with each problem at its line and its rule', async () => {
  const bad = `${warning}  "a b": { site: cloud, replicas: ["https://c/v1"], model: m, "k\u00e4y": 1 }\n`

  const { exitCode, stdout } = await validate(
    { 'of ops/config.yaml': bad },
    '-c',
    'of ops/config.yaml',
    '--format',
    'sarif',
  )
  const nothing = await validate({ 'config.yaml': small }, '--format', 'sarif')

  expect(sarifFaults(stdout)).toEqual([])
  expect(sarifFaults(nothing.stdout)).toEqual([])
  expect(sarifFaults('{"version":"2.1.0","runs":[{"results":[]}]}')).not.toEqual([])
  const json = await validate({ 'of ops/config.yaml': bad }, '-c', 'of ops/config.yaml', '--json')
  const [run] = JSON.parse(stdout).runs
  expect(run.results.map(placeOf)).toEqual(JSON.parse(json.stdout).problems.map(placeOfProblem))
  expect(run.results.map(({ ruleIndex }: Result) => run.tool.driver.rules[ruleIndex].id)).toEqual(
    run.results.map(({ ruleId }: Result) => ruleId),
  )
  expect([exitCode, nothing.exitCode, JSON.parse(nothing.stdout).runs[0].results]).toEqual([1, 0, []])
})

interface Result {
  readonly ruleId: string
  readonly ruleIndex: number
  readonly level: string
  readonly locations: readonly [{ readonly physicalLocation: PhysicalLocation }]
}

interface PhysicalLocation {
  readonly artifactLocation: { readonly uri: string }
  readonly region: { readonly startLine: number; readonly startColumn: number }
}

const placeOf = ({ ruleId, level, locations: [{ physicalLocation: at }] }: Result) =>
  [ruleId, level, decodeURIComponent(at.artifactLocation.uri), at.region.startLine, at.region.startColumn].join(' ')

const placeOfProblem = (problem: Record<string, unknown>) =>
  ['rule', 'severity', 'file', 'line', 'column'].map(field => problem[field]).join(' ')

const PUBLISHED = createRequire(import.meta.url).resolve('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json')

/** Faults against the schema of SARIF 2.1.0. It is written in draft 4, but uses nothing that later drafts changed. */
function sarifFaults(text: string): readonly unknown[] {
  const { $schema: _, id: __, ...schema } = JSON.parse(readFileSync(PUBLISHED, 'utf8'))
  const ajv = new Ajv({
    strict: false,
    unicodeRegExp: false,
    allErrors: true,
    formats: { uri: true, 'date-time': true, 'uri-reference': URI },
  })
  const check = ajv.compile(schema)
  return check(JSON.parse(text)) ? [] : (check.errors ?? [])
}

/** No blanks and nothing beyond ASCII stands in a reference. */
const URI = /^[!-~]*$/

test('a format that is not there is wrong usage', async () => {
  await expect(validate({}, '--format', 'xml')).rejects.toMatchObject({ code: 'commander.invalidArgument' })
})

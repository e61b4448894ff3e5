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

test('a format that is not there is wrong usage', async () => {
  await expect(validate({}, '--format', 'xml')).rejects.toMatchObject({ code: 'commander.invalidArgument' })
})

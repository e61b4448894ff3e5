import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { registerInit } from '../../../src/cli/init/init.ts'
import { registerTest } from '../../../src/cli/test/test.ts'
import { registerValidate } from '../../../src/cli/validate/validate.ts'
import { format } from '../../../src/config/format/format.ts'
import { load } from '../../../src/config/load.ts'
import { version } from '../../../src/server/version.ts'
import { directoryOf } from '../../config/files.ts'
import { runCommand } from '../run-command.ts'

const FILES = ['config.yaml', 'policies/plans.yaml', 'policies/models.yaml', 'policies/pools.yaml']
const TESTS = 'policies/tests/plans.test.yaml'
const SCHEMAS = ['config', 'policy', 'tests'].map(name => `schema/${name}.schema.json`)
const WORKFLOW = '.github/workflows/policies.yml'

test('a new configuration is valid without a warning, in the style, and knows its schema', async () => {
  const dir = join(directoryOf({}), 'new')

  const { code, stdout } = await runCommand(registerInit, ['init', dir])

  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: [...FILES, TESTS, ...SCHEMAS, WORKFLOW, '.gitignore'].map(file => `${dir}/${file}\n`).join(''),
  })
  const result = load('config.yaml', {}, dir)
  expect(result.ok ? result.loaded.warnings : result.problems).toEqual([])
  for (const file of [...FILES, TESTS]) {
    const text = readFileSync(join(dir, file), 'utf8')
    expect(format({ file, path: file, text }, () => {})).toBe(text)
    const [, schema = ''] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text) ?? []
    expect(JSON.parse(readFileSync(resolve(dir, dirname(file), schema), 'utf8'))).toHaveProperty('$schema')
  }
})

test('brand, backend and model are those that were asked for', async () => {
  const dir = directoryOf({})

  await runCommand(registerInit, [
    'init',
    dir,
    '--brand',
    'acme',
    '--backend',
    'https://b.example/v1',
    '--model',
    'org/m:1',
  ])

  const result = load('config.yaml', {}, dir)
  if (!result.ok) throw new Error('the new configuration has a problem')
  const { config, settings } = result.loaded
  expect(settings.brand).toBe('acme')
  expect([...config.models.keys(), config.defaultModel.name]).toEqual(['acme-core', 'acme-auto'])
  expect(config.pools.get('main')).toMatchObject({ replicas: ['https://b.example/v1'], model: 'org/m:1' })
})

test('the next three commands are told on stderr', async () => {
  const { stderr } = await runCommand(registerInit, ['init', directoryOf({})])

  expect(stderr.match(/svcctl (?:validate|serve|keys mint)/g)).toEqual([
    'svcctl validate',
    'svcctl serve',
    'svcctl keys mint',
  ])
})

test('they are for a user of npx, too, who has no svcctl on the PATH', async () => {
  const { stderr } = await runCommand(registerInit, ['init', directoryOf({})])

  expect(stderr).toContain('with svcctl started as you started it now, such as by npx:')
})

test('its workflow has the Node that is recommended, as that of a repository has', async () => {
  const [plain, repository] = [directoryOf({}), directoryOf({})]
  await runCommand(registerInit, ['init', plain])
  await runCommand(registerInit, ['init', '--repo', repository])

  for (const dir of [plain, repository])
    expect(readFileSync(join(dir, WORKFLOW), 'utf8')).toContain('node-version: 24\n')
})

test('where one of the files is there nothing is written, and it exits 1', async () => {
  const dir = directoryOf({ 'policies/plans.yaml': 'mine' })

  const { code, stdout, stderr } = await runCommand(registerInit, ['init', dir])

  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toBe(`✗ ${dir}/policies/plans.yaml is there already: nothing was written\n`)
  expect(readdirSync(dir, { recursive: true }).sort()).toEqual(['policies', 'policies/plans.yaml'])
})

test.each([
  ['--brand', 'Acme Corp'],
  ['--backend', 'localhost:8000'],
  ['--backend', 'https://user:word@b/v1'],
  ['--model', 'a b'],
])('%s %s is wrong usage', async (...option) => {
  const dir = directoryOf({})

  expect((await runCommand(registerInit, ['init', dir, ...option])).code).toBe(2)
  expect(readdirSync(dir)).toEqual([])
})

test('a first `git add -A` in a folder that served stages no secret, and the folder works wherever it goes', async () => {
  const dir = directoryOf({})
  await runCommand(registerInit, ['init', dir])
  for (const file of ['data.mdb', 'lock.mdb', 'admin.token', 'guest-secret', 'revisions/000001.json']) {
    mkdirSync(dirname(join(dir, 'data', file)), { recursive: true })
    writeFileSync(join(dir, 'data', file), 'secret')
  }

  const git = (...words: string[]) => execFileSync('git', ['-C', dir, ...words], { encoding: 'utf8' })
  git('init', '-q')
  git('add', '-A')

  expect(git('ls-files').trim().split('\n').sort()).toEqual(
    ['.gitignore', WORKFLOW, ...FILES, TESTS, ...SCHEMAS].sort(),
  )
  for (const file of [...FILES, TESTS]) expect(readFileSync(join(dir, file), 'utf8')).not.toContain(process.cwd())
})

test('a .gitignore that is there stays as it is, and what belongs into it is told', async () => {
  const dir = directoryOf({ '.gitignore': 'mine\n' })

  const { code, stderr } = await runCommand(registerInit, ['init', dir])

  expect({ code, ignored: readFileSync(join(dir, '.gitignore'), 'utf8') }).toEqual({ code: 0, ignored: 'mine\n' })
  expect(stderr).toContain('add /data/ to it')
})

test('the policy test of a new configuration passes', async () => {
  const dir = directoryOf({})
  await runCommand(registerInit, ['init', dir, '--brand', 'acme'])

  expect(await runCommand(registerTest, ['test'], { cwd: dir })).toMatchObject({ code: 0 })
})

test('what its workflow runs passes in a new folder, with this version of the package', async () => {
  const dir = directoryOf({})
  await runCommand(registerInit, ['init', dir, '--brand', 'acme'])

  const { jobs } = parse(readFileSync(join(dir, WORKFLOW), 'utf8')) as Workflow
  const lines = jobs.policies.steps.flatMap(({ run }) => (run === undefined ? [] : [run.split(' ')]))

  expect(lines.map(words => words.slice(0, 6))).toEqual(
    ['validate', 'test'].map(command => ['npx', '--yes', '-p', `svc-gateway@${version}`, 'svcctl', command]),
  )
  for (const words of lines) {
    const register = words[5] === 'test' ? registerTest : registerValidate
    expect(await runCommand(register, words.slice(5), { cwd: dir })).toMatchObject({ code: 0 })
  }
})

test('a repository has a workflow for GitHub and one for GitLab which run the same checks, and keeps a README of its own', async () => {
  const dir = directoryOf({ 'README.md': 'mine\n' })

  const { code, stdout, stderr } = await runCommand(registerInit, ['init', '--repo', dir])

  expect({ code, readme: readFileSync(join(dir, 'README.md'), 'utf8') }).toEqual({ code: 0, readme: 'mine\n' })
  expect(stdout).not.toContain('README.md')
  expect(stderr).toContain('git init')
  const commandsIn = (file: string) =>
    readFileSync(join(dir, file), 'utf8').match(/svcctl (?:fmt|validate|test|plan)\b(?! -->).*/g)
  const gitlab = commandsIn('.gitlab-ci.yml')?.map(line => line.replace('FETCH_HEAD', '"origin/$GITHUB_BASE_REF"'))
  expect(commandsIn(WORKFLOW)?.map(line => line.replace(' --format github', ''))).toEqual(gitlab)
  expect(load('config.yaml', {}, dir)).toMatchObject({ ok: true, loaded: { warnings: [] } })
})

interface Workflow {
  readonly jobs: { readonly policies: { readonly steps: readonly { readonly run?: string }[] } }
}

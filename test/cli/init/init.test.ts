import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { registerInit } from '../../../src/cli/init/init.ts'
import { registerTest } from '../../../src/cli/test/test.ts'
import { format } from '../../../src/config/format/format.ts'
import { load } from '../../../src/config/load.ts'
import { directoryOf } from '../../config/files.ts'
import { runCommand } from '../run-command.ts'

const FILES = ['config.yaml', 'policies/plans.yaml', 'policies/models.yaml', 'policies/pools.yaml']
const TESTS = 'policies/tests/plans.test.yaml'
const SCHEMAS = ['config', 'policy', 'tests'].map(name => `schema/${name}.schema.json`)
const HASH = 'ab'.repeat(32)
const IMAGE = `registry.example.com/svc-gateway@sha256:${HASH}`
const WORKFLOW = '.github/workflows/policies.yml'

test('a new configuration is valid without a warning, in the style, and knows its schema', async () => {
  const dir = join(directoryOf({}), 'new')

  const { code, stdout } = await runCommand(registerInit, ['init', dir])

  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: [...FILES, TESTS, ...SCHEMAS, '.gitignore'].map(file => `${dir}/${file}\n`).join(''),
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

test('they say how to start svcctl to a user who has none on the PATH', async () => {
  const { stderr } = await runCommand(registerInit, ['init', directoryOf({})])

  expect(stderr).toContain('; start svcctl as you did just now:')
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

  expect(git('ls-files').trim().split('\n').sort()).toEqual(['.gitignore', ...FILES, TESTS, ...SCHEMAS].sort())
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

test('a repository has a workflow for GitHub and one for GitLab which run the same checks, and keeps a README of its own', async () => {
  const dir = directoryOf({ 'README.md': 'mine\n' })

  const { code, stdout, stderr } = await runCommand(registerInit, ['init', '--repo', '--package', IMAGE, dir])

  expect({ code, readme: readFileSync(join(dir, 'README.md'), 'utf8') }).toEqual({ code: 0, readme: 'mine\n' })
  expect(stdout).not.toContain('README.md')
  expect(stderr).toContain('git init')
  const commandsIn = (file: string) =>
    readFileSync(join(dir, file), 'utf8').match(/svcctl (?:fmt|validate|test|plan)\b(?! -->).*/g)
  const gitlab = commandsIn('.gitlab-ci.yml')?.map(line => line.replace('FETCH_HEAD', '"origin/$GITHUB_BASE_REF"'))
  expect(commandsIn(WORKFLOW)?.map(line => line.replace(' --format github', ''))).toEqual(gitlab)
  expect(load('config.yaml', {}, dir)).toMatchObject({ ok: true, loaded: { warnings: [] } })
})

test('a tarball becomes part of the repository, byte for byte, and both workflows check its hash before they install it', async () => {
  const dir = directoryOf({ 'svc-gateway-9.tgz': 'the package' })
  const sha256 = createHash('sha256').update('the package').digest('hex')
  const pinned = `${join(dir, 'svc-gateway-9.tgz')}#sha256=${sha256}`

  const { code } = await runCommand(registerInit, ['init', '--repo', '--package', pinned, join(dir, 'new')])

  expect(code).toBe(0)
  expect(readFileSync(join(dir, 'new/tools/svc-gateway-9.tgz'), 'utf8')).toBe('the package')
  for (const file of [WORKFLOW, '.gitlab-ci.yml']) {
    const text = readFileSync(join(dir, 'new', file), 'utf8')
    expect(text).toContain(`  PACKAGE: "tools/svc-gateway-9.tgz"\n  SHA256: "${sha256}"\n`)
    for (const install of text.matchAll(/^(.*\n)(?= *(?:- )?npm install)/gm))
      expect(install[1]).toContain('sha256sum --check')
    expect(text).toContain('sha256sum --check --strict')
  }
  // A shell that a person pastes into goes on after a command that fails.
  expect(readFileSync(join(dir, 'new/README.md'), 'utf8')).toContain('sha256sum --check --strict &&\nnpm install')
})

test('a tarball whose hash is another is refused before anything is written', async () => {
  const dir = directoryOf({ 'a.tgz': 'another package' })

  const { code, stderr } = await runCommand(registerInit, [
    ...['init', '--repo', '--package', `${join(dir, 'a.tgz')}#sha256=${HASH}`, join(dir, 'new')],
  ])

  expect(code).toBe(1)
  expect(stderr).toContain(`is ${createHash('sha256').update('another package').digest('hex')}, not ${HASH}`)
  expect(readdirSync(dir)).toEqual(['a.tgz'])
})

test.each([
  ['no package', []],
  ['a name and a version', ['--package', 'svc-gateway@0.2.0']],
  ['a tarball without its hash', ['--package', './svc-gateway-0.2.0.tgz']],
  ['an address without its hash', ['--package', 'https://releases.example.com/svc-gateway-0.2.0.tgz']],
  ['a hash that is too short', ['--package', `./svc-gateway-0.2.0.tgz#sha256=${HASH.slice(1)}`]],
  ['an image by its tag', ['--package', 'registry.example.com/svc-gateway:0.2.0']],
  ['an address with a password', ['--package', `https://me:word@example.com/a.tgz#sha256=${HASH}`]],
  ['an address with shell in it', ['--package', `https://example.com/$(id).tgz#sha256=${HASH}`]],
  ['another scheme', ['--package', `git+ssh://example.com/a.tgz#sha256=${HASH}`]],
])('--repo with %s is wrong usage, and writes nothing', async (_, options) => {
  const dir = directoryOf({})

  const { code, stderr } = await runCommand(registerInit, ['init', '--repo', ...options, dir])

  expect({ code, files: readdirSync(dir) }).toEqual({ code: 2, files: [] })
  expect(stderr).toContain('FILE.tgz#sha256=HASH')
})

test('--package without --repo is wrong usage: there is no workflow that would run it', async () => {
  const dir = directoryOf({})

  expect((await runCommand(registerInit, ['init', '--package', IMAGE, dir])).code).toBe(2)
  expect(readdirSync(dir)).toEqual([])
})

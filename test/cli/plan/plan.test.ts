import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { registerPlan } from '../../../src/cli/plan/plan.ts'
import { directoryOf, small } from '../../config/files.ts'
import { root } from '../../simulate/example.ts'
import { runHere } from '../here.ts'
import { compileProgram, type Program } from '../program.ts'

let program: Program
beforeAll(() => {
  program = compileProgram()
}, 60_000)
afterAll(() => program.end())
afterEach(() => {
  process.exitCode = undefined
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

const config = ['-c', 'config.example.yaml']
const env = { CLOUD_KEY: 'not-a-key' }

/** The policies that ship in a directory of their own, in `deploy` of a git repository that has them committed. */
function repository(): { readonly top: string; readonly directory: string } {
  const top = directoryOf({})
  const directory = join(top, 'deploy')
  mkdirSync(directory)
  copyPolicies(directory)
  git(top, 'init', '--quiet')
  commit(top)
  return { top, directory }
}

function copyPolicies(directory: string): string {
  cpSync(join(root, 'config.example.yaml'), join(directory, 'config.example.yaml'))
  cpSync(join(root, 'policies'), join(directory, 'policies'), { recursive: true })
  return directory
}

function commit(top: string): void {
  git(top, 'add', '.')
  git(
    top,
    '-c',
    'user.name=t',
    '-c',
    'user.email=t@example.com',
    '-c',
    'commit.gpgsign=false',
    'commit',
    '--quiet',
    '-m',
    'x',
  )
}

const git = (top: string, ...args: string[]): string => execFileSync('git', ['-C', top, ...args], { encoding: 'utf8' })

function edit(directory: string, file: string, old: string, put: string): void {
  const path = join(directory, file)
  const text = readFileSync(path, 'utf8')
  expect(text).toContain(old)
  writeFileSync(path, text.replace(old, put))
}

/** One change of each kind. */
function change(directory: string): void {
  edit(directory, 'policies/plans.yaml', '[tier:guest, svc-embed]', '[tier:guest, svc-image]')
  edit(directory, 'policies/plans.yaml', 'tpm: 40k', 'tpm: 20k')
  edit(directory, 'policies/models.yaml', 'svc-auto: svc-core', 'svc-auto: svc-pro')
  edit(directory, 'policies/models.yaml', 'serve: [onprem-pro, cloud-pro]', 'serve: [cloud-pro]')
}

const plan = (directory: string, ...options: string[]) =>
  runHere(registerPlan, ['plan', ...config, ...options], directory)

test('changes since a git revision are told, what clients feel most first, and exit with 0', async () => {
  const { directory } = repository()
  change(directory)

  const { exitCode, stdout } = await plan(directory, '--against', 'HEAD')

  expect(`\n${stdout}`).toMatchInlineSnapshot(`
    "
      ✗ plan free loses svc-embed              policies/plans.yaml:12
      ↓ plan free: tpm 40k → 20k               policies/plans.yaml:15
      ~ alias svc-auto now stands for svc-pro  policies/models.yaml:30
      + plan free gains svc-image              policies/plans.yaml:12
      · svc-pro loses pool onprem-pro          policies/models.yaml:14

    5 changes against HEAD: 1 taken away, 1 less, 1 different, 1 more, 1 invisible to clients
    "
  `)
  expect(exitCode).toBeUndefined()
})

test('a reading of the repository leaves it as it is', async () => {
  const { top, directory } = repository()
  change(directory)
  git(top, 'add', 'deploy/policies/plans.yaml')
  const before = git(top, 'status', '--porcelain=v2')

  await plan(directory, '--against', 'HEAD')

  expect(git(top, 'status', '--porcelain=v2')).toBe(before)
})

test('files of secrets, which no revision has, stand for themselves', async () => {
  const { top, directory } = repository()
  edit(directory, 'policies/pools.yaml', `key: \${CLOUD_KEY} #`, 'key: file:keys/cloud #')
  writeFileSync(join(top, '.gitignore'), 'keys\n')
  commit(top)
  mkdirSync(join(directory, 'keys'))
  writeFileSync(join(directory, 'keys/cloud'), 'not-a-key\n')
  edit(directory, 'policies/plans.yaml', 'rpm: 120', 'rpm: 60')

  const { stdout } = await plan(directory, '--against', 'HEAD', '--json')

  expect(JSON.parse(stdout).changes.map(({ text }: { text: string }) => text)).toEqual(['plan pro: rpm 120 → 60'])
})

test('a directory and a file are compared likewise', async () => {
  const before = copyPolicies(directoryOf({}))
  const directory = copyPolicies(directoryOf({}))
  edit(directory, 'policies/pools.yaml', 'max_concurrent: 50', 'max_concurrent: 20')

  const all = await plan(directory, '--against', before)
  const one = await plan(directory, '--against', join(before, 'config.example.yaml'))

  expect(all.stdout).toContain('  ↓ pool cloud-core: max_concurrent 50 → 20  policies/pools.yaml:27\n')
  expect(one.stdout.split('\n')[0]).toBe(all.stdout.split('\n')[0])
})

test('--exit-code tells changes by 10, and none by 0', async () => {
  const { directory } = repository()

  const none = await plan(directory, '--against', 'HEAD', '--exit-code')
  change(directory)
  const some = await plan(directory, '--against', 'HEAD', '--exit-code')

  expect(none).toEqual({ exitCode: undefined, stdout: 'no change in meaning against HEAD\n' })
  expect(some.exitCode).toBe(10)
})

test('--json gives every change with its place', async () => {
  const { directory } = repository()
  change(directory)

  const { stdout } = await plan(directory, '--against', 'HEAD', '--json')

  const { changes, ...others } = JSON.parse(stdout)
  expect(others).toEqual({ against: 'HEAD', touches: { accounts: null, requests: null }, upgrade: null })
  expect(changes.slice(0, 2)).toMatchInlineSnapshot(`
    [
      {
        "field": "models",
        "file": "policies/plans.yaml",
        "from": "svc-embed",
        "kind": "lost",
        "line": 12,
        "subject": "plan free",
        "text": "plan free loses svc-embed",
        "to": null,
      },
      {
        "field": "tpm",
        "file": "policies/plans.yaml",
        "from": "40k",
        "kind": "less",
        "line": 15,
        "subject": "plan free",
        "text": "plan free: tpm 40k → 20k",
        "to": "20k",
      },
    ]
  `)
})

test('--format github annotates the lines, with warnings where clients have less', async () => {
  const { directory } = repository()
  change(directory)

  const { stdout } = await plan(directory, '--against', 'HEAD', '--format', 'github')

  expect(`\n${stdout}`).toMatchInlineSnapshot(`
    "
    ::warning file=policies/plans.yaml,line=12,col=5,title=plan free::plan free loses svc-embed
    ::warning file=policies/plans.yaml,line=15,col=5,title=plan free::plan free: tpm 40k → 20k
    ::notice file=policies/models.yaml,line=30,col=3,title=alias svc-auto::alias svc-auto now stands for svc-pro
    ::notice file=policies/plans.yaml,line=12,col=26,title=plan free::plan free gains svc-image
    ::notice file=policies/models.yaml,line=14,col=5,title=svc-pro::svc-pro loses pool onprem-pro
    "
  `)
})

test('--format markdown is a comment: what changes, and that nobody was asked whom it touches', async () => {
  const { directory } = repository()
  change(directory)

  const { stdout } = await plan(directory, '--against', 'HEAD', '--format', 'markdown')
  commit(join(directory, '..'))
  const none = await plan(directory, '--against', 'HEAD', '--format', 'markdown')

  expect(stdout).toMatchInlineSnapshot(`
    "<!-- svcctl plan -->

    **5 changes** against \`HEAD\`: 1 taken away, 1 less, 1 different, 1 more, 1 invisible to clients

    \`\`\`diff
    - ✗ plan free loses svc-embed  (policies/plans.yaml:12)
    - ↓ plan free: tpm 40k → 20k  (policies/plans.yaml:15)
    ! ~ alias svc-auto now stands for svc-pro  (policies/models.yaml:30)
    + + plan free gains svc-image  (policies/plans.yaml:12)
      · svc-pro loses pool onprem-pro  (policies/models.yaml:14)
    \`\`\`

    **Whom it touches**

    Not counted, because no gateway was asked for its accounts and no decision log was read. \`svcctl plan\` without \`--against\` asks the one in \`SVCCTL_ADMIN\`, as an operator who may read; \`--decisions\` reads a copy of its log.
    "
  `)
  expect(none.stdout).toBe('<!-- svcctl plan -->\n\n**No change in meaning** against `HEAD`\n')
})

test('no change makes the comment longer than GitHub takes', async () => {
  const before = directoryOf({ 'config.yaml': small })
  const after = directoryOf({ 'config.yaml': withModels(at => `m${at}-${'x'.repeat(50)}`) })

  const { stdout } = await plan(after, '-c', 'config.yaml', '--against', before, '--format', 'markdown')

  expect(stdout.length).toBeLessThan(65_536)
  expect(stdout).toMatch(/\n```\n\nand \d+ more, which `svcctl plan` lists\n/)
})

test('no name in the files ends the block of code of a comment, or mentions anybody', async () => {
  const before = directoryOf({ 'config.yaml': small })
  const after = directoryOf({ 'config.yaml': withModels(at => `m${at} @everyone ${'`'.repeat(4)}`) })

  const { stdout } = await plan(after, '-c', 'config.yaml', '--against', before, '--format', 'markdown')

  expect(stdout).toContain('@everyone')
  expect(stdout.replace(/^(`{3,})\w+\n[\s\S]*?\n\1$/gm, '')).not.toContain('@everyone')
  expect(stdout.length).toBeLessThan(65_536)
})

const withModels = (name: (at: number) => string): string => {
  const fields = '{ kind: chat, tier: guest, serve: [near], context: 8k, usd_per_1m: { input: 1, output: 1 } }'
  const models = Array.from({ length: 900 }, (_, at) => `  "${name(at)}": ${fields}\n`)
  return small.replace(/^models:\n/m, found => found + models.join(''))
}

test('markdown of a candidate that is not valid has its problems, and exits with 1', async () => {
  const { directory } = repository()
  edit(directory, 'policies/plans.yaml', 'svc-embed]', 'svc-embde]')

  const { exitCode, stdout } = await plan(directory, '--against', 'HEAD', '--format', 'markdown')

  expect(exitCode).toBe(1)
  expect(stdout).toMatch(
    /^<!-- svcctl plan -->\n\n\*\*The configuration is not valid\*\*\n\n```text\n✗ policies\/plans\.yaml:/,
  )
})

test('variables that are not set make no difference, and are told to have made none', async () => {
  const { directory } = repository()
  edit(directory, 'policies/pools.yaml', `\${CLOUD:-https://llm.example.com/v1}`, `\${NOT_SET_HERE}`)
  edit(directory, 'policies/pools.yaml', `key: \${CLOUD_KEY} #`, `key: \${NOT_SET_EITHER} #`)

  const { code, stdout, stderr } = await program.run(['plan', ...config, '--against', 'HEAD'], { cwd: directory, env })

  expect([code, stdout]).toEqual([0, 'no change in meaning against HEAD\n'])
  expect(stderr).toBe(
    '▲ not compared, because this shell does not have the values: NOT_SET_HERE is not set, NOT_SET_EITHER is not set\n',
  )
})

test('a candidate that is not valid has its problems told, and exits with 1', async () => {
  const { directory } = repository()
  edit(directory, 'policies/plans.yaml', 'svc-embed]', 'svc-embde]')

  const text = await plan(directory, '--against', 'HEAD')
  const json = await plan(directory, '--against', 'HEAD', '--json')

  expect(text.exitCode).toBe(1)
  expect(text.stdout).toContain('did you mean `svc-embed`?')
  expect(JSON.parse(json.stdout).problems).toHaveLength(1)
})

test('of a repository that belongs to another user, what git says is told, with how to trust it', async () => {
  const { directory } = repository()
  // git takes this for a repository of somebody else.
  vi.stubEnv('GIT_TEST_ASSUME_DIFFERENT_OWNER', '1')
  vi.stubEnv('HOME', directory)

  const failure = await plan(directory, '--against', 'HEAD').catch((error: unknown) => error)

  expect(String(failure)).toContain('git cannot read the repository of the configuration')
  expect(String(failure)).toContain('git config --global --add safe.directory')
})

test('the real svcctl plan exits with 0, 10, 1 and 2, and removes what it checked out', async () => {
  const { directory } = repository()
  const temporary = directoryOf({})
  const run = (...options: string[]) =>
    program.run(['plan', ...config, ...options], { cwd: directory, env: { ...env, TMPDIR: temporary } })
  change(directory)

  const fine = await run('--against', 'HEAD')
  const changes = await run('--against', 'HEAD', '--exit-code', '--json')
  const wrong = await run('--against', 'no-such-thing')
  rmSync(join(directory, 'policies/tools.yaml'))
  const bad = await run('--against', 'HEAD')

  expect([fine.code, changes.code, wrong.code, bad.code]).toEqual([0, 10, 2, 1])
  expect(JSON.parse(changes.stdout).changes).toHaveLength(5)
  expect(wrong).toMatchObject({ stdout: '', stderr: '✗ no-such-thing is no file or directory, nor a git revision\n' })
  expect(execFileSync('ls', [temporary], { encoding: 'utf8' })).toBe('')
})

test('what it is compared with must be there, and be valid', async () => {
  const directory = directoryOf({ 'config.yaml': small, 'old.yaml': small.replace('rpm: 20', 'rmp: 20') })
  const run = (against: string) => runHere(registerPlan, ['plan', '--against', against], directory)

  await expect(run('old.yaml')).rejects.toMatchObject({ exitCode: 1 })
  await expect(run('old.yaml')).rejects.toThrow('plan `free` has no `rpm`')
  await expect(run('HEAD')).rejects.toThrow(
    'HEAD is no file or directory, and the configuration is not in a git repository',
  )
  await expect(run('--upload-pack=x')).rejects.toThrow()
})

test('against a revision without the configuration everything is new, in each format', async () => {
  const { top, directory } = repository()
  writeFileSync(join(directory, 'new.yaml'), small)
  const run = (...options: string[]) =>
    runHere(registerPlan, ['plan', '-c', 'new.yaml', '--against', 'HEAD', ...options], directory)

  expect(await run()).toEqual({
    exitCode: undefined,
    stdout: 'everything is new, since HEAD has no file deploy/new.yaml: 1 plan, 1 model, 0 aliases, 1 pool\n',
  })
  expect((await run('--format', 'markdown')).stdout).toBe(
    '<!-- svcctl plan -->\n\n**Everything is new**, since `HEAD` has no file `deploy/new.yaml`: 1 plan, 1 model, 0 aliases, 1 pool\n',
  )
  expect((await run('--format', 'github')).stdout).toBe(
    '::notice title=svcctl plan::everything is new, since HEAD has no file deploy/new.yaml: 1 plan, 1 model, 0 aliases, 1 pool\n',
  )
  expect(JSON.parse((await run('--json')).stdout)).toEqual({
    against: 'HEAD',
    missing: 'deploy/new.yaml',
    changes: [],
    touches: { accounts: null, requests: null },
    upgrade: null,
  })
  expect(await run('--exit-code')).toMatchObject({ exitCode: 10 })
  expect(git(top, 'status', '--porcelain')).toBe('?? deploy/new.yaml\n')
})

test('a configuration that is not valid has its problems listed, also where everything is new', async () => {
  const { directory } = repository()
  writeFileSync(join(directory, 'new.yaml'), small.replace('rpm: 20', 'rmp: 20'))

  const { exitCode, stdout } = await runHere(
    registerPlan,
    ['plan', '-c', 'new.yaml', '--against', 'HEAD', '--format', 'markdown'],
    directory,
  )

  expect(exitCode).toBe(1)
  expect(stdout).toContain('**The configuration is not valid**')
})

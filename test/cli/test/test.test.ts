import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { registerTest } from '../../../src/cli/test/test.ts'
import { directoryOf } from '../../config/files.ts'
import { root } from '../../simulate/example.ts'
import { runHere } from '../here.ts'
import { compileProgram, type Program } from '../program.ts'

let program: Program
beforeAll(() => {
  program = compileProgram()
})
afterAll(() => program.end())
afterEach(() => {
  process.exitCode = undefined
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

const config = ['-c', 'config.example.yaml']
const env = { CLOUD_KEY: 'not-a-key' }

/** The policies that ship, in a directory of their own, with these tests. */
function policies(...tests: string[]): string {
  const directory = directoryOf({})
  cpSync(join(root, 'config.example.yaml'), join(directory, 'config.example.yaml'))
  cpSync(join(root, 'policies'), join(directory, 'policies'), {
    recursive: true,
    filter: path => !path.endsWith('.test.yaml'),
  })
  mkdirSync(join(directory, 'policies/tests'), { recursive: true })
  for (const [index, text] of tests.entries()) writeFileSync(join(directory, `policies/tests/${index}.test.yaml`), text)
  return directory
}

const test_ = (directory: string, ...options: string[]) =>
  runHere(registerTest, ['test', ...config, ...options], directory)

const mixed = `given: { plan: free, now: 2026-11-21T10:00:00Z }
matrix:
  plans: [free, pro]
  svc-core: [ok, ok]
  svc-pro: [ok, ok]
cases:
  - name: the month is spent
    usage: { month_usd: 1 }
    expect: { status: 402, resetDate: 2026-12-01 }
  - name: the 21st request waits
    usage: { minute: { requests: 20, oldest: 40s ago } }
    expect: { status: 429, retry_after_ms: 20000, headers: { retry-after: absent } }
  - name: news go to the largest model
    plan: pro
    chat: What is new today?
    expect: { model: svc-ultra-pro }
invariants:
  - never: { plan: free, pool: cloud-core }
  - never: { plan: free, reaches: svc-pro }
`

test('failures tell what was expected, what came, and the line of the policy that decided', async () => {
  const { exitCode, stdout } = await test_(policies(mixed))

  expect(`\n${stdout}`).toMatchInlineSnapshot(`
    "
    policies/tests/0.test.yaml
      ✓ matrix                                                        3 cells
      ✗ free × svc-pro
            expect  status: 200
            got     status: 429
            decided by stage gate, policies/plans.yaml:12 (plan free does not include svc-pro, which is tier standard)
            expected in policies/tests/0.test.yaml:5
            svcctl explain --case 'free × svc-pro'
      ✓ the month is spent
      ✗ the 21st request waits
            expect  retry_after_ms: 20000
            got     retry_after_ms: 21000
            expect  headers.retry-after: absent
            got     headers.retry-after: 21
            decided by stage rate, policies/plans.yaml:14 (20 of 20 requests a minute, 0 of 40000 tokens a minute (this one: 41))
            expected in policies/tests/0.test.yaml:10
            svcctl explain --case 'the 21st request waits'
      ✗ news go to the largest model
            expect  model: svc-ultra-pro
            got     model: svc-pro
            decided by stage route, policies/routing.yaml:5 (time-sensitive: mentions "today", so svc-pro)
            expected in policies/tests/0.test.yaml:13
            svcctl explain --case 'news go to the largest model'
      ✗ never: plan free, pool cloud-core
            plan free, model svc-core
            reaches svc-core on onprem-core (on-premises), then cloud-core (cloud)
            decided by stage send, policies/models.yaml:7 (onprem-core, then cloud-core)
            expected in policies/tests/0.test.yaml:18
      ✓ never: plan free, reaches svc-pro                             35 combinations

    5 passed, 4 failed
    "
  `)
  expect(exitCode).toBe(1)
})

test('JSON has each test, its failures and what decided', async () => {
  const { exitCode, stdout } = await test_(policies(mixed), '--json', '--coverage')

  const { tests, coverage, ...counts } = JSON.parse(stdout)
  expect(counts).toEqual({ passed: 5, failed: 4 })
  expect(tests).toHaveLength(9)
  expect(tests[2]).toEqual({
    file: 'policies/tests/0.test.yaml',
    line: 5,
    kind: 'cell',
    name: 'free × svc-pro',
    passed: false,
    failures: [{ path: 'status', expected: 200, got: 429 }],
    decided_by: {
      stage: 'gate',
      outcome: 'deny',
      text: 'plan free does not include svc-pro, which is tier standard',
      file: 'policies/plans.yaml',
      line: 12,
    },
  })
  expect(tests[8]).toEqual({
    file: 'policies/tests/0.test.yaml',
    line: 19,
    kind: 'invariant',
    name: 'never: plan free, reaches svc-pro',
    passed: true,
    combinations: 35,
  })
  expect(coverage.slice(0, 3)).toEqual([
    { of: 'routes', declared: 2, missed: [{ name: 'long-input', file: 'policies/routing.yaml', line: 9 }] },
    {
      of: 'plans',
      declared: 4,
      missed: [
        { name: 'guest-device', file: 'policies/plans.yaml', line: 4 },
        { name: 'team', file: 'policies/plans.yaml', line: 26 },
      ],
    },
    {
      of: 'models',
      declared: 6,
      missed: expect.arrayContaining([{ name: 'svc-ultra-pro', file: 'policies/models.yaml', line: 19 }]),
    },
  ])
  expect(exitCode).toBe(1)
})

test('coverage names what no test exercised, and its line', async () => {
  const { stdout } = await test_(policies(mixed), '--coverage')

  expect(stdout).toContain('\n1 of 2 routes exercised; never: long-input (policies/routing.yaml:9)\n')
  expect(stdout).toContain('\n2 of 4 plans exercised; never: guest-device (policies/plans.yaml:4), team (')
  expect(stdout).toMatch(/\n5 passed, 4 failed\n$/)
})

test('-t runs the tests with this in their name', async () => {
  const directory = policies(mixed)

  const one = await test_(directory, '-t', 'MONTH')
  const none = await test_(directory, '-t', 'moon')

  expect(one.stdout).toBe('policies/tests/0.test.yaml\n  ✓ the month is spent\n\n1 passed, 0 failed\n')
  expect(one.exitCode).toBe(0)
  expect(none).toEqual({ exitCode: 2, stdout: '✗ no test has `moon` in its name\n' })
})

test('a mistake in a file of tests is a code frame, and nothing is run', async () => {
  const directory = policies(mixed, mixed.replace('usage: { month_usd', 'usage: { month_used'))

  const text = await test_(directory)
  const json = await test_(directory, '--json')

  expect(text.stdout).toBe(`\
✗ policies/tests/1.test.yaml:8:14  unknown field \`month_used\`                 unknown-field
   8 │     usage: { month_used: 1 }
     │              ^^^^^^^^^^ did you mean \`month_usd\`?

1 error in 2 files
`)
  expect(text.exitCode).toBe(1)
  expect(JSON.parse(json.stdout).problems).toMatchObject([{ line: 8, column: 14, rule: 'unknown-field' }])
})

test('a mistake in the policies is told as validate tells it', async () => {
  const directory = policies(mixed)
  writeFileSync(join(directory, 'policies/images.yaml'), 'modles: {}\n')

  const { stdout, exitCode } = await test_(directory)

  expect(stdout).toContain('✗ policies/images.yaml:1:1  unknown field `modles`')
  expect(exitCode).toBe(1)
})

test('files may be named; none at all, or one that is not there, is wrong usage', async () => {
  const directory = policies(mixed)
  writeFileSync(join(directory, 'own.yaml'), 'cases: [{ name: a, plan: free, expect: { status: 200 } }]\n')

  expect((await test_(directory, 'own.yaml')).stdout).toBe('own.yaml\n  ✓ a\n\n1 passed, 0 failed\n')
  expect(await test_(policies())).toMatchObject({ exitCode: 2, stdout: expect.stringContaining('no tests found') })
  await expect(test_(directory, 'other.yaml')).rejects.toMatchObject({ exitCode: 2 })
})

test('the real svcctl test ends in `N passed, 0 failed`, without colours in a pipe, and nothing is missed', async () => {
  const { code, stdout, stderr } = await program.run(['test', ...config, '--coverage'], { env })

  expect(stdout).toMatch(
    /\n2 of 2 routes exercised\n4 of 4 plans exercised\n6 of 6 models exercised\n4 of 4 tools exercised\n\n\d+ passed, 0 failed\n$/,
  )
  expect(stdout).not.toContain('\u001b')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

test('a reader that has enough is no failure, and colours come when they are asked for', async () => {
  const line = `node ${program.main} test -c config.example.yaml`

  const head = await program.shell(`set -o pipefail; ${line} | head -n 1`, { env })
  const coloured = await program.shell(line, { env: { ...env, NO_COLOR: '', FORCE_COLOR: '1' } })

  expect(head.stdout).toBe('policies/tests/denials.test.yaml\n')
  expect(head.stderr).toBe('')
  expect(coloured.stdout).toContain('  \u001b[32m✓\u001b[0m ')
})

test('the real svcctl explain exits 0 for any answer, and 2 for what it is not asked rightly', async () => {
  const explain = ['explain', ...config, '--now', '2026-11-21T10:00:00Z']

  const served = await program.shell(
    `echo '{"messages":[{"role":"user","content":"Hi"}]}' | node ${program.main} ${explain.join(' ')} --body -`,
    { env },
  )
  const refused = await program.run([...explain, '--model', 'svc-image', '--json'], { env })
  const wrong = await program.run([...explain, '--plan', 'fre'], { env })

  expect([served.code, refused.code, wrong.code]).toEqual([0, 0, 2])
  expect(served.stdout).toMatch(/\n200 · svc-core · x-svc-upstream: onprem-core\n$/)
  expect(JSON.parse(refused.stdout)).toMatchObject({ verdict: 'deny', answer: { status: 429 } })
  expect(wrong).toMatchObject({ stdout: '', stderr: '✗ no such plan `fre`: did you mean `free`?\n' })
})

test('--watch runs again when a policy or a test changes, and ends with Ctrl-C', async () => {
  const directory = policies('cases: [{ name: a, plan: free, model: svc-pro, expect: { status: 200 } }]\n')
  const running = program.start(['test', ...config, '--watch'], { cwd: directory, env })
  await running.until('0 passed, 1 failed\n\nwaiting for changes; Ctrl-C ends\n')

  const plans = join(directory, 'policies/plans.yaml')
  writeFileSync(
    plans,
    readFileSync(plans, 'utf8').replace('[tier:guest, svc-embed]', '[tier:guest, svc-embed, svc-pro]'),
  )
  await running.until('1 passed, 0 failed\n\nwaiting')
  writeFileSync(join(directory, 'policies/tests/more.test.yaml'), 'cases: [{ name: b, expect: { status: 200 } }]\n')
  const said = await running.until('2 passed, 0 failed\n\nwaiting')

  expect(said).toContain('policies/tests/more.test.yaml\n  ✓ b\n')
  expect(await running.end('SIGINT')).toBe(0)
})

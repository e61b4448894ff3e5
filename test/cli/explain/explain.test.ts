import { afterEach, expect, test, vi } from 'vitest'
import { registerExplain } from '../../../src/cli/explain/explain.ts'
import { root } from '../../simulate/example.ts'
import { runHere } from '../here.ts'

afterEach(() => {
  process.exitCode = undefined
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

/** Runs `svcctl explain` on the policies that ship, on a Saturday morning. */
async function explain(...options: string[]) {
  const asked = options.includes('--now') || options.includes('--case') ? [] : ['--now', '2026-11-21T10:00:00Z']
  return runHere(registerExplain, ['explain', '-c', 'config.example.yaml', ...asked, ...options])
}

test('a request that is served is told stage by stage, each with the line that decided', async () => {
  const { exitCode, stdout } = await explain('--plan', 'free', '--chat', 'What is the latest oil price?')

  expect(`\n${stdout}`).toMatchInlineSnapshot(`
    "
    POST /v1/chat/completions · no model named · 2026-11-21T10:00:00Z

      1 who    ✓ an account on plan free                                                               policies/plans.yaml:11
      2 body   ✓ 1 message, at most 49 input tokens, 4000 output                                       policies/models.yaml:4
      3 model  ✓ none named, so svc-auto                                                               policies/models.yaml:30
      4 route  · time-sensitive: would use svc-pro, which plan free does not include                   policies/routing.yaml:5
               · long-input: 9 tokens, needs over 8000                                                 policies/routing.yaml:9
      5 gate   ✓ plan free includes svc-core by tier:guest                                             policies/plans.yaml:12
      6 rate   ✓ 0 of 20 requests a minute, 0 of 40000 tokens a minute (this one: 4049)                policies/plans.yaml:14
      7 quota  ✓ $0 of $1 used, this one: $0.0016049 at most                                           policies/plans.yaml:16
      8 send   ✓ onprem-core, then cloud-core                                                          policies/models.yaml:7
               ✓ onprem-core takes replica 1 (cost 9): a hash picks one of 2 that cost about the same  policies/pools.yaml:4

    ▲ No gateway was asked, so nothing is cached yet: replicas are chosen as by one that has just started.

    200 · svc-core · x-svc-upstream: onprem-core
    "
  `)
  expect(exitCode).toBe(0)
})

test('a refusal ends with the answer and what would flip it', async () => {
  const { exitCode, stdout } = await explain('--plan', 'free', '--max-tokens', '1k', '--usage', 'month_usd=0.9999')

  expect(`\n${stdout}`).toMatchInlineSnapshot(`
    "
    POST /v1/chat/completions · no model named · 2026-11-21T10:00:00Z

      1 who    ✓ an account on plan free                                                 policies/plans.yaml:11
      2 body   ✓ 1 message, at most 25 input tokens, 1000 output                         policies/models.yaml:4
      3 model  ✓ none named, so svc-auto                                                 policies/models.yaml:30
      4 route  · time-sensitive: none of its 11 phrases                                  policies/routing.yaml:5
               · long-input: 3 tokens, needs over 8000                                   policies/routing.yaml:9
      5 gate   ✓ plan free includes svc-core by tier:guest                               policies/plans.yaml:12
      6 rate   ✓ 0 of 20 requests a minute, 0 of 40000 tokens a minute (this one: 1025)  policies/plans.yaml:14
      7 quota  ✗ $0.9999 of $1 used, this one: $0.0004025 at least                       policies/plans.yaml:16

    402 quota_exceeded · The request may cost up to $0.0004025, but only $0.0001 of the monthly quota remain until 2026-12-01. max_tokens up to 243 would fit.

    It would be allowed
      · again at 2026-12-01T00:00:00Z, in 9 d 14 h
      · with max_tokens ≤ 243
      · in plan pro or team
    "
  `)
  expect(exitCode).toBe(0)
})

test('a model outside the plan is stopped at the gate', async () => {
  const { exitCode, stdout } = await explain('--plan', 'free', '--model', 'svc-pro')

  expect(`\n${stdout}`).toMatchInlineSnapshot(`
    "
    POST /v1/chat/completions · model svc-pro · 2026-11-21T10:00:00Z

      1 who    ✓ an account on plan free                                     policies/plans.yaml:11
      2 body   ✓ 9 bytes of text, about 3 tokens
      3 model  ✓ svc-pro by name                                             policies/models.yaml:11
      4 route  · the client named the model, which is never changed
      5 gate   ✗ plan free does not include svc-pro, which is tier standard  policies/plans.yaml:12

    429 rate_limit_exceeded, plan_limit · Plan free does not include svc-pro. Retrying does not help: change the plan or the model.

    It would be allowed
      · in plan pro or team
      · with model svc-core
    "
  `)
  expect(exitCode).toBe(0)
})

test('a full minute says when there is room again', async () => {
  const { stdout } = await explain('--plan', 'free', '--usage', 'requests=20,oldest=40s')

  expect(stdout).toContain('  6 rate   ✗ 20 of 20 requests a minute')
  expect(stdout).toContain('policies/plans.yaml:14\n')
  expect(stdout).toContain('It would be allowed\n  · again at 2026-11-21T10:00:21Z, in 21 s\n  · in plan pro or team\n')
})

test('pools that fail are told in the order in which they are tried', async () => {
  const one = await explain('--down', 'onprem-core')
  const failing = await explain('--failing', 'onprem-core')
  const all = await explain('--failing', 'onprem-core', '--failing', 'cloud-core')

  expect(one.stdout).toContain('8 send   ✓ cloud-core, then onprem-core ')
  expect(failing.stdout).toContain('8 send   ✓ onprem-core failed, so cloud-core ')
  expect(all.stdout).toContain('8 send   ✗ onprem-core, then cloud-core: all failed ')
  expect(all.stdout).toContain('  · while onprem-core or cloud-core answers\n')
  expect(all.exitCode).toBe(0)
})

test('a guest is a device, and who sends no key is told at the door', async () => {
  const guest = await explain('--guest')
  const nobody = await explain('--auth', 'none')

  expect(guest.stdout).toContain('  1 who    ✓ a guest on plan guest-device ')
  expect(nobody.stdout).toContain('  1 who    ✗ NO_AUTH\n\n401 NO_AUTH · Send `Authorization: Bearer svc_…`.')
  expect(nobody.exitCode).toBe(0)
})

test('JSON has the stages, the answer of the wire and what would flip it', async () => {
  const { stdout, exitCode } = await explain('--plan', 'free', '--model', 'svc-pro', '--json')

  expect(JSON.parse(stdout)).toEqual({
    verdict: 'deny',
    at: '2026-11-21T10:00:00.000Z',
    path: '/v1/chat/completions',
    asked: 'svc-pro',
    model: null,
    route: null,
    pools: [],
    attempted: [],
    replica: null,
    waits_in: null,
    waits_behind: null,
    slot: null,
    full: {},
    choices: [],
    served_by: null,
    max_tokens: null,
    answer: {
      status: 429,
      headers: { 'x-svc-error-code': 'rate_limit_exceeded', 'x-should-retry': 'false' },
      body: {
        error: {
          code: 'rate_limit_exceeded',
          type: 'plan_limit',
          message: 'Plan free does not include svc-pro. Retrying does not help: change the plan or the model.',
          retry_after_ms: 0,
          docs: 'http://localhost:8080/docs/errors',
        },
      },
    },
    stages: [
      { stage: 'who', outcome: 'pass', text: 'an account on plan free', file: 'policies/plans.yaml', line: 11 },
      { stage: 'body', outcome: 'pass', text: '9 bytes of text, about 3 tokens', file: null, line: null },
      { stage: 'model', outcome: 'pass', text: 'svc-pro by name', file: 'policies/models.yaml', line: 11 },
      {
        stage: 'route',
        outcome: 'pass',
        text: 'the client named the model, which is never changed',
        file: null,
        line: null,
      },
      {
        stage: 'gate',
        outcome: 'deny',
        text: 'plan free does not include svc-pro, which is tier standard',
        file: 'policies/plans.yaml',
        line: 12,
      },
    ],
    allowed_if: [
      { change: 'plan', names: ['pro', 'team'] },
      { change: 'model', names: ['svc-core'] },
    ],
  })
  expect(exitCode).toBe(0)
})

test('JSON of what is served has no flip', async () => {
  const { stdout } = await explain('--plan', 'pro', '--chat', 'Any news?', '--stream', '--json')

  expect(JSON.parse(stdout)).toMatchObject({
    verdict: 'allow',
    model: 'svc-pro',
    route: 'time-sensitive',
    pools: ['onprem-pro', 'cloud-pro'],
    served_by: 'onprem-pro',
    max_tokens: 4000,
    answer: { status: 200, body: null, headers: { 'x-svc-smart-route': 'time-sensitive' } },
    allowed_if: [],
  })
})

test('a case of the tests is explained as the tests run it', async () => {
  const { stdout, exitCode } = await explain('--case', 'VALIDATION_ERROR, thinking needs room')

  expect(stdout).toContain('  2 body   ✗ max_tokens: svc-ultra-pro needs at least 2000 with thinking on')
  expect(stdout).toContain('  · with max_tokens ≥ 2000\n')
  expect(exitCode).toBe(0)
})

test.each([
  ['a plan that there is not', ['--plan', 'fre'], '✗ no such plan `fre`: did you mean `free`?'],
  ['a pool that there is not', ['--down', 'onprem-cor'], '✗ no such pool `onprem-cor`: did you mean `onprem-core`?'],
  ['a usage that there is not', ['--usage', 'request=3'], '✗ no such usage `request`: did you mean `requests`?'],
  ['a usage by its old name', ['--usage', 'held_usd=3'], '✗ no such usage `held_usd`: its name is now `reserved_usd`'],
  ['a usage without a value', ['--usage', 'requests'], '✗ --usage: `requests` is not name=value, such as requests=20'],
  [
    'a usage that is no number',
    ['--usage', 'tokens=4_000'],
    '✗ --usage tokens: `4_000` is not a number; write 4000 or 4k; YAML 1.2 has no digit separators',
  ],
  ['a negative usage', ['--usage', 'month_usd=-1'], '✗ --usage month_usd: `-1` is out of range; from 0 to 9000 USD'],
  [
    'an age that is none',
    ['--usage', 'oldest=2m'],
    '✗ --usage oldest: `2m` is not a time within the last minute; write 40s ago; from 0s to 60s',
  ],
  ['a moment that is none', ['--now', 'noon'], '✗ --now: `noon` is not a moment; write 2026-11-21T10:00:00Z'],
  ['a header that is none', ['--header', 'x'], "✗ --header: `x` is not a header; write 'name: value'"],
  ['a cap that is none', ['--max-tokens', '0'], '✗ --max-tokens: `0` is out of range; from 1 to 1000000000'],
  [
    'a path where no model answers',
    ['--body', '/dev/null', '--path', '/v1/embedding'],
    '✗ --path: no model answers at `/v1/embedding`: did you mean `/v1/embeddings`?',
  ],
  [
    'a body that is not there',
    ['--body', '/nowhere.json'],
    "✗ --body: /nowhere.json cannot be read: ENOENT: no such file or directory, open '/nowhere.json'",
  ],
  [
    'a case that there is not',
    ['--case', 'nothing'],
    `✗ no case in ${root}policies/tests/*.test.yaml is called \`nothing\``,
  ],
])('%s is wrong usage', async (_, options, message) => {
  await expect(explain(...options)).rejects.toMatchObject({ exitCode: 2, message })
})

test('two callers or two requests are wrong usage', async () => {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)

  await expect(explain('--plan', 'free', '--guest')).rejects.toMatchObject({ code: 'commander.conflictingOption' })
  await expect(explain('--chat', 'a', '--input', 'b')).rejects.toMatchObject({ code: 'commander.conflictingOption' })
  await expect(explain('--case', 'a', '--plan', 'free')).rejects.toMatchObject({ code: 'commander.conflictingOption' })
})

test.each([
  ['free', 'svc-pro', [], 0],
  ['free', 'svc-pro', ['--exit-code'], 1],
  ['pro', 'svc-pro', ['--exit-code'], 0],
])(
  'on plan %s, %s with options %j exits %d: a refusal is an answer unless the code is asked for',
  async (plan, model, options, code) => {
    expect(await explain('--plan', plan, '--model', model, ...options)).toMatchObject({ exitCode: code })
  },
)

import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { lineOf } from '../../../src/adapters/decisions/line.ts'
import { registerExplain } from '../../../src/cli/explain/explain.ts'
import { registerReplay } from '../../../src/cli/replay/replay.ts'
import type { DecisionRecord } from '../../../src/policy/record.ts'
import { namedAsInLine } from '../../../src/wire/decision-line.ts'
import { AT, exampleConfig, NOTHING_USED, recordOf } from '../../adapters/decisions/made.ts'
import { removeFolder } from '../../lanes/remove-folder.ts'
import { runHere } from '../here.ts'

const config = exampleConfig()
const full = { ...NOTHING_USED, requests: 20, tokens: 900 }
const minute = [[AT / 1000 - 50, 5, 400] as const, [AT / 1000 - 10, 15, 500] as const]
const found = Object.fromEntries(config.matchers.map(({ name }) => [name, true]))
const served = recordOf(config, 'req_served', { plan: 'pro', signals: found })
const limited = recordOf(config, 'req_limited', {
  plan: 'free',
  request: { cap: { field: 'max_tokens', tokens: 100 } },
  seen: { at: AT + 3, readings: full, minute },
})
const gated = recordOf(config, 'req_gated', { plan: 'free', request: { model: 'svc-pro' } })
const day = Math.floor(AT / 86_400_000)
const ruled = recordOf(config, 'req_ruled', {
  plan: 'pro',
  limits: [
    { measure: 'usd', most: 2_000_000_000, per: 'day' },
    { measure: 'output_tokens', most: 5000, per: 'day', of: 'key', model: 'svc-core' },
  ],
  seen: {
    ...{ at: AT + 3, readings: NOTHING_USED },
    rules: [
      ['account', 'usd/day//', day, day, 500_000_000, 250_000_000],
      ['account', 'output_tokens/day/sign-in/svc-core', day, day, 4900, 0],
    ],
  },
  request: { cap: { field: 'max_tokens', tokens: 200 } },
})
const gone = recordOf(config, 'req_gone', { plan: 'pro', seen: { gone: 'key' } })
const old: DecisionRecord = { ...gated, id: 'req_old', revision: '0123456789ab' }
const other: DecisionRecord = { ...old, id: 'req_other', outcome: served.outcome }

let log: string
beforeEach(() => {
  log = mkdtempSync(join(tmpdir(), 'svc-log-'))
  write(1, [served, limited])
  write(2, [gated, gone, old, other])
})
afterEach(async () => {
  await removeFolder(log)
  process.exitCode = undefined
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

const write = (number: number, records: readonly DecisionRecord[]) =>
  writeFileSync(join(log, `decisions-00000${number}.ndjson`), records.map(lineOf).join(''))

const withoutRevision = (text: string) => text.replaceAll(config.revision, 'REVISION')

async function explain(id: string, ...options: string[]) {
  const { stdout, exitCode } = await runHere(registerExplain, [
    ...['explain', '-c', 'config.example.yaml', '--log', log, '--request', id],
    ...options,
  ])
  return { exitCode, stdout: withoutRevision(stdout) }
}

test('a past request that was served is told stage by stage, and that it comes to the same again', async () => {
  const { stdout, exitCode } = await explain('req_served')

  expect(`\n${stdout}`).toMatchInlineSnapshot(`
    "
    req_served · POST /v1/chat/completions · no model named · acct_1 · 2026-11-21T10:00:00Z

      1 who    ✓ acct_1 on plan pro                                                        policies/plans.yaml:18
      2 body   ✓ 1 message, at most 56 input tokens, 4000 output                           policies/models.yaml:11
      3 model  ✓ none named, so svc-auto                                                   policies/models.yaml:30
      4 route  · time-sensitive: mentions one of its 11 phrases, so svc-pro                policies/routing.yaml:5
      5 gate   ✓ plan pro includes svc-pro by tier:standard                                policies/plans.yaml:19
      6 rate   ✓ 0 of 120 requests a minute, 0 of 400000 tokens a minute (this one: 4056)  policies/plans.yaml:21
      7 quota  ✓ $0 of $20 used, overage without a cap, this one: $0.0096336 at most       policies/plans.yaml:23
      8 send   ✓ onprem-pro, then cloud-pro                                                policies/models.yaml:14

    admitted · svc-pro · by time-sensitive · max_tokens 4000

    Decided by revision REVISION; these files decide it in the same way.
    "
  `)
  expect(exitCode).toBe(0)
})

test('one that was refused is told with the wait that its client was told, and what would have flipped it', async () => {
  const { stdout, exitCode } = await explain('req_limited')

  expect(`\n${stdout}`).toMatchInlineSnapshot(`
    "
    req_limited · POST /v1/chat/completions · no model named · acct_1 · 2026-11-21T10:00:00Z

      1 who    ✓ acct_1 on plan free                                                       policies/plans.yaml:11
      2 body   ✓ 1 message, at most 56 input tokens, 100 output                            policies/models.yaml:4
      3 model  ✓ none named, so svc-auto                                                   policies/models.yaml:30
      4 route  · time-sensitive: none of its 11 phrases                                    policies/routing.yaml:5
               · long-input: 10 tokens, needs over 8000                                    policies/routing.yaml:9
      5 gate   ✓ plan free includes svc-core by tier:guest                                 policies/plans.yaml:12
      6 rate   ✗ 20 of 20 requests a minute, 900 of 40000 tokens a minute (this one: 156)  policies/plans.yaml:14

    429 rate_limit_exceeded, requests · The account may send 20 requests a minute. Retry in 11 s.

    It would be allowed
      · again at 2026-11-21T10:00:11Z, in 11 s
      · in plan pro or team

    Decided by revision REVISION; these files decide it in the same way.
    "
  `)
  expect(exitCode).toBe(0)
})

test('a refusal of the past exits 1 only with --exit-code', async () => {
  expect(await explain('req_limited')).toMatchObject({ exitCode: 0 })
  expect(await explain('req_limited', '--exit-code')).toMatchObject({ exitCode: 1 })
  expect(await explain('req_served', '--exit-code')).toMatchObject({ exitCode: 0 })
})

test('one whose key stopped working meanwhile says so', async () => {
  const { stdout } = await explain('req_gone')

  expect(stdout).toMatch(/rate\s+✗ its key stopped working by then/)
  expect(stdout).toContain('401 INVALID_KEY')
})

test('other files than those that decided it are told, and whether they come to the same', async () => {
  expect((await explain('req_old')).stdout).toContain(
    'Revision 0123456789ab decided it, these files are revision REVISION: they decide the same.',
  )
  expect((await explain('req_other')).stdout).toContain(
    'Revision 0123456789ab decided it, these files are revision REVISION, and decide differently. It was admitted: svc-pro, by onprem-pro, then cloud-pro then.',
  )
})

test('other limits that come to the same answer are not called another answer', async () => {
  const claims = { ...served.outcome.claims, requests: { limit: 7 } }
  const wider = { ...served, id: 'req_wider', revision: '0123456789ab', outcome: { ...served.outcome, claims } }
  write(3, [wider as DecisionRecord])

  expect((await explain('req_wider')).stdout).toContain('they decide the same, by other limits.')
})

test('as JSON, the outcome is that of the record to the byte, and the record is there', async () => {
  for (const record of [served, limited, gated, gone]) {
    const told = JSON.parse((await explain(record.id, '--json')).stdout)

    expect(JSON.stringify(told.outcome)).toBe(JSON.stringify(record.outcome))
    expect(JSON.stringify({ ...told.record, revision: config.revision })).toBe(JSON.stringify(namedAsInLine(record)))
    expect(told).toMatchObject({ same_files: true, agrees: true, verdict: record.outcome.verdict })
  }
})

test('a request that is in no file, and a log that is not there, are told', async () => {
  await expect(explain('req_nobody')).rejects.toThrow(`✗ no decision of req_nobody in ${log}`)
  await expect(
    runHere(registerExplain, ['explain', '--log', '/nowhere', '--request', 'x', '-c', 'config.example.yaml']),
  ).rejects.toThrow('✗ /nowhere cannot be read')
})

async function replay(...options: string[]) {
  const { stdout, exitCode } = await runHere(registerReplay, ['replay', ...options])
  return { exitCode, stdout: withoutRevision(stdout) }
}

/** The policies that ship, with pro made smaller. */
function candidate(): string {
  const yaml = `version: 1
plans:
  free: { models: [tier:guest, svc-pro], rpm: 20, tpm: 40k, monthly_usd: 1 }
  pro: { models: [svc-core], rpm: 120, tpm: 400k, monthly_usd: 20 }
models:
  svc-core: { kind: chat, tier: guest, serve: [p], context: 32k, usd_per_1m: { input: 0.1, output: 0.4 } }
  svc-pro: { kind: chat, tier: standard, serve: [p], context: 32k, usd_per_1m: { input: 1, output: 4 } }
aliases: { svc-auto: svc-core }
default_model: svc-auto
pools: { p: { site: here, model: x, replicas: [http://127.0.0.1:1/v1] } }
`
  const file = join(log, 'candidate.yaml')
  writeFileSync(file, yaml)
  return file
}

test('a replay of a directory tells by plan and model what another policy would change', async () => {
  writeFileSync(join(log, 'decisions-000003.ndjson'), `${lineOf(served)}{"v":2,"id":"req_cu`)
  const { stdout, exitCode } = await replay(log, '-c', candidate())
  const { revision } = JSON.parse((await replay(log, '-c', candidate(), '--json')).stdout)

  expect(`\n${stdout.replaceAll(revision, 'CANDIDATE')}`).toMatchInlineSnapshot(`
    "
    7 decisions of revisions REVISION, 0123456789ab, decided again by revision CANDIDATE

    PLAN   MODEL     REQUESTS  REFUSED  ALLOWED  REROUTED  MOVED  UNDETERMINABLE  RESERVED USD  CHANGE USD
    free   svc-core         1        0        0         0      0               0             0           0
    free   svc-pro          2        0        2         0      0               0             0           0
    pro    svc-core         1        0        0         0      0               0             0           0
    pro    svc-pro          3        0        0         2      1               0     0.0192672   -0.016056
    TOTAL                   7        0        2         2      1               0     0.0192672   -0.016056

    RESERVED USD is the maximum cost of the admitted requests.
    for 2 of those allowed it is unknown whether the limits have room: not all limits were asked then. If none was, the cost is not counted.
    1 line was skipped: broken, or of another version.
    "
  `)
  expect(exitCode).toBeUndefined()
})

test('a replay of one file, as JSON', async () => {
  const { stdout } = await replay(join(log, 'decisions-000001.ndjson'), '-c', 'config.example.yaml', '--json')

  expect(stdout).toMatchInlineSnapshot(`
    "{
      "revision": "REVISION",
      "recorded_revisions": [
        "REVISION"
      ],
      "broken_lines": 0,
      "total": {
        "requests": 2,
        "refused": 0,
        "allowed": 0,
        "rerouted": 0,
        "moved": 0,
        "undeterminable": 0,
        "same": 2,
        "unasked": 0,
        "reserved_nano_usd": 9633600,
        "reserved_nano_usd_after": 9633600
      },
      "groups": [
        {
          "plan": "free",
          "model": "svc-core",
          "requests": 1,
          "refused": 0,
          "allowed": 0,
          "rerouted": 0,
          "moved": 0,
          "undeterminable": 0,
          "same": 1,
          "unasked": 0,
          "reserved_nano_usd": 0,
          "reserved_nano_usd_after": 0
        },
        {
          "plan": "pro",
          "model": "svc-pro",
          "requests": 1,
          "refused": 0,
          "allowed": 0,
          "rerouted": 0,
          "moved": 0,
          "undeterminable": 0,
          "same": 1,
          "unasked": 0,
          "reserved_nano_usd": 9633600,
          "reserved_nano_usd_after": 9633600
        }
      ]
    }
    "
  `)
})

test('a past request that a rule refused is told with what was used of each rule that was judged', async () => {
  write(3, [ruled])
  const { stdout, exitCode } = await explain('req_ruled')

  expect(stdout).toContain('$0.75 of $2 a day (UTC) (this one:')
  expect(stdout).toContain('4900 of 5000 completion tokens a day (UTC) for svc-core, of each key (this one: 200)')
  expect(stdout).toContain('Decided by revision REVISION; these files decide it in the same way.')
  expect(exitCode).toBe(0)
})

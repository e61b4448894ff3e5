import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lineOf } from '../../../src/adapters/decisions/line.ts'
import { requestsTouched } from '../../../src/cli/plan/planned.ts'
import { touchesLines, touchesRecord } from '../../../src/cli/plan/text.ts'
import type { Config } from '../../../src/policy/config.ts'
import { type Ask, AT, configOf, NOTHING_USED, recordOf } from '../../adapters/decisions/made.ts'
import { directoryOf } from '../../config/files.ts'

const yaml = `version: 1
plans:
  free: { models: [small], rpm: 5, tpm: 40k, monthly_usd: 1 }
  pro: { models: all, rpm: 100, tpm: 400k, monthly_usd: 20 }
models:
  small: { kind: chat, tier: t, serve: [one, two], context: 32k, usd_per_1m: { input: 1, output: 10 } }
  big: { kind: chat, tier: t, serve: [one], context: 32k, usd_per_1m: { input: 2, output: 20 } }
aliases: { auto: small }
default_model: auto
pools:
  one: { site: here, model: x, replicas: [http://127.0.0.1:1/v1] }
  two: { site: there, model: x, replicas: [http://127.0.0.1:2/v1] }
`
const before = configOf(yaml)
const changed = (from: string, to: string): Config => {
  expect(yaml).toContain(from)
  return configOf(yaml.replace(from, to))
}
const used = (requests: number) => ({ at: AT + 3, readings: { ...NOTHING_USED, requests } })

/** A log of these requests, decided by a configuration, oldest first. */
function logOf(asks: readonly Ask[], config = before, directory = directoryOf({}), number = 1): string {
  mkdirSync(directory, { recursive: true })
  const lines = asks.map((ask, n) => lineOf(recordOf(config, `req_${number}_${n}`, ask)))
  writeFileSync(join(directory, `decisions-00000${number}.ndjson`), lines.join(''))
  return directory
}

const touched = async (log: string, after: Config, most = 1000) =>
  touchesLines({ accounts: undefined, requests: await requestsTouched(log, { before, after }, most) })

test('what is decided otherwise is counted by what becomes of it, and by plan', async () => {
  const log = logOf([
    { plan: 'free', seen: used(2) },
    { plan: 'free', seen: used(4) },
    { plan: 'pro', seen: used(4) },
  ])

  expect(await touched(log, changed('rpm: 5,', 'rpm: 4,'))).toEqual([
    'of 3 requests since 2026-11-21T10:00:00Z: 1 newly refused (free 1)',
  ])
  expect(await touched(log, changed('serve: [one, two]', 'serve: [two]'))).toEqual([
    'of 3 requests since 2026-11-21T10:00:00Z: 3 move to another pool (free 2, pro 1)',
  ])
  expect(await touched(log, before)).toEqual(['of 3 requests since 2026-11-21T10:00:00Z: all are decided as before'])
})

test('accounts that move are decided by the plan they move to', async () => {
  const log = logOf([
    { plan: 'free', seen: used(2) },
    { plan: 'free', seen: used(4) },
    { plan: 'pro', seen: used(6) },
  ])
  const touchedBy = async (rpm: number, moves?: ReadonlyMap<string, string>) => {
    const after = changed('  pro: { models: all, rpm: 100', `  team: { models: all, rpm: ${rpm}`)
    const sides = { before, after, ...(moves && { moves }) }
    return touchesLines({ accounts: undefined, requests: await requestsTouched(log, sides, 1000) })
  }
  const refused = ['of 3 requests since 2026-11-21T10:00:00Z: 1 newly refused (pro 1)']

  expect(await touchedBy(7)).toEqual(refused)
  expect(await touchedBy(6, new Map([['pro', 'team']]))).toEqual(refused)
  expect(await touchedBy(7, new Map([['pro', 'team']]))).toEqual([
    'of 3 requests since 2026-11-21T10:00:00Z: all are decided as before',
  ])
})

test('what only the limits can say, and what cannot be decided again, is said', async () => {
  const log = logOf([{ plan: 'free', request: { model: 'big' } }, { plan: 'pro' }])

  expect(await touched(log, changed('models: [small]', 'models: all'))).toEqual([
    'of 2 requests since 2026-11-21T10:00:00Z: 1 newly allowed (free 1)',
    'for 1 of those allowed it is unknown whether the limits have room',
  ])
  const routed = configOf(`${yaml}routes: [{ name: r, when: { mentions: [now] }, use: big }]\n`)
  expect(await touched(log, routed)).toEqual([
    'of 2 requests since 2026-11-21T10:00:00Z: 1 cannot be decided again (pro 1)',
    'requests that cannot be decided again depend on texts or headers that were not examined then',
  ])
})

test('requests that older files decided are compared with what the files in between make of them', async () => {
  const older = changed('rpm: 5,', 'rpm: 2,')
  const log = logOf([{ plan: 'free', seen: used(3) }], older)

  // Refused then, allowed by what serves and by the candidate: nothing that this change does.
  expect(await touched(log, changed('tpm: 40k', 'tpm: 41k'))).toEqual([
    'of 1 request since 2026-11-21T10:00:00Z: all are decided as before',
  ])
  expect(await touched(log, older)).toEqual(['of 1 request since 2026-11-21T10:00:00Z: 1 newly refused (free 1)'])
})

test('only the newest requests are taken, which is said where there are older ones', async () => {
  const log = logOf([{ plan: 'pro' }, { plan: 'pro' }])
  logOf([{ plan: 'free' }, { plan: 'free' }], before, log, 2)
  const after = changed('serve: [one, two]', 'serve: [two]')

  expect(await touched(log, after, 3)).toEqual([
    'of the newest 3 requests since 2026-11-21T10:00:00Z: 3 move to another pool (free 2, pro 1)',
  ])
  expect(await touched(log, after, 4)).toEqual([
    'of 4 requests since 2026-11-21T10:00:00Z: 4 move to another pool (free 2, pro 2)',
  ])
})

test('broken lines are counted, and an empty log is told', async () => {
  const log = logOf([{ plan: 'free' }])
  writeFileSync(join(log, 'decisions-000002.ndjson'), '{"v":1,"id"\n')
  const empty = directoryOf({ 'decisions-000001.ndjson': '' })

  expect(await touched(log, before)).toContain('1 broken line was skipped')
  expect(await touched(empty, before)).toEqual(['no requests are recorded yet'])
})

test('as JSON each count has its name, in all and by plan', async () => {
  const log = logOf([{ plan: 'free', seen: used(4) }])
  const requests = await requestsTouched(log, { before, after: changed('rpm: 5,', 'rpm: 4,') }, 10)

  const counts = { requests: 1, refused: 1, allowed: 0, unasked: 0, rerouted: 0, moved: 0, undeterminable: 0 }
  expect(touchesRecord({ accounts: [{ plan: 'free', accounts: 3, gone: true }], requests })).toEqual({
    accounts: [{ plan: 'free', accounts: 3, gone: true }],
    requests: {
      ...counts,
      since: '2026-11-21T10:00:00.000Z',
      only_newest: false,
      broken_lines: 0,
      plans: [{ plan: 'free', ...counts }],
    },
  })
})

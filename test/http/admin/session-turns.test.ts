import { expect, it } from 'vitest'
import { turnsThatSpent } from '../../../src/http/admin/session-turns.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import type { LedgerRow } from '../../../src/records/ledger-row.ts'
import { FULL_BILL } from '../../records/rows.ts'

const AT = Date.UTC(2026, 10, 21, 10)
const row = (requestId: string, kind: LedgerRow['kind'], cost: number, hoursAgo = 0): LedgerRow => ({
  ...{ ...FULL_BILL, requestId, kind, cost: nanoUsd(cost), account: 'ada', session: 'ses_1' },
  ...{ admittedAt: AT - hoursAgo * 3_600_000 - 1000, settledAt: AT - hoursAgo * 3_600_000 },
})

it('a turn that a dead gateway left and another one settled is one request with both of its costs', async () => {
  const readRecent = async function* () {
    yield* [
      row('req_1', 'orphan', 1e8),
      row('req_1', 'late', 5e8),
      row('req_2', 'settle', 2e8),
      row('req_2', 'waste', 9e8),
    ]
  }
  expect(await turnsThatSpent({ readRecent }, { account: 'ada', session: 'ses_1', at: AT })).toEqual([
    'The session ses_1 spent the budget on 2 requests: req_1 $0.6, req_2 $0.2.',
  ])
})

it('turns before a pause of its length belong to an earlier session of the same name', async () => {
  const readRecent = async function* () {
    yield* [row('req_3', 'settle', 3e8, 10), row('req_1', 'settle', 1e8, 70), row('req_2', 'settle', 2e8, 30)]
  }
  const asked = { account: 'ada', session: 'ses_1', at: AT }
  const named = async (per: 'idle:24h' | 'idle:48h' | 'idle:9h') =>
    (await turnsThatSpent({ readRecent }, { ...asked, limit: { per } }))[0]?.match(/req_\d/g) ?? []
  expect(await named('idle:48h')).toEqual(['req_3', 'req_2', 'req_1'])
  expect(await named('idle:24h')).toEqual(['req_3', 'req_2'])
  expect(await named('idle:9h')).toEqual([])
})

/** The turns of a session that a refusal at `minute` names, of turns from one minute to another. */
async function named(per: 'idle:30m', minute: number, turns: Readonly<Record<string, readonly [number, number]>>) {
  const readRecent = async function* () {
    for (const [id, [from, to]] of Object.entries(turns))
      yield { ...row(id, 'settle', 1e8), admittedAt: AT + from * 60_000, settledAt: AT + to * 60_000 }
  }
  const asked = { account: 'ada', session: 'ses_1', at: AT + minute * 60_000, limit: { per } }
  return ((await turnsThatSpent({ readRecent }, asked))[0]?.match(/req_\w+/g) ?? []).sort()
}

it.each([
  ['a long turn around a short one', 105, { req_long: [0, 100], req_short: [1, 2] }, ['req_long', 'req_short']],
  ['turns behind one that a long one outlasts', 105, { req_1: [0, 2], req_long: [1, 100] }, ['req_1', 'req_long']],
  ['a long turn that still runs', 105, { req_1: [0, 2], req_long: [30, 140] }, ['req_1', 'req_long']],
  ['overlapping turns behind a pause', 205, { req_1: [0, 2], req_2: [90, 200], req_3: [91, 92] }, ['req_2', 'req_3']],
  ['no turn for longer than its pause', 131, { req_long: [0, 100], req_short: [1, 2] }, []],
  // The counter counts whole seconds.
  ['one that ended half a second more than its pause ago', 130 + 0.5 / 60, { req_long: [0, 100] }, ['req_long']],
] as const)('a session lasts while any of its turns runs: %s', async (_, minute, turns, expected) => {
  expect(await named('idle:30m', minute, turns)).toEqual(expected)
})

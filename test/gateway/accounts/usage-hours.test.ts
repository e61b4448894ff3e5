import { expect, it } from 'vitest'
import { momentOf, newRequestId } from '../../../src/gateway/accounts/keys.ts'
import { readHours } from '../../../src/gateway/accounts/usage-hours.ts'
import type { PastQuery } from '../../../src/gateway/store/ledger-store.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import { FULL_BILL } from '../../records/rows.ts'

const HOUR = 3_600_000
const NOW = 1_795_255_200_000 + 20 * 60_000
const UNTIL = NOW - (NOW % HOUR) + HOUR
const idAgo = (ms: number) => newRequestId(NOW - ms, bytes => new Uint8Array(bytes))

it('a report that reaches its bound has whole hours alone, and says which is the first', async () => {
  const looks: PastQuery[] = []
  // A request every 20 minutes, one in each look, and no end of them.
  const readPast = async (query: PastQuery) => {
    const ago = looks.length * (HOUR / 3)
    looks.push(query)
    const [requestId, admittedAt] = [idAgo(ago), NOW - ago]
    const row = { ...FULL_BILL, kind: 'settle' as const, cost: nanoUsd(1), settledAt: NOW, requestId, admittedAt }
    return { requests: [[row]], next: requestId }
  }

  const { totals, since } = await readHours({ readPast }, { since: UNTIL - 48 * HOUR, until: UNTIL })

  expect(looks).toHaveLength(10)
  expect(looks[1]?.before).toBe(idAgo(0))
  const oldest = NOW - 9 * (HOUR / 3)
  expect(since).toBe(Math.ceil((oldest + 60_000) / HOUR) * HOUR)
  expect(totals.map(({ hour, requests }) => [(UNTIL - hour) / HOUR, requests])).toEqual([
    [1, 2],
    [2, 3],
    [3, 3],
  ])
})

it('a ledger that is read to its end has all hours that were asked for', async () => {
  const since = UNTIL - 48 * HOUR
  const readPast = async () => ({ requests: [] })

  expect(await readHours({ readPast }, { since, until: UNTIL })).toEqual({ totals: [], waste: [], since })
})

it('the moment of a request is in its id', () => {
  for (const at of [0, 1, NOW, 2 ** 48 - 1])
    expect(momentOf(newRequestId(at, bytes => new Uint8Array(bytes).fill(7)))).toBe(at)
  for (const other of ['', 'req_', 'req_0123', 'req_!!!!!!!!!!']) expect(momentOf(other)).toBeNaN()
})

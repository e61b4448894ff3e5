import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { newRequestId } from '../../../../../src/gateway/accounts/keys.ts'
import { readHours } from '../../../../../src/gateway/accounts/usage-hours.ts'
import { addTotals, NO_SUMS } from '../../../../../src/gateway/store/total-sums.ts'
import type { Sums, Total, WasteTotal } from '../../../../../src/records/sums.ts'
import type { Start } from '../../contract.ts'
import { all, NOON, openShop } from '../../fixtures.ts'
import { asked, DAY_MS, play } from './played.ts'

const HOUR = 3_600_000
const TIME = { since: NOON - (NOON % HOUR), until: NOON + 4 * DAY_MS }

/** Usage by hour is usage by day. */
export function hoursContract(start: Start): void {
  it('hours add up to the sums that are kept of days, also with late rows, refunds and failed attempts', async () => {
    const { store, clock } = await start()
    let run = 0
    await fc.assert(
      fc.asyncProperty(fc.array(asked, { minLength: 1, maxLength: 8 }), async requests => {
        clock.at = NOON
        const shop = await openShop(store, `hours${run++}`)
        for (const one of requests.sort((a, b) => a.day - b.day)) {
          clock.at += HOUR / 2
          const id = newRequestId(Math.max(clock.at, NOON + one.day * DAY_MS), randomBytes)
          await play(store, clock, shop, id, one)
        }
        const { account } = shop
        const hours = await readHours(store.ledger, { ...TIME, account })
        expect(hours.since).toBe(TIME.since)
        expect(sumsOf(hours.totals)).toEqual(sumsOf(await all(store.ledger.readTotals({ account }))))
        for (const { hour, day } of hours.totals) expect(Math.floor(hour / DAY_MS)).toBe(day)
      }),
      { numRuns: 25 },
    )
    // A store may have no sums of days to come, and the last of the runs may have ended before others.
    clock.at = Math.max(clock.at, TIME.until)
    const hours = await readHours(store.ledger, TIME)
    expect(sumsOf(hours.totals)).toEqual(sumsOf(await all(store.ledger.readTotals())))
    expect(wasteOf(hours.waste)).toEqual(wasteOf(await all(store.ledger.readWaste())))
  })
}

/** Sums by day, account, plan, model and key. */
function sumsOf(totals: readonly Total[]): Readonly<Record<string, Sums>> {
  const sums: Record<string, Sums> = {}
  for (const each of totals) {
    const name = [each.day, each.account, each.plan, each.model, each.key ?? ''].join(' ')
    sums[name] = addTotals(sums[name] ?? NO_SUMS, each)
  }
  return sums
}

/** Sums by day and pool: attempts, tokens and cost. */
function wasteOf(totals: readonly WasteTotal[]): Readonly<Record<string, readonly number[]>> {
  const sums: Record<string, readonly number[]> = {}
  for (const { day, pool, attempts, inputTokens, outputTokens, cost } of totals) {
    const name = `${day} ${pool}`
    sums[name] = [attempts, inputTokens, outputTokens, cost].map((count, at) => count + (sums[name]?.[at] ?? 0))
  }
  return sums
}

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { describeRedis, startRedis } from '../support/redis/redis.ts'
import { type Books, faultsIn, NO_FAULTS, readBooks, sumOf } from './harness/books.ts'
import { type Account, type Ask, ask, type Outcome } from './harness/client.ts'
import { Fleet } from './harness/fleet.ts'
import { Load, tallyOf } from './harness/load.ts'
import { program, site } from './harness/program-and-site.ts'
import type { Visit } from './harness/site.ts'
import { scaled, sizeOf, spread } from './harness/size.ts'
import { mostIn, percent, sumFrom } from './harness/spans.ts'

/** More than two periods of the ring, so that what it lets pass can be compared with the limit. */
const FLOOD_MS = Math.max(75_000, scaled(150_000))
const REVOCATIONS = sizeOf('REVOCATIONS', 1000, 20)
const MINUTE_MS = 60_000
/** The ring has 61 seconds. */
const PERIOD_MS = 61_000
const RPM = 600
const TPM = 60_000
const CENT_NANO_USD = 10_000_000
const plans = {
  requests: `rpm: ${RPM}, tpm: 900M, monthly_usd: 500`,
  tokens: `rpm: 1M, tpm: ${TPM}, monthly_usd: 500`,
  cent: 'rpm: 1M, tpm: 900M, monthly_usd: 0.01',
  warm: 'rpm: 1M, tpm: 900M, monthly_usd: 500',
}
const SKEW_MS = 600_000
/** A machine that is busy with something else may keep Redis from answering; more than that would be a fault. */
const UNAVAILABLE_AT_MOST = 0.05

describeRedis('four gateways on one Redis', () => {
  it.each([
    ['of the right time', [0, 0, 0, 0]],
    ['of which one is 10 minutes ahead and one behind', [0, SKEW_MS, -SKEW_MS, 0]],
  ])('with clocks %s, a flood on one key passes no limit and uses nearly all of it', async (name, clocks) => {
    const fleet = await open(clocks)
    const keys = {
      requests: await fleet.mint('requests', 'requests'),
      tokens: await fleet.mint('tokens', 'tokens'),
      cent: await fleet.mint('cent', 'cent'),
    }
    const floods = [
      flood(fleet, keys.requests, n => ({ maxTokens: 2, stream: n % 8 === 0 })),
      // Settled at less than was held.
      flood(fleet, keys.tokens, n => ({ maxTokens: 20 + (n % 21), script: { prompt: 50 } })),
      flood(fleet, keys.cent, n => ({ maxTokens: 2 + (n % 40), stream: n % 4 === 0 })),
    ]

    // Warm, and from the beginning of a second of Redis: what is refilled at once was then taken at once.
    await flood(fleet, await fleet.mint('warm', 'warm'), () => ({})).runFor(2000)
    await sleep(1000 - (Date.now() % 1000))
    await Promise.all(floods.map(load => load.runFor(FLOOD_MS)))

    const books = await readBooks(fleet.first, Object.values(keys))
    const outcomes = floods.flatMap(load => load.outcomes)
    const requests = usageOf(books, keys.requests, () => 1, RPM)
    const tokens = usageOf(books, keys.tokens, visit => visit.tokens, TPM)
    const spent = sumOf(visitsOf(keys.cent).map(({ cost }) => cost))
    const used = books.used.get(keys.cent.account) ?? 0
    console.log(
      `four gateways, clocks ${name}, ${FLOOD_MS / 1000} s: ${JSON.stringify(tallyOf(outcomes)).replaceAll('"', '')}; requests ${requests.text}; tokens ${tokens.text}; one cent: ${spent} true, ${used} charged of ${CENT_NANO_USD} nano-USD${fleet.downs() && `; ${fleet.downs()}`}`,
    )
    for (const { admitted, arrived, share, limit } of [requests, tokens]) {
      expect(admitted).toBeLessThanOrEqual(limit)
      expect(arrived).toBeLessThanOrEqual(limit)
      expect(share).toBeGreaterThanOrEqual(0.98)
    }
    expect(spent).toBeLessThanOrEqual(CENT_NANO_USD)
    expect(used).toBeLessThanOrEqual(CENT_NANO_USD)
    expect(used).toBeGreaterThanOrEqual(0.9 * CENT_NANO_USD)
    const {
      200: _answered,
      '402 quota_exceeded': _spent,
      '429 rate_limit_exceeded': _waits,
      ...rest
    } = tallyOf(outcomes)
    const { '503 STORE_UNAVAILABLE': unavailable = 0, ...others } = rest
    expect(others).toEqual({})
    expect(unavailable).toBeLessThanOrEqual(UNAVAILABLE_AT_MOST * outcomes.length)
    expect(faultsIn(books, outcomes, site.log)).toEqual(NO_FAULTS)
    expect(fleet.faults()).toEqual([])
  })

  it('a request that is sent after the 200 of a revoke is refused by every gateway', async () => {
    const fleet = await open([0, 0, 0, 0])
    const before: Outcome[] = []
    const after: Outcome[] = []
    const revokeMs: number[] = []
    let unanswered = 0

    for (let n = 0; n < REVOCATIONS; n++) {
      const account = await fleet.mint(`revoked-${n}`, 'requests')
      const users = new Load({
        gateways: fleet.gateways,
        accounts: [account],
        workers: 8,
        asks: one => ({ account: one }),
      })
      users.start()
      await sleep(30)
      const gateway = fleet.gateways[n % fleet.gateways.length]
      const asked = performance.now()
      const { status } = (await gateway?.ask('POST', '/admin/keys/revoke', { key: account.key })) ?? {}
      const revokedAt = performance.now()
      if (status !== 200) {
        // Nothing was promised.
        unanswered++
        await users.stop()
        continue
      }
      revokeMs.push(revokedAt - asked)
      after.push(...(await Promise.all(fleet.gateways.map(each => ask(each, { account })))))
      await users.stop()
      before.push(...users.outcomes.filter(({ startedAt }) => startedAt <= revokedAt))
      after.push(...users.outcomes.filter(({ startedAt }) => startedAt > revokedAt))
    }

    const late = after.filter(({ status }) => status !== 401 && status !== 503)
    console.log(
      `${revokeMs.length} revocations on four gateways: before ${JSON.stringify(tallyOf(before)).replaceAll('"', '')}, sent after the 200 ${JSON.stringify(tallyOf(after)).replaceAll('"', '')}; ${late.length} accepted late; revoke ms ${spread(revokeMs)}`,
    )
    expect(late).toEqual([])
    expect(tallyOf(after)['401 INVALID_KEY']).toBeGreaterThanOrEqual((1 - UNAVAILABLE_AT_MOST) * after.length)
    expect(unanswered).toBeLessThanOrEqual(UNAVAILABLE_AT_MOST * REVOCATIONS)
    expect(tallyOf(before)[200]).toBeGreaterThan(REVOCATIONS)
    expect(fleet.faults()).toEqual([])
  })
})

async function open(clocks: readonly number[]): Promise<Fleet> {
  site.log.length = 0
  const redis = await startRedis({ durable: true })
  onTestFinished(() => redis.stop())
  const fleet = new Fleet({ program, site, plans, redis: redis.url, clocks })
  onTestFinished(() => fleet.close())
  await fleet.start()
  return fleet
}

/** Far more than the limit: a refusal is followed by the next try at once, but for what two cores can take. */
const flood = ({ gateways }: Fleet, account: Account, what: (n: number) => Omit<Ask, 'account'>): Load =>
  new Load({
    gateways,
    accounts: [account],
    workers: 8,
    asks: (_, n) => ({ account, ...what(n) }),
    restMs: { served: 0, refused: 200 },
  })

/**
 * The busiest 60 s, by the moment of admission and by the backends' log, and the share of the limit's rate that was used. A
 * request that was long on its way may arrive closer to the next than it was admitted, so that of the log a span counts that is
 * shorter by the longest way.
 */
function usageOf(books: Books, account: Account, weightOf: (visit: Visit) => number, limit: number) {
  const visits = visitsOf(account)
  const admissions = new Map(books.rows.map(row => [row.request_id, Date.parse(row.admitted_at)]))
  const arrivals = visits.map(visit => ({ at: visit.at, weight: weightOf(visit) }))
  const admitted = visits.map(visit => ({
    at: admissions.get(visit.requestId) ?? visit.at,
    weight: weightOf(visit),
  }))
  const wayMs = Math.max(...visits.map(({ at }, n) => at - (admitted[n]?.at ?? at)))
  const periods = Math.floor(FLOOD_MS / PERIOD_MS)
  const first = Math.min(...admitted.map(({ at }) => at))
  // Up to the burst of the next period, which begins with its second.
  const total = sumFrom(first, periods * PERIOD_MS - 200, admitted)
  const figures = {
    limit,
    admitted: mostIn(MINUTE_MS, admitted),
    arrived: mostIn(MINUTE_MS - wayMs, arrivals),
    share: total / (limit * ((periods * PERIOD_MS) / MINUTE_MS)),
  }
  const text = `in any 60 s ${mostIn(MINUTE_MS, arrivals)} in the backends' log and ${figures.admitted} admitted of ${limit} (at most ${Math.round(wayMs)} ms on their way), ${percent(figures.share)} of the rate`
  return { ...figures, text }
}

const visitsOf = ({ label }: Account): readonly Visit[] => site.log.filter(visit => visit.label === label)

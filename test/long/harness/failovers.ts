import { setTimeout as sleep } from 'node:timers/promises'
import { request } from 'undici'
import type { Books } from './books.ts'
import type { Account, Outcome } from './client.ts'
import type { Gateway } from './fleet.ts'

/** Repeats it while the store is away. A busy machine may not answer in time; what it was asked for may have been done. */
export async function patiently<T>(run: (tries: number) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await run(tries)
    } catch (error) {
      if (tries === 50 || !String(error).includes('STORE_UNAVAILABLE')) throw error
      await sleep(100)
    }
  }
}

export async function revoke(gateway: Gateway, { key }: Account): Promise<void> {
  const { status, body } = await gateway.ask('POST', '/admin/keys/revoke', { key })
  if (status !== 200 && !body.includes('was revoked')) throw new Error(`not revoked: ${body}`)
}

/** From when until when a server was taken away, as `performance.now()` says it. */
export interface Loss {
  readonly from: number
  readonly until: number
}

export interface Countable {
  readonly accounts: readonly Account[]
  readonly books: Books
  readonly outcomes: readonly Outcome[]
  readonly losses: readonly Loss[]
  /** How often a gateway held a server for down that only was slow: probes that no outcome tells of may be cut off. */
  readonly mutes: number
}

/**
 * Requests that limits count too rarely or too often, by the short form of a day and by rules of an hour. A request with a row
 * counts once. One without counts at most once, and not at all where it cannot have been admitted.
 */
export async function miscountsIn(gateway: Gateway, countable: Countable): Promise<string[]> {
  const found = await Promise.all(countable.accounts.map(each => miscountsOf(gateway, each, countable)))
  return found.flat()
}

async function miscountsOf(
  gateway: Gateway,
  { key, account, plan }: Account,
  { accounts, books, outcomes, losses, mutes }: Countable,
): Promise<string[]> {
  const { body } = await request(`${gateway.url}/billing/quota`, { headers: { authorization: `Bearer ${key}` } })
  const { limits } = (await body.json()) as { limits: readonly Limit[] }
  const counted = limits.filter(({ measure, per }) => measure === 'requests' && (per === 'day' || per === 'hour'))
  if (counted.length < 2) throw new Error(`the quota of ${account} has not both limits`)
  return counted.flatMap(({ per, of, used }) => {
    const sharing = of === 'plan' ? accounts.filter(each => each.plan === plan) : [{ account }]
    const who = new Set(sharing.map(each => each.account))
    const rows = new Set(books.rows.filter(row => who.has(row.account)).map(row => row.request_id))
    const others = outcomes.filter(one => who.has(one.account) && !rows.has(one.requestId) && mayCount(one, losses))
    const most = rows.size + others.length + mutes * who.size
    if (used >= rows.size && used <= most) return []
    return [`${account} requests/${per} of ${of}: ${used}, which are ${rows.size} to ${most}`]
  })
}

interface Limit {
  readonly measure: string
  readonly per: string
  readonly of: string
  readonly used: number
}

/** Whether a request without a row may have been admitted: what is refused, or asked while no server is there, is not. */
function mayCount({ status, startedAt, ms }: Outcome, losses: readonly Loss[]): boolean {
  if (status >= 400 && status < 500) return false
  if (status !== 503) return true
  return ms >= GIVEN_UP_MS || losses.some(({ from, until }) => startedAt <= until && startedAt + ms >= from)
}

/** A gateway that waits for an answer of Redis waits for a little longer than this. */
const GIVEN_UP_MS = 150

/** How much gateways gave to servers that lacked it. */
export const repeatedBy = (gateways: readonly Gateway[]): number =>
  gateways
    .flatMap(({ alarms }) => alarms)
    .reduce((sum, line) => sum + Number(/has it again.*?(\d+)/.exec(line)?.[1] ?? 0), 0)

/** How often gateways held a server for down that was there and did not answer in time. */
export const mutesOf = (gateways: readonly Gateway[]): number =>
  gateways
    .flatMap(({ alarms }) => alarms)
    .filter(line => line.includes('is down') && line.includes('it does not answer')).length

import { request } from 'undici'
import type { LedgerRecord } from '../../../src/wire/admin/ledger-record.ts'
import { NO_VALUE, type UsageReport } from '../../../src/wire/admin/usage-report.ts'
import type { Account, Outcome } from './client.ts'
import type { Gateway } from './fleet.ts'
import { MILLISECOND_NANO_USD, type Visit } from './site.ts'

/** The store's records of some accounts, by account id. Nano-USD. */
export interface Books {
  /** Rows of clients; uncharged attempts are not included. */
  readonly rows: readonly LedgerRecord[]
  readonly used: ReadonlyMap<string, number>
  readonly held: ReadonlyMap<string, number>
  readonly totals: ReadonlyMap<string, { readonly cost: number; readonly requests: number }>
}

/** Reads the books through one gateway, at a moment when nothing moves. */
export async function readBooks(gateway: Gateway, accounts: readonly Account[]): Promise<Books> {
  for (let tries = 1; ; tries++) {
    const before = await quotas(gateway, accounts)
    const rows = ok(await gateway.ask('GET', '/admin/ledger'))
      .split('\n')
      .filter(Boolean)
    const report = JSON.parse(ok(await gateway.ask('GET', '/admin/usage?by=account'))) as UsageReport
    const after = await quotas(gateway, accounts)
    // A sweeper may settle what a killed gateway left.
    if (tries < 5 && JSON.stringify(before) !== JSON.stringify(after)) continue
    return {
      rows: rows.map(line => JSON.parse(line) as LedgerRecord).filter(({ kind }) => kind !== 'waste'),
      used: new Map(after.map(({ account, used }) => [account, used])),
      held: new Map(after.map(({ account, held }) => [account, held])),
      totals: new Map(report.data.map(({ group, cost_nano_usd: cost, requests }) => [group, { cost, requests }])),
    }
  }
}

/** Usage by the label `project`, by its report and by the rows: the two are equal. Nano-USD by value. */
export async function projectsIn(gateway: Gateway, { rows }: Pick<Books, 'rows'>) {
  const { data } = JSON.parse(ok(await gateway.ask('GET', '/admin/usage?by=project'))) as UsageReport
  const values = grouped(rows, ({ labels }) => labels?.project ?? NO_VALUE)
  const byRows = [...values].map(([value, of]) => [value, sumOf(of.map(({ cost_nano_usd }) => cost_nano_usd))] as const)
  return {
    reported: new Map(data.map(({ group, cost_nano_usd }) => [group, cost_nano_usd])),
    byRows: new Map(byRows),
  }
}

/** Reservations of all accounts together. */
export async function readHeld(gateway: Gateway, accounts: readonly Account[]): Promise<number> {
  return (await quotas(gateway, accounts)).reduce((sum, { held }) => sum + held, 0)
}

/** Faults, which must be empty: each list names the first mismatches. */
export interface Faults {
  /** Answers received whole that are not in the ledger. */
  readonly missing: string[]
  /** Rows that are there twice, and requests with rows that exclude each other. */
  readonly doubled: string[]
  /** Accounts whose `used` is not the sum of their rows, or of their totals. */
  readonly unequal: string[]
  /** Answers received whole that were charged another price than theirs. */
  readonly mispriced: string[]
  /** Rows of requests that no backend saw. */
  readonly unfounded: string[]
}

export const NO_FAULTS: Faults = { missing: [], doubled: [], unequal: [], mispriced: [], unfounded: [] }

export function faultsIn(books: Books, outcomes: readonly Outcome[], visits: readonly Visit[]): Faults {
  const byRequest = grouped(books.rows, ({ request_id }) => request_id)
  const chargeOf = (id: string) => sumOf((byRequest.get(id) ?? []).map(({ cost_nano_usd }) => cost_nano_usd))
  const whole = outcomes.filter(outcome => outcome.whole)
  const seen = new Map(visits.map(visit => [visit.requestId, visit]))
  return {
    missing: some(whole.filter(({ requestId }) => !byRequest.has(requestId)).map(({ requestId }) => requestId)),
    doubled: some([...byRequest].filter(([, rows]) => !isOnce(rows.map(({ kind }) => kind))).map(([id]) => id)),
    unequal: some([...books.used.keys()].flatMap(account => inequalityOf(books, account))),
    mispriced: some(
      whole
        .filter(({ requestId: id }) => byRequest.has(id) && !isPriceOf(seen.get(id), chargeOf(id)))
        .map(({ requestId: id }) => `${id} ${chargeOf(id)} for ${seen.get(id)?.cost}`),
    ),
    unfounded: some([...byRequest.keys()].filter(id => !seen.has(id))),
  }
}

/** Checks a price by time: the backend's duration by two clocks, and the time on the way. */
function isPriceOf(visit: Visit | undefined, charge: number): boolean {
  if (visit?.kind !== 'sound') return charge === visit?.cost
  return charge >= visit.cost - 2 * MILLISECOND_NANO_USD
}

/** How many rows there are of each kind: `settle 812, orphan 9`. */
export const kindsOf = ({ rows }: Pick<Books, 'rows'>): string =>
  [...grouped(rows, ({ kind }) => kind)].map(([kind, list]) => `${kind} ${list.length}`).join(', ')

export const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0)

function grouped<T>(list: readonly T[], groupOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const one of list) {
    const group = groups.get(groupOf(one)) ?? []
    group.push(one)
    groups.set(groupOf(one), group)
  }
  return groups
}

/** A settlement, or an orphan, which something late may follow. */
const isOnce = (kinds: readonly string[]): boolean =>
  ['settle', 'orphan', 'late,orphan', 'late'].includes([...kinds].sort().join())

function inequalityOf({ rows, used, totals }: Books, account: string): string[] {
  const own = rows.filter(row => row.account === account)
  const figures = {
    used: used.get(account) ?? 0,
    rows: sumOf(own.map(({ cost_nano_usd }) => cost_nano_usd)),
    totals: totals.get(account)?.cost ?? 0,
  }
  const requests = new Set(own.map(({ request_id }) => request_id)).size
  const counted = totals.get(account)?.requests ?? 0
  const equal = figures.used === figures.rows && figures.rows === figures.totals && requests === counted
  return equal ? [] : [`${account} ${JSON.stringify({ ...figures, requests, counted })}`]
}

const some = (list: readonly string[]): string[] =>
  list.length > 5 ? [...list.slice(0, 5), `and ${list.length - 5} more`] : [...list]

const quotas = (gateway: Gateway, accounts: readonly Account[]) =>
  Promise.all(accounts.map(account => quotaOf(gateway, account)))

async function quotaOf(gateway: Gateway, { key, account }: Account) {
  const headers = { authorization: `Bearer ${key}` }
  const { statusCode, body } = await request(`${gateway.url}/billing/quota`, { headers })
  const text = ok({ status: statusCode, body: await body.text() })
  const { used, held } = JSON.parse(text) as { used: number; held: number }
  return { account, used: Math.round(used * 1e9), held: Math.round(held * 1e9) }
}

function ok({ status, body }: { readonly status: number; readonly body: string }): string {
  if (status !== 200) throw new Error(`the books cannot be read: ${status} ${body}`)
  return body
}

import type { LedgerRow } from '../../records/ledger-row.ts'
import { type OwnRequests, outcomeOf, rememberedRequest, settledRequest } from '../../wire/account/own-requests.ts'
import type { Outcome, OwnRequest } from '../../wire/own-request.ts'
import type { Remembered } from '../recent-requests.ts'
import type { LedgerStore } from '../store/ledger-store.ts'

export interface OwnRequestsQuery {
  readonly account: string
  readonly limit: number
  /** Those whose id is before this text. */
  readonly before?: string | undefined
  readonly outcome?: Outcome | undefined
}

interface Sources {
  readonly recent: Remembered
  readonly ledger: Pick<LedgerStore, 'readNewest'>
}

/**
 * The newest requests of an account: what this process remembers, which has the refused ones too, and what the ledger
 * has, which are all that were served.
 */
export async function ownRequests(sources: Sources, query: OwnRequestsQuery): Promise<OwnRequests> {
  const { account, limit, before, outcome } = query
  const { requests, since } = await sources.recent.newestOf(account)
  const own = requests.filter(
    each => (before === undefined || each.requestId < before) && (outcome === undefined || outcomeOf(each) === outcome),
  )
  const known = new Map(own.map(each => [each.requestId, rememberedRequest(each)]))
  // As far as the ledger can say, its requests were served.
  const isOfLedger = outcome === undefined || outcome === 'ok'
  const seen = new Set(requests.map(({ requestId }) => requestId))
  const looked = isOfLedger
    ? await sources.ledger.readNewest({ account, limit, ...(before !== undefined && { before }) })
    : { rows: [] }
  for (const request of settled(looked.rows)) if (!seen.has(request.id)) known.set(request.id, request)
  const { next } = looked
  // Between those before `next` others may be missing.
  const all = [...known.values()].filter(({ id }) => next === undefined || id >= next).sort(newestFirst)
  const data = all.slice(0, limit)
  const rest = all.length > limit ? data.at(-1)?.id : next
  const refusals_since = new Date(since).toISOString()
  return { object: 'list', data, next: rest ?? null, complete: !next || data.length === limit, refusals_since }
}

/** Requests of rows in which those of a request follow one another, what came late first. */
function settled(rows: readonly LedgerRow[]): OwnRequest[] {
  const byId = new Map<string, LedgerRow[]>()
  for (const row of rows) byId.set(row.requestId, [...(byId.get(row.requestId) ?? []), row])
  return [...byId.values()].flatMap(of => {
    const [first, ...more] = of.toReversed()
    return first ? [settledRequest(first, more)] : []
  })
}

const newestFirst = (a: OwnRequest, b: OwnRequest): number => (a.id < b.id ? 1 : -1)

import type { ShownRequest } from '../../../../src/wire/admin/event.ts'
import type { LedgerRecord } from '../../../../src/wire/admin/ledger-record.ts'
import type { ShownPast } from '../../../../src/wire/admin/past.ts'
import type { PastRequest, PastRequests } from '../../../../src/wire/admin/past-request.ts'
import { ask } from '../../shared/api.ts'

/** A request that is over, as this process remembers it. */
export type EndedRequest = Omit<ShownRequest, 'standing'>

/** A row of a list: what the ledger alone knows of has an outcome, and no status. */
export interface ListedRequest extends Omit<EndedRequest, 'event' | 'method' | 'status'> {
  readonly status: number | null
  readonly outcome?: PastRequest['outcome']
}

export interface RequestPage {
  /** Newest first. */
  readonly data: readonly EndedRequest[]
  /** Labels by account. */
  readonly labels: Readonly<Record<string, string>>
  /** The place from which older ones go on. */
  readonly next: string | null
  /** None of the requests that ended since then is missing. */
  readonly since: string
}

/** The filters of past requests. `errors` is `true` for those that were refused or failed. */
export const PAST_FILTERS = ['errors', 'account', 'key', 'model', 'pool', 'label'] as const
export type PastFilter = Readonly<Partial<Record<(typeof PAST_FILTERS)[number] | 'since' | 'before', string>>>

/** A page of what the ledger has of all gateways, and of what those that run remember. */
export interface PastPage
  extends Omit<RequestPage, 'data' | 'since'>,
    Pick<PastRequests, 'refusals_since' | 'not_read'> {
  readonly data: readonly ListedRequest[]
  /** Gateways whose refusals are missing. */
  readonly unreached: readonly string[]
}

export async function listPast(filter: PastFilter, limit = 100): Promise<PastPage> {
  const given = Object.entries(filter).filter(([, value]) => value)
  const words = new URLSearchParams([['limit', String(limit)], ...given])
  const { data, unreached = [], ...page } = await ask<PastRequests>(`/admin/requests?${words}`)
  const labels = data.flatMap(({ account, label }) => (account !== null && label !== null ? [[account, label]] : []))
  return {
    ...page,
    data: data.map(listedOf),
    labels: Object.fromEntries(labels),
    unreached: unreached.map(({ gateway }) => gateway),
  }
}

/** A past request as a list has it: unknown members are absent, as in a gateway's memory. */
const listedOf = (past: PastRequest): ListedRequest => ({
  ...(Object.fromEntries(Object.entries(past).filter(([, value]) => value !== null)) as Omit<ListedRequest, 'status'>),
  path: past.path ?? '',
  account: past.account,
  status: past.status,
})

/** The filters of requests. */
export const FILTERS = ['status', 'account', 'plan', 'model', 'pool', 'code'] as const
export type RequestFilter = Readonly<Partial<Record<(typeof FILTERS)[number] | 'before', string>>>

export function listRequests(filter: RequestFilter): Promise<RequestPage> {
  const given = Object.entries(filter).filter(([, value]) => value)
  return ask(`/admin/requests?${new URLSearchParams([['limit', '100'], ...given])}`)
}

/** All that is known of one request. */
export interface RequestRecord {
  /** Null where this process does not remember it. */
  readonly request: EndedRequest | null
  readonly labels: RequestPage['labels']
  readonly ledger: readonly LedgerRecord[]
  /** Null where the decision log has none; then `why_none` says why. */
  readonly decision: ShownPast | null
  readonly why_none: string | null
  /** The requests that spent the budget of its session, in a sentence. */
  readonly notes?: readonly string[]
}

export const readRequest = (id: string) => ask<RequestRecord>(`/admin/requests/${encodeURIComponent(id)}?gateway=all`)

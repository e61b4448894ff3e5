import type { ShownRequest } from '../../../../src/wire/admin/event.ts'
import type { LedgerRecord } from '../../../../src/wire/admin/ledger-record.ts'
import type { ShownPast } from '../../../../src/wire/admin/past.ts'
import { ask } from '../../shared/api.ts'

/** A request that is over, as this process remembers it. */
export type EndedRequest = Omit<ShownRequest, 'standing'>

export interface RequestPage {
  /** Newest first. */
  readonly data: readonly EndedRequest[]
  /** By account. */
  readonly labels: Readonly<Record<string, string>>
  /** What to go on from, to older ones. */
  readonly next: string | null
  /** Of the requests that ended since, none is missing. */
  readonly since: string
}

/** What requests are chosen by. */
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
}

export const readRequest = (id: string) => ask<RequestRecord>(`/admin/requests/${encodeURIComponent(id)}?gateway=all`)

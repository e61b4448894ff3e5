import { ZERO_USD } from '../../policy/nano-usd.ts'
import { isWasted, type LedgerRow } from '../../records/ledger-row.ts'
import { outcomeOf, rememberedRequest, settledRequest } from '../../wire/account/own-requests.ts'
import type { RequestEnd } from '../../wire/admin/event.ts'
import type { PastRequest, PastRequests } from '../../wire/admin/past-request.ts'
import type { Remembered } from '../recent-requests.ts'
import type { AccountStore } from '../store/account-store.ts'
import type { LedgerStore, PastQuery } from '../store/ledger-store.ts'
import { isFailed } from '../store/past-requests.ts'
import { labelsOf } from './labels.ts'

interface Sources {
  /** Absent where no gateway runs. */
  readonly recent?: Remembered
  readonly ledger: Pick<LedgerStore, 'readPast'>
  readonly accounts: Pick<AccountStore, 'find'>
}

/**
 * Requests that an operator asks for: what this process remembers, which has the refused ones too, and what the ledger has
 * of all gateways.
 */
export async function searchRequests({ recent, ledger, accounts }: Sources, query: PastQuery): Promise<PastRequests> {
  const remembered = await (query.account === undefined ? recent?.newest() : recent?.newestOf(query.account))
  const ends = new Map((remembered?.requests ?? []).map(end => [end.requestId, end]))
  const { requests, next } = await ledger.readPast(query)
  const settled = new Map(requests.map(rows => [rows[0]?.requestId, rows[0]]))
  const copied = new Set(requests.map(rows => rows[0]?.requestId))
  const known = [...ends.values()]
    // A request that is remembered does not say whether it was copied; its rows do.
    .filter(end => isMeant(end, query) && (!query.copied || copied.has(end.requestId)))
    .map(end => ({ ...ofMemory(end), ...namesIn(settled.get(end.requestId)) }))
  // A remembered request says how it ended, and is matched by that.
  const others = requests.flatMap(rows => (rows[0] && !ends.has(rows[0].requestId) ? ofRows(rows[0], rows) : []))
  // Between those before `next` others may be missing.
  const all = [...known, ...others]
    .filter(({ request_id }) => next === undefined || request_id >= next)
    .sort((a, b) => (a.request_id < b.request_id ? 1 : -1))
  const data = await labelled(accounts, all.slice(0, query.limit))
  const rest = all.length > query.limit ? data.at(-1)?.request_id : next
  const since = remembered && new Date(remembered.since).toISOString()
  return { object: 'list', data, next: rest ?? null, refusals_since: since ?? null }
}

/** Whether a request that is remembered is one that is asked for. */
function isMeant(end: RequestEnd, query: PastQuery): boolean {
  const { key, model, pool, label, slow = 0, failed, since, until = Number.POSITIVE_INFINITY, before } = query
  if (end.at < since || end.at >= until || (before !== undefined && end.requestId >= before)) return false
  if ((key !== undefined && end.key !== key) || (model !== undefined && (end.model ?? end.asked) !== model))
    return false
  if (label && end.labels?.[label.name] !== label.value) return false
  const tried = [end.pool, ...(end.failures ?? []).map(failure => failure.pool)]
  return (pool === undefined || tried.includes(pool)) && end.ms >= slow && (!failed || outcomeOf(end) !== 'ok')
}

/** Labels and session of a request. */
const namesOf = ({
  labels,
  session,
}: Pick<LedgerRow, 'labels' | 'session'>): Pick<PastRequest, 'labels' | 'session'> => ({
  labels: labels ?? null,
  session: session ?? null,
})

/** Those of its row, where the ledger has it: gateways of older versions remember requests without them. */
const namesIn = (row: LedgerRow | undefined) => row && namesOf(row)

function ofMemory(end: RequestEnd): PastRequest {
  const { id, upstream, message: _, ...own } = rememberedRequest(end)
  return {
    request_id: id,
    ...own,
    account: end.account ?? null,
    label: null,
    key: end.key ?? null,
    plan: end.plan ?? null,
    pool: upstream,
    cost_nano_usd: end.cost ?? null,
    interrupted: end.interrupted ?? null,
    failures: end.failures ?? [],
    labels: end.labels ?? null,
    session: end.session ?? null,
  }
}

function ofRows(first: LedgerRow, rows: readonly LedgerRow[]): PastRequest {
  const wasted = rows.filter(isWasted)
  const [charged, ...more] = rows.filter(({ kind }) => kind !== 'waste')
  const { id, upstream, message: _, ...own } = settledRequest(charged ?? first, more)
  const cost = [...(charged ? [charged] : []), ...more].reduce((sum: number, row) => sum + row.cost, ZERO_USD)
  const unpaid = { pool: null, input_tokens: null, output_tokens: null, usd: null, estimated: null }
  return {
    request_id: id,
    ...own,
    outcome: isFailed(rows) ? 'failed' : 'ok',
    account: first.account,
    label: null,
    key: first.key ?? null,
    plan: first.plan,
    pool: upstream,
    cost_nano_usd: charged ? (cost as typeof charged.cost) : null,
    interrupted: rows.some(({ kind }) => kind === 'orphan') ? 'its gateway died' : null,
    failures: wasted.map(({ pool, cause = '' }) => ({ pool, cause })),
    ...namesOf(first),
    ...(!charged && unpaid),
  }
}

async function labelled(
  accounts: Pick<AccountStore, 'find'>,
  requests: readonly PastRequest[],
): Promise<readonly PastRequest[]> {
  const labelOf = labelsOf(accounts)
  const shown: PastRequest[] = []
  for (const request of requests)
    shown.push({ ...request, label: request.account === null ? null : ((await labelOf(request.account)) ?? null) })
  return shown
}

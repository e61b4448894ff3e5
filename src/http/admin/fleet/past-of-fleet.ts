import { askAll, othersIn } from '../../../gateway/fleet/peers.ts'
import type { Millis } from '../../../policy/config.ts'
import { PAST_REQUESTS, type PastRequest, type PastRequests } from '../../../wire/admin/past-request.ts'
import { pathOf } from '../../../wire/admin-api/call.ts'
import type { PastRequestsQuery } from '../../../wire/admin-api/requests.ts'
import { listRequests } from '../../../wire/admin-api/requests.ts'
import { readAs } from '../../../wire/schema/read.ts'
import type { OperatorApp } from '../operator-app.ts'

/** Dependencies of past requests across the fleet. */
type PastApp = Pick<OperatorApp, 'fleet' | 'peers' | 'clock'>

/** This gateway's page, and the requests that the others of the fleet remember: refusals are in no ledger. */
export async function withOthers(app: PastApp, texts: PastRequestsQuery, own: PastRequests): Promise<PastRequests> {
  const path = pathOf(listRequests, { query: { ...texts, remembered: true } })
  const { answers, unreached } = await askAll(await othersIn(app.fleet), app.peers.ask, {
    ...{ method: 'GET', path, patience: PATIENCE },
  })
  if (answers.length === 0) return unreached.length > 0 ? { ...own, unreached } : own
  const pages = [own, ...answers.map(([, body]) => readAs(PAST_REQUESTS, body))]
  // One of the pages may lack some requests older than this.
  const end = pages
    .flatMap(({ next }) => next ?? [])
    .sort()
    .at(-1)
  const all = [...uniqueOf(pages.flatMap(({ data }) => data))]
    .filter(({ request_id }) => end === undefined || request_id >= end)
    .sort((a, b) => (a.request_id < b.request_id ? 1 : -1))
  const limit = texts.limit ?? 100
  const data = all.slice(0, limit)
  const next = all.length > limit ? (data.at(-1)?.request_id ?? null) : (end ?? null)
  const since = pages
    .flatMap(({ refusals_since }) => refusals_since ?? [])
    .sort()
    .at(-1)
  return { ...own, data, next, refusals_since: since ?? null, ...(unreached.length > 0 && { unreached }) }
}

const PATIENCE: Millis = 5000

/** Keeps one of each request: a remembered one says more than its rows. */
function uniqueOf(requests: readonly PastRequest[]): Iterable<PastRequest> {
  const known = new Map<string, PastRequest>()
  for (const request of requests)
    if (request.from === 'memory' || !known.has(request.request_id)) known.set(request.request_id, request)
  return known.values()
}

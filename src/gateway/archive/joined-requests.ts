import type { LedgerRow } from '../../records/ledger-row.ts'

/** The rows of one request, in their order. */
export type RequestRows = readonly LedgerRow[]

/** Rows in which those of a request follow one another, a request at a time. */
export async function* byRequest(rows: AsyncIterable<LedgerRow>): AsyncGenerator<RequestRows, void, undefined> {
  let request: LedgerRow[] = []
  for await (const row of rows) {
    if (request.length > 0 && request[0]?.requestId !== row.requestId) {
      yield request
      request = []
    }
    request.push(row)
  }
  if (request.length > 0) yield request
}

/** Requests of both, in the order of their ids. One that is in both is there once, with all of its rows. */
export async function* joined(
  near: readonly RequestRows[],
  far: AsyncIterable<RequestRows>,
): AsyncGenerator<RequestRows, void, undefined> {
  let at = 0
  for await (const request of far) {
    for (let next = near[at]; next && idOf(next) < idOf(request); next = near[++at]) yield next
    const same = near[at]
    if (same && idOf(same) === idOf(request)) {
      yield joinedRows(same, request)
      at++
    } else yield request
  }
  yield* near.slice(at)
}

/**
 * The rows of one request of which two places have some. Two failed attempts may be equal in all that a row says: then there
 * are as many as the one has that has more.
 */
export function joinedRows(near: RequestRows, far: RequestRows): RequestRows {
  const left = near.map(textOf)
  const more = far.filter(row => {
    const at = left.indexOf(textOf(row))
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
  return more.length === 0 ? near : [...near, ...more].sort((a, b) => ORDER[a.kind] - ORDER[b.kind])
}

export const idOf = ([first]: RequestRows): string => first?.requestId ?? ''

/** An orphan is charged in the place of a settlement. */
const ORDER = { settle: 1, orphan: 1, late: 2, waste: 3 }

const textOf = ({ kind, settledAt, pool, cost, inputTokens, outputTokens, cause = '' }: LedgerRow): string =>
  kind === 'waste' ? JSON.stringify([settledAt, pool, cost, inputTokens, outputTokens, cause]) : String(ORDER[kind])

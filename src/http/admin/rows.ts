import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { EpochMs } from '../../policy/config.ts'
import type { Denial } from '../../policy/denial.ts'
import { readSince, SINCE_FORMS } from '../../wire/admin/since.ts'
import { inChunks } from '../../wire/lines.ts'
import { invalid, isDenial } from '../../wire/openai/body.ts'
import { ClientLeft } from '../listener/body.ts'
import type { HttpCall } from '../listener/call.ts'
import type { App } from '../listener/endpoint.ts'
import { readQuery } from '../listener/query.ts'
import { accountNamed } from './admin-named.ts'

/** Which rows an operator asks for, by `since` and `account`. */
export interface RowsQuery {
  readonly since?: EpochMs
  readonly account?: string
}

export async function readRowsQuery(app: App, call: HttpCall): Promise<RowsQuery | Denial> {
  const query = readQuery(call, ['since', 'account'])
  if (isDenial(query)) return query
  const from = sinceOf(query.since, app)
  if (isDenial(from)) return from
  const named = query.account === undefined ? undefined : await accountNamed(app, query.account)
  if (named && isDenial(named)) return named
  return { ...from, ...(named && { account: named.account }) }
}

/** Wrapped, so that it can be told from a denial. */
export function sinceOf(text: string | undefined, { clock }: App): { readonly since?: EpochMs } | Denial {
  if (text === undefined) return {}
  const since = readSince(text, clock.now())
  return since === undefined ? invalid('since', `must be ${SINCE_FORMS}`) : { since }
}

/** Answers with rows as JSON lines, read from the store as fast as the client takes them. */
export async function sendRows<Row>(
  call: HttpCall,
  rows: AsyncIterable<Row>,
  shown: (row: Row) => object,
): Promise<void> {
  const chunks = inChunks(jsonLines(rows, shown))
  // Before the headers: a store that does not answer is still told as such.
  const first = await chunks.next()
  call.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' })
  if (first.done) return void call.response.end()
  await pipeline(Readable.from(joined(first.value, chunks)), call.response).catch((error: unknown) => {
    throw call.gone ? new ClientLeft() : error
  })
}

async function* jsonLines<Row>(
  rows: AsyncIterable<Row>,
  shown: (row: Row) => object,
): AsyncGenerator<string, void, undefined> {
  for await (const row of rows) yield `${JSON.stringify(shown(row))}\n`
}

async function* joined(first: string, rest: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  yield first
  yield* rest
}

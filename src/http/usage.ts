import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { LedgerRow } from '../gateway/store.ts'
import { usageBy } from '../gateway/usage.ts'
import type { EpochMs } from '../policy/config.ts'
import type { Denial } from '../policy/denial.ts'
import { dayAt } from '../policy/standing.ts'
import { invalid, isDenial } from '../wire/body.ts'
import { inChunks } from '../wire/lines.ts'
import { GROUPS, ledgerRecord, usageReport } from '../wire/report.ts'
import { readSince, SINCE_FORMS } from '../wire/since.ts'
import { accountNamed } from './admin-named.ts'
import { ClientLeft } from './body.ts'
import type { HttpCall } from './call.ts'
import type { App } from './endpoint.ts'
import { readQuery } from './query.ts'

/** GET /admin/usage: totals of whole UTC days, from the one of `since` on, with what was wasted. */
export async function showUsage(app: App, call: HttpCall): Promise<void> {
  const query = readQuery(call, ['since', 'by'])
  if (isDenial(query)) return call.deny(query)
  const by = GROUPS.find(group => group === (query.by ?? 'day'))
  if (!by) return call.deny(invalid('by', `must be one of ${GROUPS.join(', ')}`))
  const from = sinceOf(query.since, app)
  if (isDenial(from)) return call.deny(from)
  const since = from.since === undefined ? undefined : dayAt(from.since)
  const usage = await usageBy(app.store, { by, ...(since !== undefined && { since }) })
  call.json(200, usageReport(by, since, usage))
}

/** GET /admin/ledger: rows as JSON lines, read from the store as fast as the client takes them. */
export async function exportLedger(app: App, call: HttpCall): Promise<void> {
  const query = readQuery(call, ['since', 'account'])
  if (isDenial(query)) return call.deny(query)
  const from = sinceOf(query.since, app)
  if (isDenial(from)) return call.deny(from)
  const account = query.account === undefined ? undefined : await accountNamed(app, query.account)
  if (account && isDenial(account)) return call.deny(account)

  const chunks = inChunks(jsonLines(app.store.readLedger({ ...from, ...(account && { account: account.account }) })))
  // Before the headers: a store that does not answer is still told as such.
  const first = await chunks.next()
  call.response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' })
  if (first.done) return void call.response.end()
  await pipeline(Readable.from(joined(first.value, chunks)), call.response).catch((error: unknown) => {
    throw call.gone ? new ClientLeft() : error
  })
}

/** Wrapped, so that it can be told from a denial. */
function sinceOf(text: string | undefined, { clock }: App): { readonly since?: EpochMs } | Denial {
  if (text === undefined) return {}
  const since = readSince(text, clock.now())
  return since === undefined ? invalid('since', `must be ${SINCE_FORMS}`) : { since }
}

async function* jsonLines(rows: AsyncIterable<LedgerRow>): AsyncGenerator<string, void, undefined> {
  for await (const row of rows) yield `${JSON.stringify(ledgerRecord(row))}\n`
}

async function* joined(first: string, rest: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  yield first
  yield* rest
}

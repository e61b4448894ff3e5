import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { AuditRow } from '../gateway/account-store.ts'
import { invalid, isDenial } from '../wire/body.ts'
import { inChunks } from '../wire/lines.ts'
import { readSince, SINCE_FORMS } from '../wire/since.ts'
import { accountNamed } from './admin-named.ts'
import { shownAudit } from './admin-records.ts'
import { ClientLeft } from './body.ts'
import type { HttpCall } from './call.ts'
import type { App } from './endpoint.ts'
import { readQuery } from './query.ts'

/** GET /admin/audit: control changes as JSON lines, oldest first. */
export async function exportAudit(app: App, call: HttpCall): Promise<void> {
  const query = readQuery(call, ['since', 'account'])
  if (isDenial(query)) return call.deny(query)
  const since = query.since === undefined ? 0 : readSince(query.since, app.clock.now())
  if (since === undefined) return call.deny(invalid('since', `must be ${SINCE_FORMS}`))
  const account = query.account === undefined ? undefined : await accountNamed(app, query.account)
  if (account && isDenial(account)) return call.deny(account)

  const rows = app.store.readAudit({ since, ...(account && { account: account.account }) })
  const chunks = inChunks(jsonLines(rows))
  // Before the headers: a store that does not answer is still told as such.
  const first = await chunks.next()
  call.response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' })
  if (first.done) return void call.response.end()
  await pipeline(Readable.from(joined(first.value, chunks)), call.response).catch((error: unknown) => {
    throw call.gone ? new ClientLeft() : error
  })
}

async function* jsonLines(rows: AsyncIterable<AuditRow>): AsyncGenerator<string, void, undefined> {
  for await (const row of rows) yield `${JSON.stringify(shownAudit(row))}\n`
}

async function* joined(first: string, rest: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  yield first
  yield* rest
}

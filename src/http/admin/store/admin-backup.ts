import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { backupBytes, headerOf } from '../../../gateway/backup/write.ts'
import type { HttpCall } from '../../listener/call.ts'
import type { App } from '../../listener/endpoint.ts'
import { ClientLeft, readQuery } from '../../listener/request-input.ts'

/** GET /admin/backup: all that the store has, as of one moment, with the files that serve; as fast as the client takes it. */
export async function sendBackup(app: App, call: HttpCall): Promise<void> {
  const query = readQuery(call, [])
  if ('denial' in query) return call.deny(query.denial)
  const { about, clock, settings, revisions, store } = app
  const bytes = backupBytes(headerOf(about.version, clock.now(), settings, revisions.serving), store.dump())
  // Before the headers: a store that does not answer can still become an error answer.
  const first = await bytes.next()
  call.writeHead(200, { 'content-type': 'application/gzip', 'cache-control': 'no-store' })
  await pipeline(Readable.from(joined(first.value ?? NOTHING, bytes)), call.response).catch((error: unknown) => {
    throw call.gone ? new ClientLeft() : error
  })
}

async function* joined(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  yield first
  yield* rest
}

const NOTHING = Buffer.alloc(0)

import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { FileText, Settings } from '../../config/settings.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'
import { inChunks } from '../../wire/lines.ts'
import { NEWEST_STEP } from '../restrictions.ts'
import type { RecordKind, StoreRecord } from '../store/record.ts'
import type { BackupKey } from './key.ts'
import { sealOf } from './seal.ts'

/** The form of backups. One that an older gateway cannot read, or of whose restrictions it would drop some, has a greater number. */
export const VERSION: number = 1 + NEWEST_STEP

/** The first line of a backup. */
export interface BackupHeader {
  readonly svc_backup: number
  /** The version of the gateway that made it. */
  readonly gateway: string
  /** When it began: all that was acknowledged before is in it. */
  readonly began: EpochMs
  readonly store: 'embedded' | 'redis'
  /** Rows of requests that were admitted from here on are all there; older ones may have been removed. */
  readonly rows_since: EpochMs
  /** The files that served, in which there are no secrets. */
  readonly config: { readonly revision: string; readonly files: readonly FileText[] }
}

/** The settings that say where rows lie and for how long. */
interface Stored {
  readonly store: Pick<Settings['store'], 'kind'>
  readonly ledger: { readonly keep: Millis; readonly archive?: { readonly keep: Millis } }
}

/** The header of a backup that begins now. */
export const headerOf = (
  gateway: string,
  now: EpochMs,
  { store, ledger }: Stored,
  { revision, files }: BackupHeader['config'],
): BackupHeader => ({
  ...{ svc_backup: VERSION, gateway, began: now, store: store.kind },
  // An archive takes rows long before they would be removed.
  rows_since: now - (ledger.archive?.keep ?? ledger.keep),
  config: { revision, files },
})

/** The last line before the seal. */
export interface BackupEnd {
  readonly end: Readonly<Partial<Record<RecordKind, number>>>
}

/** A backup as bytes, as fast as they are taken: gzip of JSON lines, and the seal, which the key signs. */
export async function* backupBytes(
  header: BackupHeader,
  records: AsyncIterable<StoreRecord>,
  key?: BackupKey,
): AsyncGenerator<Buffer, void, undefined> {
  const gzip = createGzip({ level: LEVEL })
  const written = pipeline(Readable.from(inChunks(linesOf(header, records))), gzip)
  // A failure comes to the reader of `gzip` first.
  written.catch(() => {})
  const digest = createHash('sha256')
  for await (const chunk of gzip) {
    digest.update(chunk)
    yield chunk
  }
  await written
  yield sealOf(digest.digest(), key)
}

/** Half the time of zlib's own choice, for a tenth more bytes. */
const LEVEL = 3

async function* linesOf(
  header: BackupHeader,
  records: AsyncIterable<StoreRecord>,
): AsyncGenerator<string, void, undefined> {
  yield `${JSON.stringify(header)}\n`
  const counts: Partial<Record<RecordKind, number>> = {}
  for await (const record of records) {
    const [kind] = record
    counts[kind] = (counts[kind] ?? 0) + 1
    yield `${JSON.stringify(record)}\n`
  }
  yield `${JSON.stringify({ end: counts } satisfies BackupEnd)}\n`
}

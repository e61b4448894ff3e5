import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { EpochMs } from '../../policy/config.ts'
import { isObject, type JsonObject } from '../../wire/json-safety.ts'
import { linesOf } from '../../wire/lines.ts'
import type { StoreRecord } from '../store/record.ts'
import type { BackupKey } from './key.ts'
import { readSeal, SEAL_BYTES, type Seal } from './seal.ts'
import { type BackupEnd, type BackupHeader, VERSION } from './write.ts'

/** The file is no backup, or not as it was written. The message is for the operator. */
export class BackupDamaged extends Error {
  override readonly name = 'BackupDamaged'
}

/** Nobody whom the reader trusts signed the backup. The message is for the operator. */
class BackupUntrusted extends Error {
  override readonly name = 'BackupUntrusted'
}

/** The signatures by which a backup is accepted. */
export interface Trust {
  /** The key that must have signed it. */
  readonly key?: BackupKey | undefined
  /** Whether to accept any signature, or none. */
  readonly unsigned?: boolean
}

/** Who signed a backup: the key that is trusted, one that is not here, or nobody. `wrong`: it was changed since. */
export interface Signed {
  readonly by: 'trusted' | 'other' | 'nobody' | 'wrong'
  /** The id of the key. */
  readonly key?: string
}

/** A backup that is read from a file. */
export interface ReadBackup {
  readonly header: BackupHeader
  readonly bytes: number
  readonly signed: Signed
  /** Once. Throws BackupDamaged, at the latest at its end, where a byte of the file is not as it was written. */
  readonly records: AsyncIterable<StoreRecord>
}

/**
 * Opens a backup. Rejects with BackupUntrusted, before anything of it is unpacked, where it is not signed by the key that is
 * trusted; with BackupDamaged where it cannot be one, and as the file system does.
 */
export async function readBackup(file: string, trust: Trust): Promise<ReadBackup> {
  const { size, seal } = await sealIn(file)
  const signed = signedBy(seal, trust)
  if (!trust.unsigned && signed.by !== 'trusted') throw new BackupUntrusted(whyUntrusted(signed, trust))
  const lines = linesIn(file, size - seal.length, seal.digest)
  const first = await lines.next()
  const header = first.done ? undefined : headerOf(first.value)
  if (!header) throw new BackupDamaged('it is no backup of a gateway')
  if (header.svc_backup > VERSION)
    throw new BackupDamaged(
      `a newer gateway made it, in form ${header.svc_backup}; this one reads up to form ${VERSION}`,
    )
  return { header, bytes: size, signed, records: recordsIn(lines) }
}

function signedBy({ digest, signature }: Seal, { key }: Trust): Signed {
  if (!signature) return { by: 'nobody' }
  if (signature.key !== key?.id) return { by: 'other', key: signature.key }
  return { by: key.isSignature(signature.bytes, digest) ? 'trusted' : 'wrong', key: key.id }
}

function whyUntrusted({ by, key: id = '' }: Signed, { key }: Trust): string {
  if (by === 'nobody') return 'it is not signed: it comes from a version before 0.3, or was changed'
  if (by === 'wrong') return 'its signature does not match: the file was changed'
  const own = key ? `, and the key here is ${key.id}` : ', which is not here'
  return `it is signed with the key ${id}${own}`
}

async function sealIn(file: string): Promise<{ readonly size: number; readonly seal: Seal }> {
  const handle = await open(file)
  try {
    const { size } = await handle.stat()
    const end = Buffer.alloc(Math.min(size, SEAL_BYTES))
    await handle.read(end, 0, end.length, size - end.length)
    const seal = readSeal(end)
    if (seal) return { size, seal }
    throw new BackupDamaged(
      (await isGzip(handle)) ? 'it is damaged, or was cut off: it has no seal' : 'it is no backup of a gateway',
    )
  } finally {
    await handle.close()
  }
}

async function isGzip(handle: FileHandle): Promise<boolean> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0)
  return bytesRead === 2 && buffer.readUInt16BE() === 0x1f8b
}

async function* linesIn(file: string, size: number, sealed: Buffer): AsyncGenerator<string, void, undefined> {
  const digest = createHash('sha256')
  const gunzip = createGunzip()
  const hashed = async function* () {
    for await (const chunk of createReadStream(file, { end: size - 1 })) {
      digest.update(chunk)
      yield chunk
    }
  }
  const read = pipeline(hashed, gunzip)
  // A failure comes to the reader of `gunzip` first.
  read.catch(() => {})
  try {
    yield* linesOf(gunzip)
    await read
  } catch (error) {
    if (isSystem(error)) throw error
    throw new BackupDamaged(`it is damaged, or was cut off: ${error instanceof Error ? error.message : error}`)
  }
  if (!digest.digest().equals(sealed)) throw new BackupDamaged('it is damaged: its checksum does not match')
}

/** Whether an error is the file system's, and not one of the file's contents. */
const isSystem = (error: unknown): boolean => error instanceof Error && 'syscall' in error

function headerOf(line: string): BackupHeader | undefined {
  const parsed = parsedOf(line)
  if (!isObject(parsed) || typeof parsed.svc_backup !== 'number') return undefined
  // A newer gateway knows the members of a newer form.
  return parsed.svc_backup > VERSION || isHeader(parsed) ? (parsed as unknown as BackupHeader) : undefined
}

function isHeader({ gateway, began, store, rows_since, config }: JsonObject): boolean {
  const isWhole = typeof gateway === 'string' && isMoment(began) && typeof rows_since === 'number'
  if (!isWhole || (store !== 'embedded' && store !== 'redis') || !isObject(config)) return false
  const { revision, files } = config
  return typeof revision === 'string' && Array.isArray(files) && files.every(isFileText)
}

const isMoment = (value: unknown): boolean => typeof value === 'number' && Math.abs(value) <= LAST_MOMENT

const isFileText = (value: unknown): boolean =>
  isObject(value) && typeof value.file === 'string' && typeof value.text === 'string'

/** The last one that a Date can hold. */
const LAST_MOMENT: EpochMs = 8.64e15

async function* recordsIn(lines: AsyncIterable<string>): AsyncGenerator<StoreRecord, void, undefined> {
  const counts = new Map<string, number>()
  let end: BackupEnd['end'] | undefined
  for await (const line of lines) {
    const parsed = parsedOf(line)
    const kind = Array.isArray(parsed) ? parsed[0] : undefined
    if (typeof kind === 'string' && counts.size < MOST_KINDS) {
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
      yield parsed as unknown as StoreRecord
    } else if (isObject(parsed) && isObject(parsed.end)) end = parsed.end as BackupEnd['end']
    else throw new BackupDamaged('it is damaged: a line cannot be read')
  }
  compareCounts(counts, end)
}

function compareCounts(counts: ReadonlyMap<string, number>, end: BackupEnd['end'] | undefined): void {
  if (!end) throw new BackupDamaged('its end is missing: it was cut off while it was written')
  for (const [kind, told] of Object.entries(end))
    if (counts.get(kind) !== told) throw new BackupDamaged(`it has ${counts.get(kind) ?? 0} ${kind} records of ${told}`)
  if (counts.size > Object.keys(end).length) throw new BackupDamaged('it has records that its end does not count')
}

/** There are about twenty. */
const MOST_KINDS = 100

/** Undefined is no line of a backup. */
function parsedOf(line: string): unknown {
  if (line.length > LONG_LINE && hasManyValues(line)) return undefined
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/**
 * Whether a text of JSON may have so many values that they would fill the memory, which takes a hundred times the room of their
 * text. The one long record, a kept response, is nearly all one text.
 */
function hasManyValues(line: string): boolean {
  let values = 0
  for (const mark of ',[{')
    for (let at = line.indexOf(mark); at !== -1; at = line.indexOf(mark, at + 1))
      if (++values > MOST_VALUES) return true
  return false
}

const LONG_LINE = 1_000_000
const MOST_VALUES = 1_000_000

import { randomInt } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Alarm } from '../../gateway/ports.ts'
import { lookAt } from './disk/look.ts'
import { Journal } from './journal/journal.ts'
import { SEGMENT_BYTES, segmentName } from './journal/segment.ts'
import { marksIn, openMarksIn, readTail, segmentsIn } from './journal/tail.ts'
import { put, remove } from './lmdb.ts'
import { isOpenIn, openSchema, schemaIn } from './record-writer.ts'
import type { Records } from './records.ts'
import { JournalDamaged, replay } from './replay.ts'
import { closeToOthers } from './store-directory.ts'

/** Makes the changes that only the journal of an earlier process has. Throws JournalDamaged where they cannot be read. */
export async function replayJournal(directory: string, records: Records): Promise<void> {
  const marks = openMarksIn(records.meta)
  if (!marks) return
  const { frames, damage } = readTail(directory, marks)
  if (damage) throw new JournalDamaged(damage)
  await replay(records, frames)
}

export interface JournalTerms {
  readonly directory: string
  /** Whether changes go there. Those that an earlier process left are made in any case. */
  readonly isUsed: boolean
  readonly alarm?: Alarm
}

/**
 * Begins a segment for changes from now on. The files must have all changes so far. Undefined where the disk has no room for it,
 * or takes no file: changes then go into the files at once.
 */
export async function beginJournal(
  { directory, alarm = () => {} }: JournalTerms,
  records: Records,
): Promise<Journal | undefined> {
  if (!hasRoom(dirname(directory))) return undefined
  try {
    return await begin(directory, records, alarm)
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    // The files have all changes. Where they cannot say so, the segments stay: the next start finds nothing in them to repeat.
    if (isOpenIn(schemaOf(records))) await endJournal(directory, records).catch(() => {})
    else await rm(directory, { recursive: true, force: true }).catch(() => {})
    alarm('the journal of the store cannot be written: requests are settled without it', { cause: error.message })
    return undefined
  }
}

/** Its segments are allocated whole, besides what the files hold back. */
function hasRoom(path: string): boolean {
  const { free, margin, isReadOnly } = lookAt(path)
  return !isReadOnly && free - margin > ROOM_BYTES
}

const ROOM_BYTES = 8 * SEGMENT_BYTES

async function begin(directory: string, records: Records, alarm: Alarm): Promise<Journal> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await closeToOthers(directory)
  const { meta } = records
  const old = segmentsIn(directory)
  const marks = marksIn(meta)
  const journal = marks?.journal ?? randomInt(1, 2 ** 47)
  const ordinal = Math.max(0, marks?.segment ?? 0, ...old) + 1
  const number = marks?.folded ?? 0
  const begun = await Journal.begin(directory, { journal, ordinal, number, alarm })
  await records.commit([
    put(meta, 'journal', journal),
    put(meta, 'folded', number),
    put(meta, 'segment', ordinal),
    put(meta, 'schema', openSchema(schemaOf(records))),
  ])
  for (const each of old) await rm(join(directory, segmentName(each)), { force: true })
  return begun
}

/** Notes that the files have all changes. They are then as builds without a journal write them, which take them again. */
export async function endJournal(directory: string, records: Records): Promise<void> {
  const stored = schemaOf(records)
  if (!isOpenIn(stored)) return
  const { meta } = records
  const marks = (['journal', 'folded', 'segment'] as const).map(name => remove(meta, name))
  await records.commit([put(meta, 'schema', schemaIn(stored)), ...marks])
  await rm(directory, { recursive: true, force: true })
}

const schemaOf = ({ meta }: Records): number => meta.get('schema') ?? 0

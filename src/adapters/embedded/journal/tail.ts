import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from 'lmdb'
import { isOpenIn } from '../record-writer.ts'
import type { MetaName } from '../records.ts'
import { type Frame, readHead, type SegmentScan, scanSegment } from './frame.ts'
import { segmentName } from './segment.ts'

/** The marks of a journal in the files of LMDB. */
export interface JournalMarks {
  /** The journal. */
  readonly journal: number
  /** The last record that LMDB has. */
  readonly folded: number
  /** The segment in which the record after that one is, if there is one. */
  readonly segment: number
}

export interface JournalTail {
  /** The records that LMDB does not have, in their order. */
  readonly frames: readonly Frame[]
  /** Why records that were acknowledged cannot be read. */
  readonly damage?: string
}

/** The journal of a store. */
export const journalOf = (path: string): string => join(path, 'journal')

/** Undefined in files that never had a journal. */
export function marksIn(meta: Pick<Database<number, MetaName>, 'get'>): JournalMarks | undefined {
  const [journal, folded, segment] = [meta.get('journal'), meta.get('folded'), meta.get('segment')]
  if (journal === undefined || folded === undefined || segment === undefined) return undefined
  return { journal, folded, segment }
}

/** Undefined where the files have all records of their journal. */
export const openMarksIn = (meta: Pick<Database<number, MetaName>, 'get'>): JournalMarks | undefined =>
  isOpenIn(meta.get('schema') ?? 0) ? marksIn(meta) : undefined

/** Reads the records behind the last one that LMDB has. Changes nothing. */
export function readTail(directory: string, marks: JournalMarks): JournalTail {
  const frames: Frame[] = []
  for (let ordinal = marks.segment; ; ordinal++) {
    const read = readSegment(directory, marks.journal, ordinal)
    const damage = addTo(frames, read, marks.folded) ?? read.damage
    if (damage !== undefined) return { frames, damage: `${damage} (${segmentName(ordinal)})` }
    if (!read.isFull) return { frames }
  }
}

function readSegment(directory: string, journal: number, ordinal: number): SegmentScan {
  const path = join(directory, segmentName(ordinal))
  const nothing = { frames: [], isFull: false }
  if (!existsSync(path)) return { ...nothing, damage: 'a segment of the journal is missing' }
  const bytes = readFileSync(path)
  const head = readHead(bytes)
  if (head?.journal === journal && head.ordinal === ordinal) return scanSegment(bytes, head)
  return { ...nothing, damage: 'a segment of the journal has the head of another one, or none' }
}

/** Adds the records behind one. Returns the damage where some are missing. */
function addTo(frames: Frame[], read: SegmentScan, folded: number): string | undefined {
  for (const frame of read.frames) {
    const next = folded + 1 + frames.length
    if (frame.number > next) return `record ${next} of the journal is missing`
    if (frame.number === next) frames.push(frame)
  }
  return undefined
}

/** The ordinals of the segments in a directory, ascending. */
export function segmentsIn(directory: string): readonly number[] {
  if (!existsSync(directory)) return []
  return readdirSync(directory)
    .flatMap(name => (name.endsWith('.segment') ? [Number.parseInt(name, 10)] : []))
    .sort((a, b) => a - b)
}

import { type Database, open, type RootDatabase } from 'lmdb'
import { journalOf, openMarksIn, readTail } from '../journal/tail.ts'
import { type MetaName, MOST_DATABASES } from '../records.ts'
import { SEALED } from '../response-records.ts'

/** How many records of a table could not be read, by its name. */
export interface RecordRead {
  readonly unreadable: Readonly<Record<string, number>>
  /** Why records of the journal that only it has cannot be read. */
  readonly journalDamage?: string | undefined
  /** False where the time was over before all records were read. */
  readonly isDone: boolean
}

/** Reads every record through LMDB. Bytes that changed inside of a page show only here, and may end the process. */
export function readRecords(path: string, tables: readonly string[], isOver: () => boolean): RecordRead {
  const root = open({ path, readOnly: true, noSubdir: false, overlappingSync: false, maxDbs: MOST_DATABASES })
  const unreadable: Record<string, number> = {}
  for (const name of tables) {
    const table: Database<unknown, never> = root.openDB(name === SEALED.name ? SEALED : { name })
    const count = unreadableIn(table, isOver)
    if (count === undefined) return { unreadable, isDone: false }
    if (count > 0) unreadable[name] = count
  }
  return { unreadable, isDone: true, journalDamage: journalDamageIn(root, path) }
}

function journalDamageIn(root: RootDatabase, path: string): string | undefined {
  const marks = openMarksIn(root.openDB<number, MetaName>({ name: 'meta' }))
  return marks && readTail(journalOf(path), marks).damage
}

/** Undefined once the time limit has passed. */
function unreadableIn(table: Database<unknown, never>, isOver: () => boolean): number | undefined {
  let [count, read] = [0, 0]
  try {
    for (const key of table.getKeys()) {
      if (++read % RECORDS_PER_LOOK === 0 && isOver()) return undefined
      count += isReadable(table, key) ? 0 : 1
    }
    return count
  } catch {
    // An invalid key: nothing is known of what follows it.
    return count + 1
  }
}

function isReadable(table: Database<unknown, never>, key: never): boolean {
  try {
    return table.get(key) !== undefined
  } catch {
    return false
  }
}

const RECORDS_PER_LOOK = 256

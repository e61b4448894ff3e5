import { join } from 'node:path'
import { isOfDisk, type PageWalk, walkPages } from './page-walk.ts'
import { readRecords } from './record-read.ts'
import type { CheckTask, StoreCheck } from './store.ts'

/** The process that checks a store for another one: a damage that ends it leaves that one alive. */
process.once('message', ({ path, most }: CheckTask) => {
  const began = performance.now()
  const isOver = () => most !== undefined && performance.now() - began > most
  const walk = walked(join(path, 'data.mdb'), isOver)
  const isSound = walk.faults.length === 0 && walk.tables.every(({ damaged }) => damaged.length === 0)
  // LMDB is shown no page that is not whole: it would end the process.
  const check = isSound && walk.isDone ? withRecords(path, walk, isOver) : walk
  process.send?.(check, () => process.exit(0))
})

/** A disk may fail before the first page is read. */
function walked(file: string, isOver: () => boolean): PageWalk {
  try {
    return walkPages(file, isOver)
  } catch (error) {
    if (!isOfDisk(error)) throw error
    return { tables: [], faults: ['no page was read'], pages: 0, isDone: true, diskError: error.message }
  }
}

function withRecords(path: string, walk: PageWalk, isOver: () => boolean): StoreCheck {
  const tables = walk.tables.map(({ name }) => name).filter(name => !name.startsWith('('))
  try {
    const { journalDamage, ...read } = readRecords(path, tables, isOver)
    return { ...walk, ...read, faults: journalDamage === undefined ? walk.faults : [...walk.faults, journalDamage] }
  } catch (error) {
    // LMDB's own errors tell of the file. Any other failure says nothing about it.
    if (!(error instanceof Error && /\bMDB_/.test(error.message))) throw error
    return { ...walk, faults: [error.message] }
  }
}

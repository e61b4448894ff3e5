import { join } from 'node:path'
import type { CheckTask, StoreCheck } from './check-store.ts'
import { walkPages } from './page-walk.ts'
import { readRecords } from './record-read.ts'

/** The process that checks a store for another one: a damage that ends it leaves that one alive. */
process.once('message', ({ path, most }: CheckTask) => {
  const began = performance.now()
  const isOver = () => most !== undefined && performance.now() - began > most
  const walk = walkPages(join(path, 'data.mdb'), isOver)
  const isSound = walk.faults.length === 0 && walk.tables.every(({ damaged }) => damaged.length === 0)
  const tables = walk.tables.map(({ name }) => name).filter(name => !name.startsWith('('))
  // LMDB is shown no page that is not whole: it would end the process.
  const read = isSound && walk.isDone ? readRecords(path, tables, isOver) : undefined
  const check: StoreCheck = { ...walk, ...read, isDone: walk.isDone && (read?.isDone ?? !isSound) }
  process.send?.(check, () => process.exit(0))
})

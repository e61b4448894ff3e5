import { existsSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Mark } from '../../gateway/store/mark.ts'
import { synced } from '../../gateway/synced.ts'
import { MOST_OWN_BYTES, readBounded } from '../bounded-file.ts'

/** What this gateway knows of a move of its store. */
export interface MoveNote {
  readonly id: string
  readonly state: 'moving' | 'moved'
  /** The stores as they may be shown. */
  readonly from: string
  readonly to: string
}

const fileOf = (stateDir: string): string => join(stateDir, 'store-move.json')

/** Undefined where no move has begun, or the last one is over. */
export function readMoveNote(stateDir: string): MoveNote | undefined {
  const file = fileOf(stateDir)
  return existsSync(file) ? (JSON.parse(readBounded(file, MOST_OWN_BYTES)) as MoveNote) : undefined
}

/** Durable, and whole or not at all. */
export async function writeMoveNote(stateDir: string, note: MoveNote | undefined): Promise<void> {
  const file = fileOf(stateDir)
  if (!note) {
    await rm(file, { force: true })
    return
  }
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const handle = await open(`${file}.part`, 'w', 0o600)
  try {
    await handle.writeFile(`${JSON.stringify(note)}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(`${file}.part`, file)
  await synced(stateDir)
}

/** What a store is to a gateway that starts on it. */
export type Standing =
  /** `clear`: what a move left behind can go. */
  { readonly serves: true; readonly clear: boolean } | { readonly serves: false; readonly reason: string }

/** By what the store and this machine know of a move. */
export function standingOf(store: string, mark: Mark | undefined, note: MoveNote | undefined): Standing {
  const isOurs = note !== undefined && mark?.id === note.id
  if (!mark && note?.state === 'moved' && note.from === store) return movedTo(note.to)
  if (!mark && note?.state === 'moving' && note.to === store)
    return { serves: false, reason: `the move from ${note.from} was not done: set \`store\` to that, which has all` }
  if (!mark) return { serves: true, clear: note !== undefined && (note.from === store || note.to === store) }
  if (mark.state === 'moved')
    return isOurs && note.state === 'moving' ? { serves: true, clear: true } : movedTo(mark.other)
  if (isOurs && note.state === 'moved') return { serves: true, clear: true }
  return {
    serves: false,
    reason: `it is a copy of ${mark.other} that never took over: set \`store\` to ${mark.other}, which has all`,
  }
}

const movedTo = (other: string): Standing => ({
  serves: false,
  reason: `all that it had moved to ${other}: set \`store\` to that. To begin here anew, empty it`,
})

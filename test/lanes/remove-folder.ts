import { rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { HANGS_MS } from './hangs.ts'

const OPTIONS = { recursive: true, force: true } as const
const RETRY_MS = 50

/** Errors of a folder that somebody wrote to while it was removed. */
const WRITTEN_TO: ReadonlySet<unknown> = new Set(['ENOTEMPTY', 'EBUSY', 'EPERM'])

/**
 * Removes a folder and everything in it, also while a process that was told to end still writes there: `rm` removes the entries that it
 * listed, and `maxRetries` of Node 20 removes the folder again, but not what was added to it.
 */
export async function removeFolder(folder: string): Promise<void> {
  for (const last = Date.now() + HANGS_MS; ; await sleep(RETRY_MS)) {
    try {
      return await rm(folder, OPTIONS)
    } catch (error) {
      if (isLasting(error, last)) throw error
    }
  }
}

/** As `removeFolder`, for a process that is about to exit. */
export function removeFolderAtExit(folder: string): void {
  for (const last = Date.now() + HANGS_MS; ; Atomics.wait(CLOCK, 0, 0, RETRY_MS)) {
    try {
      rmSync(folder, OPTIONS)
      return
    } catch (error) {
      if (isLasting(error, last)) throw error
    }
  }
}

const CLOCK = new Int32Array(new SharedArrayBuffer(4))

const isLasting = (error: unknown, last: number): boolean =>
  !WRITTEN_TO.has((error as NodeJS.ErrnoException).code) || Date.now() > last

import { fork } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Millis } from '../../../policy/config.ts'
import type { PageWalk } from './page-walk.ts'
import type { RecordRead } from './record-read.ts'

/** The task of the process that checks. */
export interface CheckTask {
  /** The directory of the store. */
  readonly path: string
  /** How long it may take; without it, as long as it takes. */
  readonly most: Millis | undefined
}

/** The findings of a check; `unreadable` only where all pages are whole. */
export type StoreCheck = PageWalk & Partial<Pick<RecordRead, 'unreadable'>>

/** A check that ended its process. */
interface Died {
  readonly signal: NodeJS.Signals
}

/**
 * Checks the files of a store in a process of its own. The caller has the lock of the directory. Undefined where there is
 * nothing to check, or the process gave no answer, which says nothing of the store.
 */
export async function checkStore(path: string, most?: Millis): Promise<StoreCheck | Died | undefined> {
  const file = join(path, 'data.mdb')
  // A restore puts its files in the place of these.
  if (!(statSync(file, { throwIfNoEntry: false })?.size ?? 0) || existsSync(join(path, 'restored'))) return undefined
  const child = fork(new URL(`check-process${extension}`, import.meta.url), [], { serialization: 'advanced' })
  const timer = most === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), most + GRACE_MS)
  try {
    return await new Promise(resolve => {
      let check: StoreCheck | undefined
      child.once('message', (found: StoreCheck) => {
        check = found
      })
      child.once('error', () => resolve(undefined))
      // Not before: LMDB in the caller may open the files while LMDB in a process that ends lets go of them, and crash.
      child.once('exit', (_code, signal) => resolve(check ?? (signal && signal !== 'SIGKILL' ? { signal } : undefined)))
      child.send({ path, most } satisfies CheckTask, () => {})
    })
  } finally {
    clearTimeout(timer)
  }
}

/** How long a disk that does not answer is waited for behind the time of a check. */
const GRACE_MS: Millis = 2000

/** Like this file: the sources, or their compiled form. */
const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'))

/** The first error of a disk that could not read all of a store; undefined where it could. */
export const diskErrorOf = (check: StoreCheck | Died): string | undefined =>
  'signal' in check ? undefined : check.diskError

/** The damage in an operator's words; undefined where nothing was found. */
export function damageText(check: StoreCheck | Died): string | undefined {
  if ('signal' in check) return `reading it ended a process with ${check.signal}`
  const pages = check.tables.flatMap(({ name, damaged }) =>
    damaged.length > 0 ? [`${counted(damaged.length, 'page')} of ${name}`] : [],
  )
  const records = Object.entries(check.unreadable ?? {}).map(
    ([name, count]) => `${counted(count, 'record')} of ${name}`,
  )
  const all = [...check.faults, ...pages, ...records]
  return all.length > 0 ? all.join(', ') : undefined
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

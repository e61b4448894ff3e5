import type { FileText } from '../config/settings.ts'
import type { EpochMs } from '../policy/config.ts'

/** How a revision came to serve. */
export type How = 'start' | 'reload' | 'watch' | 'apply' | 'rollback'

/** A configuration that served, or does. */
export interface Revision {
  /** Counts them from 1 on. */
  readonly number: number
  /** 12 hexadecimal digits of the texts. */
  readonly revision: string
  /** Since when it served. */
  readonly at: EpochMs
  /** `operator` with the name that was claimed, an account, `start` or `watch`. */
  readonly by: string
  readonly how: How
}

/** A revision with its files, the main one first. */
export interface RevisionFiles extends Revision {
  readonly files: readonly FileText[]
}

/** A revision's line in a list. */
export interface RevisionLine extends Revision {
  /** How many. */
  readonly files: number
}

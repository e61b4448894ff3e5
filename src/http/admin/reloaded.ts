import type { EpochMs } from '../../policy/config.ts'
import type { FileProblem } from '../../policy/denial.ts'

/** What became of a reload. */
export type Reloaded =
  | {
      readonly ok: true
      /** Of the configuration that serves now, and of the one before. */
      readonly revision: string
      readonly previous: string
      readonly generation: number
      /** False when the files, variables and secrets are those that serve already. */
      readonly changed: boolean
      readonly warnings: readonly FileProblem[]
    }
  /** The configuration that served goes on. `text` shows the problems in code frames. */
  | { readonly ok: false; readonly problems: readonly FileProblem[]; readonly text: string }

/** Counts of a process. */
export interface Reloads {
  /** Since the start: configurations that took the place of another, and those that were refused. */
  readonly ok: number
  readonly failed: number
  /** While the files are not what serves, because the last reload was refused. */
  readonly lastError?: LastError
}

export interface LastError {
  readonly at: EpochMs
  readonly problems: number
  /** `file:line:column message` */
  readonly first: string
}

import { type Candidate, diskOf } from '../../config/examined.ts'
import { renderText } from '../../config/format/problem-text.ts'
import { type Examination, examine } from '../../config/load.ts'
import type { Env } from '../../config/read/scalar.ts'

/** What another thread is to examine. Plain data, as is what it answers. */
export interface Task {
  /** The main file, as the operator named it. */
  readonly file: string
  readonly env: Env
  readonly cwd: string
  /** In place of the files on the disk. */
  readonly candidate: Candidate | undefined
}

/** `text` shows the problems or warnings: a thousand frames of a long line take seconds. */
export type Told = Examination & { readonly text: string }

export function examination({ file, env, cwd, candidate }: Task): Told {
  const found = examine(file, env, cwd, candidate && diskOf(candidate))
  return { ...found, text: renderText(found.ok ? found.examined.warnings : found.problems, found.sources) }
}

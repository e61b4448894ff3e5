import { renderText, type Sources } from '../../config/format/problem-text.ts'
import { assemble, type Candidate, diskOf, type Examination, examine } from '../../config/load.ts'
import type { Env } from '../../config/model/variables.ts'
import type { Problem } from '../../config/problem.ts'
import type { Loaded } from '../../config/settings.ts'
import type { Millis } from '../../policy/config.ts'
import { doneApart } from '../apart.ts'

/** Examines a configuration in a thread of its own, so that requests do not wait for it. */
export const examineApart =
  (file: string, mostMs = MOST_MS): Examine =>
  async candidate => {
    const task: Task = { file, env: { ...process.env }, cwd: process.cwd(), candidate }
    const told = await doneApart<RenderedExamination>(new URL('worker.js', import.meta.url), task, mostMs)
    const refuse = (rule: string, message: string) => refused({ file, line: 1, column: 1, rule, message })
    if (told === 'time') return refuse('slow-files', `the files were not checked within ${mostMs / 1000} s`)
    if (told === 'memory') return refuse('large-files', 'checking the files takes too much memory')
    return foundOf(told)
  }

/** A thread that takes longer is ended. */
const MOST_MS: Millis = 30_000

function refused(told: Omit<Problem, 'severity'>): Found {
  const problem: Problem = { ...told, severity: 'error', hint: 'make them smaller, or restart with them' }
  return {
    ...{ ok: false, sources: new Map(), paths: [], includes: [] },
    problems: [problem],
    text: renderText([problem], new Map()),
  }
}

/** Reads and checks the files that lie on the disk, or those of a candidate. Rejects only on a bug. */
export type Examine = (candidate?: Candidate) => Promise<Found>

/** The findings of an examination. */
export type Found = {
  readonly sources: Sources
  readonly paths: readonly string[]
  readonly includes: readonly string[]
  /** Its problems or warnings, as operators read them. */
  readonly text: string
} & (
  | {
      readonly ok: true
      readonly fingerprint: string
      /** Makes the configuration of what was found: the part of the work that is left for the thread that serves. */
      readonly load: () => Loaded
    }
  | { readonly ok: false; readonly problems: readonly Problem[] }
)

export function foundOf(told: RenderedExamination): Found {
  if (!told.ok) return told
  const { examined, ...rest } = told
  return { ...rest, fingerprint: examined.fingerprint, load: () => assemble(examined) }
}

/** A configuration that is loaded already, as the result of an examination. */
export const foundAs = (
  loaded: Loaded,
  place: Pick<Found, 'sources' | 'paths'> = { sources: new Map(), paths: [] },
): Found => ({
  ...{ ok: true, text: '', sources: place.sources, paths: place.paths, includes: loaded.includes },
  fingerprint: loaded.fingerprint,
  load: () => loaded,
})

/** A task for the examining thread. Task and answer are plain data. */
export interface Task {
  /** The main file, as the operator named it. */
  readonly file: string
  readonly env: Env
  readonly cwd: string
  /** Replaces the files on disk. */
  readonly candidate: Candidate | undefined
}

/** `text` shows the problems or warnings: a thousand frames of a long line take seconds. */
type RenderedExamination = Examination & { readonly text: string }

export function examination({ file, env, cwd, candidate }: Task): RenderedExamination {
  const found = examine(file, env, cwd, candidate && diskOf(candidate))
  return { ...found, text: renderText(found.ok ? found.examined.warnings : found.problems, found.sources) }
}

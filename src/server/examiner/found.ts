import type { Candidate } from '../../config/examined.ts'
import type { Sources } from '../../config/format/problem-text.ts'
import { assemble } from '../../config/load.ts'
import type { Problem } from '../../config/problem.ts'
import type { Loaded } from '../../config/settings.ts'
import type { Told } from './task.ts'

/** Reads and checks the files that lie on the disk, or those of a candidate. Rejects only on a bug. */
export type Examine = (candidate?: Candidate) => Promise<Found>

/** What an examination found. */
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

export function foundOf(told: Told): Found {
  if (!told.ok) return told
  const { examined, ...rest } = told
  return { ...rest, fingerprint: examined.fingerprint, load: () => assemble(examined) }
}

/** What is loaded already. */
export const foundAs = (
  loaded: Loaded,
  place: Pick<Found, 'sources' | 'paths'> = { sources: new Map(), paths: [] },
): Found => ({
  ...{ ok: true, text: '', sources: place.sources, paths: place.paths, includes: loaded.includes },
  fingerprint: loaded.fingerprint,
  load: () => loaded,
})

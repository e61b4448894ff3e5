import { join } from 'node:path'
import { renderText } from '../format/problem-text.ts'
import type { Env } from '../model/variables.ts'
import type { Problem } from '../problem.ts'
import { textDisk } from '../read/disk.ts'
import type { FileText } from '../settings.ts'
import { hasStandIn, lacking, loadWithStandIns } from '../stand-ins.ts'
import type { Change } from './changes.ts'
import { diff } from './diff.ts'

/** The files of two configurations. Plain data, as is what becomes of their comparison. */
export interface TextSides {
  readonly from: readonly FileText[]
  readonly to: readonly FileText[]
  /** Where both would lie: their files of secrets are those of it. Absolute. */
  readonly directory: string
  readonly env: Env
}

/** The changes in meaning from one to the other; or the problems of the first of them that does not load. */
export type TextDiff =
  | {
      readonly changes: readonly Change[]
      /** Values that are not there any more, such as `CLOUD_KEY is not set`. */
      readonly notCompared: readonly string[]
    }
  | { readonly broken: 'from' | 'to'; readonly problems: readonly Problem[]; readonly text: string }

/** Compares texts as if they were files. Places are named from their directory on. */
export function diffTexts({ from, to, directory, env }: TextSides): TextDiff {
  const placed = (files: readonly FileText[]) =>
    [join(directory, files[0]?.file ?? ''), env, directory, textDisk(files, directory)] as const
  const before = loadWithStandIns(...placed(from))
  if (!before.ok)
    return { broken: 'from', problems: before.problems, text: renderText(before.problems, before.sources) }
  const after = loadWithStandIns(...placed(to))
  if (!after.ok) return { broken: 'to', problems: after.problems, text: renderText(after.problems, after.sources) }
  const sides = { before: { loaded: before.loaded, directory }, after: { loaded: after.loaded, directory } }
  const lacked = [from, to].flatMap(files => lacking(...placed(files)))
  return { changes: diff({ ...sides, isUnknown: hasStandIn }), notCompared: [...new Set(lacked)] }
}

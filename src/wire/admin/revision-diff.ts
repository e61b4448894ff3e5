import type { Place } from '../../policy/config.ts'

/** What changes in meaning from one kept revision to another, as `svcctl plan --json` says it, and the texts that differ. */
export interface ShownRevisionDiff {
  /** Numbers. */
  readonly from: number
  readonly to: number
  readonly changes: readonly ShownChange[]
  /** Whether the texts differ and their meaning does not. */
  readonly texts_only: boolean
  /** Values that the gateway has no more, so that they are not compared. */
  readonly not_compared: readonly string[]
  readonly files: readonly ShownFileDiff[]
}

/** One change of one field. */
export interface ShownChange {
  readonly kind: 'lost' | 'less' | 'other' | 'more' | 'plumbing'
  /** `plan pro`, `svc-pro`, `server`. */
  readonly subject: string
  readonly field: string
  readonly from: string | null
  readonly to: string | null
  readonly text: string
  readonly file: string
  readonly line: number
}

/** A file that is not the same in both; null where it is not there. */
export interface ShownFileDiff {
  readonly file: string
  readonly from: string | null
  readonly to: string | null
}

interface FoundChange extends Omit<ShownChange, 'kind' | 'file' | 'line'> {
  readonly effect: ShownChange['kind']
  readonly at: Place
}

export const shownChange = ({ effect, subject, field, from, to, text, at }: FoundChange): ShownChange => ({
  ...{ kind: effect, subject, field, from, to, text, file: at.file, line: at.line },
})

interface Files {
  readonly number: number
  readonly files: readonly { readonly file: string; readonly text: string }[]
}

interface Found {
  readonly changes: readonly FoundChange[]
  readonly notCompared: readonly string[]
}

export function shownRevisionDiff(from: Files, to: Files, { changes, notCompared }: Found): ShownRevisionDiff {
  const files = fileDiffs(from, to)
  return {
    ...{ from: from.number, to: to.number },
    changes: changes.map(shownChange),
    texts_only: changes.length === 0 && files.length > 0,
    not_compared: notCompared,
    files,
  }
}

/** In the order of the second, then those that are gone. */
function fileDiffs(from: Files, to: Files): readonly ShownFileDiff[] {
  const [was, is] = [from, to].map(({ files }) => new Map(files.map(({ file, text }) => [file, text])))
  const names = [...new Set([...to.files, ...from.files].map(({ file }) => file))]
  return names
    .map(file => ({ file, from: was?.get(file) ?? null, to: is?.get(file) ?? null }))
    .filter(each => each.from !== each.to)
}

import type { Place } from '../../policy/config.ts'
import { flag, list, orNull, record, type TypeOf, text, whole, word } from '../schema/schema.ts'

/** One change of one field. */
const CHANGE = record(
  {
    kind: word(['lost', 'less', 'other', 'more', 'plumbing']),
    subject: text('Such as `plan pro`, `svc-pro` or `server`.'),
    field: text(),
    from: orNull(text()),
    to: orNull(text()),
    text: text(),
    file: text(),
    line: whole(),
  },
  'Change',
  'A change of a field.',
)

export interface ShownChange extends TypeOf<typeof CHANGE> {}

const FILE_DIFF = record(
  { file: text(), from: orNull(text()), to: orNull(text()) },
  'FileDiff',
  'A file that differs; null if one revision does not have it.',
)

/** A file that differs; null if one revision does not have it. */
export interface ShownFileDiff extends TypeOf<typeof FILE_DIFF> {}

/** The changes in meaning from one kept revision to another, as `svcctl plan --json` says it, and the texts that differ. */
export const REVISION_DIFF = record(
  {
    from: whole('The number of the first.'),
    to: whole('The number of the second.'),
    changes: list(CHANGE),
    texts_only: flag('True if the texts differ but mean the same.'),
    not_compared: list(text(), 'Values that the gateway no longer has, so they are not compared.'),
    files: list(FILE_DIFF),
  },
  'RevisionDiff',
)

export interface ShownRevisionDiff extends TypeOf<typeof REVISION_DIFF> {}

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

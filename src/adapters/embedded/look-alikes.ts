import type { Database } from 'lmdb'
import { type Labelled, shapeHashes } from '../../gateway/accounts/look-alikes.ts'
import { pagesOf } from './lmdb.ts'
import { type LabelKey, type Records, readAccount } from './records.ts'

/** The account whose label looks like this one, if any. `except` may have it. The cost does not depend on the number of accounts. */
export function lookAlikeOf(records: Records, label: string, except?: string): Labelled | undefined {
  for (const shape of new Set(shapeHashes(label)))
    for (const kind of KINDS) {
      const other = otherOf(records, kind + shape, label, except)
      if (other) return other
    }
  return undefined
}

/** Notes the label of an account. Only within a transaction. */
export function noteShapes({ shapes }: Pick<Records, 'shapes'>, label: string, account: string): void {
  for (const shape of keysOf(label)) shapes.put([shape, label, account], true)
}

/** Only within a transaction. */
export function forgetShapes({ shapes }: Pick<Records, 'shapes'>, label: string, account: string): void {
  for (const shape of keysOf(label)) shapes.remove([shape, label, account])
}

/** Builds the index where a build that did not know it wrote labels since. */
export async function fillShapes(records: Pick<Records, 'shapes' | 'labels' | 'signInLabels' | 'change'>) {
  const { shapes, labels, signInLabels, change } = records
  const due = KINDS.length * (entriesIn(labels) + entriesIn(signInLabels))
  if (entriesIn(shapes) === due) return
  await change(() => shapes.clearSync())
  const noteAll = (page: readonly LabelKey[]) =>
    change(
      () => {
        for (const [label, account] of page) noteShapes(records, label, account)
      },
      { records: KINDS.length * page.length },
    )
  for await (const page of pagesOf(labels)) await noteAll(page.map(({ key, value }) => [key, value]))
  for await (const page of pagesOf(signInLabels)) await noteAll(page.map(({ key }) => key))
}

/** That of the small letters, and that of the capitals. */
const KINDS = ['s', 'c'] as const

const keysOf = (label: string): readonly string[] => shapeHashes(label).map((shape, at) => `${KINDS[at]}${shape}`)

/** Among the labels of a shape, of which most shapes have one. */
function otherOf(records: Records, shape: string, label: string, except?: string): Labelled | undefined {
  const { shapes } = records
  const before = shapes.getKeys({ start: [shape, '', ''], end: [shape, label, ''], limit: LOOKED_AT })
  const after = shapes.getKeys({ start: [shape, label, LAST], limit: LOOKED_AT })
  for (const keys of [before, after])
    for (const [found, other, account] of keys) {
      if (found !== shape) break
      // An older build may have written another label since.
      if (account !== except && readAccount(records, account)?.label === other) return { label: other, account }
    }
  return undefined
}

/** Behind every account of a label. */
const LAST = '\uffff'
/** Entries of a shape that are looked at: an older build may have left some of labels that changed. */
const LOOKED_AT = 16

const entriesIn = (database: Pick<Database<unknown, string>, 'getStats'>): number =>
  (database.getStats() as { readonly entryCount: number }).entryCount

import type { Change } from '../../adapters/config-files/journal.ts'
import type { FileText } from '../../config/settings.ts'
import { changeOn } from './disk-faults.ts'
import { refusal } from './refused.ts'
import { strays } from './strays.ts'

interface Candidate {
  readonly texts: readonly FileText[]
  /** Patterns of its main file. */
  readonly includes: readonly string[]
}

/** What has to change on the disk so that a load from there gives the candidate. Rejects with Refused. */
export async function needed(
  { texts, includes }: Candidate,
  serving: readonly FileText[],
  directory: string,
): Promise<Change> {
  const served = textsByName(serving)
  const found = strays(texts, includes, directory)
  const unknown = found.filter(file => !served.has(file))
  if (unknown.length > 0)
    throw refusal(`an \`include\` of the candidate would also take ${unknown.join(', ')} from the disk of the gateway`)
  const gone = found.map(file => ({ file, served: served.get(file), next: undefined }))
  const next = texts.map(({ file, text }) => ({ file, served: served.get(file), next: text }))
  const change = await changeOn(directory, [...next, ...gone])
  if (typeof change === 'string') throw refusal(change)
  return change
}

/** What puts the files that serve back in their places. */
export function undoing({ write, remove }: Change, serving: readonly FileText[]): Change {
  const served = textsByName(serving)
  const changed = [...write.map(({ file }) => file), ...remove]
  return {
    write: changed.flatMap(file => {
      const text = served.get(file)
      return text === undefined ? [] : [{ file, text }]
    }),
    remove: changed.filter(file => !served.has(file)),
  }
}

const textsByName = (files: readonly FileText[]): ReadonlyMap<string, string> =>
  new Map(files.map(({ file, text }) => [file, text]))

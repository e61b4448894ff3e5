import type { JsonObject } from '../json-safety.ts'
import { isKnown, oncePerValue } from './known-value.ts'

/** Members of an object that stand one behind the other: ordinary ones, or one whose value is known. */
type Run = { readonly others: JsonObject } | { readonly name: string; readonly known: unknown }

/** All members of an object in order; undefined where no value of them is known. */
function runsOf(object: JsonObject): readonly Run[] | undefined {
  if (!Object.values(object).some(isKnown)) return undefined
  const runs: Run[] = []
  let others: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(object)) {
    if (isKnown(value)) {
      runs.push({ others }, { name, known: value })
      others = {}
    } else others[name] = value
  }
  runs.push({ others })
  return runs
}

/** The JSON of an object; that of its known values is written once for all requests. */
export function knownJson(object: JsonObject): string {
  const runs = runsOf(object)
  return runs ? `{${runs.map(textOf).filter(Boolean).join(',')}}` : JSON.stringify(object)
}

/** Returns that JSON in bytes. `bytesOf` encodes the JSON of the other members. */
export function knownJsonBytes(
  object: JsonObject,
  bytesOf: (json: string) => Buffer = json => Buffer.from(json),
): Buffer {
  const runs = runsOf(object)
  if (!runs) return bytesOf(JSON.stringify(object))
  const pieces: Buffer[] = []
  const add = (piece: Buffer) => pieces.push(pieces.length === 0 ? OPENED : COMMA, piece)
  for (const run of runs) {
    if ('known' in run) {
      add(Buffer.from(`${JSON.stringify(run.name)}:`))
      pieces.push(jsonOfKnown(run.known))
    } else {
      const members = membersOf(run.others)
      if (members !== '') add(bytesOf(members))
    }
  }
  return Buffer.concat([...pieces, CLOSED])
}

const textOf = (run: Run): string =>
  'known' in run ? `${JSON.stringify(run.name)}:${textOfKnown(run.known)}` : membersOf(run.others)

/** Without braces: empty where all of them are undefined. */
const membersOf = (others: JsonObject): string => JSON.stringify(others).slice(1, -1)

const textOfKnown = oncePerValue(value => JSON.stringify(value))
const jsonOfKnown = oncePerValue(value => Buffer.from(JSON.stringify(value)))

const OPENED = Buffer.from('{')
const COMMA = Buffer.from(',')
const CLOSED = Buffer.from('}')

import type { Written } from './body.ts'
import type { Member } from './shape.ts'

/** A member that an object is to have. */
export interface Change {
  /** Without anything that JSON escapes. */
  readonly name: string
  readonly json: string
}

/** What comes in the place of some bytes. */
interface Cut {
  readonly start: number
  readonly end: number
  readonly json: string
}

const OPEN_OBJECT = 0x7b

/** The JSON of an object that has members, with some of them changed or added; all else stays as it was sent. */
export function spliced({ bytes, members }: Written, changes: readonly Change[]): Buffer {
  const cuts = cutsOf(bytes.indexOf(OPEN_OBJECT) + 1, members, changes)
  let length = bytes.length
  for (const { start, end, json } of cuts) length += Buffer.byteLength(json) - (end - start)
  const result = Buffer.allocUnsafe(length)
  let copied = 0
  let at = 0
  for (const { start, end, json } of cuts) {
    at += bytes.copy(result, at, copied, start)
    at += result.write(json, at)
    copied = end
  }
  bytes.copy(result, at, copied)
  return result
}

/** In order; members that are not there are added at `opened`. */
function cutsOf(opened: number, members: readonly Member[], changes: readonly Change[]): readonly Cut[] {
  let added = ''
  for (const { name, json } of changes) {
    if (!members.some(member => member.name === name)) added += `"${name}":${json},`
  }
  const cuts = added === '' ? [] : [{ start: opened, end: opened, json: added }]
  for (const { name, start, end } of members) {
    const change = changes.find(each => each.name === name)
    if (change) cuts.push({ start, end, json: change.json })
  }
  return cuts
}

import type { Written } from './body.ts'
import type { Member } from './outline.ts'

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
export function spliced(written: Written, changes: readonly Change[]): Buffer {
  const { bytes } = written
  const cuts = cutsOf(written, changes)
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

/** In order; members that are not there are added at the beginning. */
function cutsOf(written: Written, changes: readonly Change[]): readonly Cut[] {
  const { bytes, members } = written
  const cuts: Cut[] = []
  const added = addedTo(written, changes)
  if (added !== '') {
    const opened = bytes.indexOf(OPEN_OBJECT) + 1
    cuts.push({ start: opened, end: opened, json: added })
  }
  for (const member of members) {
    const change = changes.find(({ name }) => isNamed(bytes, member, name))
    if (change) cuts.push({ start: member.start, end: member.end, json: change.json })
  }
  return cuts
}

function addedTo({ bytes, members }: Written, changes: readonly Change[]): string {
  let added = ''
  for (const { name, json } of changes) {
    if (!members.some(member => isNamed(bytes, member, name))) added += `"${name}":${json},`
  }
  return added
}

/** Whether a member has a name. Byte by byte: to make a text of each name would take longer than the rest. */
export function isNamed(bytes: Buffer, { nameStart, nameEnd }: Member, name: string): boolean {
  if (nameEnd - nameStart !== name.length) return false
  for (let i = 0; i < name.length; i++) if (bytes[nameStart + i] !== name.charCodeAt(i)) return false
  return true
}

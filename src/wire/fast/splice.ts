import type { Member, Written } from './body-pass.ts'

/** A member that an object is to have. */
export interface Change {
  /** Without anything that JSON escapes. */
  readonly name: string
  readonly json: string
}

/** A replacement for some bytes. */
interface Cut {
  readonly start: number
  readonly end: number
  readonly json: string
}

const OPEN_OBJECT = 0x7b

/**
 * The JSON of an object that has members, with some of them changed, added or left out; all else stays as it was sent.
 * At least one member is not left out.
 */
export function spliced(written: Written, changes: readonly Change[], elided: readonly string[] = []): Buffer {
  const { bytes } = written
  const cuts = elided.length === 0 ? cutsOf(written, changes) : cutsWithout(written, changes, elided)
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

/** The cuts of a text without some members, each with the comma that parts it from the next one, or else from the one before. */
function cutsWithout(written: Written, changes: readonly Change[], elided: readonly string[]): readonly Cut[] {
  const { bytes, members } = written
  // Compared byte by byte.
  const names = elided.map(name => Buffer.from(name).toString('latin1'))
  const goes = (member: Member) => names.some(name => isNamed(bytes, member, name))
  const lastKept = members.findLastIndex(member => !goes(member))
  const gone = members.flatMap((member, i): Cut[] => {
    const next = members[i + 1]
    return i < lastKept && next && goes(member)
      ? [{ start: member.nameStart - 1, end: next.nameStart - 1, json: '' }]
      : []
  })
  const [kept, last] = [members[lastKept], members.at(-1)]
  if (kept && last && kept !== last) gone.push({ start: kept.end, end: last.end, json: '' })
  return [...cutsOf(written, changes), ...gone].sort((a, b) => a.start - b.start || a.end - b.end)
}

function addedTo({ bytes, members }: Written, changes: readonly Change[]): string {
  let added = ''
  for (const { name, json } of changes) {
    if (!members.some(member => isNamed(bytes, member, name))) added += `"${name}":${json},`
  }
  return added
}

/** Whether a member has a name. Byte by byte: to make a text of each name would take longer than the rest. */
function isNamed(bytes: Buffer, { nameStart, nameEnd }: Member, name: string): boolean {
  if (nameEnd - nameStart !== name.length) return false
  for (let i = 0; i < name.length; i++) if (bytes[nameStart + i] !== name.charCodeAt(i)) return false
  return true
}

import type { Written } from './body.ts'

/** A member that an object is to have. */
export interface Change {
  /** Without anything that JSON escapes. */
  readonly name: string
  readonly json: string
}

/** The text of an object that has members, with some of them changed or added; all else stays as it was written. */
export function spliced({ text, members }: Written, changes: readonly Change[]): string {
  let copied = text.indexOf('{') + 1
  let result = text.slice(0, copied)
  for (const { name, json } of changes) {
    if (!members.some(member => member.name === name)) result += `"${name}":${json},`
  }
  for (const { name, start, end } of members) {
    const change = changes.find(each => each.name === name)
    if (change) {
      result += text.slice(copied, start) + change.json
      copied = end
    }
  }
  return result + text.slice(copied)
}

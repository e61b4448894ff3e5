import { type Denied, invalid } from '../policy/denial.ts'
import { FREE_MEMBERS } from '../policy/dialect-members.ts'
import { fieldName, isObject, type JsonObject } from './json-safety.ts'
import { folded, isMisspelt, TOP_MEMBERS } from './known-names.ts'

/** Refuses a body with a misspelt name. JSON Schemas, arguments and metadata have names of their own. */
export function refuseMisspelt(body: JsonObject): Denied | undefined {
  const path = misspeltIn(body)
  return path && invalid(fieldName(path), `must be spelled ${JSON.stringify(folded(path.at(-1) ?? ''))}`)
}

/** The position of the first one: names and indexes from the top. */
function misspeltIn(body: JsonObject): readonly string[] | undefined {
  for (const name in body) {
    if (isMisspelt(name)) return [name]
    const below = TOP_MEMBERS.has(name) && !FREE_MEMBERS.has(name) ? misspeltBelow(body[name]) : undefined
    if (below) return [name, ...below]
  }
  return undefined
}

function misspeltBelow(value: unknown): readonly string[] | undefined {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const found = misspeltBelow(item)
      if (found) return [String(index), ...found]
    }
    return undefined
  }
  if (!isObject(value)) return undefined
  for (const name in value) {
    if (isMisspelt(name)) return [name]
    const found = isFree(name, value) ? undefined : misspeltBelow(value[name])
    if (found) return [name, ...found]
  }
  return undefined
}

/** Whether clients, tools or models name what is in a member of an object. The input of a call is its arguments. */
export const isFree = (name: string, { type }: JsonObject): boolean =>
  FREE_MEMBERS.has(name) || (name === 'input' && typeof type === 'string' && CALL.test(type))

const CALL = /tool_use$|_call$/

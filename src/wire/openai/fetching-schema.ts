import { isObject, type JsonObject } from '../json-safety.ts'
import type { Invalid } from './validate.ts'

/** A scheme or a host: what stands elsewhere. `#/$defs/x` is in the schema itself. */
const ELSEWHERE = /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i

const REFERENCES: ReadonlySet<string> = new Set(['$ref', '$dynamicRef', '$recursiveRef'])
const DOLLAR = 0x24

/** A schema of a tool or an answer of which a backend would have to fetch a part, for any client. */
export function fetchingSchema({ tools, functions, response_format }: JsonObject): Invalid | undefined {
  const field =
    (fetches(tools) && 'tools') ||
    (fetches(functions) && 'functions') ||
    (fetches(response_format) && 'response_format')
  return field ? { field, problem: ELSEWHERE_PROBLEM } : undefined
}

const ELSEWHERE_PROBLEM = 'must not refer to a schema that stands elsewhere; nothing is fetched'

function fetches(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(fetches)
  if (!isObject(value)) return false
  for (const name in value) {
    const member = value[name]
    if (typeof member === 'string' && isReference(name) && ELSEWHERE.test(member)) return true
    if (typeof member === 'object' && fetches(member)) return true
  }
  return false
}

/** To ask an object for each of the three by name takes four times as long where every object has a form of its own. */
const isReference = (name: string): boolean => name.charCodeAt(0) === DOLLAR && REFERENCES.has(name)

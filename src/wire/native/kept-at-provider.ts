import { type Findings, isAbsent } from '../findings.ts'
import { isObject, type JsonObject } from '../json-safety.ts'

/**
 * Refuses a body of Responses or Messages that names something kept at a provider: a file, a store of vectors, a prompt, a
 * container, a skill, a conversation. It would be looked up in the account of the operator, in which all clients are one,
 * so that each could name what is another's. Everything is looked at but what clients and tools write as they like.
 */
export function refuseKept(body: JsonObject, found: Findings): void {
  const field = isAbsent(body.prompt) ? fieldIn(body, '') : 'prompt'
  if (field !== undefined) found.refuse(field, PROBLEM, 'unsupported_value')
}

const PROBLEM = 'names content stored at the provider, which is not available here; send the content itself'

/** The position of the first one. */
function fieldIn(object: JsonObject, at: string): string | undefined {
  const own = ownField(object)
  if (own !== undefined) return `${at}${own}`
  for (const name in object) {
    if (OPAQUE.has(name) || (name === 'input' && at !== '')) continue
    const found = fieldBelow(object[name], `${at}${name}`)
    if (found !== undefined) return found
  }
  return undefined
}

function fieldBelow(value: unknown, at: string): string | undefined {
  if (isObject(value)) return fieldIn(value, `${at}.`)
  if (!Array.isArray(value)) return undefined
  for (const [index, item] of value.entries()) {
    const found = fieldBelow(item, `${at}[${index}]`)
    if (found !== undefined) return found
  }
  return undefined
}

/** The member of an object by which it names something. */
function ownField(object: JsonObject): string | undefined {
  const { type, container, result } = object
  if (typeof container === 'string') return 'container'
  if (isObject(container) && !isAbsent(container.id)) return 'container.id'
  // A picture that was drawn before goes with its bytes, or is looked up by its id.
  if (type === 'image_generation_call' && typeof result !== 'string') return 'result'
  const isFree = (name: string) => typeof type === 'string' && FREE.get(name)?.has(type) === true
  return IDS.find(name => isNamed(object[name]) && !isFree(name))
}

const IDS = [
  ...['file_id', 'file_ids', 'vector_store_ids', 'container_id', 'skill_id', 'tunnel_id', 'previous_message_id'],
]

/** Types whose id by this name is not looked up: what was made of earlier requests, and skills that all accounts have. */
const FREE: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['file_id', new Set(['code_execution_output', 'bash_code_execution_output'])],
  ['skill_id', new Set(['anthropic'])],
])

/** Members that hold what clients and tools write as they like, and what an answer said of its sources. */
const OPAQUE: ReadonlySet<string> = new Set([
  ...['arguments', 'parameters', 'input_schema', 'input_examples', 'schema', 'metadata', 'headers', 'env', 'filters'],
  ...['annotations', 'citations', 'results', 'logprobs'],
])

const isNamed = (value: unknown): boolean =>
  (typeof value === 'string' && value !== '') || (Array.isArray(value) && value.length > 0)

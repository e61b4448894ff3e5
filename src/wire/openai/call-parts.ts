import { asObject, isObject, type JsonObject } from '../json-safety.ts'
import { OpenCalls } from '../open-calls.ts'

/**
 * Numbers the parts of the tool calls of one choice, and completes them: each call has an index from 0 on, and its first
 * part an id, a type and a name. Clients put parts together by index alone.
 */
export class CallParts {
  readonly #calls = new OpenCalls<Call>(index => {
    return { index, id: '', name: '', arguments: '', unsent: {}, isSent: false }
  })
  readonly #newId: (index: number) => string

  /** `newId` makes an id for a call that came without. */
  constructor(newId: (index: number) => string) {
    this.#newId = newId
  }

  /** Whether anything was called. */
  get any(): boolean {
    return this.#calls.any
  }

  /** The parts as clients get them: the same list where nothing changes. */
  take(parts: readonly unknown[]): readonly unknown[] {
    const taken = parts.flatMap(part => (isObject(part) ? this.#take(part) : []))
    return taken.length === parts.length && taken.every((part, at) => part === parts[at]) ? parts : taken
  }

  /** The calls of which no part had a name, now that nothing more comes: the client can still refuse them. */
  rest(): readonly JsonObject[] {
    return this.#calls.all.filter(call => !call.isSent).map(call => this.#first(call, {}, '', ''))
  }

  #take(part: JsonObject): JsonObject[] {
    const call = this.#calls.of(part)
    const { name, arguments: args } = asObject(part.function)
    const written = writtenArguments(args)
    if (call.isSent) return [continued(call, part, name, args)]
    if (call.id === '' && isText(part.id)) call.id = part.id
    if (isObject(part.custom) || isText(name)) return [this.#first(call, part, isText(name) ? name : '', written)]
    call.unsent = { ...call.unsent, ...part }
    call.arguments += written
    return []
  }

  #first(call: Call, part: JsonObject, name: string, written: string): JsonObject {
    call.isSent = true
    call.name = name
    const { index } = call
    if (call.id === '') call.id = this.#newId(index)
    const { id } = call
    if (isObject(part.custom)) return part.index === index && part.id === id ? part : { ...part, index, id }
    const { name: _, arguments: args, ...about } = asObject(part.function)
    const isWhole = part.index === index && part.id === id && isText(part.type) && typeof args === 'string'
    if (isWhole && call.arguments === '') return part
    const type = isText(part.type) ? part.type : 'function'
    return {
      ...call.unsent,
      ...part,
      index,
      id,
      type,
      function: { ...about, name, arguments: call.arguments + written },
    }
  }
}

/** One call of a whole message. */
export function wholeCall(call: JsonObject, newId: () => string): JsonObject {
  const { name, arguments: args } = asObject(call.function)
  const id = isText(call.id) ? call.id : newId()
  const type = isText(call.type) ? call.type : 'function'
  if (isObject(call.custom)) return id === call.id && type === call.type ? call : { ...call, id, type }
  if (id === call.id && type === call.type && typeof name === 'string' && typeof args === 'string') return call
  const written = { name: isText(name) ? name : '', arguments: writtenArguments(args) }
  return { ...call, id, type, function: { ...asObject(call.function), ...written } }
}

interface Call {
  readonly index: number
  id: string
  name: string
  /** Arguments that came before its name. */
  arguments: string
  unsent: JsonObject
  isSent: boolean
}

/** A later part: clients join names and ids that are repeated, or take them for those of another call. */
function continued({ index, id, name }: Call, part: JsonObject, named: unknown, args: unknown): JsonObject {
  const isSame = part.id === undefined || part.id === null || part.id === id
  const isText = args === undefined || args === null || typeof args === 'string'
  if (part.index === index && isSame && isText && named !== name && isObject(part.function)) return part
  const { id: _id, ...rest } = part
  const { name: _name, ...about } = asObject(part.function)
  return {
    ...rest,
    index,
    ...(isSame && part.id !== undefined && { id: part.id }),
    function: { ...about, ...(named !== name && { name: named }), arguments: writtenArguments(args) },
  }
}

/** Some backends send the object itself. */
const writtenArguments = (args: unknown): string => {
  if (typeof args === 'string') return args
  return args === undefined || args === null ? '' : JSON.stringify(args)
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

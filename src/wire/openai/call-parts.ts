import { parse } from '../json-bytes.ts'
import { asObject, isObject, type JsonObject } from '../json-safety.ts'
import { OpenCalls } from '../open-calls.ts'
import { withoutFields } from './fields.ts'

/**
 * Numbers the parts of the tool calls of one choice, and completes them: each call has an index from 0 on, and its first
 * part an id, a type and a name. Clients put parts together by index alone.
 */
export class CallParts {
  readonly #calls = new OpenCalls<Call>(index => {
    return { index, id: '', name: '', arguments: '', unsent: {}, isSent: false, hasArguments: false, written: '' }
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
    const taken = parts.flatMap(part => (isObject(part) ? this.#take(nested(part)) : []))
    return taken.length === parts.length && taken.every((part, at) => part === parts[at]) ? parts : taken
  }

  /**
   * The missing parts of calls now that nothing more comes. Those of which no part had a name are sent: the client can still
   * refuse them. Those without arguments get an empty object where they are whole, since clients read no JSON in nothing.
   */
  rest(areWhole: boolean): readonly JsonObject[] {
    return this.#calls.all.flatMap(call => {
      const written = areWhole && !call.hasArguments ? NO_ARGUMENTS : ''
      call.hasArguments = true
      if (!call.isSent) return [this.#first(call, {}, '', written)]
      return written === '' ? [] : [{ index: call.index, function: { arguments: written } }]
    })
  }

  #take(part: JsonObject): JsonObject[] {
    const call = this.#calls.of(part)
    const { name, arguments: args } = asObject(part.function)
    const written = writtenArguments(args)
    if (call.isSent && isText(name) && isRepetition(call, written)) return []
    call.written += written
    call.hasArguments ||= written.trim() !== '' || isObject(part.custom)
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

/** One call of a whole message. `isCut`: the model may have had more to say, so that its arguments stay as they are. */
export function wholeCall(sent: JsonObject, newId: () => string, isCut: boolean): JsonObject {
  const call = nested(sent)
  const { name, arguments: args } = asObject(call.function)
  const id = isText(call.id) ? call.id : newId()
  const type = isText(call.type) ? call.type : 'function'
  if (isObject(call.custom)) return id === call.id && type === call.type ? call : { ...call, id, type }
  const text = isCut ? writtenArguments(args) : wholeArguments(args)
  if (id === call.id && type === call.type && typeof name === 'string' && text === args) return call
  const written = { name: isText(name) ? name : '', arguments: text }
  return { ...call, id, type, function: { ...asObject(call.function), ...written } }
}

/** A part whose name and arguments stand where and as the public API has them. */
function nested(part: JsonObject): JsonObject {
  const { custom, function: called } = part
  if (isObject(custom)) return part
  if (!isObject(called)) {
    const { name, arguments: args, parameters, input, ...about } = part
    return { ...about, function: calledBy(name, args ?? parameters ?? input) }
  }
  const { name, arguments: args, parameters, input } = called
  if (args !== undefined || (parameters ?? input) === undefined) return part
  return { ...part, function: { ...withoutFields(called, OTHER_NAMES), ...calledBy(name, parameters ?? input) } }
}

const OTHER_NAMES = ['parameters', 'input']

const calledBy = (name: unknown, args: unknown): JsonObject => ({
  ...(name !== undefined && { name }),
  ...(args !== undefined && { arguments: args }),
})

/** Some send a call once more when all of it came in parts. */
function isRepetition({ written }: Call, again: string): boolean {
  if (again === '' || again !== written) return false
  return isObject(parse(written))
}

interface Call {
  readonly index: number
  id: string
  name: string
  /** Arguments that came before its name. */
  arguments: string
  unsent: JsonObject
  isSent: boolean
  hasArguments: boolean
  /** All arguments so far. */
  written: string
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

/** The arguments of a whole call, which are JSON: those of a tool without parameters may be left out. */
const wholeArguments = (args: unknown): string => {
  const written = writtenArguments(args)
  return written.trim() === '' ? NO_ARGUMENTS : written
}

const NO_ARGUMENTS = '{}'

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

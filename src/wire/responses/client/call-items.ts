import { signatureOf } from '../../call-signatures.ts'
import { JsonEnd } from '../../json-end.ts'
import { isObject, type JsonObject } from '../../json-safety.ts'
import { OpenCalls } from '../../open-calls.ts'
import { textInput } from '../../openai/custom-tools.ts'
import type { CallSignature } from '../../reasoning/sealed-reasoning.ts'
import type { OutputSink } from './output-sink.ts'
import type { ClientTool } from './tool-kinds.ts'
import type { Wanted } from './wanted.ts'

/**
 * The calls of one answer. Several may be open at once, where their arguments come interleaved: one that is whole is closed
 * when the next one begins, and all others when the answer ends.
 */
export class CallItems {
  readonly #wanted: Wanted
  readonly #sink: OutputSink
  readonly #places: Places
  readonly #all: NamedCall[] = []
  readonly #open = new OpenCalls<OpenCall>(() => ({ id: '', name: '', unnamed: '' }))
  readonly #ids: Set<string>

  constructor(wanted: Wanted, sink: OutputSink, places: Places) {
    this.#wanted = wanted
    this.#sink = sink
    this.#places = places
    this.#ids = new Set(wanted.callIds)
  }

  /** How many have a name. */
  get count(): number {
    return this.#all.length
  }

  /** Takes in a piece of a call, or a whole one. */
  add(piece: JsonObject): void {
    const { name, arguments: args } = isObject(piece.function) ? piece.function : {}
    const open = this.#open.of(piece)
    if (open.id === '') open.id = textIn(piece.id)
    if (open.name === '') open.name = textIn(name)
    const signature = signatureOf(piece)
    if (signature && open.call) this.#places.sign({ call: open.call.callId, ...signature })
    else if (signature) open.signature = signature
    if (!open.call && textIn(name) !== '') open.call = this.#begin(textIn(name), open)
    const text = isObject(args) ? JSON.stringify(args) : textIn(args)
    if (!open.call) open.unnamed += text
    else if (text !== '') this.#extend(open.call, text)
  }

  /** Closes those that are open, in the order in which they began. */
  close(status: string): void {
    for (const call of this.#all) if (!call.isClosed) this.#close(call, status)
  }

  #begin(name: string, { id, unnamed, signature }: OpenCall): NamedCall {
    for (const other of this.#all) if (!other.isClosed && other.end.isWhole) this.#close(other, 'completed')
    const tool = this.#wanted.tools.find(name)
    const callId = this.#unused(id)
    if (signature) this.#places.sign({ call: callId, ...signature })
    const place = this.#places.next()
    const isCustom = tool.kind === 'custom'
    const itemId = this.#sink.newId(isCustom ? 'ctc_' : 'fc_')
    const call: NamedCall = {
      tool,
      place,
      itemId,
      callId,
      arguments: '',
      end: new JsonEnd(),
      isClosed: false,
    }
    this.#all.push(call)
    const item = writeCall(call, 'in_progress', '')
    this.#sink.emit('response.output_item.added', { output_index: place, item })
    if (unnamed !== '') this.#extend(call, unnamed)
    return call
  }

  #unused(id: string): string {
    const unused = id === '' || this.#ids.has(id) ? this.#sink.newId('call_') : id
    this.#ids.add(unused)
    return unused
  }

  #extend(call: NamedCall, delta: string): void {
    // Only blanks, or nothing that a client could read, follow whole arguments.
    if (call.isClosed) return
    call.end.take(delta)
    call.arguments += delta
    // The input of a custom tool is in the arguments, and can be read when they are whole.
    if (call.tool.kind === 'function') this.#emit(call, 'response.function_call_arguments.delta', { delta })
  }

  #close(call: NamedCall, status: string): void {
    const { tool, place } = call
    const said = tool.kind === 'custom' ? this.#endCustom(call) : this.#endFunction(call)
    const item = writeCall(call, call.end.isWhole ? 'completed' : status, said)
    this.#sink.emit('response.output_item.done', { output_index: place, item })
    call.isClosed = true
    this.#places.put(place, item)
  }

  #endFunction(call: NamedCall): string {
    if (call.arguments === '') this.#extend(call, '{}')
    const { tool, arguments: args } = call
    this.#emit(call, 'response.function_call_arguments.done', { name: tool.name, arguments: args })
    return args
  }

  #endCustom(call: NamedCall): string {
    const input = textInput(call.arguments)
    if (input !== '') this.#emit(call, 'response.custom_tool_call_input.delta', { delta: input })
    this.#emit(call, 'response.custom_tool_call_input.done', { input })
    return input
  }

  #emit({ itemId, place }: NamedCall, type: string, fields: JsonObject): void {
    this.#sink.emit(type, { item_id: itemId, output_index: place, ...fields })
  }
}

/** Positions of an answer's items. */
interface Places {
  /** Reserves a position after all others. */
  next(): number
  /** An item is closed. */
  put(place: number, item: JsonObject): void
  /** A backend signed a call, and wants that back. */
  sign(signature: CallSignature): void
}

/** A call as far as it has come. */
interface OpenCall {
  id: string
  name: string
  /** Arguments that came before the name, and what the backend signed. */
  unnamed: string
  signature?: Omit<CallSignature, 'call'>
  /** Once its name is known. */
  call?: NamedCall
}

interface NamedCall {
  readonly tool: ClientTool
  readonly place: number
  readonly itemId: string
  readonly callId: string
  arguments: string
  /** The end of its arguments. */
  readonly end: JsonEnd
  isClosed: boolean
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

/** `said` is the arguments, or the input of a custom tool. */
function writeCall({ tool, itemId, callId }: NamedCall, status: string, said: string): JsonObject {
  const isCustom = tool.kind === 'custom'
  return {
    id: itemId,
    type: isCustom ? 'custom_tool_call' : 'function_call',
    status,
    ...(isCustom ? { input: said } : { arguments: said }),
    call_id: callId,
    name: tool.name,
    ...(tool.namespace !== undefined && { namespace: tool.namespace }),
  }
}

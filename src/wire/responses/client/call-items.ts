import { isObject, type JsonObject } from '../../json-safety.ts'
import { textInput } from '../../openai/custom-tools.ts'
import type { OutputSink } from './output-sink.ts'
import type { ClientTool } from './tool-kinds.ts'
import type { Wanted } from './wanted.ts'

/** The calls of one answer, several of which may be open at once: all are until the answer ends. */
export class CallItems {
  readonly #wanted: Wanted
  readonly #sink: OutputSink
  readonly #placeNext: () => number
  readonly #all: NamedCall[] = []
  /** The last ones, by the index of the backend. */
  readonly #open = new Map<number, OpenCall>()
  readonly #ids: Set<string>

  /** `placeNext` makes room for an item behind all others. */
  constructor(wanted: Wanted, sink: OutputSink, placeNext: () => number) {
    this.#wanted = wanted
    this.#sink = sink
    this.#placeNext = placeNext
    this.#ids = new Set(wanted.callIds)
  }

  /** How many have a name. */
  get count(): number {
    return this.#all.length
  }

  /** Takes in a piece of a call, or a whole one. */
  add(piece: JsonObject): void {
    const { name, arguments: args } = isObject(piece.function) ? piece.function : {}
    const open = this.#openFor(piece, textIn(name))
    if (open.id === '') open.id = textIn(piece.id)
    if (!open.call && textIn(name) !== '') open.call = this.#begin(textIn(name), open)
    const text = isObject(args) ? JSON.stringify(args) : textIn(args)
    if (!open.call) open.unnamed += text
    else if (text !== '') this.#extend(open.call, text)
  }

  /** Every call with its place, in the order in which they began. */
  close(status: string): readonly { readonly place: number; readonly item: JsonObject }[] {
    return this.#all.map(call => ({ place: call.place, item: this.#close(call, status) }))
  }

  /** Backends that send calls whole may number none of them, or all alike: then a name with another id begins one. */
  #openFor({ index, id }: JsonObject, name: string): OpenCall {
    const place = typeof index === 'number' ? index : 0
    const open = this.#open.get(place)
    const isOther = textIn(id) === '' ? typeof index !== 'number' : textIn(id) !== open?.id
    if (open && !(name !== '' && open.call && isOther)) return open
    const begun: OpenCall = { id: '', unnamed: '' }
    this.#open.set(place, begun)
    return begun
  }

  #begin(name: string, { id, unnamed }: OpenCall): NamedCall {
    const tool = this.#wanted.tools.find(name)
    const place = this.#placeNext()
    const isCustom = tool.kind === 'custom'
    const itemId = this.#sink.newId(isCustom ? 'ctc_' : 'fc_')
    const call: NamedCall = { tool, place, itemId, callId: this.#unused(id), arguments: '' }
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
    call.arguments += delta
    // The input of a custom tool is in the arguments, and can be read when they are whole.
    if (call.tool.kind === 'function') this.#emit(call, 'response.function_call_arguments.delta', { delta })
  }

  #close(call: NamedCall, status: string): JsonObject {
    const { tool, place } = call
    const said = tool.kind === 'custom' ? this.#endCustom(call) : this.#endFunction(call)
    const item = writeCall(call, status, said)
    this.#sink.emit('response.output_item.done', { output_index: place, item })
    return item
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

/** A call as far as it has come. */
interface OpenCall {
  id: string
  /** Arguments that came before the name. */
  unnamed: string
  /** Once its name is known. */
  call?: NamedCall
}

interface NamedCall {
  readonly tool: ClientTool
  readonly place: number
  readonly itemId: string
  readonly callId: string
  arguments: string
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

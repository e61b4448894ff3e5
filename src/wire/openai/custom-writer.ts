import type { AnswerWriter, StreamError } from '../client-dialect.ts'
import { asObject, isObject, type JsonObject } from '../json-safety.ts'
import { errorEvent, sseDone, sseEvent } from '../sse.ts'
import { textInput } from './custom-tools.ts'

/** Writes chat answers with the calls of custom tools as OpenAI does. Backends called functions in place of these. */
export class CustomToolWriter implements AnswerWriter {
  readonly #custom: ReadonlySet<string>
  /** Calls of custom tools that have begun: the text of each is sent when all of it is there. */
  #open: OpenCall[] = []
  /** The call that a part belongs to, by choice and index: an open custom call, or one that is passed on. */
  readonly #current = new Map<string, OpenCall | 'passed'>()
  /** The calls that the client knows, as choice and index. */
  readonly #known = new Set<string>()
  /** The last chunk, for a call that no other one closes. */
  #last: JsonObject = {}

  /** `custom`: the names of the tools. */
  constructor(custom: ReadonlySet<string>) {
    this.#custom = custom
  }

  whole(completion: JsonObject): JsonObject {
    const choices = listOf(completion.choices).map(choice => {
      const message = asObject(choice.message)
      if (!Array.isArray(message.tool_calls)) return choice
      const tool_calls = listOf(message.tool_calls).map(({ function: called, ...call }) => {
        const { name, arguments: args } = asObject(called)
        if (!this.#isCustom(name)) return { ...call, function: called }
        return { ...call, type: 'custom', custom: { name, input: textInput(textOf(args)) } }
      })
      return { ...choice, message: { ...message, tool_calls } }
    })
    return { ...completion, choices }
  }

  chunk(chunk: JsonObject): string {
    this.#last = chunk
    if (this.#open.length === 0 && !this.#begins(chunk)) return sseEvent(JSON.stringify(chunk))
    const choices = listOf(chunk.choices)
    const shown = choices.flatMap(choice => this.#shown(choice))
    if (choices.length > 0 && shown.length === 0 && !isObject(chunk.usage)) return ''
    return sseEvent(JSON.stringify({ ...chunk, choices: shown }))
  }

  end(): string {
    return this.#rest() + sseDone
  }

  fail({ message, type, code }: StreamError): string {
    return errorEvent(message, type, code)
  }

  #isCustom(name: unknown): name is string {
    return typeof name === 'string' && this.#custom.has(name)
  }

  #begins = ({ choices }: JsonObject): boolean =>
    listOf(choices).some(({ delta }) =>
      listOf(asObject(delta).tool_calls).some(call => this.#isCustom(asObject(call.function).name)),
    )

  /** A choice without what is kept of its calls, and with those that it ends; nothing where nothing is left of it. */
  #shown(choice: JsonObject): JsonObject[] {
    const { tool_calls: parts, ...delta } = asObject(choice.delta)
    const place = typeof choice.index === 'number' ? choice.index : 0
    const calls = listOf(parts).flatMap(part => this.#part(place, part))
    const isOver = typeof choice.finish_reason === 'string' && choice.finish_reason !== ''
    if (isOver) calls.push(...this.#close(place))
    const isSilent = Object.values(delta).every(value => value === null || value === '')
    if (!isOver && calls.length === 0 && isSilent && listOf(parts).length > 0) return []
    return [{ ...choice, delta: { ...delta, ...(calls.length > 0 && { tool_calls: calls }) } }]
  }

  /** The deltas that the client gets for a part of a call. */
  #part(place: number, part: JsonObject): JsonObject[] {
    const index = typeof part.index === 'number' ? part.index : 0
    const { name, arguments: args } = asObject(part.function)
    const key = `${place} ${index}`
    const current = this.#current.get(key)
    const isOther = current === undefined || current === 'passed' || (isText(part.id) && part.id !== current.id)
    if (isText(name) && isOther) {
      const call = { place, index, id: textOf(part.id), name, arguments: textOf(args) }
      this.#current.set(key, this.#isCustom(name) ? call : 'passed')
      if (!this.#isCustom(name)) {
        this.#known.add(key)
        return [part]
      }
      this.#open.push(call)
      return []
    }
    if (current === undefined || current === 'passed') return [part]
    current.arguments += textOf(args)
    return []
  }

  /** The calls of a choice that is over. */
  #close(place: number): JsonObject[] {
    const ended = this.#open.filter(call => call.place === place)
    this.#open = this.#open.filter(call => call.place !== place)
    return ended.map(({ id, name, arguments: args, ...call }) => {
      return { index: this.#free(call), id, type: 'custom', custom: { name, input: textInput(args) } }
    })
  }

  /** Its own index, or another one where a backend numbers its calls alike: clients would join the two. */
  #free({ place, index }: Pick<OpenCall, 'place' | 'index'>): number {
    let free = index
    while (this.#known.has(`${place} ${free}`)) free++
    this.#known.add(`${place} ${free}`)
    return free
  }

  /** Calls of an answer that ended without a finish. */
  #rest(): string {
    const places = [...new Set(this.#open.map(({ place }) => place))]
    const choices = places.map(index => ({ index, delta: { tool_calls: this.#close(index) }, finish_reason: null }))
    const { usage: _, ...last } = this.#last
    return choices.length === 0 ? '' : sseEvent(JSON.stringify({ ...last, choices }))
  }
}

interface OpenCall {
  readonly place: number
  readonly index: number
  readonly id: string
  readonly name: string
  arguments: string
}

const listOf = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])
const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

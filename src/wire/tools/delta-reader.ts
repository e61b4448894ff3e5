import { isObject, type JsonObject } from '../body.ts'
import { spokenBytes } from '../usage.ts'
import type { Listed, ListedTool } from './listed.ts'
import { endsAnswer, type HostedCall, type Turn } from './turn.ts'

/** What all rounds of one answer have in common, once a round of it has begun to speak. */
export interface OneAnswer {
  readonly id: unknown
  readonly created: unknown
  readonly model: string
}

/** Makes the reader of one attempt at a round. */
export type Deltas = (terms: AttemptTerms) => DeltaReader

interface AttemptTerms {
  /** For backends that leave `id` out. */
  readonly id: string
  readonly created: number
  readonly model: string
}

interface ReaderTerms extends AttemptTerms {
  readonly listed: Listed
  /** Of the rounds before; undefined in the first. */
  readonly answer?: OneAnswer | undefined
}

interface OpenCall {
  id: string
  readonly listed: ListedTool
  arguments: string
}

/**
 * Reads the chunks of one round: what the client may see of them, and what the model called. Calls of hosted tools are
 * kept back, and so is the finish of a turn that goes on with them.
 */
export class DeltaReader {
  readonly #terms: ReaderTerms
  /** By the index of the backend: of hosted tools, and of the client's where it is in what it gets. */
  readonly #hosted = new Map<number, OpenCall>()
  readonly #clients = new Map<number, number>()
  #content = ''
  #answer: OneAnswer | undefined
  #usage: JsonObject | undefined
  #finish = ''
  /** Bytes of what the client got. */
  shown = 0

  constructor(terms: ReaderTerms) {
    this.#terms = terms
    this.#answer = terms.answer
  }

  /** What the rounds after this one go on with. */
  get answer(): OneAnswer | undefined {
    return this.#answer
  }

  get turn(): Turn {
    const runs = this.#clients.size === 0 && !endsAnswer(this.#finish)
    const calls = runs ? [...this.#hosted.values()].map(toCall) : []
    return { content: this.#content, calls, ...(this.#usage && { usage: this.#usage }) }
  }

  /** The chunk as the client gets it; undefined where nothing of it is for the client. */
  forClient(chunk: JsonObject): string | undefined {
    if (isObject(chunk.usage)) this.#usage = chunk.usage
    const first = this.#answer === undefined
    const choices = Array.isArray(chunk.choices) ? chunk.choices.filter(isObject) : []
    const shown = choices.flatMap(choice => this.#shown(choice, first))
    if (shown.length === 0) return undefined
    this.#answer ??= {
      id: typeof chunk.id === 'string' ? chunk.id : this.#terms.id,
      created: typeof chunk.created === 'number' ? chunk.created : this.#terms.created,
      model: this.#terms.model,
    }
    const { usage: _usage, ...rest } = chunk
    return JSON.stringify({ ...rest, ...this.#answer, object: 'chat.completion.chunk', choices: shown })
  }

  #shown(choice: JsonObject, first: boolean): JsonObject[] {
    const { tool_calls: called, role, ...delta } = isObject(choice.delta) ? choice.delta : {}
    if (typeof delta.content === 'string') this.#content += delta.content
    const calls = Array.isArray(called) ? called.filter(isObject).flatMap(call => this.#call(call)) : []
    const finish = typeof choice.finish_reason === 'string' ? choice.finish_reason : ''
    if (finish !== '') this.#finish = finish
    const shown = {
      ...(first && role !== undefined && { role }),
      ...delta,
      ...(calls.length > 0 && { tool_calls: calls }),
    }
    const ends = finish !== '' && this.turn.calls.length === 0
    if (!ends && isSilent(shown)) return []
    this.shown += spokenBytes(shown)
    return [{ ...choice, delta: shown, finish_reason: ends ? finish : null }]
  }

  /** A part of a call as the client gets it. Its own are counted from 0, whatever stands between them. */
  #call(part: JsonObject): JsonObject[] {
    const index = typeof part.index === 'number' ? part.index : 0
    const { name, arguments: args } = isObject(part.function) ? part.function : {}
    const open = this.#hosted.get(index)
    const client = this.#clients.get(index)
    if (client !== undefined) return [{ ...part, index: client }]
    const listed = typeof name === 'string' ? this.#terms.listed.get(name) : undefined
    if (!open && !listed) {
      this.#clients.set(index, this.#clients.size)
      return [{ ...part, index: this.#clients.size - 1 }]
    }
    const call = open ?? { id: '', listed: listed as ListedTool, arguments: '' }
    this.#hosted.set(index, call)
    if (typeof part.id === 'string') call.id = part.id
    if (typeof args === 'string') call.arguments += args
    return []
  }
}

/** A delta that says nothing is not worth an event of its own. */
const isSilent = (delta: JsonObject): boolean =>
  Object.values(delta).every(value => value === null || value === undefined || value === '')

const toCall = ({ id, listed, arguments: args }: OpenCall, index: number): HostedCall => ({
  id: id === '' ? `call_${index}` : id,
  tool: listed.name,
  seenAs: listed.seenAs,
  arguments: args,
})

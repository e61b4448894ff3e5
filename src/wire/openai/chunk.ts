import type { Mutable } from '../../policy/decision.ts'
import { errorInAnswer } from '../backend-error.ts'
import { parse } from '../json-bytes.ts'
import { isObject, type JsonObject } from '../json-safety.ts'
import type { DeltaReader } from '../tools/delta-reader.ts'
import { toldUsage, usageIn, usageMember } from '../usage/reported-usage.ts'
import { deltaTokens, outputBytesOf, type Usage } from '../usage/usage.ts'
import { ChoiceForms, type ChunkChoices, type DeltaChoice } from './choice-form.ts'

/** The data of the last event, which ends the stream. */
export const DONE = '[DONE]'

/** One event of a backend's stream, as it was read. */
export type Chunk =
  | { readonly kind: 'done' }
  /** Fills a silence. */
  | { readonly kind: 'nothing' }
  /** Not JSON, or not an object. */
  | { readonly kind: 'malformed' }
  | { readonly kind: 'error'; readonly error: unknown }
  /** A choice ended with a reason that marks it incomplete. */
  | { readonly kind: 'failed'; readonly cause: string }
  | DeltaChunk

export interface DeltaChunk {
  readonly kind: 'delta'
  /** Bytes of content, reasoning and tool calls; 0 for a role or usage alone. */
  readonly outputBytes: number
  /** Tokens that its backend made for it at the least. */
  readonly tokens: number
  /** Indexes of the choices in it, and of those that finished with it. */
  readonly choices: readonly number[]
  readonly finished: readonly number[]
  readonly usage?: Usage
  /** Set where it has a part of a call. */
  readonly hasCall?: true
  /** Set where the client gets what it needs once, such as the role: the same event may look otherwise the next time. */
  readonly isOnce?: true
  /** The event as the client gets it, or nothing for a usage chunk it did not ask for. */
  readonly data: string | undefined
}

export interface ChunkTerms {
  /** Set where a stream whose backend says that it is done is whole without a finish reason. */
  readonly endsUnfinished?: true
  /** The model of the pool that serves, which the answer names. */
  readonly model: string
  readonly usageWanted: boolean
  /** For backends that give none. */
  readonly id: string
  /** Seconds since the epoch, for backends that do not tell them. */
  readonly created: number
  /** Reads a round of an answer with hosted tools, of which the client sees a part. */
  readonly deltas?: DeltaReader
}

/** Reads the events of one stream, and completes what clients get of them. */
export class ChunkReader {
  readonly #terms: ChunkTerms
  readonly #choices: ChoiceForms
  /** The id of the answer, once a chunk had one. */
  #id: string | undefined
  /** Members of chunks without choices: Azure opens with its filter results of the prompt. */
  #carried: JsonObject | undefined

  /** `choices`: how many were asked for. */
  constructor(terms: ChunkTerms, choices = 1) {
    this.#terms = terms
    this.#choices = new ChoiceForms(choices, terms.id)
  }

  /** Reads the data of one event. */
  read(data: string): Chunk {
    if (data === DONE) return DONE_CHUNK
    const chunk = parse(data)
    return chunk === undefined ? readOther(data) : this.readParsed(data, chunk)
  }

  /** Reads an event that is parsed already. */
  readParsed(data: string, chunk: unknown): Chunk {
    if (chunk === null) return NOTHING
    const error = errorInAnswer(chunk)
    if (error !== undefined) return { kind: 'error', error }
    if (!isObject(chunk)) return MALFORMED

    const taken = this.#choices.take(chunk.choices)
    if (taken.hasFailed) return GIVEN_UP
    const choices: number[] = []
    const finished: number[] = []
    let outputBytes = 0
    let tokens = 0
    let hasCall = false
    for (const choice of taken.choices) {
      const { index, finish_reason, delta } = choice
      choices.push(index)
      if (finish_reason !== null) finished.push(index)
      outputBytes += outputBytesOf(delta)
      tokens += deltaTokens(delta)
      hasCall ||= hasCallPart(choice)
    }
    const usage = usageIn(chunk)
    const isOnce = taken.isOnce || this.#carried !== undefined
    const sent = this.#forClient(data, chunk, taken, usage && toldUsage(usageMember(chunk), usage))
    const read: Mutable<DeltaChunk> = { kind: 'delta', outputBytes, tokens, choices, finished, data: sent }
    if (usage) read.usage = usage
    if (hasCall) read.hasCall = true
    if (isOnce) read.isOnce = true
    return read
  }

  /** A chunk of our own as the client gets it. */
  write(chunk: JsonObject): string | undefined {
    const taken = this.#choices.take(chunk.choices)
    return this.#forClient(JSON.stringify(chunk), chunk, taken, isObject(chunk.usage) ? chunk.usage : undefined)
  }

  /** The event untouched where it can be: numbers we did not read are never printed anew. `told`: the usage that it tells. */
  #forClient(data: string, chunk: JsonObject, taken: ChunkChoices, told: JsonObject | undefined): string | undefined {
    const { deltas, model, usageWanted } = this.#terms
    if (typeof chunk.id === 'string' && chunk.id !== '') this.#id ??= chunk.id
    if (deltas) return deltas.forClient({ ...chunk, choices: taken.choices, ...(told && { usage: told }) })
    const shown = usageWanted ? told : undefined
    if (taken.choices.length === 0 && !shown) return this.#carry(chunk)
    const usage = shown ?? (isAbsent(chunk.usage) ? chunk.usage : undefined)
    const isComplete =
      taken.areSame &&
      usage === chunk.usage &&
      chunk.model === model &&
      chunk.object === 'chat.completion.chunk' &&
      Number.isSafeInteger(chunk.created) &&
      isNamed(chunk.id) &&
      this.#carried === undefined
    return isComplete ? data : this.#written(chunk, taken, usage)
  }

  #written(chunk: JsonObject, { choices }: ChunkChoices, usage: unknown): string {
    const { id, object: _object, created, model: _model, choices: _choices, usage: _usage, ...rest } = chunk
    const carried = this.#carried
    this.#carried = undefined
    return JSON.stringify({
      id: isNamed(id) ? id : (this.#id ?? this.#terms.id),
      object: 'chat.completion.chunk',
      created: secondsIn(created) ?? this.#terms.created,
      model: this.#terms.model,
      ...carried,
      ...rest,
      choices,
      ...(usage !== undefined && { usage }),
    })
  }

  /** Carries the members of a chunk without choices over to the next one. A chunk without any list of choices is a ping or a warning. */
  #carry({ choices, id: _id, object: _object, created: _created, model: _model, usage: _usage, ...rest }: JsonObject) {
    if (Array.isArray(choices) && Object.keys(rest).length > 0) this.#carried = { ...this.#carried, ...rest }
    return undefined
  }
}

/** The first second of the answer, where it is one. */
export const secondsIn = (created: unknown): number | undefined =>
  typeof created === 'number' && Number.isFinite(created) ? Math.floor(created) : undefined

const isAbsent = (value: unknown): boolean => value === undefined || value === null

export const isNamed = (id: unknown): id is string => typeof id === 'string' && id !== ''

const DONE_CHUNK = { kind: 'done' } as const
const NOTHING = { kind: 'nothing' } as const
const MALFORMED = { kind: 'malformed' } as const
const GIVEN_UP = { kind: 'failed', cause: 'finish_reason of a failure' } as const

/** Data that is no JSON: blank, or the mark of the end with blanks around it. */
function readOther(data: string): Chunk {
  const rest = data.trim()
  if (rest === '') return NOTHING
  return rest === DONE ? DONE_CHUNK : MALFORMED
}

function hasCallPart({ delta, finish_reason: finish }: DeltaChoice): boolean {
  if (finish === 'tool_calls' || finish === 'function_call') return true
  const { tool_calls: calls, function_call: call } = delta
  return isObject(call) || (Array.isArray(calls) && calls.length > 0)
}

import { signedMembers } from '../call-signatures.ts'
import { isObject, type JsonObject } from '../json-safety.ts'
import { OpenCalls } from '../open-calls.ts'
import type { ReasoningField, SignedThought } from '../reasoning/sealed-reasoning.ts'
import { chatFieldsOf, fieldIn, reasoningIn, reasoningMember, SignedThoughts } from '../reasoning/signed-thoughts.ts'
import { sseEvent } from '../sse.ts'
import { larger, readUsage, toldUsage } from '../usage/reported-usage.ts'
import { outputBytesOf } from '../usage/usage.ts'
import type { Listed, ListedTool } from './listed.ts'
import { endsAnswer, type HostedCall, type Turn, textOf } from './turn.ts'

/** The members that all rounds of one answer share, once a round of it has begun to speak. */
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
  /** The answer of the earlier rounds; undefined in the first. */
  readonly answer?: OneAnswer | undefined
}

/** A call as far as it has come. */
interface OpenCall {
  id: string
  name: string
  arguments: string
  /** Members that its backend added, and wants back. */
  signed?: JsonObject
  /** Once its name is known: a hosted tool, or the place among the calls of the client. */
  of?: ListedTool | number
  /** Deltas that came before its name. */
  unnamed: readonly JsonObject[]
}

/**
 * Reads the chunks of one round: what the client may see of them, and what the model called. Calls of hosted tools are
 * kept back, and so is the finish of a turn that goes on with them.
 */
export class DeltaReader {
  readonly #terms: ReaderTerms
  readonly #calls = new OpenCalls<OpenCall>(() => ({ id: '', name: '', arguments: '', unnamed: [] }))
  /** How many calls are of the client. */
  #clients = 0
  #content = ''
  /** The model's reasoning, and the field in which its backend told it. */
  #reasoning = ''
  #field: ReasoningField | undefined
  readonly #thoughts = new SignedThoughts()
  readonly #signed: SignedThought[] = []
  #answer: OneAnswer | undefined
  #usage: JsonObject | undefined
  #finish = ''
  /** Bytes sent to the client. */
  shown = 0

  constructor(terms: ReaderTerms) {
    this.#terms = terms
    this.#answer = terms.answer
  }

  /** The answer that later rounds continue. */
  get answer(): OneAnswer | undefined {
    return this.#answer
  }

  get turn(): Turn {
    const runs = this.#clients === 0 && !endsAnswer(this.#finish)
    const calls = runs ? this.#calls.all.flatMap(hostedCall) : []
    const thoughts = { ...reasoningMember(this.#reasoning, this.#field), ...chatFieldsOf(this.#signed) }
    return { content: this.#content, calls, thoughts, ...(this.#usage && { usage: this.#usage }) }
  }

  /** The chunk as the client gets it; undefined where nothing of it is for the client. */
  forClient(chunk: JsonObject): string | undefined {
    const usage = readUsage(chunk.usage)
    if (usage) this.#usage = toldUsage(chunk.usage, larger(readUsage(this.#usage), usage))
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
    this.#content += textOf(delta.content)
    this.#reasoning += reasoningIn(delta)
    this.#field ??= fieldIn(delta)
    for (const thought of this.#thoughts.read(delta)) this.#signed.push(thought)
    const calls = Array.isArray(called) ? called.filter(isObject).flatMap(call => this.#call(call)) : []
    const finish = typeof choice.finish_reason === 'string' ? choice.finish_reason : ''
    if (finish !== '') this.#finish = finish
    const shown = {
      ...(first && role !== undefined && { role }),
      ...this.#withoutThoughts(delta),
      ...(calls.length > 0 && { tool_calls: calls }),
    }
    const ends = finish !== '' && this.turn.calls.length === 0
    if (!ends && isSilent(shown)) return []
    this.shown += outputBytesOf(shown)
    return [{ ...choice, delta: shown, finish_reason: ends ? finish : null }]
  }

  /** Thoughts that belong to calls of hosted tools are of no use without these. */
  #withoutThoughts(delta: JsonObject): JsonObject {
    if (!this.#calls.all.some(({ of }) => typeof of === 'object')) return delta
    const { thinking_blocks: _blocks, reasoning_details: _details, ...rest } = delta
    return rest
  }

  /** A part of a call as the client gets it. Its own are counted from 0, whatever stands between them. */
  #call(part: JsonObject): JsonObject[] {
    const { name, arguments: args } = isObject(part.function) ? part.function : {}
    const named = textOf(name)
    const call = this.#calls.of(part)
    if (call.id === '') call.id = textOf(part.id)
    if (call.name === '') call.name = named
    call.signed = { ...call.signed, ...signedMembers(part) }
    call.arguments += textOf(args)
    if (call.of === undefined && named === '') {
      call.unnamed = [...call.unnamed, part]
      return []
    }
    call.of ??= this.#terms.listed.get(named) ?? this.#clients++
    const { of: index } = call
    if (typeof index !== 'number') return []
    const parts = [...call.unnamed, part]
    call.unnamed = []
    return parts.map(each => ({ ...each, index }))
  }
}

/** A delta that says nothing is not worth an event of its own. */
const isSilent = (delta: JsonObject): boolean =>
  Object.values(delta).every(value => value === null || value === undefined || value === '')

const hostedCall = ({ id, of, arguments: args, signed = {} }: OpenCall): HostedCall[] =>
  typeof of === 'object' ? [{ id, tool: of.name, seenAs: of.seenAs, arguments: args, signed }] : []

/** The end of an answer that a limit cut short. `first`: nothing of it was sent before. */
export const finishEvent = (answer: OneAnswer, finish: string, first: boolean): string =>
  chunkEvent(answer, [{ index: 0, delta: first ? { role: 'assistant', content: '' } : {}, finish_reason: finish }])

/** The event with the usage of all rounds, where the client asked for it. */
export const usageEvent = (answer: OneAnswer, usage: JsonObject): string => chunkEvent(answer, [], usage)

const chunkEvent = (answer: OneAnswer, choices: readonly JsonObject[], usage?: JsonObject): string =>
  sseEvent(JSON.stringify({ ...answer, object: 'chat.completion.chunk', choices, ...(usage && { usage }) }))

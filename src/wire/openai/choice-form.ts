import { asObject, isObject, type JsonObject } from '../json-safety.ts'
import { isCount } from '../usage/usage.ts'
import { CallParts, wholeCall } from './call-parts.ts'
import { type FinishReason, isFinishReason, readFinishReason } from './finish-reason.ts'
import { plainTexts } from './plain-texts.ts'

/** A choice of a chunk with all that clients need of one. */
export interface DeltaChoice extends JsonObject {
  readonly index: number
  readonly delta: JsonObject
  readonly finish_reason: FinishReason | null
}

/** The choices of one chunk. */
export interface ChunkChoices {
  readonly choices: readonly DeltaChoice[]
  /** Whether they are those of the backend, untouched. */
  readonly areSame: boolean
  /** Whether the same chunk may look otherwise the next time. */
  readonly isOnce: boolean
  /** Set where the backend gave up. */
  readonly hasFailed: boolean
}

/** Completes the choices of the chunks of one stream. */
export class ChoiceForms {
  readonly #most: number
  readonly #answer: string
  /** By the index of the backend. */
  readonly #forms = new Map<number, ChoiceForm>()

  /** `most`: how many choices were asked for. `answer` is the id that the answer has where its backend gives it none. */
  constructor(most: number, answer: string) {
    this.#most = most
    this.#answer = answer
  }

  take(value: unknown): ChunkChoices {
    if (!Array.isArray(value)) return NO_CHOICES
    const choices: DeltaChoice[] = []
    // Whatever a backend calls it.
    const isOnly = this.#most === 1 && value.length === 1
    let areSame = true
    let isOnce = false
    let hasFailed = false
    for (let at = 0; at < value.length; at++) {
      const choice: unknown = value[at]
      if (!isObject(choice)) {
        areSame = false
        continue
      }
      const form = this.#formOf(isCount(choice.index) && !isOnly ? choice.index : at)
      const taken = form.take(choice)
      choices.push(taken)
      areSame &&= taken === choice
      isOnce ||= form.isOnce
      hasFailed ||= form.hasFailed
    }
    return { choices, areSame, isOnce, hasFailed }
  }

  /** A backend that counts its choices from 1, or has more of them than were asked for, gets the next free index. */
  #formOf(place: number): ChoiceForm {
    const known = this.#forms.get(place)
    if (known) return known
    if (this.#forms.size === 0 && place === 0) return this.#formAt(place, 0)
    const used = new Set(Array.from(this.#forms.values(), ({ index }) => index))
    let index = place < this.#most ? place : 0
    while (used.has(index)) index++
    return this.#formAt(place, index)
  }

  #formAt(place: number, index: number): ChoiceForm {
    const form = new ChoiceForm(index, call => callId(this.#answer, index, call))
    this.#forms.set(place, form)
    return form
  }
}

const NO_CHOICES: ChunkChoices = { choices: [], areSame: false, isOnce: false, hasFailed: false }

/** One choice of a stream, and what of it was sent. */
class ChoiceForm {
  readonly index: number
  readonly #calls: CallParts
  #hasRole = false
  #hasFunctionCall = false
  /** Whether the last delta may look otherwise the next time. */
  isOnce = false
  hasFailed = false

  constructor(index: number, newId: (call: number) => string) {
    this.index = index
    this.#calls = new CallParts(newId)
  }

  take(choice: JsonObject): DeltaChoice {
    const { index } = this
    this.isOnce = false
    const finish = readFinishReason(choice.finish_reason)
    if (finish === 'failed') this.hasFailed = true
    const delta = this.#delta(choice, finish !== undefined)
    const finish_reason = finish === undefined || finish === 'failed' ? null : this.#finish(finish)
    const isSame = index === choice.index && delta === choice.delta && finish_reason === choice.finish_reason
    if (isSame && hasLikelihoods(choice)) return choice as DeltaChoice
    const { message: _whole, logprobs, ...rest } = choice
    return { ...rest, ...(hasLikelihoods(choice) && { logprobs }), index, delta, finish_reason }
  }

  #delta(choice: JsonObject, ends: boolean): JsonObject {
    const said = isObject(choice.delta) ? choice.delta : asObject(choice.message)
    return this.#withFunctionCall(this.#withCalls(this.#withRole(plainTexts(said)), ends))
  }

  /** The first delta says whose it is, and the others need not. */
  #withRole(delta: JsonObject): JsonObject {
    const { role } = delta
    if (this.#hasRole ? role === undefined || role === ASSISTANT : role === ASSISTANT) {
      this.#hasRole = true
      return delta
    }
    const { role: _, ...rest } = delta
    if (this.#hasRole) return rest
    this.#hasRole = true
    this.isOnce = true
    return { role: ASSISTANT, ...rest }
  }

  #withCalls(delta: JsonObject, ends: boolean): JsonObject {
    const { tool_calls: value } = delta
    if (!ends && (value === undefined || value === null)) return delta
    const parts = isObject(value) ? [value] : Array.isArray(value) ? value : NOTHING
    const taken = this.#calls.take(parts)
    const rest = ends ? this.#calls.rest() : NOTHING
    const isAbsent = value === undefined || value === null
    if (rest.length === 0 && (isAbsent || taken === value)) return delta
    const { tool_calls: _, ...others } = delta
    const calls = [...taken, ...rest]
    return calls.length > 0 ? { ...others, tool_calls: calls } : others
  }

  /** The form of a call before there were tools. A part of one that has no name yet is no call. */
  #withFunctionCall(delta: JsonObject): JsonObject {
    const { function_call: called } = delta
    if (called === undefined || called === null) return delta
    const { name, arguments: args } = asObject(called)
    const isNamed = typeof name === 'string' && name !== ''
    if (isNamed) this.#hasFunctionCall = true
    if (this.#hasFunctionCall && typeof args === 'string') return delta
    const { function_call: _, ...rest } = delta
    return this.#hasFunctionCall ? { ...rest, function_call: { ...asObject(called), arguments: textOf(args) } } : rest
  }

  /** Agents go on by this word alone. */
  #finish(reason: FinishReason): FinishReason {
    if (reason !== 'stop') return reason
    if (this.#calls.any) return 'tool_calls'
    return this.#hasFunctionCall ? 'function_call' : 'stop'
  }
}

const ASSISTANT = 'assistant'
const NOTHING: readonly unknown[] = []
const textOf = (value: unknown): string => (typeof value === 'string' ? value : value ? JSON.stringify(value) : '')

/** Whether a choice's `logprobs` have the form of the public API. */
function hasLikelihoods({ logprobs }: JsonObject): boolean {
  if (logprobs === undefined || logprobs === null) return true
  return isObject(logprobs) && isList(logprobs.content) && isList(logprobs.refusal)
}

const isList = (value: unknown): boolean => value === undefined || value === null || Array.isArray(value)

/**
 * A choice of a whole answer with all that clients need of one; the same object where it has that. Undefined where the
 * backend gave up. A whole answer need not say how it ended.
 */
export function wholeChoice(choice: JsonObject, at: number, answer: string): JsonObject | undefined {
  if (isWhole(choice)) return choice
  const finish = readFinishReason(choice.finish_reason) ?? 'stop'
  if (finish === 'failed') return undefined
  const index = isCount(choice.index) ? choice.index : at
  const message = wholeMessage(asObject(choice.message), call => callId(answer, index, call))
  const finish_reason = finish === 'stop' ? endOf(message) : finish
  const isSame = index === choice.index && message === choice.message && finish_reason === choice.finish_reason
  if (isSame && hasLikelihoods(choice)) return choice
  const { logprobs, ...rest } = choice
  return { ...rest, ...(hasLikelihoods(choice) && { logprobs }), index, message, finish_reason }
}

/** Whether a choice has all of it, and no calls: what nearly every one is. */
function isWhole(choice: JsonObject): boolean {
  const { index, message, finish_reason: finish } = choice
  if (!isCount(index) || !isFinishReason(finish) || !isObject(message)) return false
  const { role, content, tool_calls: calls, function_call: called } = message
  if (role !== ASSISTANT || content === undefined || calls || called) return false
  return plainTexts(message) === message && hasLikelihoods(choice)
}

/** An id for a call that came without. */
const callId = (answer: string, choice: number, call: number): string =>
  `call_${answer.replace(/^chatcmpl-/, '')}_${choice}_${call}`

function endOf({ tool_calls: calls, function_call: called }: JsonObject): FinishReason {
  if (Array.isArray(calls) && calls.length > 0) return 'tool_calls'
  return isObject(called) ? 'function_call' : 'stop'
}

function wholeMessage(message: JsonObject, newId: (call: number) => string): JsonObject {
  const plain = plainTexts(message)
  const { role, content, tool_calls: value } = plain
  const list = isObject(value) ? [value] : value
  const calls = Array.isArray(list)
    ? list.filter(isObject).map((call, at) => wholeCall(call, () => newId(at)))
    : undefined
  const areSame =
    value === undefined ||
    value === null ||
    (Array.isArray(value) && calls?.length === value.length && calls.every((call, at) => call === value[at]))
  if (role === ASSISTANT && content !== undefined && areSame) return plain
  const { tool_calls: _, ...rest } = plain
  return { content: null, ...rest, role: ASSISTANT, ...(calls && { tool_calls: calls }) }
}

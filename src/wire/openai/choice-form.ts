import { asObject, isObject, type JsonObject } from '../json-safety.ts'
import { isCount } from '../usage/usage.ts'
import { CallParts, wholeCall } from './call-parts.ts'
import { withoutFields } from './fields.ts'
import { type FinishReason, isFinishReason, readFinishReason, saysUnfinished } from './finish-reason.ts'
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
  /** Forms by the backend's index of the choice. */
  readonly #forms = new Map<number, ChoiceForm>()

  /** `most`: how many choices were asked for. `answer` is the id that the answer has where its backend gives it none. */
  constructor(most: number, answer: string) {
    this.#most = most
    this.#answer = answer
  }

  take(list: unknown): ChunkChoices {
    const value: readonly unknown[] = isObject(list) ? [list] : Array.isArray(list) ? list : NOTHING
    if (value.length === 0) return NO_CHOICES
    const choices: DeltaChoice[] = []
    // Whatever a backend calls it.
    const isOnly = this.#most === 1 && value.length === 1
    let areSame = value === list
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
  /** Whether a delta said anything. */
  #hasSaid = false
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
    const finish = readFinishReason(reasonOf(choice))
    if (finish === 'failed') this.hasFailed = true
    const delta = this.#delta(choice, finish)
    const finish_reason = finish === undefined || finish === 'failed' ? null : this.#finish(finish)
    const isSame = index === choice.index && delta === choice.delta && finish_reason === choice.finish_reason
    if (isSame && hasLikelihoods(choice)) return choice as DeltaChoice
    const { message: _whole, text: _text, finishReason: _reason, logprobs, ...rest } = choice
    return { ...rest, ...(hasLikelihoods(choice) && { logprobs }), index, delta, finish_reason }
  }

  #delta(choice: JsonObject, finish: FinishReason | 'failed' | undefined): JsonObject {
    const told = saidIn(choice, 'delta')
    const said = plainTexts(told ?? this.#unsaid(saidIn(choice, 'message') ?? NO_MEMBERS))
    this.#hasSaid ||= told !== undefined && saysSomething(said)
    return this.#withFunctionCall(this.#withCalls(this.#withRole(said), finish))
  }

  /** Some end a stream of deltas with the whole message once more. */
  #unsaid(message: JsonObject): JsonObject {
    if (!this.#hasSaid && !this.#calls.any) return message
    const { tool_calls: calls, ...others } = message
    const unsaid = this.#hasSaid ? withoutFields(others, SAID) : others
    return this.#calls.any || calls === undefined ? unsaid : { ...unsaid, tool_calls: calls }
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

  #withCalls(delta: JsonObject, finish: FinishReason | 'failed' | undefined): JsonObject {
    const { tool_calls: value } = delta
    const ends = finish !== undefined
    if (!ends && (value === undefined || value === null)) return delta
    const parts = isObject(value) ? [value] : Array.isArray(value) ? value : NOTHING
    const taken = this.#calls.take(parts)
    const rest = ends ? this.#calls.rest(isDone(finish)) : NOTHING
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
    if (reason !== 'stop' && reason !== 'tool_calls') return reason
    if (this.#calls.any) return 'tool_calls'
    return this.#hasFunctionCall ? 'function_call' : 'stop'
  }
}

/** The reason of a choice, by the names and in the places that backends have for it. */
const reasonOf = ({ finish_reason, finishReason, delta }: JsonObject): unknown =>
  finish_reason ?? finishReason ?? asObject(delta).finish_reason

/** The delta or message of a choice. Some write a text in its place, or the `text` of a completion that is no chat. */
function saidIn(choice: JsonObject, name: 'delta' | 'message'): JsonObject | undefined {
  const { [name]: said, delta, text } = choice
  if (typeof said === 'string') return { content: said }
  const completed = name === 'delta' || delta === undefined ? text : undefined
  if (!isObject(said)) return typeof completed === 'string' ? { content: completed } : undefined
  const own = said.text ?? completed
  if (typeof own !== 'string' || (said.content !== undefined && said.content !== null)) return withoutReason(said)
  return { ...withoutFields(said, ['text', 'finish_reason']), content: own }
}

const withoutReason = (said: JsonObject): JsonObject =>
  'finish_reason' in said ? withoutFields(said, ['finish_reason']) : said

const NO_MEMBERS: JsonObject = {}

const saysSomething = ({ content, reasoning_content: thoughts, reasoning, refusal, images }: JsonObject): boolean =>
  Boolean(content || thoughts || reasoning || refusal || images)

/** Members of a message that deltas have. */
const SAID = ['content', 'refusal', 'reasoning_content', 'reasoning', 'images', 'function_call']

/** Reasons by which a model says that it is done: any other end may have cut it. */
const isDone = (finish: FinishReason | 'failed' | undefined): boolean =>
  finish === 'stop' || finish === 'tool_calls' || finish === 'function_call'

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
  const reason = reasonOf(choice)
  const finish = readFinishReason(reason) ?? (saysUnfinished(reason) ? 'length' : 'stop')
  if (finish === 'failed') return undefined
  const index = isCount(choice.index) ? choice.index : at
  const newId = (call: number) => callId(answer, index, call)
  const message = wholeMessage(wholeSaid(choice) ?? NO_MEMBERS, newId, !isDone(finish))
  const finish_reason = finish === 'stop' || finish === 'tool_calls' ? endOf(message) : finish
  const isSame = index === choice.index && message === choice.message && finish_reason === choice.finish_reason
  if (isSame && hasLikelihoods(choice)) return choice
  const { logprobs, delta: _delta, text: _text, finishReason: _reason, ...rest } = choice
  return { ...rest, ...(hasLikelihoods(choice) && { logprobs }), index, message, finish_reason }
}

/** The message of a choice of a whole answer, whatever it is called; undefined where it has none. */
export const wholeSaid = (choice: JsonObject): JsonObject | undefined =>
  saidIn(choice, 'message') ?? saidIn(choice, 'delta')

/** Whether a choice has all of it, and no calls: what nearly every one is. */
function isWhole(choice: JsonObject): boolean {
  const { index, message, finish_reason: finish } = choice
  if (!isCount(index) || !isFinishReason(finish) || finish === 'tool_calls' || !isObject(message)) return false
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

function wholeMessage(message: JsonObject, newId: (call: number) => string, isCut: boolean): JsonObject {
  const plain = plainTexts(message)
  const { role, content, tool_calls: value } = plain
  const list = isObject(value) ? [value] : value
  const calls = Array.isArray(list)
    ? list.filter(isObject).map((call, at) => wholeCall(call, () => newId(at), isCut))
    : undefined
  const areSame =
    value === undefined ||
    value === null ||
    (Array.isArray(value) && calls?.length === value.length && calls.every((call, at) => call === value[at]))
  if (role === ASSISTANT && content !== undefined && areSame) return plain
  const { tool_calls: _, ...rest } = plain
  return { content: null, ...rest, role: ASSISTANT, ...(calls && { tool_calls: calls }) }
}

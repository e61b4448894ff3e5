import type { AnswerWriter, StreamError, WriterTerms } from '../../client-dialect.ts'
import { knownJson } from '../../fast/known-json.ts'
import { isObject, type JsonObject } from '../../json-safety.ts'
import { sseDone } from '../../sse.ts'
import type { Usage } from '../../usage/usage.ts'
import { type FrameState, type FrameTerms, type Status, writeError, writeFrame, writeUsage } from '../frame.ts'
import { Output, tokenOf } from './output.ts'
import type { Wanted } from './wanted.ts'

/** Writes one answer as a response, whole or in events. */
export class ResponseWriter implements AnswerWriter {
  readonly tokenForm = tokenOf
  readonly #terms: FrameTerms
  readonly #output: Output
  /** Events that were not handed over yet. */
  #events = ''
  #sequence = 0
  /** Whether there are no events to be written: the answer is whole, or its last event was. */
  #isOver = false
  #finish: unknown
  /** The usage that the backend reported. */
  #reported: unknown

  constructor(wanted: Wanted, { newId, created, model }: WriterTerms) {
    this.#terms = { id: `resp_${newId()}`, created, model, echoed: wanted.echoed }
    this.#output = new Output(wanted, {
      newId: prefix => prefix + newId(),
      emit: (type, fields) => this.#emit(type, fields),
      isStreamed: () => !this.#isOver,
    })
  }

  whole(completion: JsonObject, usage: Usage): JsonObject {
    this.#isOver = true
    for (const { message, finish_reason, logprobs } of choicesOf(completion)) {
      if (isObject(message)) this.#output.add(withPlaces(message), logprobs)
      this.#finish = finish_reason
    }
    this.#reported = completion.usage
    return this.#ended(usage)
  }

  chunk(chunk: JsonObject): string {
    if (this.#isOver) return ''
    this.#begin()
    for (const { delta, finish_reason, logprobs } of choicesOf(chunk)) {
      if (isObject(delta)) this.#output.add(delta, logprobs)
      if (finish_reason) this.#finish = finish_reason
    }
    if (isObject(chunk.usage)) this.#reported = chunk.usage
    return this.#handOver()
  }

  end(usage: Usage): string {
    if (this.#isOver) return ''
    this.#begin()
    const response = this.#ended(usage)
    this.#emitResponse(`response.${response.status}`, response)
    this.#isOver = true
    return this.#handOver() + sseDone
  }

  fail(error: StreamError): string {
    if (this.#isOver) return ''
    this.#begin()
    this.#emitFrame('response.failed', {
      status: 'failed',
      error: writeError(error),
      output: this.#output.items,
    })
    this.#isOver = true
    return this.#handOver()
  }

  /** The frame of an answer after which nothing comes. */
  #ended(usage: Usage): JsonObject & { readonly status: Status } {
    const reason = INCOMPLETE.get(this.#finish)
    const status = reason === undefined ? 'completed' : 'incomplete'
    this.#output.end(status)
    const state = {
      status,
      ...(reason !== undefined && { incomplete: { reason } }),
      output: this.#output.items,
      usage: writeUsage(usage, this.#reported),
    } as const
    return { ...writeFrame(this.#terms, state), status }
  }

  /** The first events, once anything of the answer is there. */
  #begin(): void {
    if (this.#sequence > 0) return
    this.#emitFrame('response.created', { status: 'in_progress', output: [] })
    this.#emitFrame('response.in_progress', { status: 'in_progress', output: [] })
  }

  #emitFrame(type: string, state: FrameState): void {
    this.#emitResponse(type, writeFrame(this.#terms, state))
  }

  #emit(type: string, fields: JsonObject): void {
    if (this.#isOver) return
    this.#add(type, JSON.stringify({ type, sequence_number: this.#sequence++, ...fields }))
  }

  /** The frame repeats the tools of the request, which are mostly known. */
  #emitResponse(type: string, response: JsonObject): void {
    if (this.#isOver) return
    const json = JSON.stringify({ type, sequence_number: this.#sequence++ })
    this.#add(type, `${json.slice(0, -1)},"response":${knownJson(response)}}`)
  }

  #add(type: string, data: string): void {
    this.#events += `event: ${type}\ndata: ${data}\n\n`
  }

  #handOver(): string {
    const events = this.#events
    this.#events = ''
    return events
  }
}

/** Other finishes are those of an answer that is whole. */
const INCOMPLETE: ReadonlyMap<unknown, string> = new Map([
  ['length', 'max_output_tokens'],
  ['content_filter', 'content_filter'],
])

/** A response is one completion. */
const choicesOf = ({ choices }: JsonObject): readonly JsonObject[] =>
  Array.isArray(choices) ? choices.filter(isObject).filter(({ index }) => typeof index !== 'number' || index === 0) : []

/** The calls of a whole message have no index, and stand for themselves whatever their ids are. */
const withPlaces = (message: JsonObject): JsonObject =>
  Array.isArray(message.tool_calls)
    ? { ...message, tool_calls: message.tool_calls.filter(isObject).map((call, index) => ({ ...call, index })) }
    : message

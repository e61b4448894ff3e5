import type { WholeAnswer } from '../answer-reader.ts'
import type { StreamError } from '../client-dialect.ts'
import { withoutLikelihoods } from '../fast/likelihoods.ts'
import { jsonBytes, parse, textOf } from '../json-bytes.ts'
import { isObject, type JsonObject } from '../json-safety.ts'
import type { Steps } from '../steps.ts'
import { countedUsage, type Usage } from '../usage/usage.ts'

/**
 * How answers are read that pass through as they are, since client and backend speak the same dialect: only what they
 * used, what they said and how they end is looked at.
 */
export interface NativeDialect {
  /** The field that caps the output. */
  readonly capField: 'max_output_tokens' | 'max_tokens'
  /** Members that a request is sent with, in place of the client's. Reasoning that we sealed goes to no backend: none knows it. */
  replaced(body: JsonObject): JsonObject
  /** Makes the reader of one stream. */
  readonly reader: () => NativeReader
  /** Reads a whole answer; undefined where the body is none. */
  answer(body: JsonObject): NativeAnswer | undefined
  /** The whole answer that the events of a stream amount to; undefined where they are not all of one. */
  wholeOf(events: readonly JsonObject[]): JsonObject | undefined
  /** The event that ends a stream which finished and whose backend left it out; empty where there is none. */
  readonly closing: string
}

export interface NativeReader {
  /** Reads the data of one event. */
  read(event: JsonObject): NativeEvent
  /** Whether all parts of the answer began before they went on, and ended: SDKs fail where an event of that is missing. */
  readonly isOrderly: boolean
  /** The event that ends a stream which failed, after those that were read. */
  fail(error: StreamError, requestId: string): string
  /**
   * The events that end an answer at its cap, after those that were read: the last of them apart. `dropsLast` where the client
   * does not get the one that was read last.
   */
  cut(charged: Usage, dropsLast: boolean): { readonly events: string; readonly last: string }
}

export interface NativeEvent {
  /** Bytes of text, reasoning and tool calls that it brings. */
  readonly outputBytes: number
  /** Tokens that its backend made for that at the least. */
  readonly tokens: number
  /** The usage of the answer so far, where this event says it. */
  readonly usage?: Usage
  /** Set where it begins a call. */
  readonly hasCall?: true
  /** Whether all was said: only usage and the last event may follow. */
  readonly isFinished: boolean
  /** Whether no event follows. It is sent once the request is settled. */
  readonly isLast: boolean
  /** The event as the client gets it, where that is not what the backend sent. */
  readonly sent?: JsonObject
  /** Set for an error in place of what was to come, as the backend sent it. */
  readonly error?: unknown
}

export interface NativeAnswer {
  readonly usage?: Usage
  /** Bytes of the model's output. */
  readonly outputBytes: number
  /** The answer as the client gets it, where that is not what the backend sent. */
  readonly sent?: JsonObject
}

/** Reads a whole answer that passes through as it is; undefined where it is none. */
export function* readNative(bytes: Buffer, dialect: NativeDialect): Steps<WholeAnswer | undefined> {
  const light = yield* withoutLikelihoods(bytes)
  const body = parse(textOf(light?.bytes ?? bytes))
  const answer = isObject(body) ? dialect.answer(body) : undefined
  if (!answer) return undefined
  const { sent, outputBytes, usage: told } = answer
  const usage = told && countedUsage(told, outputBytes)
  const written = sent && jsonBytes(sent)
  const whole = written && light ? yield* light.restored(written) : written
  return { bytes: whole ?? bytes, isNative: true, outputBytes, ...(usage && { usage }) }
}

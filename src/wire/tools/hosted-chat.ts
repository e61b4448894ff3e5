import type { Accepts } from '../../policy/config.ts'
import type { AnswerTerms } from '../openai/answer.ts'
import { type RoundAnswer, readRound } from '../openai/answer.ts'
import { isObject, type JsonObject } from '../openai/body.ts'
import { DeltaReader, type Deltas, type OneAnswer } from './delta-reader.ts'
import type { Entry, Listed } from './listed.ts'
import { type RoundTerms, roundBody } from './round-body.ts'

/** A chat whose request lists hosted tools: its rounds on their way to a backend and back. */
export interface HostedChat {
  readonly listed: Listed
  /** The body of one round, as `bodyFor` is of a request without them. */
  bodyFor(backendModel: string, output: number, round: RoundTerms, accepts?: Accepts): Buffer
  readRound(bytes: Buffer, terms: AnswerTerms): RoundAnswer | undefined
  /** Reads the deltas of a round that goes on with an answer, where one has begun. */
  deltas(answer: OneAnswer | undefined): Deltas
}

/** `entries` list hosted tools; `bodyOf` makes the body for a backend of one that the client could have sent. */
export function hostedChat(
  body: JsonObject,
  entries: readonly Entry[],
  bodyOf: (body: JsonObject, backendModel: string, output: number, accepts?: Accepts) => Buffer,
): HostedChat {
  const listed: Listed = new Map(entries.flatMap(({ hosted }) => (hosted ? [[hosted.seenAs, hosted]] : [])))
  return {
    listed,
    bodyFor: (model, output, round, accepts) => bodyOf(roundBody(body, entries, round), model, output, accepts),
    readRound: (bytes, terms) => readRound(bytes, terms, listed),
    deltas: answer => terms => new DeltaReader({ ...terms, listed, answer }),
  }
}

/** UTF-8 bytes of all texts in a value: what a model may read of it. */
export function textBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + textBytes(item), 0)
  return isObject(value) ? textBytes(Object.values(value)) : 0
}

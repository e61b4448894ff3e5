import type { Accepts } from '../../policy/config.ts'
import { asObject, isObject, type JsonObject } from '../json-safety.ts'
import type { Steps } from '../steps.ts'
import { DeltaReader, type Deltas, type OneAnswer } from '../tools/delta-reader.ts'
import type { Entry, Listed } from '../tools/listed.ts'
import { type AnswerTerms, type RoundAnswer, readRound } from './answer.ts'
import type { BackendTerms } from './backend-terms.ts'

/** The terms of a round, besides the conversation so far. */
export interface HostedTerms extends BackendTerms {
  /** The fields that the model declares. */
  readonly accepts?: Accepts | undefined
}

/** A chat whose request lists hosted tools: its rounds on their way to a backend and back. */
export interface HostedChat {
  readonly listed: Listed
  /** The body of one round, as `bodyFor` is of a request without them. */
  bodyFor(terms: HostedTerms, round: RoundTerms): Buffer
  readRound(bytes: Buffer, terms: AnswerTerms): Steps<RoundAnswer | undefined>
  /** Reads the deltas of a round that goes on with an answer, where one has begun. */
  deltas(answer: OneAnswer | undefined): Deltas
}

/** `entries` list hosted tools; `bodyOf` makes the body for a backend of one that the client could have sent. */
export function hostedChat(
  body: JsonObject,
  entries: readonly Entry[],
  bodyOf: (body: JsonObject, terms: HostedTerms) => Buffer,
): HostedChat {
  const listed: Listed = new Map(entries.flatMap(({ hosted }) => (hosted ? [[hosted.seenAs, hosted]] : [])))
  return {
    listed,
    bodyFor: (terms, round) => bodyOf(roundBody(body, entries, round), terms),
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

/** The definition of a tool, as models read it. */
export interface Definition {
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** The terms in which one model call of an answer with hosted tools differs from the others. */
export interface RoundTerms {
  /** 0 for the first. */
  readonly number: number
  /** The messages since the request, in order. */
  readonly messages: readonly JsonObject[]
  /** The hosted tools that the model may still call, by name. */
  readonly offered: ReadonlyMap<string, Definition>
}

/** The body of a request for one round: hosted tools as functions, a forced choice in the first round only. */
function roundBody(body: JsonObject, entries: readonly Entry[], round: RoundTerms): JsonObject {
  const { tools: listed, tool_choice: choice, parallel_tool_calls: parallel, ...rest } = body
  const messages = Array.isArray(body.messages) ? [...body.messages, ...round.messages] : round.messages
  const tools = Array.isArray(listed) ? listed.flatMap((tool, i) => offeredTool(tool, entries[i], round)) : []
  if (tools.length === 0) return { ...rest, messages }
  const chosen = round.number === 0 ? asFunction(choice) : unforced(choice)
  return {
    ...rest,
    messages,
    tools,
    ...(chosen !== undefined && { tool_choice: chosen }),
    ...(parallel !== undefined && { parallel_tool_calls: parallel }),
  }
}

function offeredTool(tool: unknown, entry: Entry | undefined, { offered }: RoundTerms): unknown[] {
  if (!entry?.hosted) return isObject(tool) ? [withoutMark(tool)] : []
  const definition = offered.get(entry.hosted.name)
  if (!definition) return []
  const { description, parameters } = definition
  return [{ type: 'function', function: { name: entry.hosted.seenAs, description, parameters } }]
}

/** Whether tools of a body say whether they are hosted. */
export const isMarked = ({ tools }: JsonObject): boolean =>
  Array.isArray(tools) && tools.map(asObject).some(tool => 'hosted' in tool || 'hosted' in asObject(tool.function))

/** A body without hosted tools as backends know it. */
export function unmarked(body: JsonObject): JsonObject {
  const { tools } = body
  return Array.isArray(tools) && isMarked(body)
    ? { ...body, tools: tools.map(tool => (isObject(tool) ? withoutMark(tool) : tool)) }
    : body
}

/** No backend knows the mark, of the tool or of its function. */
function withoutMark({ hosted: _mark, ...tool }: JsonObject): JsonObject {
  return isObject(tool.function) ? { ...tool, function: withoutMark(tool.function) } : tool
}

const asFunction = (choice: unknown): unknown =>
  isObject(choice) && choice.type === 'hosted' ? { type: 'function', function: { name: choice.name } } : choice

/** Whatever was forced was called: the model goes on as it likes. */
const unforced = (choice: unknown): unknown => (choice === 'auto' || choice === 'none' ? choice : undefined)

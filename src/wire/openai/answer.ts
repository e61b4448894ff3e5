import type { Model } from '../../policy/config.ts'
import { outlineCompletion } from '../fast/completion-outline.ts'
import { type Change, spliced } from '../fast/splice.ts'
import { isObject, type JsonObject } from '../json-safety.ts'
import type { Steps } from '../steps.ts'
import { type CompletionTurn, completionTurn } from '../tools/completion.ts'
import type { Listed } from '../tools/listed.ts'
import { textOf } from './body.ts'
import { parse } from './chunk.ts'
import { atLeast, deltaTokens, type LeastUsage, outputBytesOf, readUsage, type Usage, withOutput } from './usage.ts'

/** Reads a backend's whole chat completion; undefined when it is not one. */
export function readCompletion(bytes: Buffer, terms: AnswerTerms): WholeAnswer | undefined {
  const answer = completionIn(bytes)
  if (!answer) return undefined
  const { usage, outputBytes } = countsOf(answer)
  const charged = chargedFor(answer, usage)
  const passed = charged === answer && isComplete(answer, terms) ? bytes : jsonBytes(completed(charged, terms))
  return usage ? { bytes: passed, usage, outputBytes } : { bytes: passed, outputBytes }
}

/** To parse fewer bytes takes a few milliseconds. */
const LIGHT_BYTES = 262_144

/** The same in steps, where it is large. */
export function* readLargeCompletion(bytes: Buffer, terms: AnswerTerms): Steps<WholeAnswer | undefined> {
  const outline = bytes.length > LIGHT_BYTES ? yield* outlineCompletion(bytes) : undefined
  if (!outline) return readCompletion(bytes, terms)
  const { answer, written } = outline
  if (!isCompletion(answer)) return undefined
  const { usage, outputBytes } = countsOf(answer)
  const changes = changesOf(answer, completed(chargedFor(answer, usage), terms))
  const passed = changes.length === 0 ? bytes : spliced(written, changes)
  return usage ? { bytes: passed, usage, outputBytes } : { bytes: passed, outputBytes }
}

/** What a client gets otherwise than its backend sent it. */
const changesOf = (answer: JsonObject, sent: JsonObject): readonly Change[] =>
  ['id', 'created', 'object', 'model', 'usage']
    .filter(name => sent[name] !== answer[name])
    .map(name => ({ name, json: JSON.stringify(sent[name]) }))

/** Reads one round of an answer with hosted tools, of which the client gets a part; undefined when it is no completion. */
export function readRound(bytes: Buffer, terms: AnswerTerms, listed: Listed): RoundAnswer | undefined {
  const answer = completionIn(bytes)
  return answer && { ...countsOf(answer), turn: completionTurn(completed(answer, terms), listed) }
}

/** What a whole answer is read by. */
export interface AnswerTerms {
  /** The brand name that was decided on. */
  readonly model: Model
  readonly backendModel: string
  /** Prompt tokens held, for answers that must show a usage and whose backend reports none. */
  readonly inputTokens: number
  /** For backends that leave `id` out. */
  readonly id: string
  /** Seconds since the epoch, for backends that leave `created` out. */
  readonly created: number
}

/** A whole answer that may be passed on. */
export interface WholeAnswer {
  readonly bytes: Buffer
  readonly usage?: Usage
  /** Bytes of what the model said, where the backend reports no usage; 0 where it does. */
  readonly outputBytes: number
  /** Images in it. */
  readonly items?: number
  /** Of one that was fetched as a stream: tokens that its backend made at the least. */
  readonly tokens?: number
  /** The same where it was ended at its cap. */
  readonly least?: LeastUsage
  /** Of such a stream: events that could not be read, and that the answer went on without. */
  readonly skippedEvents?: number
  /** Set where it is not a chat completion: it has the dialect of the client already. */
  readonly isNative?: true
}

export interface RoundAnswer extends Omit<WholeAnswer, 'bytes'> {
  readonly turn: CompletionTurn
}

type Completion = JsonObject & { readonly choices: readonly JsonObject[] }

function completionIn(bytes: Buffer): Completion | undefined {
  const answer = parse(textOf(bytes))
  return isCompletion(answer) ? answer : undefined
}

function isCompletion(answer: unknown): answer is Completion {
  if (!isObject(answer) || !Array.isArray(answer.choices) || answer.choices.length === 0) return false
  for (const choice of answer.choices) if (!isObject(choice) || !isObject(choice.message)) return false
  return true
}

function countsOf({ usage: reported, choices }: Completion): Pick<WholeAnswer, 'usage' | 'outputBytes'> {
  const usage = readUsage(reported)
  if (usage) return { usage: choices.length > 1 ? atLeast(usage, tokensOf(choices)) : usage, outputBytes: 0 }
  let outputBytes = 0
  for (const { message } of choices) outputBytes += outputBytesOf(message)
  return { outputBytes }
}

/** The answer with the usage that its client is charged, which is more where its backend counted one of several choices. */
function chargedFor(answer: Completion, usage: Usage | undefined): Completion {
  const { usage: reported } = answer
  if (!usage || !isObject(reported) || reported.completion_tokens === usage.outputTokens) return answer
  return { ...answer, usage: withOutput(reported, usage) }
}

/** Some backends report the usage of one choice, whatever they said in the others. */
const tokensOf = (choices: Completion['choices']): number =>
  choices.reduce((sum, { message }) => sum + deltaTokens(message), 0)

const isComplete = (answer: JsonObject, { backendModel }: AnswerTerms): boolean =>
  answer.model === backendModel &&
  answer.object === 'chat.completion' &&
  typeof answer.created === 'number' &&
  typeof answer.id === 'string'

/** Adds the fields that a backend left out. */
const completed = (answer: JsonObject, { id, created, backendModel: model }: AnswerTerms): JsonObject => ({
  id,
  created,
  ...answer,
  object: 'chat.completion',
  model,
})

export const jsonBytes = (value: JsonObject): Buffer => Buffer.from(JSON.stringify(value))

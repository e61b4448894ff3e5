import { isObject, type JsonObject } from './body.ts'
import { parse } from './chunk.ts'
import type { AnswerTerms, WholeAnswer } from './request.ts'
import { type CompletionTurn, completionTurn } from './tools/completion.ts'
import type { Listed } from './tools/listed.ts'
import { readUsage, spokenBytes } from './usage.ts'

/** Reads a backend's whole chat completion; undefined when it is not one. Spec 2.4. */
export function readCompletion(bytes: Buffer, terms: AnswerTerms): WholeAnswer | undefined {
  const answer = completionIn(bytes)
  return (
    answer && { bytes: isComplete(answer, terms) ? bytes : jsonBytes(completed(answer, terms)), ...countsOf(answer) }
  )
}

/** The same of one round of an answer with hosted tools, of which the client gets a part. */
export function readRound(bytes: Buffer, terms: AnswerTerms, listed: Listed): RoundAnswer | undefined {
  const answer = completionIn(bytes)
  return answer && { ...countsOf(answer), turn: completionTurn(completed(answer, terms), listed) }
}

export interface RoundAnswer extends Omit<WholeAnswer, 'bytes'> {
  readonly turn: CompletionTurn
}

type Completion = JsonObject & { readonly choices: readonly JsonObject[] }

function completionIn(bytes: Buffer): Completion | undefined {
  const answer = parse(bytes.toString('utf8'))
  return isCompletion(answer) ? answer : undefined
}

function isCompletion(answer: unknown): answer is Completion {
  if (!isObject(answer) || !Array.isArray(answer.choices) || answer.choices.length === 0) return false
  return answer.choices.every(choice => isObject(choice) && isObject(choice.message))
}

function countsOf({ usage: reported, choices }: Completion): Pick<WholeAnswer, 'usage' | 'spoken'> {
  const usage = readUsage(reported)
  return { ...(usage && { usage }), spoken: choices.reduce((sum, { message }) => sum + spokenBytes(message), 0) }
}

const isComplete = (answer: JsonObject, { backendModel }: AnswerTerms): boolean =>
  answer.model === backendModel &&
  answer.object === 'chat.completion' &&
  typeof answer.created === 'number' &&
  typeof answer.id === 'string'

/** What a backend left out is told all the same. */
const completed = (answer: JsonObject, { id, created, backendModel: model }: AnswerTerms): JsonObject => ({
  id,
  created,
  ...answer,
  object: 'chat.completion',
  model,
})

export const jsonBytes = (value: JsonObject): Buffer => Buffer.from(JSON.stringify(value))

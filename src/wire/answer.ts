import { isObject, type JsonObject } from './body.ts'
import { parse } from './chunk.ts'
import type { AnswerTerms, WholeAnswer } from './request.ts'
import { readUsage, spokenBytes } from './usage.ts'

/** Reads a backend's whole chat completion; undefined when it is not one. Spec 2.4. */
export function readCompletion(bytes: Buffer, terms: AnswerTerms): WholeAnswer | undefined {
  const answer = parse(bytes.toString('utf8'))
  if (!isObject(answer) || !Array.isArray(answer.choices) || answer.choices.length === 0) return undefined
  if (!answer.choices.every(choice => isObject(choice) && isObject(choice.message))) return undefined
  const usage = readUsage(answer.usage)
  return {
    bytes: forClient(bytes, answer, terms),
    ...(usage && { usage }),
    spoken: answer.choices.reduce((sum: number, choice: JsonObject) => sum + spokenBytes(choice.message), 0),
  }
}

function forClient(bytes: Buffer, answer: JsonObject, { id, created, backendModel: model }: AnswerTerms): Buffer {
  const complete =
    answer.model === model &&
    answer.object === 'chat.completion' &&
    typeof answer.created === 'number' &&
    typeof answer.id === 'string'
  return complete ? bytes : Buffer.from(JSON.stringify({ id, created, ...answer, object: 'chat.completion', model }))
}

import { isObject, type JsonObject } from './body.ts'
import { parse } from './chunk.ts'
import { readUsage, spokenBytes, type Usage } from './usage.ts'

/** A whole answer that may be passed on. */
export interface WholeAnswer {
  readonly bytes: Buffer
  readonly usage?: Usage
  /** Bytes of what the model said, for backends that report no usage. */
  readonly spoken: number
}

/** Reads a backend's whole answer; undefined when it is not one. Spec 2.4. */
export function readAnswer(bytes: Buffer, terms: { model: string; created: number }): WholeAnswer | undefined {
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

function forClient(bytes: Buffer, answer: JsonObject, { model, created }: { model: string; created: number }): Buffer {
  const complete = answer.model === model && answer.object === 'chat.completion' && typeof answer.created === 'number'
  return complete ? bytes : Buffer.from(JSON.stringify({ created, ...answer, object: 'chat.completion', model }))
}

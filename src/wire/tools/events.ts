import type { JsonObject } from '../openai/body.ts'
import { sseEvent } from '../sse.ts'
import type { OneAnswer } from './delta-reader.ts'

/** The end of an answer that a limit cut short. `first`: nothing of it was sent before. */
export const finishEvent = (answer: OneAnswer, finish: string, first: boolean): string =>
  chunkEvent(answer, [{ index: 0, delta: first ? { role: 'assistant', content: '' } : {}, finish_reason: finish }])

/** What all rounds used, where the client asked for it. */
export const usageEvent = (answer: OneAnswer, usage: JsonObject): string => chunkEvent(answer, [], usage)

const chunkEvent = (answer: OneAnswer, choices: readonly JsonObject[], usage?: JsonObject): string =>
  sseEvent(JSON.stringify({ ...answer, object: 'chat.completion.chunk', choices, ...(usage && { usage }) }))

import type { AnswerWriter, ReadTerms, WriterTerms } from '../../../src/wire/client-dialect.ts'
import type { JsonObject } from '../../../src/wire/json-safety.ts'
import { messages } from '../../../src/wire/messages/client.ts'
import { readChat } from '../../../src/wire/openai/chat.ts'
import { SseSplitter } from '../../../src/wire/sse.ts'
import { chargedFor } from '../../support/charged.ts'
import { wholeTexts } from '../../support/whole-texts.ts'

/** No model thinks, and no tool is hosted. */
export const readTerms: ReadTerms = { texts: wholeTexts, passes: true, thinks: () => false, isHosted: () => false }

/** Ids are counted. */
export function writerTerms(): WriterTerms {
  let ids = 0
  return {
    requestId: 'req_1',
    created: 1_700_000_000,
    model: 'pool-model',
    inputTokens: 25,
    newId: () => String(++ids),
  }
}

export const NO_USAGE = { inputTokens: 0, outputTokens: 0 }

/** A request that is read. */
export function read(body: JsonObject, terms: ReadTerms = readTerms) {
  const request = messages.read(body, terms)
  if ('denial' in request) throw new Error(JSON.stringify(request.denial))
  return request
}

/** A request that says hi, with what else it has. */
export const ask = (rest: JsonObject = {}): JsonObject => ({
  model: 'svc-core',
  max_tokens: 64,
  messages: [{ role: 'user', content: 'Hi' }],
  ...rest,
})

/** The refusal of a request: the field and the problem. */
export function refusal(body: JsonObject, terms: ReadTerms = readTerms): string {
  const request = messages.read(body, terms)
  if (!('denial' in request)) throw new Error('it was not refused')
  const { denial } = request
  return denial.code === 'VALIDATION_ERROR' ? `${denial.field}: ${denial.problem}` : denial.code
}

/** A chat as the endpoint of chats checks it. */
export const checked = (chat: JsonObject) => readChat(Buffer.from(JSON.stringify(chat)))

/** The events of a stream, each with the name that stands before its data. */
export function eventsOf(text: string): JsonObject[] {
  const names = [...text.matchAll(/^event: (.*)$/gm)].map(match => match[1])
  const events = new SseSplitter().push(Buffer.from(text)).map((data): JsonObject => JSON.parse(data))
  if (events.some((event, index) => event.type !== names[index]) || names.length !== events.length)
    throw new Error('an event has another name than its data')
  return events
}

/** A chunk of a chat's stream with one choice. */
export const chunkOf = (delta: JsonObject, finish: string | null = null, more: JsonObject = {}): JsonObject => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_700_000_000,
  model: 'pool-model',
  choices: [{ index: 0, delta, finish_reason: finish, ...more }],
})

/** The events of a stream that comes whole. */
export const streamed = (writer: AnswerWriter, chunks: readonly JsonObject[]): JsonObject[] =>
  eventsOf(chunks.map(chunk => writer.chunk(chunk)).join('') + writer.end(chargedFor(...chunks)))

import type { Dialect, ListedModel } from '../dialect.ts'
import { parse } from '../json-bytes.ts'
import { asObject } from '../json-safety.ts'
import { openai } from '../openai/dialect.ts'
import { completionOfMessage } from './answer-to-chat.ts'
import { messagesOfChat } from './request-of-chat.ts'
import { MessagesStream } from './stream-to-chat.ts'

/** Anthropic's Messages, as vLLM and others speak it as well. It is of chats: anything else is asked for as OpenAI has it. */
export const messagesDialect: Dialect = {
  path: coordinates => (coordinates.kind === 'chat' ? '/messages' : openai.path(coordinates)),
  leastCap: 1,
  modelsPath: '/models',
  body: (kind, body) => (kind === 'chat' ? jsonOf(messagesOfChat(asObject(parse(body.toString('utf8'))))) : body),
  answer(kind, bytes) {
    if (kind !== 'chat') return bytes
    const completion = completionOfMessage(parse(bytes.toString('utf8')))
    return completion && jsonOf(completion)
  },
  translator: thoughtsApart => new MessagesStream(thoughtsApart),
  models: bytes => openai.models(bytes)?.flatMap(named),
}

const jsonOf = (value: object): Buffer => Buffer.from(JSON.stringify(value))

/** Anthropic answers to `claude-sonnet-4-5`, and lists it with its date alone. */
function named(model: ListedModel): readonly ListedModel[] {
  const undated = model.id.replace(/-\d{8}$/, '')
  return undated === model.id ? [model] : [model, { ...model, id: undated }]
}

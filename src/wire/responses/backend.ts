import type { Dialect } from '../dialect.ts'
import { parse } from '../json-bytes.ts'
import { asObject } from '../json-safety.ts'
import { openai } from '../openai/dialect.ts'
import { completionOfResponse } from './answer-to-chat.ts'
import { responsesOfChat } from './request-of-chat.ts'
import { ResponsesStream } from './stream-to-chat.ts'

/** OpenAI's Responses. It is of chats: anything else is asked for as ever. */
export const responsesDialect: Dialect = {
  ...openai,
  leastCap: 16,
  path: coordinates => (coordinates.kind === 'chat' ? '/responses' : openai.path(coordinates)),
  body: (kind, body) => (kind === 'chat' ? jsonOf(responsesOfChat(asObject(parse(body.toString('utf8'))))) : body),
  answer(kind, bytes) {
    if (kind !== 'chat') return bytes
    const completion = completionOfResponse(parse(bytes.toString('utf8')))
    return completion && jsonOf(completion)
  },
  translator: thoughtsApart => new ResponsesStream(thoughtsApart),
}

const jsonOf = (value: object): Buffer => Buffer.from(JSON.stringify(value))

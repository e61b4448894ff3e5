import type { Denied } from '../../policy/denial.ts'
import type { ChatOfDialect, ClientDialect, ReadTerms } from '../client-dialect.ts'
import type { JsonObject } from '../json-safety.ts'
import { namedEvent } from '../sse.ts'
import { answerNamed, comparesModels, startNamed } from './asked-model.ts'
import { readRequest } from './client/read-request.ts'
import { writeAnswer } from './client/write-answer.ts'
import { MessageStream } from './client/write-stream.ts'

/** Anthropic's Messages, as clients speak them. */
export const messages: ClientDialect = {
  read,
  countable: (body, terms) => readRequest(body, terms, true),
  // Anthropic sends it too: its clients wait for events, not for comments.
  ping: namedEvent('ping', '{"type":"ping"}'),
  askedModel: { isWanted: comparesModels, answer: answerNamed, events: startNamed },
}

function read(body: JsonObject, terms: ReadTerms): ChatOfDialect | Denied {
  const request = readRequest(body, terms)
  if ('denial' in request) return request
  const { form, ...rest } = request
  return {
    ...rest,
    writer: terms => {
      const stream = new MessageStream(form, terms)
      return {
        whole: (completion, usage) => writeAnswer(completion, usage, form, terms),
        chunk: chunk => stream.chunk(chunk),
        end: usage => stream.end(usage),
        fail: error => stream.fail(error),
      }
    },
  }
}

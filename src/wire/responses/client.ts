import type { ClientDialect } from '../client-dialect.ts'
import { readRequest } from './client/read-request.ts'
import { ResponseWriter } from './client/writer.ts'

/** OpenAI's Responses, POST /v1/responses. Nothing is stored: each request brings the whole input. */
export const responses: ClientDialect = {
  read: (body, terms) => {
    const read = readRequest(body, terms)
    if ('denial' in read) return read
    const { chat, ignored, lost, onlyNative, wanted } = read
    return {
      chat,
      ignoredTools: ignored,
      ignoredFields: lost,
      ...(onlyNative && { onlyNative }),
      writer: writerTerms => new ResponseWriter(wanted, writerTerms),
    }
  },
}

import type { Denied } from '../../policy/denial.ts'
import type { ChatOfDialect, ClientDialect, ReadTerms } from '../client-dialect.ts'
import type { JsonObject } from '../json-safety.ts'
import { readRequest } from './client/read-request.ts'
import { ResponseWriter } from './client/writer.ts'

/** OpenAI's Responses, POST /v1/responses. Nothing is stored: each request brings the whole input. */
export const responses: ClientDialect = { read, countable: read, ping: undefined, askedModel: undefined }

function read(body: JsonObject, terms: ReadTerms): ChatOfDialect | Denied {
  const request = readRequest(body, terms)
  if ('denial' in request) return request
  const { chat, ignored, lost, onlyNative, wanted } = request
  return {
    chat,
    ignoredTools: ignored,
    ignoredFields: lost,
    ...(onlyNative && { onlyNative }),
    writer: writerTerms => new ResponseWriter(wanted, writerTerms),
  }
}

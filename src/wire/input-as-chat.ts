import { type Denied, invalid } from '../policy/denial.ts'
import type { ChatAsk, OnlyNative } from '../policy/facts.ts'
import { lossesInAll } from './chat-losses.ts'
import { asChat, type ClientRequestTerms, declaredIn, tooManyKinds } from './client-request.ts'
import type { KnownSpans } from './fast/known-span.ts'
import { isAbsent } from './findings.ts'
import { asObject } from './json-safety.ts'
import { type DialectBody, type OutlinedBody, outlineBody, outlineOf, parseDialect } from './openai/body.ts'
import { checkChat } from './openai/chat.ts'
import type { WireRequest } from './openai/request.ts'
import { responses } from './responses/client.ts'

/** A body of POST /v1/chat/completions. */
export interface ChatBody extends OutlinedBody {
  /** Set where it is one of Responses, which is answered as a chat. */
  readonly input?: DialectBody
}

/** Parses the body of a chat. Cursor sends bodies of Responses to the path of chats, and reads chunks of a chat. */
export function parseChat(bytes: Buffer, spans?: KnownSpans): ChatBody | Denied {
  const parsed = outlineBody(bytes, spans)
  if ('denial' in parsed || !isAbsent(parsed.outline.messages) || isAbsent(parsed.outline.input)) return parsed
  if (!Array.isArray(parsed.outline.input)) return invalid('messages', 'is required', 'missing_required_parameter')
  const input = parseDialect(bytes, spans)
  return 'denial' in input ? input : { ...parsed, input }
}

/**
 * Reads a body of Responses as a chat, which gets a chat's answer. Refuses anything that a chat cannot express, because no pool
 * gets it in Responses.
 */
export function readInputAsChat(parsed: DialectBody, terms: ClientRequestTerms): WireRequest | Denied {
  const { body, texts } = parsed
  const read = responses.read(body, { ...terms, texts, passes: false })
  if ('denial' in read) return read
  const { chat, ignoredTools, ignoredFields, onlyNative } = read
  if (onlyNative) return notInChat(onlyNative)
  const tooMany = tooManyKinds(ignoredTools)
  if (tooMany) return tooMany
  const { include_usage } = asObject(body.stream_options)
  const asked = chat.stream === true ? { ...chat, stream_options: { include_usage: include_usage === true } } : chat
  const declared = declaredIn('responses', parsed, terms.declared)
  const checked = checkChat(outlineOf({ ...asked, ...declared }, texts), terms.names, terms.declared)
  if ('denial' in checked) return checked
  const { lostFields: lostOfChat, ...request } = checked.request as ChatAsk
  const lostFields = lossesInAll(ignoredFields, lostOfChat, {})
  return {
    request: {
      ...request,
      ...(ignoredTools.length > 0 && { losses: ignoredTools }),
      ...(lostFields && { lostFields }),
    },
    ...(checked.stream && { stream: checked.stream }),
    ...(checked.isProse && { isProse: true }),
    ...asChat(checked),
  }
}

function notInChat({ field, problem, reason }: OnlyNative): Denied {
  const { denial } = invalid(field, problem)
  return { denial: reason === undefined ? denial : { ...denial, reason } }
}

import type { EpochMs } from '../../policy/config.ts'
import type { RateState } from '../quota-headers.ts'
import { sseEvent } from '../sse.ts'
import { type AnyDenial, errorCodes } from './codes.ts'
import { backendReason, type ErrorWords, wordsOf } from './error-words.ts'
import type { ErrorBody } from './texts.ts'

/** Writes errors for one kind of client. Chats have two forms, and each client dialect declares one in src/wire/client-dialects.ts. */
export interface ErrorForm {
  /** Headers that these clients get with every answer, served or refused, beside those that all clients get. */
  readonly headers: ClientHeaders
  /** The status of a denial, whose status in the specification is `usual`. */
  status(denial: AnyDenial, usual: number): number
  body(of: DeniedAnswer): object
  /** The last event of a stream that fails after its headers went out. */
  lastEvent(of: DeniedAnswer): string
}

/** Headers that only the clients of one dialect read. */
export interface ClientHeaders {
  /** The header that has the id of the request; undefined where `x-request-id` is enough. */
  readonly requestId: string | undefined
  /** Adds what is left of the limits in a form of its own; undefined where the headers of OpenAI are enough. */
  readonly addRate: ((headers: Record<string, string>, state: RateState, now: EpochMs) => void) | undefined
}

/** A denial, and how the specification writes it. */
export interface DeniedAnswer {
  readonly denial: AnyDenial
  /** The status that its client gets. */
  readonly status: number
  readonly body: ErrorBody
  readonly requestId: string | undefined
}

/** OpenAI's SDKs need no header beyond those that all clients get. */
export const OPENAI_HEADERS: ClientHeaders = { requestId: undefined, addRate: undefined }

/** As the specification fixes it. */
export const specForm: ErrorForm = {
  headers: OPENAI_HEADERS,
  status: (_denial, usual) => usual,
  body: ({ body }) => body,
  // SDKs read the error code only from this form.
  lastEvent: ({ denial, status, body }) => {
    const message = typeof body.error === 'string' ? body.error : errorCodes[denial.code].meaning
    const type = backendReason(denial) ?? eventType(denial.code, status)
    const more = denial.code === 'UPSTREAMS_EXHAUSTED' ? { tier: denial.tier, attempted: denial.attempted } : {}
    return sseEvent(JSON.stringify({ error: { message, type, code: denial.code, ...more } }))
  },
}

function eventType(code: string, status: number): string {
  if (status < 500) return 'invalid_request_error'
  return code === 'UPSTREAMS_EXHAUSTED' ? 'upstream_error' : 'server_error'
}

/** The object of OpenAI, for software that reads nothing else. */
export const openaiForm: ErrorForm = {
  headers: OPENAI_HEADERS,
  status: busyStatus,
  body: of => openaiBody(of, wordsOf(of.denial, of.status, of.body)),
  lastEvent: of => sseEvent(JSON.stringify(openaiForm.body(of))),
}

/** Clients of every form but the specification's retry a 503 at once, and wait after a 429. */
function busyStatus(denial: AnyDenial, usual: number): number {
  return denial.code === 'UPSTREAMS_EXHAUSTED' && denial.isBusy ? 429 : usual
}

/** Responses and Messages answer an unknown model with a 404, and otherwise as `busyStatus`. */
export const newerStatus = (denial: AnyDenial, usual: number): number =>
  denial.code === 'VALIDATION_ERROR' && denial.reason === 'model_not_found' ? 404 : busyStatus(denial, usual)

/** The object of OpenAI with these words. SDKs give their users what is in `error`, and nothing beside it. */
export function openaiBody({ denial, body }: DeniedAnswer, words: ErrorWords): object {
  const { error, code: _, ...beside } = body
  return { error: { ...(typeof error === 'object' && error), ...words, ...beside }, code: denial.code }
}

import type { OutgoingHttpHeaders } from 'node:http'
import { type Behaviour, SSE_HEADERS, status, write } from './behaviours.ts'

/** A backend's error report; fields that are left out are not sent. */
export interface BackendProblem {
  readonly message?: string
  readonly type?: string
  /** Such as `context_length_exceeded`; some backends repeat the status. */
  readonly code?: string | number | null
  readonly param?: string | null
}

/** A status with an error body as OpenAI and most others write it. */
export const refusal = (code: number, problem: BackendProblem, headers: OutgoingHttpHeaders = {}): Behaviour =>
  status(code, { error: problem }, headers)

/** 429: the account at the provider has no money left. */
export const quotaSpent: Behaviour = refusal(429, {
  message: 'You exceeded your current quota, please check your plan and billing details.',
  type: 'insufficient_quota',
  param: null,
  code: 'insufficient_quota',
})

/** 400: the prompt is longer than the context of this model. */
export const contextTooLong: Behaviour = refusal(400, {
  message: "This model's maximum context length is 4096 tokens.",
  type: 'invalid_request_error',
  param: 'messages',
  code: 'context_length_exceeded',
})

/** A status and headers that promise an error body, then silence. */
export const statusThenHang =
  (code: number): Behaviour =>
  ({ response }) =>
    response.writeHead(code, { 'content-type': 'application/json', 'content-length': 100 }).flushHeaders()

/** A 200 whose first event is an error, as from a backend whose queue is full. `done` sends [DONE] after it. */
export function errorFrame(problem: BackendProblem, { done = true }: { readonly done?: boolean } = {}): Behaviour {
  return async ({ response }) => {
    response.writeHead(200, SSE_HEADERS)
    await write(response, `data: ${JSON.stringify({ error: problem })}\n\n`)
    response.end(done ? 'data: [DONE]\n\n' : '')
  }
}

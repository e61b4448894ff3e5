import { type Behaviour, status } from '../../support/backend.ts'
import { exhausted, type Rig } from './rig.ts'

/** A request that the gateway refuses, and what its answer says. */
export interface Refusal {
  readonly name: string
  readonly status: number
  /** The gateway's code, in a header and in its log. */
  readonly code: string
  /** Code and type of the error in SDKs: OpenAI's words, if it has some. */
  readonly said: { readonly code: string | null; readonly type: string }
  /** The text of the body. */
  readonly text: RegExp
  readonly apiKey?: string
  readonly plan?: string
  readonly model?: string
  readonly maxTokens?: number
  readonly backend?: Behaviour
}

/** The request of a refusal; the rest of it is any chat. */
export interface Refused {
  readonly apiKey: string
  readonly model: string
  readonly maxTokens?: number
}

export const refusals: readonly Refusal[] = [
  {
    name: 'an unknown key',
    status: 401,
    code: 'INVALID_KEY',
    text: /unknown, revoked or rotated/,
    said: { code: 'invalid_api_key', type: 'authentication_error' },
    apiKey: 'svc_wrong',
  },
  {
    name: 'a key of another service',
    status: 401,
    code: 'INVALID_TOKEN',
    text: /Bearer svc_/,
    said: { code: 'invalid_api_key', type: 'authentication_error' },
    apiKey: 'sk-of-another-service',
  },
  {
    name: 'an unknown model',
    status: 400,
    code: 'VALIDATION_ERROR',
    said: { code: 'model_not_found', type: 'invalid_request_error' },
    text: /^model: .*gpt-4o/,
    model: 'gpt-4o',
  },
  {
    name: 'a request the backend finds invalid',
    status: 400,
    code: 'VALIDATION_ERROR',
    text: /backend refused the request: the prompt is not allowed/,
    said: { code: 'content_filter', type: 'invalid_request_error' },
    backend: status(400, { error: { message: 'the prompt is not allowed', code: 'content_filter' } }),
  },
  {
    name: 'a model outside the plan',
    status: 429,
    code: 'rate_limit_exceeded',
    said: { code: 'rate_limit_exceeded', type: 'plan_limit' },
    text: /Plan free does not include svc-ultra-pro/,
    plan: 'free',
    model: 'svc-ultra-pro',
  },
  {
    name: 'a request the month cannot pay',
    status: 402,
    code: 'quota_exceeded',
    said: { code: 'insufficient_quota', type: 'insufficient_quota' },
    text: /2026-12-01.*max_tokens up to \d+ would fit/,
    plan: 'tight',
    maxTokens: 1000,
  },
]

/** Every backend failed: the one refusal among these that a client's retry may cure. */
export const outage: Refusal = {
  name: 'an outage of every backend',
  status: 503,
  code: 'UPSTREAMS_EXHAUSTED',
  text: /No backend of this model could answer/,
  said: { code: 'UPSTREAMS_EXHAUSTED', type: 'server_error' },
  backend: exhausted,
}

export async function arrange({ test, backend, key }: Rig, refusal: Refusal): Promise<Refused> {
  const { plan, model = 'svc-core', maxTokens } = refusal
  const apiKey = refusal.apiKey ?? (plan ? await test.key(plan, 'refused') : key)
  if (refusal.backend) backend.always(refusal.backend)
  return { apiKey, model, ...(maxTokens !== undefined && { maxTokens }) }
}

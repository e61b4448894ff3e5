import { Agent, request } from 'undici'
import type { Gateway } from './fleet.ts'
import { promptOf, type Script } from './site.ts'

/** An account with its one key. */
export interface Account {
  readonly label: string
  readonly account: string
  readonly plan: string
  readonly key: string
}

export interface Ask {
  readonly account: Account
  readonly stream?: boolean
  readonly maxTokens?: number
  readonly script?: Script
}

/** What a client saw of one request. */
export interface Outcome {
  readonly account: string
  readonly stream: boolean
  /** Of `performance.now()`. */
  readonly startedAt: number
  readonly ms: number
  /** 0 when the connection broke before an answer began. */
  readonly status: number
  /** Of the error; empty when there was none. */
  readonly code: string
  readonly requestId: string
  /** Received to its end: the whole body, or a stream with its marker. */
  readonly whole: boolean
}

/** A hung gateway fails its request instead of the test. */
const PATIENCE_MS = 60_000
const agent = new Agent({ connections: 512, headersTimeout: 0, bodyTimeout: 0 })

/** Sends one chat request, and reads what comes. Never rejects. */
export async function ask(
  gateway: Gateway,
  { account, stream = false, maxTokens = 20, script = {} }: Ask,
): Promise<Outcome> {
  const startedAt = performance.now()
  let seen = { status: 0, code: '', requestId: '' }
  let whole = false
  try {
    const { statusCode, headers, body } = await request(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      dispatcher: agent,
      signal: AbortSignal.timeout(PATIENCE_MS),
      headers: { authorization: `Bearer ${account.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        messages: [{ role: 'user', content: promptOf(account.label, script) }],
        max_tokens: maxTokens,
        ...(stream && { stream }),
      }),
    })
    seen = { status: statusCode, code: text(headers['x-svc-error-code']), requestId: text(headers['x-request-id']) }
    const answer = await body.text()
    whole = statusCode === 200 && (stream ? answer.endsWith('data: [DONE]\n\n') : 'choices' in JSON.parse(answer))
  } catch {
    // Refused, reset or cut: `seen` says how far it came.
  }
  return { account: account.account, stream, startedAt, ms: performance.now() - startedAt, ...seen, whole }
}

const text = (header: string | string[] | undefined): string => (typeof header === 'string' ? header : '')

import { Agent, request } from 'undici'
import type { Gateway } from './fleet.ts'
import { type Kind, promptOf, type Script, textOf } from './site.ts'
import { type Verdict, verdictOf } from './verdict.ts'

/** An account with its one key. */
export interface Account {
  readonly label: string
  readonly account: string
  readonly plan: string
  readonly key: string
}

export interface Ask {
  readonly account: Account
  /** A chat by default. */
  readonly kind?: Kind
  /** How many pictures. */
  readonly images?: number
  readonly stream?: boolean
  readonly maxTokens?: number
  readonly script?: Script
  /** In place of the default one. */
  readonly model?: string
  /** The value of its label `project`. */
  readonly project?: string
}

/** A client's view of one request. */
export interface Outcome {
  readonly account: string
  readonly stream: boolean
  /** Time from `performance.now()`. */
  readonly startedAt: number
  readonly ms: number
  /** 0 when the connection broke before an answer began. */
  readonly status: number
  /** The error's code; empty without an error. */
  readonly code: string
  readonly requestId: string
  /** Received to its end: the whole body, or a stream with its marker. */
  readonly whole: boolean
  /** Where the backend was to say something. */
  readonly verdict?: Verdict
}

/** A hung gateway fails its request instead of the test. */
const PATIENCE_MS = 60_000
const agent = new Agent({ connections: 512, headersTimeout: 0, bodyTimeout: 0 })

/** Sends one request, and reads what comes. Never rejects. */
export async function ask(gateway: Gateway, asked: Ask): Promise<Outcome> {
  const { account, kind = 'chat', stream = false, script = {}, project } = asked
  const startedAt = performance.now()
  let seen = { status: 0, code: '', requestId: '' }
  const received: Buffer[] = []
  let ended = false
  try {
    const { statusCode, headers, body } = await request(gateway.url + pathOf(asked), {
      method: 'POST',
      dispatcher: agent,
      signal: AbortSignal.timeout(PATIENCE_MS),
      headers: {
        authorization: `Bearer ${account.key}`,
        'content-type': 'application/json',
        ...(project !== undefined && { 'x-svc-label-project': project }),
      },
      body: JSON.stringify(bodyOf(asked)),
    })
    seen = { status: statusCode, code: text(headers['x-svc-error-code']), requestId: text(headers['x-request-id']) }
    for await (const bytes of body) received.push(bytes)
    ended = true
  } catch {
    // Refused, reset or cut: `seen` says how far it came.
  }
  const body = Buffer.concat(received).toString()
  return {
    account: account.account,
    stream,
    startedAt,
    ms: performance.now() - startedAt,
    ...seen,
    whole: seen.status === 200 && ended && (stream ? body.endsWith('data: [DONE]\n\n') : isAnswer(kind, body)),
    ...(script.says !== undefined && {
      verdict: verdictOf({ stream, status: seen.status, body, ended }, textOf(script)),
    }),
  }
}

const text = (header: string | string[] | undefined): string => (typeof header === 'string' ? header : '')

/** Sound has a route for each model, which is the test's own to declare. */
function pathOf({ kind = 'chat', model }: Ask): string {
  const paths = { chat: '/v1/chat/completions', images: '/v1/images/generations', sound: `/v1/audio/${model}` }
  return paths[kind]
}

function bodyOf({ account, kind = 'chat', images = 1, stream, maxTokens = 20, script = {}, model }: Ask): object {
  const prompt = promptOf(account.label, script)
  const named = model !== undefined && { model }
  if (kind === 'images') return { prompt, n: images, ...named }
  if (kind === 'sound') return { input: prompt, ...named }
  return { messages: [{ role: 'user', content: prompt }], max_tokens: maxTokens, ...(stream && { stream }), ...named }
}

function isAnswer(kind: Kind, body: string): boolean {
  if (kind === 'sound') return body === 'sound'
  try {
    return (kind === 'chat' ? 'choices' : 'data') in JSON.parse(body)
  } catch {
    // Half an answer is none.
    return false
  }
}

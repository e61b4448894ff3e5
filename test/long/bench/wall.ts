import { setTimeout as sleep } from 'node:timers/promises'
import {
  answer,
  type Behaviour,
  chunk,
  type Exchange,
  hang,
  refusal,
  reset,
  SSE_HEADERS,
  startBackend,
  status,
  write,
} from '../../support/backend.ts'
import { TEXT, WORDS } from './call.ts'

/** A provider that has one fault, and what it saw. */
export interface Wall {
  readonly url: string
  /** When chats came, in seconds since the scenario began: those of clients, and what the gateway asks for itself. */
  readonly attempts: readonly number[]
  /** When the first of them was answered well. */
  readonly answeredAt: number | undefined
  begin(): void
  close(): Promise<void>
}

/** The fault of an attempt, by its number from 1 and the time since the scenario began. */
export type Fault =
  | 'healthy'
  | 'retry-after-once'
  | '429'
  | '500-once'
  | '503'
  | 'reset-once'
  | 'no-response'
  | 'slow-first-token'
  | 'cut'
  | 'stall'
  | 'malformed'
  | 'no-done'
  | 'context-length'
  | 'content-filter'
  | 'flap'

const SLOW_FIRST_MS = 20_000
const STALL_MS = 30_000
const DOWN_S = 60
const TOKEN_MS = 15
const CUT_AFTER = 40
const STALL_AFTER = 20
const MALFORMED_AT = 10

export async function startWall(fault: Fault): Promise<Wall> {
  const backend = await startBackend()
  let begun = performance.now()
  let attempts: number[] = []
  let answeredAt: number | undefined
  const seconds = () => (performance.now() - begun) / 1000
  const behave: Behaviour = async exchange => {
    const at = seconds()
    attempts.push(at)
    const broken = faultOf(fault, attempts.length, at)
    if (broken) return broken(exchange)
    answeredAt ??= at
    return healthy(exchange)
  }
  backend.always(behave)
  return {
    url: backend.url,
    get attempts() {
      return attempts
    },
    get answeredAt() {
      return answeredAt
    },
    begin: () => {
      begun = performance.now()
      attempts = []
    },
    close: () => backend.close(),
  }
}

function faultOf(fault: Fault, attempt: number, at: number): Behaviour | undefined {
  const isFirst = attempt === 1
  const overloaded = refusal(503, { message: 'The engine is overloaded.', type: 'server_error', code: 'overloaded' })
  const limited = { message: 'Rate limit reached.', type: 'rate_limit_error', code: 'rate_limit_exceeded' }
  switch (fault) {
    case 'healthy':
      return undefined
    case 'retry-after-once':
      return isFirst ? refusal(429, limited, { 'retry-after': '2' }) : undefined
    case '429':
      return refusal(429, limited)
    case '500-once':
      return isFirst ? status(500, { error: { message: 'The server had an error.', type: 'server_error' } }) : undefined
    case '503':
      return overloaded
    case 'reset-once':
      return isFirst ? reset : undefined
    case 'no-response':
      return hang
    case 'context-length':
      return refusal(400, { message: 'Too long: 8192 tokens are the most.', code: 'context_length_exceeded' })
    case 'content-filter':
      return refusal(400, { message: 'Rejected by our safety system.', code: 'content_policy_violation' })
    case 'flap':
      return at < DOWN_S ? overloaded : undefined
    default:
      return exchange => broken(exchange, fault)
  }
}

const healthy: Behaviour = exchange =>
  exchange.seen.body.stream === true
    ? say(exchange, 'healthy')
    : answer({ content: TEXT, model: String(exchange.seen.body.model) })(exchange)

/** A stream with a fault in it; asked for a whole answer, as health checks do, it is well. */
const broken = (exchange: Exchange, fault: Fault): void | Promise<void> =>
  exchange.seen.body.stream === true ? say(exchange, fault) : healthy(exchange)

async function say(exchange: Exchange, fault: Fault): Promise<void> {
  const { response, seen } = exchange
  const model = String(seen.body.model)
  response.writeHead(200, SSE_HEADERS).flushHeaders()
  if (fault === 'slow-first-token') await sleep(SLOW_FIRST_MS)
  await write(response, chunk(model, { role: 'assistant', content: '' }, null))
  for (const [i, word] of WORDS.entries()) {
    if (fault === 'cut' && i === CUT_AFTER) return void exchange.takeOver().end()
    if (fault === 'stall' && i === STALL_AFTER) {
      await sleep(STALL_MS)
      return void exchange.takeOver().end()
    }
    if (fault === 'malformed' && i === MALFORMED_AT) await write(response, 'data: {"choices":[{"delta":{"content":\n\n')
    await write(response, chunk(model, { content: i === 0 ? word : ` ${word}` }, null))
    await sleep(TOKEN_MS)
  }
  await write(response, chunk(model, {}, 'stop'))
  const usage = { prompt_tokens: 12, completion_tokens: WORDS.length, total_tokens: 12 + WORDS.length }
  await write(response, `data: ${JSON.stringify({ object: 'chat.completion.chunk', model, choices: [], usage })}\n\n`)
  if (fault !== 'no-done') await write(response, 'data: [DONE]\n\n')
  response.end()
}

import { Buffer } from 'node:buffer'
import type { BackendSettings } from '../../config/settings.ts'
import type { EpochMs, Kind, Millis, Pool } from '../../policy/config.ts'
import { dialectOf } from '../../wire/dialects.ts'
import { parse } from '../../wire/json-bytes.ts'
import { isObject } from '../../wire/json-safety.ts'
import { readPassthroughUsage } from '../../wire/passthrough.ts'
import type { Usage } from '../../wire/usage/usage.ts'
import { errorIn, type Failed, ofAnswer, ofError, type Pause, type Rejected } from '../attempt/outcome.ts'
import { isOwnFault } from '../own-faults.ts'
import { type PoolHeaders, poolHeaders, withQuery } from '../pools/headers.ts'
import type { Clock, Probe, Send } from '../ports.ts'
import { type ExchangeOptions, type ExchangeResultWithBody, exchangeWhole } from './exchange-once.ts'

/** The health of a replica that failed a client's request, as a request of the gateway's own found it. */
export type HealthVerdict =
  /** It answers. `listsModel` is false where it lists its models, and that of its pool is not among them. */
  | { readonly kind: 'serves'; readonly listsModel?: boolean }
  /** It wants no requests for a while, ours neither. */
  | { readonly kind: 'paused'; readonly pause: Pause }
  /** It fails for us too. */
  | { readonly kind: 'fails'; readonly pause?: Pause }
  /** The key, the model or the account is wrong, which is the same for all replicas of the pool. */
  | { readonly kind: 'unusable'; readonly cause: string }
  /** Its answer confirms nothing. */
  | { readonly kind: 'unknown' }

/** A verdict, and the tokens that the check used. */
export interface CheckResult {
  readonly verdict: HealthVerdict
  readonly usage?: Usage
}

export interface CheckPorts {
  readonly clock: Clock
  readonly probe: Probe
  readonly send: Send
}

/** Which replica is checked, and for what kind of request: by a chat, by embeddings, and for any other kind by its list of models. */
export interface HealthCheck {
  readonly pool: Pool
  readonly replica: string
  readonly kind: Kind
  readonly settings: Pick<BackendSettings, keyof PoolHeaders | 'query' | 'connectTimeout'>
  /** Sent to the backend as the id of the request. */
  readonly id: string
}

/** For the whole answer: a healthy model that is busy needs some seconds for its one token. */
const LIMIT: Millis = 10_000

/** The most that a check may use: a prompt of a few letters, and the smallest cap that the pool allows. */
export const mostUsageOf = (pool: Pool): Usage => ({ inputTokens: 64, outputTokens: dialectOf(pool).leastCap })

const GENERATIONS = {
  chat: {
    bodyFor: (pool: Pool) => ({
      model: pool.model,
      messages: [{ role: 'user', content: 'Hi' }],
      ...Object.fromEntries(pool.caps.map(field => [field, mostUsageOf(pool).outputTokens])),
    }),
    answers: 'choices',
  },
  embedding: {
    bodyFor: ({ model }: Pool) => ({ model, input: 'Hi' }),
    answers: 'data',
  },
} as const

/** Whether a check of this kind makes a model work. */
export const generates = (kind: Kind): kind is Generation => kind in GENERATIONS

type Generation = keyof typeof GENERATIONS

/** Checks a replica by one harmless request. Never rejects. */
export async function checkReplica(ports: CheckPorts, check: HealthCheck): Promise<CheckResult> {
  const { clock } = ports
  const { result, body } = await sent(ports, check)
  if (result.cause !== undefined && isOwnFault(result.cause)) return { verdict: { kind: 'unknown' } }
  if (result.cause !== undefined || !result.head) return { verdict: { kind: 'fails' } }
  const { status, retry } = result.head
  const answer = { status, body, isCut: false, ...(retry && { retry }) }
  const { kind } = check
  if (generates(kind)) return ofGeneration(answer, check, kind, clock.now())
  return ofList(answer, check, clock.now())
}

function sent({ clock, probe, send }: CheckPorts, check: HealthCheck): Promise<ExchangeResultWithBody> {
  const { pool, replica, kind, settings, id } = check
  const { connectTimeout } = settings
  const { origin, pathname } = new URL(replica)
  const dialect = dialectOf(pool)
  const path = withQuery(`${pathname.replace(/\/$/, '')}${dialect.modelsPath}`, settings)
  const listing = { origin, path, headers: poolHeaders(settings), connectTimeout }
  const open: ExchangeOptions['send'] = (fresh, listener) => {
    if (!generates(kind)) return probe({ ...listing, fresh }, listener)
    const body = Buffer.from(JSON.stringify(GENERATIONS[kind].bodyFor(pool)))
    const to = dialect.path({ kind, model: pool.model, stream: false })
    const request = { path: to, body: dialect.body(kind, body), requestId: id }
    return send({ pool: pool.name, replica, fresh, ...request }, listener)
  }
  return exchangeWhole(clock, { send: open, connectTimeout, limit: LIMIT })
}

type Answer = Parameters<typeof ofAnswer>[0]

function ofGeneration(answer: Answer, { pool }: HealthCheck, kind: Generation, now: EpochMs): CheckResult {
  if (answer.status !== 200) return { verdict: verdictOf(ofAnswer(answer, now)) }
  const error = errorIn(answer.body)
  if (error !== undefined) return { verdict: verdictOf(ofError(error, {})) }
  const answered = parse(dialectOf(pool).answer(kind, answer.body)?.toString('utf8') ?? '')
  const answers = isObject(answered) ? answered[GENERATIONS[kind].answers] : undefined
  if (!Array.isArray(answers) || answers.length === 0) return { verdict: { kind: 'fails' } }
  const usage = readPassthroughUsage(answered)
  return { verdict: { kind: 'serves' }, ...(usage && { usage }) }
}

/** Backends need not list models: only a refused key and a failing server mean anything. */
function ofList(answer: Answer, { pool }: HealthCheck, now: EpochMs): CheckResult {
  const { status } = answer
  if (status >= 200 && status < 300) {
    // An empty list does not show that the model is missing.
    const models = dialectOf(pool).models(answer.body) ?? []
    const listsModel = models.length === 0 ? undefined : models.some(({ id }) => id === pool.model)
    return { verdict: { kind: 'serves', ...(listsModel !== undefined && { listsModel }) } }
  }
  if (status >= 300 && status < 500 && !TELLING.has(status)) return { verdict: { kind: 'unknown' } }
  return { verdict: verdictOf(ofAnswer(answer, now)) }
}

const TELLING = new Set([401, 402, 403, 408, 429])

/** A status proves more here than in the answer to a client's request: no client can have caused it. */
function verdictOf(outcome: Rejected | Failed): HealthVerdict {
  if (outcome.kind === 'rejected') return { kind: 'serves' }
  if (outcome.pause && outcome.blame === 'none') return { kind: 'paused', pause: outcome.pause }
  if (outcome.blame === 'pool') return { kind: 'unusable', cause: outcome.cause }
  const { pause } = outcome
  return outcome.blame === 'replica' ? { kind: 'fails', ...(pause && { pause }) } : { kind: 'unknown' }
}

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
import type { Clock, Probe, Send } from '../ports.ts'
import { type AskOptions, type AskResultWithBody, askWhole } from './ask.ts'
import { type PoolHeaders, poolHeaders, withQuery } from './pool-headers.ts'

/** What a question of our own found out about a replica that failed a client's request. */
export type Verdict =
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

/** A verdict, and the tokens it took. */
export interface Found {
  readonly verdict: Verdict
  readonly usage?: Usage
}

export interface QuestionPorts {
  readonly clock: Clock
  readonly probe: Probe
  readonly send: Send
}

/** Who is asked, and for what kind of request: a chat and embeddings are tried, for anything else models are listed. */
export interface Question {
  readonly pool: Pool
  readonly replica: string
  readonly kind: Kind
  readonly settings: Pick<BackendSettings, keyof PoolHeaders | 'query' | 'connectTimeout'>
  /** Sent to the backend as the id of the request. */
  readonly id: string
}

/** Of the whole answer: a healthy model that is busy needs some seconds for its one token. */
const LIMIT: Millis = 10_000

/** What a generation may take at most: the few words asked, and as few tokens as the pool allows to ask for. */
export const mostOf = (pool: Pool): Usage => ({ inputTokens: 64, outputTokens: dialectOf(pool).leastCap })

const GENERATIONS = {
  chat: {
    bodyFor: (pool: Pool) => ({
      model: pool.model,
      messages: [{ role: 'user', content: 'Hi' }],
      ...Object.fromEntries(pool.caps.map(field => [field, mostOf(pool).outputTokens])),
    }),
    answers: 'choices',
  },
  embedding: {
    bodyFor: ({ model }: Pool) => ({ model, input: 'Hi' }),
    answers: 'data',
  },
} as const

/** Whether the question makes a model work. */
export const generates = (kind: Kind): kind is Generation => kind in GENERATIONS

type Generation = keyof typeof GENERATIONS

/** Asks a replica one harmless question. Never rejects. */
export async function askQuestion(ports: QuestionPorts, question: Question): Promise<Found> {
  const { clock } = ports
  const { result, body } = await sent(ports, question)
  if (result.cause !== undefined && isOwnFault(result.cause)) return { verdict: { kind: 'unknown' } }
  if (result.cause !== undefined || !result.head) return { verdict: { kind: 'fails' } }
  const { status, retry } = result.head
  const answer = { status, body, isCut: false, ...(retry && { retry }) }
  const { kind } = question
  if (generates(kind)) return ofGeneration(answer, question, kind, clock.now())
  return ofList(answer, question, clock.now())
}

function sent({ clock, probe, send }: QuestionPorts, question: Question): Promise<AskResultWithBody> {
  const { pool, replica, kind, settings, id } = question
  const { connectTimeout } = settings
  const { origin, pathname } = new URL(replica)
  const dialect = dialectOf(pool)
  const path = withQuery(`${pathname.replace(/\/$/, '')}${dialect.modelsPath}`, settings)
  const listing = { origin, path, headers: poolHeaders(settings), connectTimeout }
  const open: AskOptions['send'] = (fresh, listener) => {
    if (!generates(kind)) return probe({ ...listing, fresh }, listener)
    const asked = Buffer.from(JSON.stringify(GENERATIONS[kind].bodyFor(pool)))
    const request = { path: dialect.path(kind), body: dialect.body(kind, asked), requestId: id }
    return send({ pool: pool.name, replica, fresh, ...request }, listener)
  }
  return askWhole(clock, { send: open, connectTimeout, limit: LIMIT })
}

type Answer = Parameters<typeof ofAnswer>[0]

function ofGeneration(answer: Answer, { pool }: Question, kind: Generation, now: EpochMs): Found {
  if (answer.status !== 200) return { verdict: verdictOf(ofAnswer(answer, now)) }
  const error = errorIn(answer.body)
  if (error !== undefined) return { verdict: verdictOf(ofError(error, {})) }
  const said = parse(dialectOf(pool).answer(kind, answer.body)?.toString('utf8') ?? '')
  const answers = isObject(said) ? said[GENERATIONS[kind].answers] : undefined
  if (!Array.isArray(answers) || answers.length === 0) return { verdict: { kind: 'fails' } }
  const usage = readPassthroughUsage(said)
  return { verdict: { kind: 'serves' }, ...(usage && { usage }) }
}

/** Backends need not list models: only a refused key and a failing server mean anything. */
function ofList(answer: Answer, { pool }: Question, now: EpochMs): Found {
  const { status } = answer
  if (status >= 200 && status < 300) {
    // A backend that lists nothing says nothing of the model.
    const models = dialectOf(pool).models(answer.body) ?? []
    const listsModel = models.length === 0 ? undefined : models.some(({ id }) => id === pool.model)
    return { verdict: { kind: 'serves', ...(listsModel !== undefined && { listsModel }) } }
  }
  if (status >= 300 && status < 500 && !TELLING.has(status)) return { verdict: { kind: 'unknown' } }
  return { verdict: verdictOf(ofAnswer(answer, now)) }
}

const TELLING = new Set([401, 402, 403, 408, 429])

/** A status means more in an answer to our own question: no client can have caused it. */
function verdictOf(outcome: Rejected | Failed): Verdict {
  if (outcome.kind === 'rejected') return { kind: 'serves' }
  if (outcome.pause && outcome.blame === 'none') return { kind: 'paused', pause: outcome.pause }
  if (outcome.blame === 'pool') return { kind: 'unusable', cause: outcome.cause }
  const { pause } = outcome
  return outcome.blame === 'replica' ? { kind: 'fails', ...(pause && { pause }) } : { kind: 'unknown' }
}

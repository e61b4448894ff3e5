import { Buffer } from 'node:buffer'
import type { BackendSettings } from '../../config/settings.ts'
import type { Config, EpochMs, Millis, Model, Passthrough, Pool } from '../../policy/config.ts'
import { dialectOf } from '../../wire/dialects.ts'
import { errorIn, ofAnswer, ofError } from '../attempt/outcome.ts'
import type { Clock, PassthroughBody, SendPassthrough } from '../ports.ts'
import { type ExchangeResultWithBody, exchangeWhole } from './exchange-once.ts'

/** Sends a replica empty requests, one after the other, until one is not refused for a missing account or model. Never rejects. */
export async function sendEmptyRequests(
  { clock, sendPassthrough }: { readonly clock: Clock; readonly sendPassthrough: SendPassthrough },
  { pool, replica, settings, requests, id }: EmptyRequestCheck,
): Promise<EmptyRequestFinding> {
  const { connectTimeout } = settings
  let found: EmptyRequestFinding = { kind: 'unproven' }
  for (const request of requests) {
    const exchange = await exchangeWhole(clock, {
      connectTimeout,
      limit: LIMIT,
      send: (fresh, listener) =>
        sendPassthrough({ pool: pool.name, replica, fresh, requestId: id, method: 'POST', ...request }, listener),
    })
    found = findingOf(exchange, clock.now())
    if (found.kind !== 'unusable') break
  }
  return found
}

/** A request with the model of the pool and nothing to work on: a server that validates it refuses it, and it costs nothing. */
export interface EmptyRequest {
  /** Below the base URL of a replica. */
  readonly path: string
  readonly body: PassthroughBody
}

/** Which replica is checked, and by which requests. */
export interface EmptyRequestCheck {
  readonly pool: Pool
  readonly replica: string
  readonly settings: Pick<BackendSettings, 'connectTimeout'>
  readonly requests: readonly EmptyRequest[]
  /** Sent to the backend as the id of the requests. */
  readonly id: string
}

/** Verdict of empty requests on a replica. */
export type EmptyRequestFinding =
  /** At every path the account or the model is missing. No client can have provoked that: nothing of a client was sent. */
  | { readonly kind: 'unusable'; readonly cause: string }
  /** A path accepted an empty request as work. */
  | { readonly kind: 'worked' }
  | { readonly kind: 'unproven' }

function findingOf({ result, body }: ExchangeResultWithBody, now: EpochMs): EmptyRequestFinding {
  // A server refuses at once: only a model takes this long.
  if (result.cause === 'timeout') return { kind: 'worked' }
  if (result.cause !== undefined || !result.head) return { kind: 'unproven' }
  const { status } = result.head
  const isSuccess = status >= 200 && status < 300
  const error = errorIn(body)
  if (isSuccess && error === undefined) return { kind: 'worked' }
  const outcome = isSuccess ? ofError(error, {}) : ofAnswer({ status, body, isCut: false }, now)
  // A 404 may mean that the path is missing.
  const isProof = outcome.kind === 'failed' && outcome.lacks !== undefined && outcome.lacks !== 'unnamed'
  return isProof ? { kind: 'unusable', cause: outcome.cause } : { kind: 'unproven' }
}

const LIMIT: Millis = 5000

/**
 * An empty request to each path that a pool serves. Undefined where a path may act on one, as paths do that create a job
 * or a session: such a pool gets none.
 */
export function emptyRequests(
  { models, passthrough }: Pick<Config, 'models' | 'passthrough'>,
  pool: Pool,
): readonly EmptyRequest[] | undefined {
  const dialect = dialectOf(pool)
  const isServed = ({ serve }: Pick<Model, 'serve'>) => serve.some(({ name }) => name === pool.name)
  const kinds = new Set(Array.from(models.values(), model => (isServed(model) ? model.kind : undefined)))
  const requests: EmptyRequest[] = []
  for (const kind of kinds) {
    if (kind === undefined || kind === 'passthrough') continue
    const bytes = dialect.body(kind, jsonOf(pool))
    const path = dialect.path({ kind, model: pool.model, stream: false })
    requests.push({ path, body: { contentType: JSON_TYPE, bytes } })
  }
  for (const route of passthrough.values()) {
    // A GET is always empty.
    if (!isServed(route.model) || !route.methods.includes('POST')) continue
    const path = route.name.slice('/v1'.length)
    const body = NEEDS_CONTENT.has(path) ? bodyFor(route, pool) : undefined
    if (!body) return undefined
    requests.push({ path, body })
  }
  return requests
}

/** Paths of OpenAI's API, and of servers that rerank and score, which must refuse an empty request. */
const NEEDS_CONTENT = new Set([
  '/audio/speech',
  '/audio/transcriptions',
  '/audio/translations',
  '/images/edits',
  '/images/variations',
  '/moderations',
  '/rerank',
  '/score',
])

function bodyFor({ accepts }: Passthrough, pool: Pool): PassthroughBody | undefined {
  if (accepts.includes('json')) return { contentType: JSON_TYPE, bytes: jsonOf(pool) }
  return accepts.includes('multipart')
    ? { contentType: `multipart/form-data; boundary=${BOUNDARY}`, bytes: formOf(pool) }
    : undefined
}

const JSON_TYPE = 'application/json'
const jsonOf = ({ model }: Pool): Buffer => Buffer.from(JSON.stringify({ model }))

const BOUNDARY = 'svc-health-check'
const formOf = ({ model }: Pool): Buffer =>
  Buffer.from(
    [`--${BOUNDARY}`, 'content-disposition: form-data; name="model"', '', model, `--${BOUNDARY}--`, ''].join('\r\n'),
  )

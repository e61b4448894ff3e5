import { Buffer } from 'node:buffer'
import type { LoadSettings } from '../../config/settings.ts'
import { type EpochMs, type Millis, type Place, type Pool, placeOf } from '../../policy/config.ts'
import type { Dialect, InferenceKind } from '../../wire/dialect.ts'
import { dialectOf } from '../../wire/dialects.ts'
import { type ExchangeOptions, type ExchangeResult, exchangeOnce } from '../health/exchange-once.ts'
import { type LoadResult, readLoad } from '../load/read-load.ts'
import { poolHeaders, withQuery } from '../pools/headers.ts'
import type { Clock, Probe, Send } from '../ports.ts'
import type { Promised } from './promise.ts'

export interface ReplicaPorts {
  readonly send: Send
  readonly probe: Probe
  readonly clock: Clock
}

/** How deep an examination goes. */
export interface Depth {
  /** Also request answers of models, which may cost money. */
  readonly generate: boolean
  /** An image too. */
  readonly images: boolean
  /** How long each answer may take. */
  readonly limit: Millis
}

/** An answer, as far as there is one. */
export interface Answer extends ExchangeResult {
  readonly body: Buffer
  /** The time limit that applied. */
  readonly limit: Millis
}

/** An answer that is larger has nothing to do with what was asked. */
const MAX_BYTES = 33_554_432
/** Above this many output tokens the longer time limit applies. */
const ORDINARY_OUTPUT = 256
const PATIENCE = 3

/** One replica, as the gateway would speak to it. */
export class ExaminedReplica {
  readonly promised: Promised
  readonly url: string
  readonly #ports: ReplicaPorts
  readonly #limit: Millis
  readonly #clocks: ClockReading[] = []

  constructor(ports: ReplicaPorts, promised: Promised, url: string, limit: Millis) {
    this.#ports = ports
    this.promised = promised
    this.url = url
    this.#limit = limit
  }

  get pool(): Pool {
    return this.promised.pool
  }

  /** How its pool speaks. */
  get dialect(): Dialect {
    return dialectOf(this.pool)
  }

  get host(): string {
    return new URL(this.url).host
  }

  /** The readings of its clock, answer by answer. */
  get clocks(): readonly ClockReading[] {
    return this.#clocks
  }

  /** Asks for a path below its base URL. Never rejects. */
  get(path: string): Promise<Answer> {
    const { probe } = this.#ports
    const { settings } = this.promised
    const { connectTimeout } = settings
    const { origin, pathname } = new URL(this.url)
    const asked = withQuery(`${pathname.replace(/\/$/, '')}${path}`, settings)
    const place = { origin, path: asked, headers: poolHeaders(settings), connectTimeout }
    return this.#asked((fresh, listener) => probe({ ...place, fresh }, listener), this.#limit)
  }

  /** Reads its load once, as the gateway does. Never rejects. */
  load(load: LoadSettings): Promise<LoadResult> {
    const { settings } = this.promised
    return new Promise(resolve => readLoad(this.#ports, { replica: this.url, load, settings }, resolve))
  }

  /**
   * Sends a body in the public form, as of a client, for an answer of so many tokens, which comes in the public form as
   * well. Never rejects.
   */
  async post(
    kind: InferenceKind,
    body: Buffer,
    { output = 0, stream = false, data, dialect = this.dialect }: PostTerms = {},
  ): Promise<Answer> {
    const { send } = this.#ports
    const limit = output > ORDINARY_OUTPUT ? PATIENCE * this.#limit : this.#limit
    const path = dialect.path({ kind, model: this.pool.model, stream })
    const sent = { path, body: dialect.body(kind, body), requestId: REQUEST_ID }
    const request = { pool: this.pool.name, replica: this.url, ...sent }
    const answer = await this.#asked((fresh, listener) => send({ ...request, fresh }, listener), limit, data)
    if (answer.head?.status !== 200) return answer
    return { ...answer, body: dialect.answer(kind, answer.body) ?? NO_ANSWER }
  }

  #asked(send: ExchangeOptions['send'], limit: Millis, data?: ExchangeOptions['data']): Promise<Answer> {
    const { connectTimeout } = this.promised.settings
    const chunks: Buffer[] = []
    let size = 0
    const take = (bytes: Buffer) => {
      size += bytes.length
      if (size <= MAX_BYTES) chunks.push(bytes)
      data?.(bytes)
    }
    return new Promise(resolve => {
      exchangeOnce(this.#ports.clock, { send, connectTimeout, limit, data: take }, result => {
        const reading = clockReading(result)
        if (reading) this.#clocks.push(reading)
        resolve({
          ...result,
          ...(size > MAX_BYTES && { cause: 'answer too large' }),
          body: Buffer.concat(chunks),
          limit,
        })
      })
    })
  }
}

const REQUEST_ID = 'req_doctor'
/** In place of bytes that are no answer in the dialect: what they are in another one does not count. */
const NO_ANSWER = Buffer.alloc(0)

export interface PostTerms {
  /** Tokens of the answer. */
  readonly output?: number
  /** Whether the body asks for a stream. */
  readonly stream?: boolean
  /** Gets the answer as it comes from the backend. */
  readonly data?: ExchangeOptions['data']
  /** In place of the one in which its pool is asked first. */
  readonly dialect?: Dialect
}

/** A reading of a backend's clock, to the second, at some moment between two of ours. */
export interface ClockReading {
  readonly theirs: EpochMs
  readonly from: EpochMs
  readonly to: EpochMs
}

function clockReading({ head, at, headMs = 0 }: ExchangeResult): ClockReading | undefined {
  const theirs = Date.parse(head?.date ?? '')
  return Number.isNaN(theirs) ? undefined : { theirs, from: at, to: at + headMs }
}

/** `policies/pools.yaml:6` */
export const placeText = ({ file, line }: Place): string => `${file}:${line}`

/** The line to write about the provider of a pool, where its profile lacks these facts. */
export function factsToWrite({ pool }: ExaminedReplica, facts: readonly string[]): string {
  const { name } = pool.provider
  const all = [...(name === undefined ? [] : [`is: ${name}`]), ...facts]
  return `Write \`provider: { ${all.join(', ')} }\` in ${placeText(placeOf(pool, 'provider'))}`
}

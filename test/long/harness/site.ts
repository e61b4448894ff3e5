import { setTimeout as sleep } from 'node:timers/promises'
import {
  answer,
  Backend,
  type Exchange,
  json,
  type Seen,
  stream,
  type USAGE,
  writeChunks,
} from '../../support/backend.ts'
import { piecesOf } from './verdict.ts'

/** The backend's instructions, written in the prompt. */
export interface Script {
  /** Before a whole answer. */
  readonly pauseMs?: number
  readonly chunks?: number
  readonly gapMs?: number
  /** The reported usage; half of max_tokens by default. */
  readonly prompt?: number
  readonly completion?: number
  /** The text is `piecesOf` this number in place of always the same. */
  readonly says?: number
  /** Streams wait after their first chunk, until `release`. */
  readonly held?: boolean
}

/** One request as the backend got it. */
export interface Visit {
  /** Milliseconds since the epoch, with fractions. */
  readonly at: number
  readonly requestId: string
  /** The account's label, written in the prompt. */
  readonly label: string
  readonly stream: boolean
  readonly maxTokens: number
  readonly tokens: number
  /** True cost in nano-USD at PRICE. */
  readonly cost: number
  readonly promptTokens: number
  /** A chat, pictures, or sound that is paid by its time: that costs at least the pause before its answer. */
  readonly kind: Kind
  /** Pictures that were made. */
  readonly images: number
  /** When it was over; absent while it runs. */
  until?: number
}

export type Kind = 'chat' | 'images' | 'sound'

/** The price of an image, as `usd_per_image: 0.001`, and of a millisecond of sound, as `usd_per_second: 0.001`. */
export const IMAGE_NANO_USD = 1_000_000
export const MILLISECOND_NANO_USD = 1000

/** Nano-USD per token, as `usd_per_1m: { input: 1, output: 10 }`. */
export const PRICE = { input: 1000, output: 10_000 }
const PROMPT = 10

/** A real backend that logs every request and does what its prompt says. */
export class Site {
  readonly log: Visit[] = []
  readonly #backend = new Backend()
  #released = Promise.resolve()
  #release = () => {}

  static async open(): Promise<Site> {
    const site = new Site()
    site.#backend.always(exchange => site.#serve(exchange))
    await site.#backend.listenAgain()
    return site
  }

  get url(): string {
    return this.#backend.url
  }

  get port(): number {
    return this.#backend.port
  }

  /** Held streams wait from now on. */
  hold(): void {
    this.#released = new Promise(resolve => {
      this.#release = resolve
    })
  }

  /** Lets held streams go on. */
  release(): void {
    this.#release()
  }

  /** As if its process was killed: what is open ends, what comes is refused. */
  kill(): Promise<void> {
    return this.#backend.refuse()
  }

  /** Listens on the same port again. */
  revive(): Promise<void> {
    return this.#backend.listenAgain()
  }

  close(): Promise<void> {
    this.release()
    return this.#backend.close()
  }

  async #serve(exchange: Exchange): Promise<void> {
    const { seen } = exchange
    // Kept for tests of single requests; here it would only grow.
    this.#backend.requests.length = 0
    // A health check of the gateway, which is billed to no client.
    if (promptIn(seen) === GATEWAYS_QUESTION) return answer({ content: 'Hello.' })(exchange)
    const { label, script, kind, maxTokens, images } = read(seen)
    const prompt_tokens = script.prompt ?? PROMPT
    const completion_tokens = Math.min(maxTokens, script.completion ?? Math.ceil(maxTokens / 2))
    const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
    const chat = prompt_tokens * PRICE.input + completion_tokens * PRICE.output
    const visit: Visit = {
      at: performance.timeOrigin + performance.now(),
      requestId: String(seen.headers['x-request-id']),
      label,
      stream: seen.body.stream === true,
      maxTokens,
      tokens: usage.total_tokens,
      cost: { chat, images: images * IMAGE_NANO_USD, sound: (script.pauseMs ?? 0) * MILLISECOND_NANO_USD }[kind],
      promptTokens: prompt_tokens,
      kind,
      images,
    }
    this.log.push(visit)
    try {
      if (kind === 'chat') await this.#answer(exchange, script, usage)
      else await this.#make(exchange, script, images)
    } finally {
      visit.until = performance.timeOrigin + performance.now()
    }
  }

  async #answer(exchange: Exchange, script: Script, usage: typeof USAGE): Promise<void> {
    if (exchange.seen.body.stream !== true) {
      if (script.pauseMs) await sleep(script.pauseMs)
      return answer({ content: script.says === undefined ? 'Hello.' : textOf(script), usage })(exchange)
    }
    const chunks = piecesIn(script)
    if (!script.held) return stream({ chunks, gapMs: script.gapMs ?? 0, usage })(exchange)
    await writeChunks(exchange, { chunks: ['word '] })
    await this.#released
    return stream({ chunks, gapMs: script.gapMs ?? 0, usage, roleChunk: false })(exchange)
  }

  /** Pictures, or sound. */
  async #make(exchange: Exchange, { pauseMs }: Script, images: number): Promise<void> {
    if (pauseMs) await sleep(pauseMs)
    if (images > 0) return json({ created: 1, data: Array(images).fill({ b64_json: PICTURE }) })(exchange)
    exchange.response.writeHead(200, { 'content-type': 'audio/mpeg' }).end('sound')
  }
}

/** As much of a PNG as a gateway looks at. */
const PICTURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1').toString('base64')

/** The expected text of an answer, if it has text. */
export const textOf = (script: Script): string => piecesIn(script).join('')

const piecesIn = ({ says, chunks = 3 }: Script): string[] =>
  says === undefined ? Array.from({ length: chunks }, () => 'word ') : piecesOf(says, chunks)

/** The prompt of a request: whose it is, and what is to be done. */
export const promptOf = (label: string, script: Script): string => JSON.stringify({ label, script })

/** The gateway's health check of a replica that failed (docs/failover.md). */
const GATEWAYS_QUESTION = 'Hi'

const promptIn = ({ body }: Seen): string =>
  body.messages ? (body.messages as [{ content: string }])[0].content : String(body.prompt ?? body.input)

function read(seen: Seen) {
  const asked = JSON.parse(promptIn(seen)) as { label: string; script: Script }
  const { messages, prompt, max_tokens, n } = seen.body
  const kind: Kind = messages ? 'chat' : prompt === undefined ? 'sound' : 'images'
  return { ...asked, kind, maxTokens: Number(max_tokens ?? 0), images: kind === 'images' ? Number(n) : 0 }
}

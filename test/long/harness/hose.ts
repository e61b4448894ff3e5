import { createHash } from 'node:crypto'
import { Backend, chunk, type Exchange, MODEL, SSE_HEADERS, USAGE, write } from '../../support/backend.ts'

const EVENT_BYTES = 4096
const EVENTS_PER_WRITE = 16
/** Those that are sent over and over. */
const WRITES = 64
const FINISH = chunk(MODEL, {}, 'stop')
const DONE = 'data: [DONE]\n\n'
const usage = { id: 'c', object: 'chat.completion.chunk', created: 1, model: MODEL, choices: [], usage: USAGE }

/** One stream as its backend sees it. */
export interface Flow {
  /** Bytes that the kernel took. */
  sent: number
  /** Since when it waits for the kernel to take more, of `performance.now()`. */
  waits: number
  /** The hash of everything that the client should receive; empty while it runs. */
  hash: string
}

/** A backend that streams as fast as it is read, without end until `stop`. */
export class Hose {
  /** Flows by prompt. */
  readonly flows = new Map<string, Flow>()
  readonly #backend = new Backend()
  #stopped = false
  readonly #writes = Array.from({ length: WRITES }, (_, n) =>
    Buffer.from(Array.from({ length: EVENTS_PER_WRITE }, (_, i) => eventOf(n * EVENTS_PER_WRITE + i)).join('')),
  )

  static async open(): Promise<Hose> {
    const hose = new Hose()
    hose.#backend.always(exchange => hose.#stream(exchange))
    await hose.#backend.listenAgain()
    return hose
  }

  get url(): string {
    return this.#backend.url
  }

  start(): void {
    this.#stopped = false
  }

  /** Streams end well after what they are just sending. */
  stop(): void {
    this.#stopped = true
  }

  close(): Promise<void> {
    return this.#backend.close()
  }

  async #stream({ seen, response }: Exchange): Promise<void> {
    this.#backend.requests.length = 0
    const [message] = seen.body.messages as [{ content: string }]
    const flow = { sent: 0, waits: 0, hash: '' }
    this.flows.set(message.content, flow)
    const hash = createHash('sha1')
    const send = async (bytes: Buffer) => {
      hash.update(bytes)
      flow.waits = performance.now()
      await write(response, bytes)
      flow.sent += bytes.length
    }
    response.writeHead(200, SSE_HEADERS)
    await send(Buffer.from(chunk(MODEL, { content: message.content }, null)))
    for (let n = 0; !this.#stopped && !response.destroyed; n++) await send(this.#writes[n % WRITES] ?? Buffer.alloc(0))
    response.end(`${FINISH}data: ${JSON.stringify(usage)}\n\n${DONE}`)
    flow.hash = hash.update(FINISH + DONE).digest('hex')
  }
}

const eventOf = (n: number): string => chunk(MODEL, { content: `${n} ñ€ `.padEnd(EVENT_BYTES - 180, 'word ') }, null)

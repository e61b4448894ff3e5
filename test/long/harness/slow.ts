import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Gateway } from './fleet.ts'

/** How a client keeps a connection without using it. */
export interface Manner {
  readonly name: string
  readonly first: string
  /** Sent every now and then, for ever. */
  readonly more: string
  /** The message before it is cut off, if any. */
  readonly told: string
}

const DRIP_MS = 1000

/** The ways to be slow, each with a key that would be served. */
export const mannersOf = (key: string): readonly Manner[] => {
  const post = `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`
  return [
    { name: 'headers', first: 'GET /v1/models HTTP/1.1\r\nHost: x\r\n', more: 'a: b\r\n', told: ' 408 ' },
    { name: 'a body', first: `${post}Content-Length: 100000\r\n\r\n{`, more: ' ', told: ' 408 ' },
    { name: 'chunks', first: `${post}Transfer-Encoding: chunked\r\n\r\n`, more: '1\r\n \r\n', told: ' 408 ' },
    { name: 'nothing', first: '', more: '', told: ' 408 ' },
    {
      name: 'empty lines after an answer',
      first: 'GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n',
      more: '\r\n',
      told: ' 200 ',
    },
  ]
}

/** One such connection. */
export class SlowClient {
  readonly manner: Manner
  readonly #socket: Socket
  readonly #gone: Promise<void>
  #text = ''
  #timer: NodeJS.Timeout | undefined

  constructor({ url }: Pick<Gateway, 'url'>, manner: Manner) {
    this.manner = manner
    this.#socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' })
    this.#gone = new Promise(resolve => this.#socket.once('close', () => resolve()))
    // Reset while it writes: gone all the same.
    this.#socket.on('error', () => {})
    this.#socket.on('data', chunk => {
      if (this.#text.length < 100) this.#text += chunk.toString('latin1')
    })
  }

  /** Resolves once it is connected and has said its first word. */
  async begin(): Promise<void> {
    await once(this.#socket, 'connect')
    if (this.manner.first) this.#socket.write(this.manner.first)
    if (!this.manner.more) return
    this.#timer = setInterval(() => {
      if (this.#socket.writable) this.#socket.write(this.manner.more)
    }, DRIP_MS)
  }

  /** How long it stayed, in ms, and whether it was told what it had to be told. */
  async end(since: number): Promise<{ readonly ms: number; readonly told: boolean; readonly text: string }> {
    await this.#gone
    clearInterval(this.#timer)
    return { ms: performance.now() - since, told: this.#text.includes(this.manner.told), text: this.#text }
  }
}

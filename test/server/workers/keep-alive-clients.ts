import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface ClientTerms {
  readonly url: () => string
  readonly key: () => string
  readonly count: number
  /** How often the answer is a stream: 0 is never, 1 is always. */
  readonly streams: number
}

/** Between an answer and the next request: clients that ask without a pause take the cores that a new worker starts with. */
const PAUSE_MS = 150

/** Clients that each keep one connection, and ask again and again. */
export class KeepAliveClients {
  /** Why requests got no whole answer. */
  readonly errors: string[] = []
  answered = 0
  readonly #terms: ClientTerms
  readonly #running: readonly Promise<void>[]
  #isOver = false

  constructor(terms: ClientTerms) {
    this.#terms = terms
    this.#running = Array.from({ length: terms.count }, (_, number) => this.#run(number))
  }

  async end(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#running)
  }

  async #run(number: number): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (let turn = 0; !this.#isOver; turn++) {
      const { streams } = this.#terms
      const isStream = streams === 1 || (streams > 0 && (number + turn) % Math.round(1 / streams) === 0)
      try {
        await this.#ask(agent, isStream)
        this.answered++
      } catch (error) {
        this.errors.push(error instanceof Error ? error.message : String(error))
      }
      await sleep(PAUSE_MS)
    }
    agent.destroy()
  }

  #ask(agent: Agent, stream: boolean): Promise<void> {
    const { url, key } = this.#terms
    const headers = { authorization: `Bearer ${key()}`, 'content-type': 'application/json' }
    return new Promise((resolve, reject) => {
      const asked = request(`${url()}/v1/chat/completions`, { method: 'POST', agent, headers }, response => {
        let text = ''
        response.on('data', bytes => {
          text += bytes
        })
        response.on('error', reject)
        response.on('end', () => {
          const isWhole = response.complete && (!stream || text.trimEnd().endsWith('data: [DONE]'))
          if (response.statusCode === 200 && isWhole) resolve()
          else reject(new Error(`${response.statusCode}: ${text.slice(-200)}`))
        })
      })
      asked.on('error', reject)
      asked.end(JSON.stringify({ stream, messages: [{ role: 'user', content: 'Hello' }] }))
    })
  }
}

/** Sends two requests at once on a connection. Resolves with how many were answered before it ended, or once both were. */
export function askTwice(url: string, key: string): Promise<number> {
  const { hostname, port, host } = new URL(url)
  const body = JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }] })
  const one = [
    'POST /v1/chat/completions HTTP/1.1',
    `host: ${host}`,
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
    '',
    body,
  ].join('\r\n')
  return new Promise((resolve, reject) => {
    let text = ''
    const answers = () => text.split('HTTP/1.1 200').length - 1
    const socket = connect(Number(port), hostname, () => socket.write(one + one))
    socket.on('data', bytes => {
      text += bytes
      if (text.split('"finish_reason":"stop"').length > 2) socket.destroy()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(answers()))
  })
}

import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createDemoBackend } from '../../../demo/src/backend.ts'
import { type Behaviour, json, type Seen, status } from '../../support/backend.ts'

/** Numbers in a vector. */
export const DIMENSIONS = 768
/** A PNG of one pixel. */
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** The backend's default behaviour: the demo's answers, made-up vectors, one image. */
export class Models {
  readonly #chat: Server = createDemoBackend({ name: 'test', models: ['test-model'], paceMs: 0, now: () => 1.7e12 })

  async start(): Promise<void> {
    await once(this.#chat.listen(0, '127.0.0.1'), 'listening')
  }

  async stop(): Promise<void> {
    this.#chat.close()
    this.#chat.closeAllConnections()
    await once(this.#chat, 'close')
  }

  readonly answer: Behaviour = exchange => {
    switch (exchange.seen.path) {
      case '/v1/chat/completions':
        return this.#forward(exchange)
      case '/v1/embeddings':
        return embeddings(exchange.seen)(exchange)
      case '/v1/images/generations':
        return images(exchange.seen)(exchange)
      default:
        return status(404, { error: { message: `there is no ${exchange.seen.path} here` } })(exchange)
    }
  }

  readonly #forward: Behaviour = async ({ seen, response }) => {
    const { port } = this.#chat.address() as AddressInfo
    const headers = { 'content-type': 'application/json' }
    const url = `http://127.0.0.1:${port}${seen.path}`
    const answer = await fetch(url, { method: 'POST', headers, body: seen.rawBody })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    if (!answer.body) throw new Error('the demo backend sent no body')
    // A gateway that leaves is counted by the backend itself.
    await pipeline(Readable.fromWeb(answer.body), response).catch(() => {})
  }
}

function embeddings({ body }: Seen): Behaviour {
  const texts = Array.isArray(body.input) ? body.input.map(String) : [String(body.input)]
  const encode = body.encoding_format === 'base64' ? base64 : (vector: readonly number[]) => vector
  const data = texts.map((text, index) => ({ object: 'embedding', index, embedding: encode(vectorOf(text)) }))
  const tokens = texts.length * 4
  return json({ object: 'list', data, model: 'test-model', usage: { prompt_tokens: tokens, total_tokens: tokens } })
}

/** The vector that the backend has for a text: no zeros, no two texts alike, exact as 32-bit floats. */
export function vectorOf(text: string): number[] {
  const seed = Buffer.from(text).reduce((sum, byte, at) => (sum + byte * (at + 1)) % 1024, 0)
  return Array.from({ length: DIMENSIONS }, (_, at) => (1 + ((seed + at) % 1024)) / 1024)
}

const base64 = (vector: readonly number[]): string => Buffer.from(new Float32Array(vector).buffer).toString('base64')

function images({ body }: Seen): Behaviour {
  const n = typeof body.n === 'number' ? body.n : 1
  const usage = { input_tokens: 4, output_tokens: 256 * n, total_tokens: 4 + 256 * n }
  return json({ created: 1_700_000_000, data: Array.from({ length: n }, () => ({ b64_json: PNG })), usage })
}

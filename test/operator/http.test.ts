import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { ask } from '../../src/operator/http.ts'

/** More than sockets and streams hold between two processes. */
const LARGE = 16_777_216

let server: Server | undefined

afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

async function serve(begin: string | Buffer | undefined, ends: boolean): Promise<string> {
  const listening = createServer((_, response) => {
    if (begin) response.write(begin)
    if (ends) response.end()
  }).listen(0, '127.0.0.1')
  server = listening
  await once(listening, 'listening')
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}`
}

async function lengthOf(body: AsyncIterable<Buffer>): Promise<number> {
  let length = 0
  for await (const bytes of body) length += bytes.length
  return length
}

/** Node's timer would fire while a busy machine still waits for the answer, so that the tests fire it by hand. */
const SILENCE = 60_000

it('takes no silence of the reader for one of the server', async () => {
  const answer = await ask(await serve(Buffer.alloc(LARGE), true), { silence: SILENCE })
  await whereUnread(answer)
  answer.socket.emit('timeout')
  expect(await lengthOf(answer)).toBe(LARGE)
})

it('breaks off where the server falls silent in the middle of an answer', async () => {
  const answer = await ask(await serve('some', false), { silence: SILENCE })
  expect(answer.socket.timeout).toBe(SILENCE)
  await expect(silentAfter(4, answer)).rejects.toThrow('no word within 60 s')
})

it('breaks off where the server falls silent once the reader goes on', async () => {
  const answer = await ask(await serve(Buffer.alloc(LARGE), false), { silence: SILENCE })
  await whereUnread(answer)
  answer.socket.emit('timeout')
  expect(answer.socket.timeout).toBe(SILENCE)
  await expect(silentAfter(LARGE, answer)).rejects.toThrow('no word within 60 s')
})

it('breaks off where the server does not begin an answer', async () => {
  await expect(ask(await serve(undefined, false), { silence: 50 })).rejects.toThrow('no word within 0.05 s')
})

async function whereUnread(answer: IncomingMessage): Promise<void> {
  while (answer.readableLength === 0) await new Promise(setImmediate)
}

/** Reads so many bytes, after which node's timer fires. */
async function silentAfter(expected: number, answer: IncomingMessage): Promise<void> {
  let length = 0
  for await (const bytes of answer) {
    length += bytes.length
    if (length === expected) setImmediate(() => answer.socket.emit('timeout'))
  }
}

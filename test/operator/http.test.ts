import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
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

async function serve(begin: string | Buffer, ends: boolean): Promise<string> {
  const listening = createServer((_, response) => {
    response.write(begin)
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

it('takes no silence of the reader for one of the server', async () => {
  const answer = await ask(await serve(Buffer.alloc(LARGE), true), { silence: 1000 })
  await once(answer.socket, 'timeout')
  expect(await lengthOf(answer)).toBe(LARGE)
})

it('breaks off where the server falls silent in the middle of an answer', async () => {
  const answer = await ask(await serve('some', false), { silence: 50 })
  await expect(lengthOf(answer)).rejects.toThrow('no word within 0.05 s')
})

it('breaks off where the server falls silent once the reader goes on', async () => {
  const answer = await ask(await serve(Buffer.alloc(LARGE), false), { silence: 50 })
  await once(answer.socket, 'timeout')
  await expect(lengthOf(answer)).rejects.toThrow('no word within 0.05 s')
})

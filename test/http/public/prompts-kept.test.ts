import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'
import { startTestGateway } from '../../support/gateway.ts'

const STREAMS = 10
const PROMPT_BYTES = 1_000_000

/** A backend that keeps nothing of what it is asked, says a word, and then no more. */
async function startBackend(): Promise<string> {
  const word = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'test-model' }
  const event = JSON.stringify({ ...word, choices: [{ index: 0, delta: { content: 'Well' }, finish_reason: null }] })
  const server = createServer((asked, response) => {
    asked.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`data: ${event}\n\n`)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Live bytes on the JavaScript heap; byte buffers do not count. */
function heapUsed(): number {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  collect()
  collect()
  return process.memoryUsage().heapUsed
}

test('an open stream keeps nothing of a long prompt on the heap, once its answer has begun', async () => {
  const site = await startTestGateway({ onprem: [{ url: `${await startBackend()}/v1` }] })
  const key = await site.key('pro')
  const open = async () => {
    const content = 'long '.repeat(PROMPT_BYTES / 5)
    const body = Buffer.from(JSON.stringify({ stream: true, max_tokens: 10, messages: [{ role: 'user', content }] }))
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const asked = request(`${site.url}/v1/chat/completions`, { method: 'POST', headers })
    asked.on('error', () => {}).end(body)
    const [answer] = await once(asked, 'response')
    const [first] = await once(answer, 'data')
    expect(String(first)).toContain('Well')
    return asked
  }
  const first = await open()
  const before = heapUsed()

  const others = await Promise.all(Array.from({ length: STREAMS }, open))
  const kept = heapUsed() - before

  expect(kept / STREAMS).toBeLessThan(PROMPT_BYTES / 4)
  for (const asked of [first, ...others]) asked.destroy()
  await site.closed(1 + STREAMS)
  await site.close()
})

import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect } from 'vitest'
import { type Behaviour, chunk } from '../../support/backend.ts'
import { gatewayTest as it } from '../../support/gateway-test.ts'

const completion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'test-model',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 },
}
const events = [chunk('test-model', { role: 'assistant', content: 'Hello' }, null), chunk('test-model', {}, 'stop')]
const encoders = { gzip: gzipSync, 'x-gzip': gzipSync, GZIP: gzipSync, deflate: deflateSync, br: brotliCompressSync }

const encoded =
  (type: string, encoding: string, bytes: Buffer): Behaviour =>
  ({ response }) =>
    void response.writeHead(200, { 'content-type': type, 'content-encoding': encoding }).end(bytes)

describe('an answer that its backend compressed', () => {
  it('was not asked for', async ({ backend, gateway, key }) => {
    await (await gateway.chat(key)).text()

    expect(backend.requests[0]?.headers['accept-encoding']).toBe('identity')
  })

  for (const [encoding, encode] of Object.entries(encoders)) {
    it(`is read whole (${encoding})`, async ({ backend, gateway, key }) => {
      backend.next(encoded('application/json', encoding, encode(JSON.stringify(completion))))

      expect(await (await gateway.chat(key)).json()).toEqual(completion)
    })

    it(`is read as a stream (${encoding})`, async ({ backend, gateway, key }) => {
      backend.next(encoded('text/event-stream', encoding, encode(`${events.join('')}data: [DONE]\n\n`)))

      expect(await (await gateway.chat(key, { stream: true })).text()).toBe(`${events.join('')}data: [DONE]\n\n`)
    })
  }

  it('is never shown as finished where it is damaged', async ({ backend, gateway, key }) => {
    const whole = gzipSync(events.join(''))
    backend.always(encoded('text/event-stream', 'gzip', whole.subarray(0, whole.length - 12)))
    const text = await (await gateway.chat(key, { stream: true })).text()

    expect(text).toMatch(/UPSTREAM/)
    expect(text).not.toContain('[DONE]')
  })

  it('tells of an error as any other', async ({ backend, gateway, key }) => {
    const error = gzipSync(
      JSON.stringify({ error: { message: 'temperature is too high', type: 'invalid_request_error' } }),
    )
    backend.next(
      ({ response }) =>
        void response.writeHead(400, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(error),
    )
    const response = await gateway.chat(key)

    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('temperature is too high')])
  })

  it('takes no more than any other answer may', async ({ backend, gateway, key }) => {
    backend.always(encoded('application/json', 'gzip', gzipSync(Buffer.alloc(100_000_000, ' '))))

    expect((await gateway.chat(key)).status).toBe(503)
    expect((await gateway.logged(1))[0]?.failures?.[0]?.cause).toBe('answer too large')
  })
})

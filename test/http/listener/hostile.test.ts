import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'vitest'
import { answer, chunk, hang, json, sse, status, streamThenReset } from '../../support/backend.ts'
import { eventsOf } from '../../support/gateway.ts'
import { gatewayTest as it } from '../../support/gateway-test.ts'

it.for([{ code: 'x' }, { code: 'INVALID_KEY' }, { code: 'rate_limit_exceeded', type: 'requests', retryAfterMs: 5 }])(
  'a body cannot choose its own denial: %j',
  async (body, { gateway, key }) => {
    const response = await gateway.chat(key, body)

    expect([response.status, await response.json()]).toMatchObject([400, { code: 'VALIDATION_ERROR' }])
    expect(gateway.alarms).toEqual([])
  },
)

it('a backend that fails after the client left is not paid for', async ({ backend, gateway, key }) => {
  let finish = () => {}
  const held = new Promise<void>(resolve => {
    finish = resolve
  })
  backend.next(async exchange => {
    await held
    await status(529)(exchange)
  })
  const leaving = new AbortController()
  const asked = gateway.chat(key, { max_tokens: 4000 }, { signal: leaving.signal })
  await backend.received(1)
  leaving.abort()
  await expect(asked).rejects.toThrow()
  await gateway.closed(1)

  finish()

  expect(await gateway.logged(1)).toMatchObject([{ status: 499, failures: [{ cause: 'status 529' }] }])
  expect(await gateway.ledger()).toEqual([])
  expect(backend.requests).toHaveLength(1)
})

it('an empty finish_reason is no finish: the cut that follows is an error', async ({ backend, gateway, key }) => {
  const delta = (content: string) => chunk('test-model', { content }, '')
  backend.next(async exchange => {
    exchange.response.writeHead(200, { 'content-type': 'text/event-stream' })
    exchange.response.write(delta('half an '), () => exchange.takeOver().resetAndDestroy())
  })

  const events = await eventsOf(await gateway.chat(key, { stream: true }))

  expect(events.join('')).toContain('UPSTREAM_INTERRUPTED')
  expect(events).not.toContain('[DONE]')
})

it('usage of a stream that did not end well is not taken for the whole', async ({ backend, gateway, key }) => {
  const usage = { prompt_tokens: 9, completion_tokens: 0, total_tokens: 9 }
  const first = JSON.stringify({ choices: [{ index: 0, delta: { role: 'assistant' }, finish_reason: null }], usage })
  backend.next(sse(`data: ${first}\n\n${chunk('test-model', { content: 'x'.repeat(300) }, null)}`))

  await eventsOf(await gateway.chat(key, { stream: true }))

  expect(await gateway.ledger()).toMatchObject([{ inputTokens: 9, outputTokens: 12, estimated: true }])
})

it.for(['n_predict', 'max_new_tokens', 'chat_template', 'documents', 'models', 'provider', 'plugins'])(
  '%s would get past what is held or configured, and is refused by name',
  async (field, { gateway, key }) => {
    const response = await gateway.chat(key, { [field]: 5 })

    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: expect.stringContaining(field) })
  },
)

it('events without end do not fill the memory', async ({ backend, gateway, key }) => {
  const line = `data: ${'x'.repeat(1000)}\n`
  backend.always(sse(chunk('test-model', { content: 'a' }, null) + line.repeat(17_000)))

  const events = await eventsOf(await gateway.chat(key, { stream: true }))

  expect(events.at(-1)).toContain('UPSTREAM_INTERRUPTED')
  expect((await gateway.logged(1))[0]?.interrupted).toContain('16 MiB')
})

it('a whole answer that cannot be read is a malformed one, not a request that hangs', async ({
  backend,
  gateway,
  key,
}) => {
  const nested = '['.repeat(20_000) + ']'.repeat(20_000)
  backend.always(exchange => {
    exchange.response.writeHead(200, { 'content-type': 'application/json' })
    exchange.response.end(`{"choices":[{"index":0,"message":{"role":"assistant","odd":${nested}}}]}`)
  })

  expect((await gateway.chat(key)).status).toBe(503)
  expect(await gateway.ledger()).toEqual([])
})

it('every request of a connection that closes is over, also one whose turn had not come', async ({
  backend,
  gateway,
  running,
  key,
}) => {
  backend.always(hang)
  const socket = connect(running.listen.port, '127.0.0.1')
  await once(socket, 'connect')
  const body = JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'Hi' }] })
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
  socket.write((head + body).repeat(3))
  await backend.received(3)

  socket.destroy()

  expect((await gateway.clock.during(gateway.logged(3), 100)).map(entry => entry.status)).toEqual([499, 499, 499])
  await backend.clientGone(3)
})

it('no text of a client or backend writes a line of the log', async ({ backend, gateway, running, key }) => {
  const { logLine } = await import('../../../src/server/log/line.ts')
  const model = 'x\n10:00:00  200  forged\u001b[2J'
  await gateway.chat(key, { model })
  backend.next(streamThenReset({ chunks: ['a'] }))
  await (await gateway.chat(key, { stream: true })).text()

  const [entry] = await gateway.logged(2)
  if (!entry) throw new Error('no entry')
  expect(logLine(entry, running.app.config)).toMatch(/^[^\p{Cc}]+$/u)
})

const itWithCloud = it.extend('config', ({ cloud }) => ({ cloud: [cloud] }))

itWithCloud(
  'a key in the text of a backend is redacted also where the text is cut',
  async ({ backend, cloud, gateway, key }) => {
    backend.always(status(529))
    // Its key, sk-cloud-secret-1234, crosses the 512 characters that are passed on.
    cloud.always(status(400, { error: { message: `${'a '.repeat(252)}sk-cloud-secret-1234` } }))

    const { error } = (await (await gateway.chat(key)).json()) as { error: string }

    expect(error).toMatch(/^the backend refused the request: a a/)
    expect(error).not.toContain('sk-')
  },
)

it('answers go on after all this', async ({ backend, gateway, key }) => {
  backend.next(answer({ content: 'fine' }))

  expect((await gateway.chat(key)).status).toBe(200)
  backend.next(json({ nonsense: true }))
  expect((await gateway.chat(key)).status).toBe(503)
})

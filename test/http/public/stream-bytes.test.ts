import { expect, vi } from 'vitest'
import { stream, streamAtOnce } from '../../support/backend.ts'
import { gatewayTest } from '../../support/gateway-test.ts'
import { heldSettlement } from '../../support/held.ts'
import { talk } from '../../support/raw.ts'

const CHUNKS = ['plain', 'modèle', '漢字 😀', 'x'.repeat(5000), 'é'.repeat(5000), '\\"\n']

const it = gatewayTest
  /** Asks for a stream over a socket of its own; the whole of what came. */
  .extend('heard', ({ running, key }) => async (version: '1.0' | '1.1', onData?: () => void) => {
    const body = JSON.stringify({ model: 'svc-core', messages: [{ role: 'user', content: 'Hi' }], stream: true })
    const headers = `Host: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nConnection: close`
    const bytes = `POST /v1/chat/completions HTTP/${version}\r\n${headers}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const { answers, rest } = await talk(running.listen.port, { bytes, ...(onData && { onData }) })
    return { head: answers[0]?.headers, rest: Buffer.from(rest, 'latin1') }
  })

/** The body of chunks that are as they should be, to the last byte. */
function unchunked(bytes: Buffer): string {
  const said: Buffer[] = []
  for (let at = 0; ; ) {
    const line = bytes.indexOf('\r\n', at)
    const size = bytes.toString('latin1', at, line)
    expect(size).toMatch(/^[0-9a-f]+$/)
    const end = line + 2 + Number.parseInt(size, 16)
    expect(bytes.toString('latin1', end, end + 2)).toBe('\r\n')
    if (size === '0') {
      expect(end + 2).toBe(bytes.length)
      return Buffer.concat(said).toString()
    }
    said.push(bytes.subarray(line + 2, end))
    at = end + 2
  }
}

const contentIn = (events: string): string =>
  events
    .split('\n\n')
    .filter(event => event.startsWith('data: {'))
    .map(event => JSON.parse(event.slice(6)).choices[0]?.delta.content ?? '')
    .join('')

it.for<[string, number]>([
  ['comes in pieces', 5],
  ['comes at once', 0],
])(
  'a stream that %s reaches a client of HTTP/1.1 in whole chunks, whatever it says',
  async ([_, gapMs], { backend, heard }) => {
    backend.next(stream({ chunks: CHUNKS, gapMs }))
    const { head, rest } = await heard('1.1')

    expect(head).toMatchObject({ 'transfer-encoding': 'chunked' })
    const events = unchunked(rest)
    expect(contentIn(events)).toBe(CHUNKS.join(''))
    expect(events.endsWith('data: [DONE]\n\n')).toBe(true)
  },
)

it('a stream reaches a client of HTTP/1.0 without chunks, which it does not know', async ({ backend, heard }) => {
  backend.next(stream({ chunks: CHUNKS, gapMs: 5 }))
  const { head, rest } = await heard('1.0')

  expect(head).not.toHaveProperty('transfer-encoding')
  const events = rest.toString()
  expect(events.startsWith('data: {')).toBe(true)
  expect(contentIn(events)).toBe(CHUNKS.join(''))
  expect(events.endsWith('data: [DONE]\n\n')).toBe(true)
})

it('what came together with the end of a stream is sent with it, once it is settled', async ({
  backend,
  gateway,
  running,
  key,
  heard,
}) => {
  const settlement = heldSettlement(running.app.store)
  let pieces = 0
  backend.next(streamAtOnce('Hello'))
  const hearing = heard('1.1', () => pieces++)
  await settlement.asked
  // Bytes written by now would be read before this request is answered.
  await (await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })).text()
  expect(pieces).toBe(0)

  settlement.letGo()
  const events = unchunked((await hearing).rest)
  expect(contentIn(events)).toBe('Hello')
  expect(events.endsWith('data: [DONE]\n\n')).toBe(true)
})

it('what came before the end of a stream does not wait for it', async ({ backend, running, heard }) => {
  const { store } = running.app
  let goOn = () => {}
  backend.next(async ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: {"id":"c","choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":null}]}\n\n')
    await new Promise<void>(resolve => {
      goOn = resolve
    })
    response.end('data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
  })
  const settle = vi.spyOn(store.holds, 'settle')
  const settled: number[] = []
  const { rest } = await heard('1.1', () => {
    settled.push(settle.mock.calls.length)
    goOn()
  })
  expect(settled[0]).toBe(0)
  expect(contentIn(unchunked(rest))).toBe('Hello')
})

import { afterEach, describe, expect, it } from 'vitest'
import { Secret } from '../../../src/config/settings.ts'
import { type Answer, breaksOff, cuts, Door, redirects, says, saysJson } from '../../support/door.ts'
import { type McpServer, startMcpServer, text } from '../../support/mcp-server.ts'
import { closeAll, closing, mcp, Tools } from './fixture.ts'

afterEach(closeAll)

const KEY = new Secret('mcp-key-1')

async function start(): Promise<{ server: McpServer; tools: Tools }> {
  const server = closing(await startMcpServer())
  const tools = closing(new Tools({ echo: mcp(server, { key: KEY }), hang: mcp(server, { tool: 'hang', key: KEY }) }))
  await tools.define('echo')
  return { server, tools }
}

const event = (message: unknown): string => `event: message\ndata: ${JSON.stringify(message)}\n\n`
const idOf = (rawBody: string): unknown => JSON.parse(rawBody).id
const EVENTS = 'text/event-stream'
const answerOf = (rawBody: string, said: string) => ({ jsonrpc: '2.0', id: idOf(rawBody), result: text(said) })

const streams =
  (make: (rawBody: string) => string): Answer =>
  (received, response, request) =>
    says(200, EVENTS, make(received.rawBody))(received, response, request)

const CASES: readonly [string, Answer, string][] = [
  ['HTML', says(200, 'text/html', '<p>Hi</p>'), 'the tool answered something that cannot be read'],
  ['no content type', says(200, undefined, '{}'), 'the tool answered something that cannot be read'],
  [
    'broken JSON',
    says(200, 'application/json', '{"jsonrpc":"2.0","id":'),
    'the tool answered something that cannot be read',
  ],
  [
    'JSON that answers another request',
    saysJson({ jsonrpc: '2.0', id: 99, result: {} }),
    'the tool answered something that cannot be read',
  ],
  ['JSON longer than 1 MiB', saysJson('x'.repeat(1_100_000)), 'the tool answered more than 1 MiB'],
  ['a body that breaks off', breaksOff('application/json', '{"jsonrpc"'), 'the tool could not be reached'],
  ['a stream that breaks off', breaksOff(EVENTS, 'data: {"json'), 'the tool could not be reached'],
  [
    'a stream that ends without an answer',
    says(200, EVENTS, ': hello\n\n'),
    'the tool answered something that cannot be read',
  ],
  [
    'a stream that ends amid an event',
    says(200, EVENTS, 'data: {"jsonrpc":'),
    'the tool answered something that cannot be read',
  ],
  [
    'a stream that answers another request',
    says(200, EVENTS, event({ jsonrpc: '2.0', id: 99, result: {} })),
    'the tool answered something that cannot be read',
  ],
  [
    'an event longer than 1 MiB',
    streams(rawBody => event(answerOf(rawBody, 'x'.repeat(1_100_000)))),
    'the tool answered more than 1 MiB',
  ],
  [
    'a result without content',
    streams(rawBody => event({ jsonrpc: '2.0', id: idOf(rawBody), result: {} })),
    'the tool answered something that cannot be read',
  ],
  ['a cut connection', cuts, 'the tool could not be reached'],
  ['status 500', says(500, 'text/plain', 'at secret.js:1'), 'the tool answered 500'],
  ['status 401', says(401, 'application/json', '{}', { 'www-authenticate': 'Bearer' }), 'the tool answered 401'],
  ['status 404 for ever', says(404, undefined), 'the tool could not be reached'],
  ['a redirect that may turn a POST into a GET', redirects(302, '/mcp'), 'the tool sent the request elsewhere'],
  ['a redirect without an address', says(307, undefined), 'the tool sent the request elsewhere'],
  ['a redirect in circles', redirects(307, '/mcp'), 'the tool sent the request elsewhere'],
]

describe('a call fails in words that name nothing of ours, at once and not for ever, when a server answers with', () => {
  it.each(CASES)('%s', async (_, instead, said) => {
    const { server, tools } = await start()
    server.instead = instead
    expect(await tools.call('echo', { text: 'x' })).toMatchObject({ text: said, failed: true })
    server.instead = undefined
    expect(await tools.call('echo', { text: 'again' })).toEqual({ text: 'again', failed: false })
    expect(tools.alarms.map(({ message }) => message)).toEqual(['a hosted tool fails', 'a hosted tool works again'])
  })
})

it('an answer after a truncated event, in the same stream, counts', async () => {
  const { server, tools } = await start()
  server.instead = streams(rawBody => `data: {"js\n\n${event(answerOf(rawBody, 'here'))}`)
  expect(await tools.call('echo')).toEqual({ text: 'here', failed: false })
})

it('a redirect within the origin is followed, with the key', async () => {
  const { server, tools } = await start()
  let redirected = false
  server.instead = (received, response, request) => {
    if (redirected) return streams(rawBody => event(answerOf(rawBody, 'there')))(received, response, request)
    redirected = true
    return redirects(307, '/other')(received, response, request)
  }
  expect(await tools.call('echo')).toEqual({ text: 'there', failed: false })
  expect(server.requests.find(({ path }) => path === '/other')?.headers.authorization).toBe('Bearer mcp-key-1')
})

it.each([301, 302, 303, 307, 308])('a redirect to another origin is not followed: %i', async status => {
  const { server, tools } = await start()
  const other = closing(new Door(saysJson({})))
  await other.open()
  server.instead = redirects(status, `${other.origin}/mcp`)
  expect(await tools.call('echo')).toMatchObject({ failed: true, text: 'the tool sent the request elsewhere' })
  expect(other.requests).toEqual([])
})

it('an SSE server that names an endpoint at another origin is not spoken to there', async () => {
  const other = closing(new Door(saysJson({})))
  await other.open()
  const server = closing(new Door(says(200, EVENTS, `event: endpoint\ndata: ${other.origin}/messages\n\n`)))
  await server.open()
  const tools = closing(new Tools({ echo: mcp({ url: `${server.origin}/sse` }, { transport: 'sse', key: KEY }) }))
  expect(await tools.call('echo')).toMatchObject({ failed: true })
  expect(other.requests).toEqual([])
})

it('an SSE server that never names an endpoint is given up after 10 s', async () => {
  const server = closing(
    new Door((_, response) => response.writeHead(200, { 'content-type': EVENTS }).write(': hello\n\n')),
  )
  await server.open()
  const tools = closing(new Tools({ echo: mcp({ url: `${server.origin}/sse` }, { transport: 'sse' }) }))
  const call = tools.call('echo')
  await server.until(() => server.requests.length === 1)
  tools.clock.advance(10_000)
  expect(await call).toEqual({ text: 'the tool could not be reached', failed: true, free: true })
  await server.until(() => server.aborted === 1)
})

it('an event longer than 1 MiB on an SSE stream ends the session, and the next call opens another', async () => {
  const server = closing(await startMcpServer({ transport: 'sse' }))
  const tools = closing(
    new Tools(Object.fromEntries(['echo', 'huge'].map(tool => [tool, mcp(server, { tool, transport: 'sse' })]))),
  )
  expect(await tools.call('huge', { bytes: 2_000_000 })).toEqual({
    text: 'the tool answered more than 1 MiB',
    failed: true,
    free: true,
  })
  expect(await tools.call('echo', { text: 'x' })).toEqual({ text: 'x', failed: false })
  expect(server.opened).toBe(2)
})

it('a server that forgets every session is asked twice, not for ever', async () => {
  const { server, tools } = await start()
  let calls = 0
  server.instead = (_, response) => {
    calls++
    response.writeHead(404).end()
  }
  await tools.call('echo')
  expect(calls).toBe(2)
})

it('calls under way on a session end well although another call finds it forgotten', async () => {
  const { server, tools } = await start()
  const hanging = tools.call('hang')
  await server.until(() => server.calls.length === 1)
  server.instead = says(400, undefined)
  await tools.call('echo')
  server.instead = undefined
  server.release()
  expect(await hanging).toEqual({ text: 'released', failed: false })
})

it('controls, half characters and marks of terminals are taken out of a result', async () => {
  const { server, tools } = await start()
  server.tools.set('echo', { run: () => text('a\u0000b\u001b[31mc\r\nd\te\u009bf\ud83d!') })
  expect((await tools.call('echo')).text).toBe('ab[31mc\nd\tef\ufffd!')
})

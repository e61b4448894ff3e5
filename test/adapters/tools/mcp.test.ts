import { afterEach, describe, expect, it } from 'vitest'
import { Secret } from '../../../src/config/settings.ts'
import { type McpServerOptions, startMcpServer, text } from '../../support/mcp-server.ts'
import { closeAll, closing, mcp, Tools } from './fixture.ts'

afterEach(closeAll)

const WAYS: readonly [string, McpServerOptions][] = [
  ['streamable HTTP with sessions', {}],
  ['streamable HTTP with sessions, answering in JSON', { json: true }],
  ['streamable HTTP with sessions, without a stream of its own', { listens: false }],
  ['streamable HTTP without sessions', { sessions: false }],
  ['streamable HTTP without sessions, answering in JSON', { sessions: false, json: true }],
  ['SSE', { transport: 'sse' }],
]

describe.each(WAYS)('over %s', (_, options) => {
  const start = async (more: McpServerOptions = {}) => {
    const server = closing(await startMcpServer({ ...options, ...more }))
    const names = ['echo', 'fail', 'hang', 'huge', 'image', 'structured', 'missing'] as const
    const { transport = 'streamable_http' } = options
    const key = new Secret('mcp-key-1')
    const tools = closing(
      new Tools(Object.fromEntries(names.map(tool => [tool, mcp(server, { tool, transport, key })]))),
    )
    return { server, tools }
  }

  it('a tool is told as the server tells it', async () => {
    const { tools } = await start()
    expect(await tools.define('echo')).toEqual({
      description: 'Says what it is told.',
      parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    })
  })

  it('a call has the result that the server gives', async () => {
    const { server, tools } = await start()
    expect(await tools.call('echo', { text: 'hello' })).toEqual({ text: 'hello', failed: false })
    expect(server.calls).toEqual([{ tool: 'echo', args: { text: 'hello' }, cancelled: false }])
  })

  it('a failure of the tool is a failed result with its text', async () => {
    const { tools } = await start()
    expect(await tools.call('fail')).toEqual({ text: 'no luck', failed: true })
  })

  it('what is no text is marked, and structured content stands in for missing text', async () => {
    const { tools } = await start()
    expect((await tools.call('image')).text).toBe('a picture:\n[image/png left out]\nand notes\n[link left out]')
    expect(await tools.call('structured')).toEqual({ text: '{"sum":3}', failed: false })
  })

  it('an error of the protocol is a failed result', async () => {
    const { tools } = await start()
    expect(await tools.call('missing')).toEqual({
      text: 'the tool answered with an error: there is no tool missing',
      failed: true,
    })
  })

  it('every request carries the key of the server, and none anything else of ours', async () => {
    const { server, tools } = await start({ key: 'mcp-key-1' })
    expect((await tools.call('echo', { text: 'x' })).failed).toBe(false)
    const others = server.requests.flatMap(({ headers }) => Object.keys(headers)).filter(name => !KNOWN.has(name))
    expect(others).toEqual([])
    expect(new Set(server.requests.map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer mcp-key-1']))
  })

  it('many calls at once share one session', async () => {
    const { server, tools } = await start()
    const texts = Array.from({ length: 20 }, (_, n) => `call ${n}`)
    const results = await Promise.all(texts.map(each => tools.call('echo', { text: each })))
    expect(results.map(result => result.text)).toEqual(texts)
    if (options.sessions !== false) expect(server.opened).toBe(1)
  })

  it('an aborted call is given up at once, and its server sees that', async () => {
    const { server, tools } = await start()
    const controller = new AbortController()
    const call = tools.call('hang', {}, controller.signal)
    await server.until(() => server.calls.length === 1)
    controller.abort()
    expect(await call).toMatchObject({ failed: true, text: 'the tool was given up before it answered' })
    await server.until(() => server.calls[0]?.cancelled === true)
    expect(tools.alarms).toEqual([])
  })

  it('the session survives an aborted call', async () => {
    const { server, tools } = await start()
    const controller = new AbortController()
    const call = tools.call('hang', {}, controller.signal)
    await server.until(() => server.calls.length === 1)
    controller.abort()
    await call
    expect((await tools.call('echo', { text: 'still here' })).text).toBe('still here')
    if (options.sessions !== false) expect(server.opened).toBe(1)
  })

  it('a result of more than 1 MiB fails', async () => {
    const { tools } = await start()
    expect(await tools.call('huge', { bytes: 1_100_000 })).toMatchObject({
      failed: true,
      text: expect.stringMatching(/more than 1 MiB|could not be reached/),
    })
    expect((await tools.call('echo', { text: 'and on' })).text).toBe('and on')
  })

  it('a connection that breaks while a tool runs is a failed result', async () => {
    const { server, tools } = await start()
    const call = tools.call('hang')
    await server.until(() => server.calls.length === 1)
    server.refuse()
    expect(await call).toEqual({ text: 'the tool could not be reached', failed: true, free: true })
  })

  it('a server that comes back is used again after a rest', async () => {
    const { server, tools } = await start()
    expect((await tools.call('echo', { text: '1' })).text).toBe('1')
    server.refuse()
    expect(await tools.call('echo', { text: '2' })).toEqual({
      text: 'the tool could not be reached',
      failed: true,
      free: true,
    })
    expect(await tools.call('echo', { text: '3' })).toEqual({
      text: 'the tool could not be reached',
      failed: true,
      free: true,
    })
    await server.listenAgain()
    tools.clock.advance(5000)
    expect(await tools.call('echo', { text: '4' })).toEqual({ text: '4', failed: false })
  })

  it('a session that the server forgot is made again, once, and the call is repeated', async () => {
    const { server, tools } = await start()
    await tools.call('echo', { text: '1' })
    await server.forget()
    if (options.transport === 'sse') await new Promise(resolve => setTimeout(resolve, 50))
    expect(await tools.call('echo', { text: '2' })).toEqual({ text: '2', failed: false })
    expect(server.opened).toBe(options.sessions === false ? 0 : 2)
    expect(server.calls).toHaveLength(2)
  })

  it('closing ends the session, after the calls that still run', async () => {
    const { server, tools } = await start()
    const call = tools.call('hang')
    await server.until(() => server.calls.length === 1)
    tools.close()
    server.release()
    expect(await call).toEqual({ text: 'released', failed: false })
    const asked = server.requests.length
    if (options.sessions !== false && options.transport !== 'sse')
      await server.until(() => server.requests.some(({ method }) => method === 'DELETE'))
    expect(server.requests.length).toBeGreaterThanOrEqual(asked)
  })
})

const KNOWN = new Set([
  ...['accept', 'accept-encoding', 'authorization', 'connection', 'content-length', 'content-type', 'host'],
  ...['mcp-protocol-version', 'mcp-session-id'],
])

it('tools of one server share a session, those with another key or transport do not', async () => {
  const server = closing(await startMcpServer())
  const other = mcp(server, { key: new Secret('other') })
  const tools = closing(new Tools({ a: mcp(server), b: mcp(server, { tool: 'image' }), c: other }))
  for (const name of ['a', 'b', 'c']) await tools.call(name, { text: name })
  expect(server.opened).toBe(2)
})

it('opening tools connects to nothing', async () => {
  const server = closing(await startMcpServer())
  closing(new Tools({ echo: mcp(server) }))
  await new Promise(setImmediate)
  expect(server.requests).toEqual([])
})

it('a result longer than max_result_bytes ends with a mark of what was left out', async () => {
  const server = closing(await startMcpServer())
  server.tools.set('echo', { run: () => text('é'.repeat(1000)) })
  const tools = closing(new Tools({ echo: mcp(server, { maxResultBytes: 101 }) }))
  const result = await tools.call('echo')
  expect(result).toEqual({ text: `${'é'.repeat(39)}\n[1922 bytes left out]`, failed: false })
  expect(Buffer.byteLength(result.text)).toBeLessThanOrEqual(101)
})

it('a server is offered no capability', async () => {
  const server = closing(await startMcpServer())
  const tools = closing(new Tools({ echo: mcp(server) }))
  await tools.define('echo')
  const [first] = server.requests
  expect(JSON.parse(first?.rawBody ?? '')).toMatchObject({ method: 'initialize', params: { capabilities: {} } })
})

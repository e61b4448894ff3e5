import { afterEach, expect, it } from 'vitest'
import { Door, hangs, says } from '../../support/door.ts'
import { type McpServerOptions, startMcpServer, text } from '../../support/mcp-server.ts'
import { closeAll, closing, mcp, Tools } from './fixture.ts'

afterEach(closeAll)

async function start(options: McpServerOptions = {}) {
  const server = closing(await startMcpServer(options))
  const { transport = 'streamable_http' } = options
  const tools = closing(
    new Tools({
      echo: mcp(server, { transport }),
      own: mcp(server, { transport, description: 'Ours.' }),
      late: mcp(server, { transport, tool: 'late' }),
    }),
  )
  return { server, tools }
}

const described = async (tools: Tools, name = 'echo') => (await tools.define(name))?.description
const describe = (description: string) => ({ description, run: () => text('') })

it('many defines at once, of all tools of a server, ask for its list once', async () => {
  const { server, tools } = await start()
  const told = await Promise.all(Array.from({ length: 10 }, (_, n) => tools.define(n % 2 ? 'echo' : 'own')))
  expect(told.every(each => each !== undefined)).toBe(true)
  expect([server.lists, server.opened]).toEqual([1, 1])
})

it('a configured description takes the place of what the server says', async () => {
  const { tools } = await start()
  expect(await tools.define('own')).toMatchObject({ description: 'Ours.', parameters: { required: ['text'] } })
})

it('a tool on a later page is found', async () => {
  const { server, tools } = await start({ pageSize: 2 })
  server.tools.set('late', describe('The last.'))
  expect(await described(tools, 'late')).toBe('The last.')
})

it('a list that never ends is read for 20 pages', async () => {
  const { server, tools } = await start({ pageSize: 1 })
  for (let n = 0; n < 50; n++) server.tools.set(`more-${n}`, describe(''))
  server.tools.set('late', describe('Too late.'))
  expect(await tools.define('late')).toBeUndefined()
  expect(server.lists).toBe(20)
})

it('a list is believed for five minutes, then read again behind the request', async () => {
  const { server, tools } = await start()
  await tools.define('echo')
  server.tools.set('echo', describe('New.'))
  tools.clock.advance(299_000)
  expect(await described(tools)).toBe('Says what it is told.')
  expect(server.lists).toBe(1)
  tools.clock.advance(1000)
  expect(await described(tools)).toBe('Says what it is told.')
  await server.until(() => server.lists === 2)
  await expect.poll(() => described(tools)).toBe('New.')
  expect(server.lists).toBe(2)
})

it.each([{}, { json: true }, { transport: 'sse' }] as const)(
  'a server that says its tools have changed is asked again: %o',
  async options => {
    const { server, tools } = await start(options)
    await tools.define('echo')
    if (!('transport' in options)) await server.until(() => server.requests.some(({ method }) => method === 'GET'))
    await new Promise(setImmediate)
    server.tools.set('echo', describe('New.'))
    await server.changed()
    await expect.poll(() => described(tools)).toBe('New.')
    expect(server.lists).toBe(2)
  },
)

it('a tool that the server does not list is undefined, with one alarm, and another when it is there', async () => {
  const { server, tools } = await start()
  expect(await tools.define('late')).toBeUndefined()
  expect(await tools.define('late')).toBeUndefined()
  expect(tools.alarms).toEqual([
    { message: 'a hosted tool cannot be offered', tool: 'late', cause: 'the server lists no such tool' },
  ])
  server.tools.set('late', describe('Here.'))
  tools.clock.advance(300_000)
  await expect.poll(() => described(tools, 'late')).toBe('Here.')
  expect(tools.alarms.slice(1)).toEqual([{ message: 'a hosted tool can be offered again', tool: 'late' }])
})

it.each([
  ['of a string', { type: 'string' }],
  ['that is an array', []],
  ['that is text', 'object'],
  ['longer than 64 KiB', { type: 'object', title: 'x'.repeat(65_536) }],
  ['nested deeper than 64 levels', { type: 'object', not: nested(64) }],
])('a tool with a schema %s is undefined, and the others of its server are not', async (_, inputSchema) => {
  const { server, tools } = await start()
  server.tools.set('late', { ...describe(''), inputSchema })
  expect(await tools.define('late')).toBeUndefined()
  expect(tools.alarms).toMatchObject([{ tool: 'late', cause: expect.stringContaining('its input schema is') }])
  expect(await described(tools)).toBe('Says what it is told.')
})

function nested(levels: number): unknown {
  return levels === 0 ? {} : { not: nested(levels - 1) }
}

it('a description is cut at 8 KiB, and clean', async () => {
  const { server, tools } = await start()
  server.tools.set('echo', describe(`\u001b${'é'.repeat(5000)}`))
  const description = (await described(tools)) ?? ''
  expect(Buffer.byteLength(description)).toBeLessThanOrEqual(8192)
  expect(description).toMatch(/^é+\n\[\d+ bytes left out\]$/)
})

it('a server that was never reached leaves its tools undefined, is left alone for 5 s, and then asked again', async () => {
  const { server, tools } = await start()
  server.refuse()
  for (let n = 0; n < 5; n++) expect(await tools.define('echo')).toBeUndefined()
  const message = 'the tools of an MCP server cannot be learnt: are its address and key right?'
  expect(tools.alarms).toMatchObject([{ message, server: server.door.origin }])
  await server.listenAgain()
  expect(await tools.define('echo')).toBeUndefined()
  expect(server.requests).toEqual([])
  tools.clock.advance(5000)
  expect(await described(tools)).toBe('Says what it is told.')
  expect(tools.alarms.slice(1)).toEqual([
    { message: 'the tools of an MCP server can be learnt again', server: server.door.origin },
  ])
})

it.each([{}, { transport: 'sse' }] as const)('what was learnt is kept while the server is down: %o', async options => {
  const { server, tools } = await start(options)
  await tools.define('echo')
  server.refuse()
  for (let n = 0; n < 3; n++) {
    tools.clock.advance(300_000)
    expect(await described(tools)).toBe('Says what it is told.')
    await expect.poll(() => tools.alarms.length).toBe(1)
  }
  server.tools.set('echo', describe('New.'))
  await server.listenAgain()
  // Calls made while it was down may fail only now.
  await expect
    .poll(() => {
      tools.clock.advance(5000)
      return described(tools)
    })
    .toBe('New.')
  expect(tools.alarms).toHaveLength(2)
})

it('a server that says nothing is given up after 10 s, once for all who wait, and not waited for again', async () => {
  const door = closing(new Door(hangs))
  await door.open()
  const tools = closing(new Tools({ echo: mcp({ url: door.origin }) }))
  const told = [tools.define('echo'), tools.define('echo')]
  await door.until(() => door.requests.length === 1)
  tools.clock.advance(10_000)
  expect(await Promise.all(told)).toEqual([undefined, undefined])
  expect(await tools.define('echo')).toBeUndefined()
  expect(door.requests).toHaveLength(1)
})

it('whoever leaves does not wait, and those who stay are told', async () => {
  const { server, tools } = await start()
  const controller = new AbortController()
  const left = tools.define('echo', controller.signal)
  const stayed = tools.define('echo')
  controller.abort()
  expect(await left).toBeUndefined()
  expect(await stayed).toBeDefined()
  expect(server.lists).toBe(1)
})

it.each([
  ['a key is refused', 401],
  ['nothing is at the address', 404],
])('%s: the operator is told once', async (_, status) => {
  const door = closing(new Door(says(status, undefined)))
  await door.open()
  const tools = closing(new Tools({ echo: mcp({ url: door.origin }) }))
  for (let n = 0; n < 3; n++) {
    expect(await tools.define('echo')).toBeUndefined()
    expect(await tools.call('echo')).toMatchObject({ failed: true })
    tools.clock.advance(5000)
  }
  expect(tools.alarms).toMatchObject([{ cause: `it answers ${status}` }])
})

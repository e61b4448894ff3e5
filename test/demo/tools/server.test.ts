import { once } from 'node:events'
import type { Server } from 'node:http'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { docsServer } from '../../../demo/src/tools/mcp.ts'
import { createToolServer } from '../../../demo/src/tools/server.ts'
import { post } from '../support.ts'

let server: Server
let url: string
let client: Client
beforeAll(async () => {
  const docs = docsServer(fileURLToPath(new URL('../../..', import.meta.url)), '1.2.3')
  server = createToolServer(async () => docs)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  client = await connected()
})
afterAll(async () => {
  await client.close()
  server.close()
  server.closeAllConnections()
})

test('an MCP client learns of one tool, search, and of its arguments', async () => {
  const { tools } = await client.listTools()

  expect(client.getServerVersion()).toMatchObject({ name: 'svc-gateway-docs', version: '1.2.3' })
  expect(tools.map(({ name }) => name)).toEqual(['search'])
  expect(tools[0]?.inputSchema).toMatchObject({
    required: ['query'],
    properties: { query: { type: 'string' }, limit: { type: 'integer', minimum: 1, maximum: 5 } },
  })
})

test('a hit has a heading, a file and a passage, and there are no more than were asked for', async () => {
  const text = await search({ query: 'how does failover work?', limit: 2 })

  expect(text).toMatch(/^1\. .+ \(\S+\.md\)\n.+[\s\S]+\n\n2\. .+ \(\S+\.md\)\n/)
  expect(text).not.toContain('\n\n3. ')
  expect(await search({ query: 'zyzzyva' })).toBe('Nothing in the documentation has a word of "zyzzyva".')
})

test.each([
  [{}, 'query must be a text of 1 to 500 characters'],
  [{ query: ' ' }, 'query must be'],
  [{ query: 'keys', limit: 6 }, 'limit must be an integer from 1 to 5'],
  [{ query: 'keys', limit: 1.5 }, 'limit must be'],
])('arguments %j are an error of the call that says why: %s', async (args, why) => {
  const result = await client.callTool({ name: 'search', arguments: args })

  expect(result).toMatchObject({ isError: true, content: [{ type: 'text', text: expect.stringContaining(why) }] })
})

test('a tool that is not there is an error of the protocol', async () => {
  await expect(client.callTool({ name: 'find' })).rejects.toThrow('there is no tool find')
})

test('clients do not wait for each other, nor for one that has left', async () => {
  const leaving = new AbortController()
  const left = fetch(`${url}/mcp`, { method: 'POST', body: '{', signal: leaving.signal }).catch(() => 'left')
  leaving.abort()
  const others = await Promise.all(Array.from({ length: 8 }, connected))

  const found = await Promise.all(others.map(other => other.callTool({ name: 'search', arguments: { query: 'keys' } })))
  await Promise.all(others.map(other => other.close()))

  expect(await left).toBe('left')
  expect(new Set(found.map(result => JSON.stringify(result.content))).size).toBe(1)
})

test('units are converted over HTTP', async () => {
  const { response, body } = await post(`${url}/convert`, { amount: 5, from: 'miles', to: 'km' })

  expect(response.status).toBe(200)
  expect(body).toEqual({ amount: 8.04672, unit: 'km', text: '5 mi = 8.04672 km' })
})

test.each<[object | string, number, string]>([
  [{ amount: 5, from: 'furlongs', to: 'km' }, 422, 'the unit "furlongs" is not known; known are lengths (m,'],
  [{ amount: 5, from: 'km', to: 'kg' }, 422, 'km is a unit of lengths'],
  [{}, 422, 'the body must be {"amount"'],
  ['not JSON', 400, 'the body is not JSON'],
  ['1'.repeat(20_000), 413, 'the body is too large'],
])('a conversion of %j is refused with %d', async (request, status, start) => {
  const { response, body } = await post<{ error: string }>(`${url}/convert`, request)

  expect(response.status).toBe(status)
  expect(body.error.slice(0, start.length)).toBe(start)
})

test.each([
  ['GET', '/mcp', {}, 405],
  ['DELETE', '/mcp', {}, 405],
  ['GET', '/convert', {}, 405],
  ['POST', '/', {}, 404],
  ['POST', '/mcp', { origin: 'http://evil.example' }, 403],
  ['POST', '/convert', { origin: 'http://localhost:8080' }, 403],
])('%s %s with %j is answered with %d', async (method, path, headers, status) => {
  const response = await fetch(`${url}${path}`, { method, headers })

  expect(response.status).toBe(status)
})

async function connected(): Promise<Client> {
  const one = new Client({ name: 'test', version: '0' })
  await one.connect(transport())
  return one
}

function transport() {
  return new StreamableHTTPClientTransport(new URL(`${url}/mcp`))
}

async function search(args: Record<string, unknown>): Promise<string> {
  const result = await client.callTool({ name: 'search', arguments: args })
  const [content] = Array.isArray(result.content) ? result.content : []
  return content?.text
}

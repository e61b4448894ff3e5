import http from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { adminEndpoints } from '../../../src/http/admin/admin.ts'
import { publicEndpoints } from '../../../src/http/public/public.ts'
import { HEAD_BYTES_MAX, HEADER_GROUPS } from '../../../src/wire/response-headers.ts'
import { refusal, startBackend, status } from '../../support/backend.ts'
import { ADMIN_TOKEN, ENV } from '../../support/gateway.ts'
import { openSocket, SocketBackend } from '../../support/socket-backend.ts'
import { Dialects } from '../dialects/fixture.ts'
import { startPassing } from '../passthrough/fixture.ts'
import { startLive } from '../sessions/fixture.ts'

/** Headers that node and ws add, with their maximum length. */
const NODES: Readonly<Record<string, number>> = {
  date: 29,
  'keep-alive': 16,
  'transfer-encoding': 7,
  connection: 10,
}
const BOUNDS = new Map([
  ...Object.entries(NODES),
  ...Object.values(HEADER_GROUPS)
    .flatMap(group => Object.entries(group))
    .map(([name, most]): [string, number] => [name.replace('*', 'svc'), most]),
])

/** Headers without a bound, or beyond theirs. */
function unbounded(head: Readonly<Record<string, string | readonly string[] | undefined>>, statusLine = ''): string[] {
  const entries = Object.entries(head).map(([name, value]) => [name, String(value)] as const)
  const bytes = entries.reduce((sum, [name, value]) => sum + name.length + value.length + 4, statusLine.length + 4)
  const wrong = entries.flatMap(([name, value]) => {
    const most = BOUNDS.get(name)
    if (most === undefined) return [`${name} has no bound`]
    return value.length > most ? [`${name} has ${value.length} characters, of ${most}`] : []
  })
  return bytes > HEAD_BYTES_MAX ? [...wrong, `the head has ${bytes} bytes`] : wrong
}

interface Asked {
  readonly method: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object | undefined
}

/** The head of an answer; the rest of it is not waited for. */
const headOf = (url: string, { method, headers, body }: Asked) =>
  new Promise<{ status: number; wrong: string[]; headers: http.IncomingHttpHeaders }>((resolve, reject) => {
    const bytes = body === undefined ? undefined : JSON.stringify(body)
    const sent = http.request(
      url,
      {
        method,
        headers: {
          ...headers,
          ...(bytes && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(bytes) }),
        },
        agent: false,
      },
      response => {
        const { statusCode = 0, statusMessage = '' } = response
        resolve({
          status: statusCode,
          wrong: unbounded(response.headers, `HTTP/1.1 ${statusCode} ${statusMessage}\r\n`),
          headers: response.headers,
        })
        response.resume()
        // Feeds do not end.
        if (!response.headers['content-length']) response.destroy()
      },
    )
    sent.on('error', reject)
    sent.end(bytes)
  })

const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))
const LONG = 'n'.repeat(1000)
/** The most and longest names that fit into a request's head. */
const asksForMuch = {
  'access-control-request-method': 'POST',
  'access-control-request-headers': many(350, i => `x-header-number-${i}-of-a-page`).join(','),
}

let site: Dialects
beforeAll(async () => {
  site = await Dialects.start(`responses: { keep: 1h, key: "\${RESPONSES_KEY}" }\n`, {
    env: { ...ENV, RESPONSES_KEY: '0'.repeat(64) },
  })
})
afterAll(() => site.close())

const rows = [
  ...publicEndpoints.map(row => ({ ...row, door: 'public' as const })),
  ...adminEndpoints.map(row => ({ ...row, door: 'admin' as const })),
].map(({ method, path, door }) => [method, path, door] as const)

describe('the head of every answer is bounded:', () => {
  it.each(rows)('%s %s, %s', async (method, path, door) => {
    const base = door === 'public' ? site.test.url : site.test.admin
    const token = door === 'public' ? site.key : ADMIN_TOKEN
    const headers = { authorization: `Bearer ${token}`, 'x-svcctl-user': 'ada', 'accept-encoding': 'br, gzip' }
    const named = path.replace('{id}', LONG)
    const body = method === 'POST' ? { [LONG]: LONG } : undefined

    for (const url of [named, path.replace('{id}', 'svc-core'), `${named}?${LONG}=${LONG}`])
      expect((await headOf(base + url, { method, headers, body })).wrong).toEqual([])
    expect((await headOf(base + named, { method, body })).wrong, 'without a key').toEqual([])
    expect((await headOf(base + named, { method: 'OPTIONS', headers: asksForMuch })).wrong, 'OPTIONS').toEqual([])
  })

  it.each(['/', `/${LONG}`, `/v1/${LONG}?${LONG}`])('a path that is not served, %s', async path => {
    expect((await headOf(site.test.url + path, { method: 'GET' })).wrong).toEqual([])
  })
})

const tool = { name: 'mine', input_schema: { type: 'object' }, parameters: { type: 'object' } }
const manyFields = Object.fromEntries(many(250, i => `field_${i}_${'x'.repeat(40)}`).map(name => [name, 1]))
const said = { messages: [{ role: 'user', content: 'Hi' }], input: 'Hi', max_tokens: 16 }

describe('the head of an answer to a request is bounded, whatever it names:', () => {
  it.each([
    ['chat/completions', 'fields', { messages: said.messages, seed: 1, logprobs: true, top_logprobs: 2 }],
    [
      'messages',
      '32 types of tools',
      {
        ...said,
        tools: [...many(32, i => `t${i}_${'x'.repeat(50)}_20250101`).map(type => ({ type, name: type })), tool],
      },
    ],
    ['messages', '250 fields', { ...said, ...manyFields }],
    [
      'responses',
      '32 types of tools',
      {
        input: 'Hi',
        tools: [
          ...many(32, i => `web_search_${i}_${'x'.repeat(40)}`).map(type => ({ type })),
          { type: 'function', ...tool },
        ],
      },
    ],
    ['responses', '250 fields', { input: 'Hi', ...manyFields }],
    ['embeddings', 'a long model', { input: 'Hi', model: LONG }],
    ['images/generations', 'a long prompt', { prompt: LONG, model: 'svc-image' }],
  ])('POST /v1/%s with %s', async (path, _what, body) => {
    const headers = { authorization: `Bearer ${site.key}` }
    for (const isStream of [false, true]) {
      const head = await headOf(`${site.test.url}/v1/${path}`, {
        method: 'POST',
        headers,
        body: { model: 'svc-core', stream: isStream, ...body },
      })
      expect(head.wrong).toEqual([])
    }
  })

  it.each([
    ['messages', many(400, i => ({ type: `tool${i}_20250101`, name: `n${i}` }))],
    ['responses', many(400, i => ({ type: `web_search_${i}` }))],
  ])('POST /v1/%s with 400 types of tools is refused', async (path, tools) => {
    const mine = path === 'responses' ? { type: 'function', ...tool } : tool
    const response = await site.ask(path as 'messages', { model: 'svc-core', ...said, tools: [...tools, mine] })

    expect([response.status, unbounded(Object.fromEntries(response.headers))]).toEqual([400, []])
    expect(await response.text()).toContain('must have at most 32 kinds of tools that a provider would run')
  })

  it('a type of a tool of 20,000 letters is refused, and repeated in no header', async () => {
    const type = `web_search_${'a'.repeat(20_000)}`
    const tools = [{ type }, { type: 'function', ...tool }]
    const response = await site.ask('responses', { model: 'svc-core', input: 'Hi', tools })

    expect([response.status, unbounded(Object.fromEntries(response.headers))]).toEqual([400, []])
    expect((await response.text()).length).toBeLessThan(1000)
  })

  it('ignored fields are named as far as they fit, and then `others`', async () => {
    const fields = Object.fromEntries(many(16, i => `field_${i}_${'x'.repeat(20)}`).map(name => [name, 1]))
    const { messages, max_tokens } = said
    const { headers } = await site.ask('messages', { model: 'svc-core', messages, max_tokens, ...fields })
    const names = (headers.get('x-svc-ignored-fields') ?? '').split(', ')

    expect(names.at(-1)).toBe('others')
    expect(names.slice(0, -1).every(name => name in fields)).toBe(true)
  })
})

describe('the head of an answer is bounded, whatever a backend says:', () => {
  it('a reason, a wait and headers of its own', async () => {
    const much = Object.fromEntries(many(10, i => `x-backend-${i}`).map(name => [name, LONG]))
    const problem = { message: LONG.repeat(10), type: LONG, code: LONG, param: LONG }
    site.chats.next(refusal(400, problem, { ...much, 'retry-after': '9'.repeat(500) }))
    const head = await headOf(`${site.test.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${site.key}` },
      body: { model: 'svc-core', messages: said.messages },
    })
    expect([head.status, head.wrong]).toEqual([400, []])
  })

  it('what passes through has no longer headers either', async ({ onTestFinished }) => {
    const backend = await startBackend()
    const gateway = await startPassing({ onprem: [backend] })
    onTestFinished(async () => {
      await gateway.close()
      await backend.close()
    })
    const long = {
      'content-type': `audio/mpeg; x="${LONG}"`,
      'content-language': many(100, () => 'en').join(', '),
      'content-disposition': `attachment; filename="${LONG}.mp3"`,
      'content-encoding': many(100, () => 'identity').join(', '),
      'x-backend': LONG,
    }
    const headers = { authorization: `Bearer ${await gateway.key('pro')}` }
    const ask = () => headOf(`${gateway.url}/v1/audio/speech`, { method: 'POST', headers, body: { input: 'Hi' } })
    backend.next(status(200, 'bytes', long))
    const head = await ask()
    expect([head.status, head.wrong, Object.keys(head.headers).filter(name => name in long)]).toEqual([200, [], []])

    backend.next(
      status(200, 'bytes', { 'content-type': 'audio/mpeg', 'content-disposition': 'attachment; filename="a.mp3"' }),
    )
    expect((await ask()).headers).toMatchObject({
      'content-type': 'audio/mpeg',
      'content-disposition': 'attachment; filename="a.mp3"',
    })
  })

  it('a handshake of WebSocket', async ({ onTestFinished }) => {
    const backend = await SocketBackend.start()
    const gateway = await startLive({ onprem: [backend] })
    onTestFinished(async () => {
      await gateway.close()
      await backend.close()
    })
    const protocols = many(16, i => `p${i}`.padEnd(64, 'x'))
    const client = await openSocket(`${gateway.url}/v1/realtime`, { key: await gateway.key('pro'), protocols })

    expect(unbounded(client.headers as Record<string, string>)).toEqual([])
    client.ws.terminate()
  })
})

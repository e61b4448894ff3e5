import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { publicEndpoints } from '../../../src/http/public/public.ts'
import { ClientEvents } from '../../../src/wire/session/client-events.ts'
import { type Backend, startBackend } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { SMALL_REQUESTS, WITHOUT_MODEL } from '../../support/small-requests.ts'
import { BOTH } from '../dialects/fixture.ts'

let backend: Backend
let test: TestGateway
let key: string

const MORE = `
models:
  svc-native: { kind: chat, tier: guest, serve: [native], context: 64k, usd_per_1m: { input: 1, output: 10 } }
  svc-rank: { kind: passthrough, tier: guest, serve: [onprem] }
pools:
  native: { site: cloud, model: native-model, speaks: [responses, messages], replicas: ["URL"] }
passthrough:
  - { path: /v1/moderations, methods: [POST], model: svc-rank, meter: { usd_per_call: 0.001 } }
`

beforeAll(async () => {
  backend = await startBackend()
  test = await startTestGateway({
    onprem: [backend],
    yaml: 'include: [more.yaml]',
    files: { 'more.yaml': MORE.replace('URL', backend.url) },
  })
  key = await test.key('pro')
})

afterAll(async () => {
  await test.close()
  await backend.close()
})

const BODIES = { ...SMALL_REQUESTS, '/v1/moderations': { input: 'Hi' } } as const
type Path = keyof typeof BODIES

const modelOf = (path: Path): string =>
  path === '/v1/embeddings'
    ? 'svc-embed'
    : path === '/v1/images/generations'
      ? 'svc-image'
      : path === '/v1/moderations'
        ? 'svc-rank'
        : path.includes('chat')
          ? 'svc-core'
          : 'svc-native'

/** The text that the endpoint is sent, as it is written. */
async function post(path: string, body: string): Promise<{ status: number; text: string; sent: number }> {
  const before = backend.requests.length
  const response = await fetch(test.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body,
  })
  return { status: response.status, text: await response.text(), sent: backend.requests.length - before }
}

const wholeOf = (path: Path): object => ({ model: modelOf(path), ...BODIES[path] })
const joined = (body: object, more: string): string => `${JSON.stringify(body).slice(0, -1)},${more}}`

it('every endpoint that reads a body for a model is among those that are tried here', () => {
  const posts = publicEndpoints.filter(({ method }) => method === 'POST').map(({ path }) => path)
  expect(posts.filter(path => !(path in BODIES) && !WITHOUT_MODEL.has(path))).toEqual([])
})

const PATHS = Object.keys(BODIES) as Path[]

describe.each(PATHS)('POST %s', path => {
  it.each([
    ['"Model":"dearer"', 'Model', 'model'],
    ['"MODEL":"dearer"', 'MODEL', 'model'],
    ['"Max_Output_Tokens":100000', 'Max_Output_Tokens', 'max_output_tokens'],
    ['"max_output_to\u212aens":100000', 'max_output_to\u212aens', 'max_output_tokens'],
    ['"max_output_to\\u212aens":100000', 'max_output_to\u212aens', 'max_output_tokens'],
    ['"MAX_TOKENS":100000', 'MAX_TOKENS', 'max_tokens'],
    ['"\u017ftore":true', '\u017ftore', 'store'],
    ['"\uff54ools":[{"type":"web_search"}]', '\uff54ools', 'tools'],
    ['"Service_Tier":"priority"', 'Service_Tier', 'service_tier'],
    ['"Previous_Response_Id":"resp_1"', 'Previous_Response_Id', 'previous_response_id'],
    ['"pr\u0131or\u0131ty":1,"\u0130nput":"x"', '\u0130nput', 'input'],
    ['"messages":[{"Role":"user","content":"Hi"}]', 'messages[0].Role', 'role'],
    ['"input":[{"role":"user","content":[{"TYPE":"input_text"}]}]', 'input[0].content[0].TYPE', 'type'],
    ['"tools":[{"Type":"web_search"}]', 'tools[0].Type', 'type'],
    ['"text":{"Format":{"type":"text"}}', 'text.Format', 'format'],
  ])('refuses %s before a backend is asked', async (member, field, meant) => {
    const refused = await post(path, joined(wholeOf(path), member))
    expect(refused).toMatchObject({ status: 400, sent: 0 })
    expect(JSON.parse(refused.text)).toMatchObject({ error: expect.anything() })
    expect(refused.text).toContain(JSON.stringify(`${field}: must be spelled "${meant}"`).slice(1, -1))
  })

  it('takes names that clients make up in any letters', async () => {
    const parameters = { type: 'object', properties: { Model: { type: 'string', Title: 'x' }, TOOLS: true } }
    const metadata = { Model: 'x', Input: 'y' }
    const tools = path.includes('chat')
      ? [{ type: 'function', function: { name: 'look', parameters } }]
      : path.startsWith('/v1/responses')
        ? [{ type: 'function', name: 'look', parameters }]
        : path.startsWith('/v1/messages')
          ? [{ name: 'look', input_schema: parameters }]
          : undefined
    const { text } = await post(path, JSON.stringify({ ...wholeOf(path), metadata, ...(tools && { tools }) }))
    expect(text).not.toContain('must be spelled')
  })
})

it('a call that a model made keeps its arguments in any letters', async () => {
  backend.next(BOTH[0].answer)
  const call = { type: 'tool_use', id: 'toolu_1', name: 'look', input: { Model: 'x', Content: [{ TYPE: 1 }] } }
  const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'found' }
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: [call] },
    { role: 'user', content: [result] },
  ]
  const answer = await post('/v1/messages', JSON.stringify({ ...wholeOf('/v1/messages'), messages }))
  expect(answer).toMatchObject({ status: 200, sent: 1 })
  expect(backend.requests.at(-1)?.body).toMatchObject({ messages })
})

it.each([
  ['{"type":"response.create","Response":{"tools":[]}}', 'Response', 'response'],
  ['{"type":"session.update","session":{"Model":"dearer"}}', 'session.Model', 'model'],
  [
    '{"type":"session.update","session":{"audio":{"input":{"transcription":{"MODEL":"x"}}}}}',
    'session.audio.input.transcription.MODEL',
    'model',
  ],
  ['{"type":"conversation.item.create","item":{"Content":[]}}', 'item.Content', 'content'],
])('a session refuses the event %s', (event, field, meant) => {
  const events = new ClientEvents({
    isOwnModel: () => true,
    backendModel: 'm',
    providerTools: [],
    passes: [],
    fetches: false,
    namesAsks: true,
  })
  const refused = { field, problem: `must be spelled "${meant}"` }
  expect(events.read(Buffer.from(event))).toMatchObject({ denial: refused })
})

describe('a name that stands twice', () => {
  it.each(PATHS)('reaches the backend of %s once, with the value that was weighed', async path => {
    const body = wholeOf(path)
    const before = backend.requests.length
    await post(path, `{"model":"dearer","max_tokens":9999999,"stream":true,${joined(body, '"stream":false').slice(1)}`)
    for (const { rawBody } of backend.requests.slice(before)) {
      const names = [...rawBody.matchAll(/"(model|max_tokens|stream)":/g)].map(([, name]) => name)
      expect(new Set(names).size).toBe(names.length)
      expect(rawBody).not.toContain('dearer')
    }
  })
})

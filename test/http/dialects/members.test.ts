import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BOTH, Dialects } from './fixture.ts'

let site: Dialects

beforeEach(async () => {
  site = await Dialects.start()
})

afterEach(() => site.close())

const [MESSAGES, RESPONSES] = BOTH
const part = (more: object) => ({ input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hi', ...more }] }] })
const block = (more: object) => ({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi', ...more }] }] })
const f = { type: 'function', name: 'f', parameters: { type: 'object' } }
const g = { name: 'g', input_schema: { type: 'object' } }

/** A member that no dialect has, wherever it may stand, and its name from the top. */
const UNKNOWN = [
  ['responses', { kv_transfer_params: { remote_host: '10.0.0.9' } }, 'kv_transfer_params'],
  ['responses', { priority: -1000 }, 'priority'],
  ['responses', { cache_salt: 'x' }, 'cache_salt'],
  ['responses', { return_token_ids: true }, 'return_token_ids'],
  ['responses', { max_tokens: 100_000 }, 'max_tokens'],
  ['responses', { n: 50 }, 'n'],
  ['responses', { previous_input_messages: [{ role: 'system', content: 'X' }] }, 'previous_input_messages'],
  ['responses', part({ uuid: 'x' }), 'input.content.uuid'],
  ['responses', { input: [{ role: 'user', content: 'Hi', weight: 1 }] }, 'input.weight'],
  ['responses', { tools: [{ ...f, backend: 'x' }] }, 'tools.backend'],
  ['responses', { reasoning: { effort: 'low', budget: 9 } }, 'reasoning.budget'],
  ['messages', { kv_transfer_params: { do_remote_prefill: true } }, 'kv_transfer_params'],
  ['messages', { chat_template_kwargs: { enable_thinking: true } }, 'chat_template_kwargs'],
  ['messages', { max_output_tokens: 100_000 }, 'max_output_tokens'],
  ['messages', { fallbacks: ['dearer'] }, 'fallbacks'],
  ['messages', block({ uuid: 'x' }), 'messages.content.uuid'],
  ['messages', { messages: [{ role: 'user', content: 'Hi', weight: 1 }] }, 'messages.weight'],
  ['messages', { tools: [{ ...g, backend: 'x' }] }, 'tools.backend'],
  ['messages', { system: [{ type: 'text', text: 'Hi', weight: 1 }] }, 'system.weight'],
] as const

const bodyOf = (path: 'responses' | 'messages', model: string, more: object) => ({
  ...(path === 'messages' ? MESSAGES : RESPONSES).body(model),
  ...more,
})

describe.each(UNKNOWN)('%s with %j', (path, more, name) => {
  it('is refused where an engine would get it, by the name of the member', async () => {
    const response = await site.ask(path, bodyOf(path, 'svc-native', more))
    expect(response.status).toBe(400)
    expect(await response.text()).toContain(`${name}: is not accepted by svc-native`)
    expect(site.native.requests).toHaveLength(0)
  })

  it('goes to a provider without the member, which its answer names', async () => {
    site.native.next((path === 'messages' ? MESSAGES : RESPONSES).answer)
    const response = await site.ask(path, bodyOf(path, 'svc-seeing', more))
    expect(response.status).toBe(200)
    expect(response.headers.get('x-svc-ignored-fields')).toBe(name)
    const { rawBody = '', body } = site.native.requests[0] ?? {}
    expect(rawBody).not.toContain(`"${name.split('.').at(-1)}"`)
    expect(body).toMatchObject({ model: 'native-model' })
  })
})

it('an engine is passed over where a provider serves the model as well', async () => {
  site.native.next(RESPONSES.answer)
  const response = await site.ask('responses', bodyOf('responses', 'svc-engine-first', { priority: 1 }))
  expect(response.status).toBe(200)
  expect(response.headers.get('x-svc-upstream')).toBe('provider')
  expect(response.headers.get('x-svc-ignored-fields')).toBe('priority')
})

it('members that a pool passes go unchanged with everything in them, and other members do not', async () => {
  site.native.next(RESPONSES.answer)
  const note = { any: { depth: ['x'] } }
  const response = await site.ask('responses', {
    ...bodyOf('responses', 'svc-seeing', part({ note, other: 1 })),
    top_k: 5,
    min_p: 0.5,
  })
  expect(response.headers.get('x-svc-ignored-fields')).toBe('input.content.other, min_p')
  expect(site.native.requests[0]?.body).toMatchObject({ top_k: 5, ...part({ note }) })
  expect(site.native.requests[0]?.rawBody).not.toMatch(/min_p|other/)
})

it('an unknown member that is null says nothing: it is neither sent nor named', async () => {
  site.native.next(MESSAGES.answer)
  const response = await site.ask(
    'messages',
    bodyOf('messages', 'svc-native', { ...block({ uuid: null }), priority: null }),
  )
  expect(response.status).toBe(200)
  expect(response.headers.get('x-svc-ignored-fields')).toBeNull()
  expect(site.native.requests[0]?.rawBody).not.toMatch(/uuid|priority/)
})

it('names beyond sixteen are counted as one', async () => {
  site.native.next(RESPONSES.answer)
  const more = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`made_up_${i}`, i]))
  const response = await site.ask('responses', bodyOf('responses', 'svc-seeing', more))
  const named = response.headers.get('x-svc-ignored-fields')?.split(', ') ?? []
  expect(named).toHaveLength(17)
  expect(named.at(-1)).toBe('others')
  expect(site.native.requests[0]?.rawBody).not.toContain('made_up')
})

const HOSTILE = 'http://169.254.169.254/latest'
const items = (...content: object[]) => ({ input: [{ role: 'user', content }] })
const said = (...content: object[]) => ({ messages: [{ role: 'user', content }] })
const image = (url: string) => ({ type: 'image', source: { type: 'url', url } })
const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }
const used = { type: 'tool_use', id: 'toolu_1', name: 'g', input: {} }
const given = (content: object[]) => ({
  messages: [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: [used] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content }] },
  ],
})

/** An address wherever a backend may read one. */
const ADDRESSES = [
  ['responses', (url: string) => items({ type: 'input_image', image_url: url }), 'input[0].content[0].image_url'],
  ['responses', (url: string) => items({ type: 'input_file', file_url: url }), 'input[0].content[0].file_url'],
  ['responses', (url: string) => items({ type: 'video_url', video_url: { url } }), 'input[0].content[0].video_url.url'],
  ['responses', (url: string) => items({ type: 'audio_url', audio_url: { url } }), 'input[0].content[0].audio_url.url'],
  [
    'responses',
    (url: string) => ({
      input: [call, { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image', image_url: url }] }],
    }),
    'input[1].output[0].image_url',
  ],
  ['messages', (url: string) => said(image(url)), 'messages[0].content[0].source.url'],
  [
    'messages',
    (url: string) => said({ type: 'document', source: { type: 'url', url } }),
    'messages[0].content[0].source.url',
  ],
  [
    'messages',
    (url: string) => said({ type: 'image_url', image_url: { url } }),
    'messages[0].content[0].image_url.url',
  ],
  ['messages', (url: string) => given([image(url)]), 'messages[2].content[0].content[0].source.url'],
] as const

describe.each(ADDRESSES)('an address in %s, %o', (path, withUrl, field) => {
  it('reaches no pool that does not fetch', async () => {
    const response = await site.ask(path, bodyOf(path, 'svc-native', withUrl(HOSTILE)))
    expect(response.status).toBe(400)
    expect(site.native.requests).toHaveLength(0)
  })

  it('reaches a pool that does', async () => {
    site.native.next((path === 'messages' ? MESSAGES : RESPONSES).answer)
    const response = await site.ask(path, bodyOf(path, 'svc-seeing', withUrl('https://example.com/a.png')))
    expect(response.status).toBe(200)
    expect(site.native.requests[0]?.rawBody).toContain('https://example.com/a.png')
  })

  it.each(['file:///etc/passwd', 'ftp://10.0.0.1/x', '/etc/passwd', 'gopher://x', 'FILE:/x', 'jar:http://x'])(
    'never is %s',
    async url => {
      const response = await site.ask(path, bodyOf(path, 'svc-seeing', withUrl(url)))
      expect(response.status).toBe(400)
      expect(await response.text()).toContain(field)
      expect(site.native.requests).toHaveLength(0)
    },
  )
})

it('search results are not addresses to fetch: an answer is sent back unchanged', async () => {
  site.native.next(MESSAGES.answer)
  const found = { type: 'web_search_result', url: 'https://example.com', title: 'x', encrypted_content: 'x' }
  const assistant = [
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
    { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [found] },
  ]
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: assistant },
    { role: 'user', content: 'And?' },
  ]
  const response = await site.ask('messages', bodyOf('messages', 'svc-native', { messages }))
  expect(response.status).toBe(200)
  expect(site.native.requests[0]?.body).toMatchObject({ messages })
})

it('no tier of Messages is used whose price is not declared', async () => {
  const response = await site.ask('messages', bodyOf('messages', 'svc-seeing', { service_tier: 'priority' }))
  expect(response.status).toBe(400)
  expect(await response.text()).toContain('service_tier')
  expect(site.native.requests).toHaveLength(0)
})

it('an item goes back with what an SDK parsed of it', async () => {
  site.native.next(RESPONSES.answer)
  const parsed = { ...call, parsed_arguments: { Model: 'x', url: 'file:///x' } }
  const input = [parsed, { type: 'function_call_output', call_id: 'c', output: 'found' }]
  const response = await site.ask('responses', bodyOf('responses', 'svc-native', { input }))
  expect(response.status).toBe(200)
  expect(site.native.requests[0]?.body).toMatchObject({ input })
})

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { answer, stream, streamThenHang, USAGE } from '../../support/backend.ts'
import { reading } from '../../support/held.ts'
import { BOTH, Dialects, eventsIn } from './fixture.ts'

let site: Dialects

beforeEach(async () => {
  site = await Dialects.start()
})

afterEach(() => site.close())

describe.each(BOTH)('a request of $path to a pool that speaks chats', ({ path, body, textIn, deltas, failed }) => {
  it('is sent as a chat, and answered in its own form', async () => {
    site.chats.next(answer({ content: 'hi there' }))
    const response = await site.ask(path, body('svc-core'))
    expect(response.status).toBe(200)
    expect(textIn((await response.json()) as never)).toBe('hi there')
    const [seen] = site.chats.requests
    expect(seen?.path).toBe('/v1/chat/completions')
    expect(seen?.body).toMatchObject({ model: 'test-model', messages: [{ role: 'user', content: 'Say hi' }] })
    expect((await site.bill()).tokens).toEqual([USAGE.prompt_tokens, USAGE.completion_tokens])
  })

  it('is streamed in its own form', async () => {
    site.chats.next(stream({ chunks: ['hi', ' there'] }))
    const heard = await eventsIn(await site.ask(path, { ...body('svc-core'), stream: true }))
    const said = heard.filter(([name]) => name === deltas).map(([, { delta }]) => delta)
    expect(said.map(delta => (typeof delta === 'string' ? delta : (delta as { text: string }).text)).join('')).toBe(
      'hi there',
    )
    expect((await site.bill()).tokens).toEqual([USAGE.prompt_tokens, USAGE.completion_tokens])
  })

  it('says what it cost where its backend does not', async () => {
    site.chats.next(stream({ chunks: ['hi', ' there'], usage: null }))
    const heard = await eventsIn(await site.ask(path, { ...body('svc-core'), stream: true }))
    const { tokens } = await site.bill()
    expect(tokens[1]).toBeGreaterThan(0)
    expect(JSON.stringify(heard)).toContain(`"output_tokens":${tokens[1]}`)
  })

  it('ends with a failure of its dialect where the stream breaks after it began', async () => {
    site.chats.next(stream({ chunks: ['hi'], finish: null, done: false }))
    const heard = await eventsIn(await site.ask(path, { ...body('svc-core'), stream: true }))
    expect(heard.at(-1)?.[0]).toBe(failed)
    expect(heard.filter(([name]) => name === failed)).toHaveLength(1)
  })
})

describe('what no chat can say', () => {
  const document = {
    model: 'svc-core',
    max_tokens: 100,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0xLjcK' } },
        ],
      },
    ],
  }

  it('is refused where no pool of the model speaks the dialect, with the name of the field', async () => {
    const response = await site.ask('messages', document)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('messages[0].content[0]')
    expect(site.chats.requests).toHaveLength(0)
  })

  it('reaches a pool that speaks it', async () => {
    const response = await site.ask('messages', { ...document, model: 'svc-native' })
    await response.text()
    expect(site.native.requests[0]?.body).toMatchObject({ messages: document.messages })
  })

  it('never goes on to a pool that speaks only chats', async () => {
    await site.native.refuse()
    const response = await site.ask('messages', { ...document, model: 'svc-both' })
    expect(response.status).toBe(503)
    expect(site.chats.requests).toHaveLength(0)
  })
})

describe('tools that do not run here', () => {
  const tools = [
    { type: 'web_search_20250305', name: 'web_search' },
    { name: 'get', input_schema: { type: 'object', properties: {} } },
  ]
  const body = { model: 'svc-core', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }], tools }

  it('are left out beside others, and the answer says so', async () => {
    const response = await site.ask('messages', body)
    await response.text()
    expect(response.headers.get('x-svc-ignored-tools')).toBe('web_search_20250305')
    expect(site.chats.requests[0]?.body.tools).toHaveLength(1)
  })
})

describe('fields that a chat cannot say', () => {
  const asked = {
    messages: {
      ...{ model: 'svc-core', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] },
      ...{ context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] }, output_config: { task_budget: {} } },
      ...{ cache_control: { type: 'ephemeral' }, metadata: { user_id: 'ada' }, service_tier: 'auto' },
    },
    responses: {
      ...{ model: 'svc-core', input: 'Hi', truncation: 'auto', max_tool_calls: 3, 'a b': 1, reasoning: { mode: 'x' } },
      ...{ client_metadata: {}, prompt_cache_key: 'k', text: {}, store: false },
    },
  }
  const names = {
    messages: 'context_management, output_config.task_budget',
    responses: 'max_tool_calls, others, truncation, reasoning.mode',
  }

  it.each(['messages', 'responses'] as const)('%s are left out, and the answer names them', async path => {
    const response = await site.ask(path, asked[path])
    await response.text()

    expect(response.status).toBe(200)
    expect(response.headers.get('x-svc-ignored-fields')).toBe(names[path])
    const native = await site.ask(path, { ...asked[path], model: 'svc-native', 'a b': undefined })
    await native.text()
    expect(native.headers.get('x-svc-ignored-fields')).toBeNull()
  })

  it('are refused where the model refuses losses', async () => {
    await site.test.reload({}, yaml => yaml.replace('svc-core:\n', 'svc-core:\n    lossy: refuse\n'))
    const response = await site.ask('messages', asked.messages)

    expect(response.status).toBe(400)
    expect(await response.text()).toContain(
      'context_management: cannot be used with svc-core, and neither can output_config.task_budget',
    )
  })

  it('are as many in the header as it has room for', async () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`field_${index}`, 1]))
    const response = await site.ask('responses', { model: 'svc-core', input: 'Hi', ...many })
    await response.text()

    const named = response.headers.get('x-svc-ignored-fields')?.split(', ')
    expect(named).toHaveLength(17)
    expect(named?.at(-1)).toBe('others')
  })
})

it('fields of a chat that a pool of another dialect cannot be given are named', async () => {
  site.native.next(BOTH[0].answer)
  const body = { model: 'svc-native', seed: 1, logprobs: true, frequency_penalty: 0, stop: 'x' }
  const response = await site.test.chat(site.key, body)

  expect(response.status).toBe(200)
  await response.text()
  expect(response.headers.get('x-svc-ignored-fields')).toBe('seed, logprobs')
})

it('fills a silence of Messages with a ping once the message began', async () => {
  site.chats.next(streamThenHang({ chunks: ['partial'] }))
  const read = reading(await site.ask('messages', { ...BOTH[0].body('svc-core'), stream: true }))
  await read.until('partial')
  site.test.clock.advance(15_000)
  expect(await read.until('partial"}}\n\nevent: ping\ndata: {"type":"ping"}\n\n')).not.toContain('keep-alive')
  site.test.clock.advance(60_000)
  expect(await read.rest()).toContain('event: error')
})

it('says what is left of the minute in the headers of Messages', async () => {
  const { headers } = await site.ask('messages', BOTH[0].body('svc-core'))
  expect(headers.get('anthropic-ratelimit-requests-limit')).toBe('1000')
  expect(headers.get('anthropic-ratelimit-requests-remaining')).toBe('999')
  expect(headers.get('anthropic-ratelimit-tokens-reset')).toBe('2026-11-21T10:01:01Z')
  expect(headers.get('request-id')).toBe(headers.get('x-request-id'))
})

it('counts the tokens of a prompt for nothing', async () => {
  const { max_tokens: _cap, ...body } = BOTH[0].body('svc-core')
  const response = await site.ask('messages/count_tokens', body)
  const { input_tokens: tokens } = (await response.json()) as { input_tokens: number }
  expect(tokens).toBeGreaterThan(2)
  expect(await site.test.ledger()).toEqual([])
  expect(site.chats.requests).toHaveLength(0)
})

it('repeats long instructions whole', async () => {
  const instructions = 'Be kind. '.repeat(100)
  const response = await site.ask('responses', { model: 'svc-core', input: 'Hi', instructions })
  expect(await response.json()).toMatchObject({ instructions })
})

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { json } from '../../support/backend.ts'
import { BOTH, Dialects, eventsIn, named, textOf } from './fixture.ts'

let site: Dialects

beforeEach(async () => {
  site = await Dialects.start()
})

afterEach(() => site.close())

describe.each(BOTH)(
  'a request of $path to a pool that speaks it',
  ({ path, cap, body, whole, answer, events, deltas, failed }) => {
    it('goes as it came but for the model and the cap, and so does its answer', async () => {
      site.native.next(answer)
      const sent = `{ "top_p": 0.50, "metadata": {"a" : "b"}, ${JSON.stringify(body('svc-native')).slice(1)}`
      const response = await site.ask(path, sent)
      expect(response.status).toBe(200)
      expect(await response.text()).toBe(JSON.stringify(whole))
      const [seen] = site.native.requests
      expect(seen?.path).toBe(`/v1/${path}`)
      expect(seen?.rawBody).toContain('"top_p": 0.50, "metadata": {"a" : "b"}')
      expect(seen?.body).toMatchObject({ ...body('native-model'), [cap]: 100 })
    })

    it('costs what its backend counted, tokens of the cache included', async () => {
      site.native.next(answer)
      await (await site.ask(path, body('svc-native'))).text()
      expect(await site.bill()).toEqual({ tokens: [10, 4], cost: 50_000, pool: 'native' })
    })

    it('gets the events of a stream as they came, and the same bill', async () => {
      site.native.next(named(events))
      const response = await site.ask(path, { ...body('svc-native'), stream: true })
      expect(response.headers.get('content-type')).toContain('text/event-stream')
      expect(await response.text()).toBe(textOf(events))
      expect(await site.bill()).toEqual({ tokens: [10, 4], cost: 50_000, pool: 'native' })
    })

    it('goes on to a pool that speaks chats before anything was said, and is answered in its own form', async () => {
      await site.native.refuse()
      const response = await site.ask(path, { ...body('svc-both'), stream: true })
      const heard = await eventsIn(response)
      expect(heard.at(-1)?.[0]).toBe(path === 'messages' ? 'message_stop' : 'response.completed')
      expect(site.chats.requests[0]?.path).toBe('/v1/chat/completions')
      expect(await site.bill()).toMatchObject({ tokens: [9, 3], pool: 'onprem' })
    })

    it('ends with an error of its dialect where the stream breaks, and pays what was said', async () => {
      const said = events.findIndex(({ type }) => type === deltas)
      site.native.next(named(events.slice(0, said + 1)))
      const response = await site.ask(path, { ...body('svc-native'), stream: true })
      const heard = await eventsIn(response)
      expect(heard.at(-1)?.[0]).toBe(failed)
      const { tokens } = await site.bill()
      // Messages count the prompt at the beginning.
      if (path === 'messages') expect(tokens[0]).toBe(10)
      expect(tokens[0]).toBeLessThanOrEqual(10)
      expect(tokens[1]).toBeLessThanOrEqual(4)
    })
  },
)

it('sends the version of Messages, and the features that its pool allows', async () => {
  site.native.next(BOTH[0].answer)
  const asked = {
    'anthropic-version': '2099-01-01',
    'anthropic-beta': 'other-2026-01-01, allowed-2026-01-01',
    cookie: 'a=b',
  }
  await (await site.ask('messages', BOTH[0].body('svc-native'), asked)).text()
  const headers = site.native.requests[0]?.headers
  expect(headers?.['anthropic-version']).toBe('2023-06-01')
  expect(headers?.['anthropic-beta']).toBe('allowed-2026-01-01')
  expect(headers).not.toHaveProperty('cookie')
})

const PDF = 'JVBERi0xLjcK'

it.each([
  [
    'messages',
    {
      messages: [
        {
          role: 'user',
          content: [{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: PDF } }],
        },
      ],
    },
  ],
  [
    'messages',
    { messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'https://a.b/c.png' } }] }] },
  ],
  [
    'responses',
    { input: [{ role: 'user', content: [{ type: 'input_file', file_data: `data:application/pdf;base64,${PDF}` }] }] },
  ],
  ['responses', { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'https://a.b/c.png' }] }] }],
] as const)('a request of %s with what no chat can say never costs more than it held: %j', async (path, said) => {
  const [messages, responses] = BOTH
  const isFile = JSON.stringify(said).includes(PDF)
  const counted = isFile ? 63_000 : 1900
  const { body, whole } = path === 'messages' ? messages : responses
  // Messages count three more, which were in a cache.
  const input_tokens = path === 'messages' ? counted - 3 : counted
  site.native.next(json({ ...whole, usage: { ...whole.usage, input_tokens } }))
  const response = await site.ask(path, { ...body('svc-seeing'), ...said })
  expect(response.status).toBe(200)
  await response.text()
  expect(await site.bill()).toMatchObject({ tokens: [counted, 4] })
  expect(site.test.alarms).toEqual([])
})

it('no picture reaches a model without vision, wherever it stands', async () => {
  const picture = { type: 'input_image', image_url: 'https://example.com/a.png' }
  const response = await site.ask('responses', {
    model: 'svc-native',
    input: [{ role: 'user', content: [{ type: 'input_text', text: 'x' }, picture] }],
  })
  expect(response.status).toBe(400)
  expect(site.native.requests).toHaveLength(0)
})

it.each([{ inference_geo: 'us' }, { speed: 'fast' }])(
  'a field that would raise the cost is refused: %j',
  async more => {
    const response = await site.ask('messages', { ...BOTH[0].body('svc-native'), ...more })
    expect(response.status).toBe(400)
    expect(site.native.requests).toHaveLength(0)
  },
)

it('a tool that is cut is no longer among those that a request allows', async () => {
  site.native.next(BOTH[1].answer)
  const f = { type: 'function', name: 'f' }
  const response = await site.ask('responses', {
    ...BOTH[1].body('svc-native'),
    tools: [{ type: 'web_search' }, { ...f, parameters: null, strict: false }],
    tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'web_search' }, f] },
  })
  expect(response.status).toBe(200)
  expect(site.native.requests[0]?.body).toMatchObject({ tool_choice: { type: 'allowed_tools', tools: [f] } })
})

it.each([
  [{ type: 'ephemeral' }, { ephemeral_5m_input_tokens: 1000 }, 1_250_000],
  [{ type: 'ephemeral', ttl: '1h' }, { ephemeral_1h_input_tokens: 1000 }, 2_000_000],
] as const)("cache writes of a prompt with the mark %j cost the providers' list price", async (mark, kept, cost) => {
  const usage = {
    ...{ input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 0 },
    ...{ cache_creation_input_tokens: 1000, cache_creation: kept },
  }
  site.native.next(json({ ...BOTH[0].whole, usage }))
  const content = [{ type: 'text', text: 'x'.repeat(2000), cache_control: mark }]
  const response = await site.ask('messages', {
    ...BOTH[0].body('svc-native'),
    messages: [{ role: 'user', content }],
  })
  expect(response.status).toBe(200)
  await response.text()
  expect(await site.bill()).toMatchObject({ tokens: [1000, 0], cost })
  expect(site.test.alarms).toEqual([])
})

import { randomBytes, randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { hashOf, newFreshKey } from '../../../src/gateway/accounts/keys.ts'
import { inNpmTest } from '../../lanes/lane.ts'
import { answer, json, stream } from '../../support/backend.ts'
import { ENV } from '../../support/gateway.ts'
import { describeRedis, useRedis } from '../../support/redis/redis.ts'
import { Dialects, eventsIn, named } from './fixture.ts'

const RESPONSES_KEY = randomBytes(32).toString('base64')
const yaml = (fields = '') => `responses: { keep: 1h, key: "\${RESPONSES_KEY}"${fields} }`
const startKeeping = (fields?: string, pools = {}) =>
  Dialects.start(yaml(fields), { env: { ...ENV, RESPONSES_KEY, NEW_KEY: '0'.repeat(64) }, ...pools })

interface Body {
  readonly id: string
  readonly status: string
  readonly store: boolean
  readonly previous_response_id: string | null
  readonly output: { readonly id: string; readonly type: string; readonly content?: { readonly text: string }[] }[]
  readonly error?: { readonly code: string; readonly message: string; readonly param: string }
}

let site: Dialects
afterEach(() => site.close())

const asked = async (body: object, key = site.key) => {
  const response = await site.ask('responses', { model: 'svc-core', ...body }, { authorization: `Bearer ${key}` })
  return { status: response.status, headers: response.headers, body: (await response.json()) as Body }
}

const call = async (method: string, path: string, key = site.key) => {
  const response = await fetch(`${site.test.url}/v1/responses/${path}`, {
    method,
    headers: { authorization: `Bearer ${key}` },
  })
  return { status: response.status, body: (await response.json()) as Body & Record<string, unknown> }
}

/** A further key of the account, as support mints it. */
async function keyApart(): Promise<string> {
  const { store } = site.test.gateway
  const caller = await store.keys.findCaller(hashOf(site.key))
  const { value, key } = newFreshKey('svc', randomBytes)
  const owner = { account: caller?.account ?? '' }
  await store.keys.mint({ key, owner, name: 'support', apart: 'key_apart', most: 50, by: 'test' })
  return value
}

/** The roles and texts of the last chat that the backend received. */
function heard() {
  const { messages = [] } = (site.chats.requests.at(-1)?.body ?? {}) as { messages?: Record<string, unknown>[] }
  return messages.map(({ role, content }) => [role, content])
}

const stores = (start: () => Promise<Dialects>) => {
  beforeEach(async () => {
    site = await start()
  })

  it('a chain of previous_response_id asks what a request with everything asks', async () => {
    let previous: string | undefined
    const all: object[] = []
    for (const turn of ['one', 'two', 'three', 'four']) {
      const said = { role: 'user', content: `say ${turn}` }
      all.push(said)
      site.chats.next(answer({ content: turn }))
      const { body } = await asked({ input: [said], previous_response_id: previous })
      expect(body).toMatchObject({ status: 'completed', store: true, previous_response_id: previous ?? null })
      const chained = heard()
      site.chats.next(answer({ content: turn }))
      await asked({ input: all, store: false })
      expect(chained).toEqual(heard())
      all.push({ role: 'assistant', content: turn })
      previous = body.id
    }
  })

  it('a streamed response is kept before its last event, and its items stand for what they said', async () => {
    site.chats.next(stream({ chunks: ['seven', ' is it'] }))
    const events = await eventsIn(
      await site.ask('responses', { model: 'svc-core', input: 'Pick a number', stream: true }),
    )
    const last = events.at(-1)?.[1].response as Body
    expect(events.map(([name, { response }]) => [name, (response as Body | undefined)?.store])).toEqual(
      expect.arrayContaining([
        ['response.created', true],
        ['response.completed', true],
      ]),
    )
    const input = [
      { role: 'user', content: 'Pick a number' },
      { id: last.output[0]?.id, type: 'item_reference' },
    ]

    site.chats.next(answer({ content: 'eight' }))
    const second = await asked({ input: [...input, { role: 'user', content: 'Add one' }] })
    expect(heard()).toEqual([
      ['user', 'Pick a number'],
      ['assistant', 'seven is it'],
      ['user', 'Add one'],
    ])
    site.chats.next(answer({ content: 'nine' }))
    const ids = [last.output[0]?.id, second.body.output[0]?.id]
    await asked({ input: [{ id: ids[0] }, { role: 'user', content: 'Again' }, { id: ids[1] }] })
    expect(heard().map(([, said]) => said)).toEqual(['seven is it', 'Again', 'eight'])
  })

  it('a key that keeps responses apart reads, goes on from and deletes its own alone, and nobody else reads these', async () => {
    const apart = await keyApart()
    site.chats.next(answer({ content: 'of the customer' }))
    const customers = (await asked({ input: 'Say so' })).body
    site.chats.next(answer({ content: 'of support' }))
    const own = (await asked({ input: 'Say so' }, apart)).body
    const ways = (of: Body) => [
      call.bind(null, 'GET', of.id),
      call.bind(null, 'GET', `${of.id}/input_items`),
      call.bind(null, 'DELETE', of.id),
      (key?: string) => asked({ input: 'Go on', previous_response_id: of.id }, key),
      (key?: string) => asked({ input: [{ type: 'item_reference', id: of.output[0]?.id }] }, key),
    ]

    for (const way of ways(customers)) {
      const told = await way(apart)
      expect(told.status).not.toBe(200)
      expect(JSON.stringify(told.body)).not.toContain('of the customer')
    }
    for (const way of ways(own).filter((_, place) => place !== 2)) expect((await way(site.key)).status).not.toBe(200)
    expect(await call('GET', customers.id)).toMatchObject({ status: 200 })
    expect(await call('GET', own.id, apart)).toEqual({ status: 200, body: own })
    expect(await call('DELETE', own.id, apart)).toMatchObject({ status: 200 })
    expect(await call('GET', own.id, apart)).toMatchObject({ status: 404 })
  })

  it('can be read, listed and deleted, and is gone then', async () => {
    site.chats.next(answer({ content: 'hi' }))
    const { body } = await asked({ input: 'Say hi', metadata: { a: 'b' } })

    expect(await call('GET', body.id)).toEqual({ status: 200, body })
    const { body: items } = await call('GET', `${body.id}/input_items`)
    expect(items).toMatchObject({
      object: 'list',
      has_more: false,
      data: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Say hi' }] }],
    })
    expect(await call('POST', `${body.id}/cancel`)).toMatchObject({ status: 400 })
    expect(await call('DELETE', body.id)).toEqual({
      status: 200,
      body: { id: body.id, object: 'response', deleted: true },
    })
    for (const [method, path] of [
      ['GET', body.id],
      ['DELETE', body.id],
      ['GET', `${body.id}/input_items`],
      ['POST', `${body.id}/cancel`],
    ] as const)
      expect((await call(method, path)).status).toBe(404)
    expect(await asked({ input: 'More', previous_response_id: body.id })).toMatchObject({
      status: 400,
      body: { error: { code: 'previous_response_not_found', param: 'previous_response_id' } },
    })
    expect(await asked({ input: [{ id: body.output[0]?.id }] })).toMatchObject({
      status: 404,
      body: { error: { code: 'item_not_found', param: 'input[0]' } },
    })
  })

  it('is nothing that another account can see', async () => {
    const { body } = await asked({ input: 'A secret' })
    const other = await site.test.key('pro', `bob-${randomUUID()}`)

    for (const [method, path] of [
      ['GET', body.id],
      ['DELETE', body.id],
      ['GET', `${body.id}/input_items`],
    ] as const)
      expect((await call(method, path, other)).status).toBe(404)
    expect((await asked({ input: 'x', previous_response_id: body.id }, other)).status).toBe(400)
    expect((await asked({ input: [{ type: 'item_reference', id: body.output[0]?.id }] }, other)).status).toBe(404)
    expect((await call('GET', body.id)).status).toBe(200)
  })

  it('is not kept where the client says so', async () => {
    const kept = await asked({ input: 'Keep it' })
    const not = await asked({ input: 'Keep it not', store: false })
    expect([kept.body.store, not.body.store]).toEqual([true, false])
    expect((await call('GET', not.body.id)).status).toBe(404)
    expect((await call('GET', kept.body.id)).status).toBe(200)
  })
}

inNpmTest.describe('responses kept in the embedded store', () => {
  stores(() => startKeeping())

  it('are over by the clock', async () => {
    const { body } = await asked({ input: 'x' })
    site.test.clock.advance(3_600_000 - 1)
    expect((await call('GET', body.id)).status).toBe(200)
    site.test.clock.advance(1)
    expect((await call('GET', body.id)).status).toBe(404)
  })

  it('open by the key of their time as long as it is named, and never by another one', async () => {
    const { body } = await asked({ input: 'x' })
    const statuses = []
    for (const keys of [
      `key: "\${NEW_KEY}", former_key: "\${RESPONSES_KEY}"`,
      `key: "\${NEW_KEY}"`,
      `key: "\${RESPONSES_KEY}"`,
    ]) {
      await site.test.reload({}, text => text.replace(/(responses: \{ keep: 1h, ).*(?= \})/, `$1${keys}`))
      statuses.push((await call('GET', body.id)).status)
    }
    await site.test.reload({}, text => text.replace(/responses: \{ keep: .*/, ''))
    statuses.push((await call('GET', body.id)).status)

    expect(site.test.said.filter(text => text.includes('✗'))).toEqual([])
    expect(statuses).toEqual([200, 404, 200, 404])
  })

  it('list their input in pages, either way round', async () => {
    const texts = ['a', 'b', 'c', 'd', 'e']
    const { body } = await asked({ input: texts.map(text => ({ role: 'user', content: text })) })
    const page = async (query: string) => {
      const { body: listed } = await call('GET', `${body.id}/input_items?${query}`)
      const data = listed.data as { id: string; content: { text: string }[] }[]
      return { texts: data.map(({ content }) => content[0]?.text), last: String(listed.last_id), more: listed.has_more }
    }

    expect((await page('')).texts).toEqual(['e', 'd', 'c', 'b', 'a'])
    const first = await page('limit=2&order=asc')
    expect(first).toMatchObject({ texts: ['a', 'b'], more: true })
    const second = await page(`limit=3&order=asc&after=${first.last}`)
    expect(second).toMatchObject({ texts: ['c', 'd', 'e'], more: false })
    for (const bad of ['limit=0', 'limit=101', 'limit=x', 'order=up', 'after=nothing'])
      expect((await call('GET', `${body.id}/input_items?${bad}`)).status).toBe(400)
  })

  it('are no reason to fail: what cannot be kept is answered with store: false, and an alarm', async () => {
    const { responses } = site.test.gateway.store
    const keep = responses.keep.bind(responses)
    responses.keep = async () => {
      throw new Error('disk full')
    }
    const whole = await asked({ input: 'x' })
    const streamed = await eventsIn(await site.ask('responses', { model: 'svc-core', input: 'x', stream: true }))
    responses.keep = keep

    expect(whole).toMatchObject({ status: 200, body: { status: 'completed', store: false } })
    expect(streamed.at(-1)).toMatchObject(['response.completed', { response: { store: false } }])
    expect(site.test.alarms.filter(text => text.includes('a response could not be kept'))).toHaveLength(2)
    expect((await call('GET', whole.body.id)).status).toBe(404)
  })

  it('are not those that are larger than all of an account may be, and those are no alarm', async () => {
    await site.close()
    site = await startKeeping(', max_bytes_per_account: 64KB')
    const large = await asked({ input: randomBytes(100_000).toString('base64') })
    const small = await asked({ input: 'x' })

    expect([large.body.store, small.body.store]).toEqual([false, true])
    expect(site.test.alarms).toEqual([])
  })

  it('are not those whose stream breaks', async () => {
    site.chats.next(stream({ chunks: ['hi'], finish: null, done: false }))
    const events = await eventsIn(await site.ask('responses', { model: 'svc-core', input: 'x', stream: true }))
    const { id = '', store } = (events.at(-1)?.[1].response ?? {}) as Partial<Body>

    expect([events.at(-1)?.[0], store]).toEqual(['response.failed', false])
    expect((await call('GET', id)).status).toBe(404)
  })

  it('hold tool calls, whose results may come alone', async () => {
    const tools = [{ type: 'function', name: 'add', parameters: { type: 'object', properties: {} } }]
    const tool_calls = [{ id: 'call_1', type: 'function', function: { name: 'add', arguments: '{"a":1}' } }]
    site.chats.next(
      json({
        choices: [{ index: 0, message: { role: 'assistant', content: null, tool_calls }, finish_reason: 'tool_calls' }],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      }),
    )
    const { body } = await asked({ input: 'Add', tools })
    await asked({
      tools,
      previous_response_id: body.id,
      input: [{ type: 'function_call_output', call_id: 'call_1', output: '2' }],
    })
    expect(heard()).toEqual([
      ['user', 'Add'],
      ['assistant', null],
      ['tool', '2'],
    ])
  })

  it('are refused as a whole where they and the input are more than a body may have', async () => {
    await site.close()
    site = await Dialects.start(`${yaml()}\nlimits: { body: 50KB }`, { env: { ...ENV, RESPONSES_KEY } })
    const long = 'many words '.repeat(2000)
    let previous: string | undefined
    const statuses: number[] = []
    for (let turn = 0; turn < 4; turn++) {
      const { status, body } = await asked({ input: long, previous_response_id: previous })
      statuses.push(status)
      if (status === 200) previous = body.id
      else expect(body.error).toMatchObject({ code: 'context_length_exceeded', param: 'previous_response_id' })
    }
    expect(statuses).toEqual([200, 200, 400, 400])
  })
})

describeRedis('responses kept in Redis', () => {
  const server = useRedis()
  stores(() => startKeeping('', { redis: server() }))
})

inNpmTest.describe('a pool that speaks Responses', () => {
  beforeEach(async () => {
    site = await startKeeping()
  })
  const sentLast = () => site.native.requests.at(-1)?.body as { input: object[] } | undefined
  const OUTPUT = [
    { id: 'rs_1', type: 'reasoning', summary: [] },
    {
      id: 'msg_1',
      type: 'message',
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'hi', annotations: [] }],
    },
  ]
  const whole = (id: string) => ({
    id,
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'native-model',
    store: false,
    output: OUTPUT,
    usage: { input_tokens: 3, input_tokens_details: {}, output_tokens: 2, output_tokens_details: {}, total_tokens: 5 },
  })

  it('is sent the whole conversation, with store: false, and its reasoning only where it can be read', async () => {
    site.native.next(json(whole('resp_native')))
    const first = await asked({ model: 'svc-native', input: 'Say hi', store: true })
    expect(first.body).toMatchObject({ id: 'resp_native', store: true })
    site.native.next(json(whole('resp_other')))
    await asked({
      model: 'svc-native',
      input: [{ role: 'user', content: 'Again' }],
      previous_response_id: 'resp_native',
    })

    const sent = sentLast()
    expect(sent).toMatchObject({ store: false })
    expect(sent).not.toHaveProperty('previous_response_id')
    expect(sent?.input).toMatchObject([
      { type: 'message', role: 'user', content: [{ text: 'Say hi' }] },
      { id: 'msg_1', content: [{ text: 'hi' }] },
      { role: 'user', content: 'Again' },
    ])
    await asked({ model: 'svc-native', input: [{ type: 'item_reference', id: 'rs_1' }, { id: 'msg_1' }] })
    expect(sentLast()?.input).toMatchObject([{ id: 'msg_1' }])
  })

  it('has its stream kept, and told to be', async () => {
    site.native.next(
      named(
        [
          { type: 'response.created', response: { ...whole('resp_s'), status: 'in_progress', output: [] } },
          { type: 'response.output_item.added', output_index: 0, item: { id: 'msg_1', type: 'message' } },
          { type: 'response.output_text.delta', item_id: 'msg_1', delta: 'hi' },
          { type: 'response.completed', response: whole('resp_s') },
        ].map((event, at) => ({ ...event, sequence_number: at })) as never,
      ),
    )
    const events = await eventsIn(await site.ask('responses', { model: 'svc-native', input: 'Say hi', stream: true }))
    expect(events.flatMap(([, { response }]) => (response ? [(response as Body).store] : []))).toEqual([true, true])
    expect((await call('GET', 'resp_s')).body).toMatchObject({
      id: 'resp_s',
      store: true,
      output: [{}, { id: 'msg_1' }],
    })
  })
})

inNpmTest.describe('a gateway that keeps nothing', () => {
  beforeEach(async () => {
    site = await Dialects.start()
  })

  it('serves store: true, and says that it is ignored', async () => {
    const [kept, plain] = [await asked({ input: 'x', store: true }), await asked({ input: 'x' })]
    expect([kept.headers.get('x-svc-store'), plain.headers.get('x-svc-store')]).toEqual(['ignored', null])
    expect([kept.body.store, plain.body.store]).toEqual([false, false])
    const streamed = await site.ask('responses', { model: 'svc-core', input: 'x', store: true, stream: true })
    expect(streamed.headers.get('x-svc-store')).toBe('ignored')
    await streamed.text()
  })

  it('refuses what would need an earlier response, and says what to send', async () => {
    expect(await asked({ input: 'x', previous_response_id: 'resp_1' })).toMatchObject({
      status: 400,
      body: { error: { code: 'previous_response_not_found', message: expect.stringContaining('store: false') } },
    })
    expect(await asked({ input: [{ type: 'item_reference', id: 'msg_1' }] })).toMatchObject({
      status: 404,
      body: { error: { code: 'item_not_found', message: expect.stringContaining('store: false') } },
    })
    for (const [method, path] of [
      ['GET', 'resp_1'],
      ['DELETE', 'resp_1'],
      ['GET', 'resp_1/input_items'],
      ['POST', 'resp_1/cancel'],
    ] as const)
      expect((await call(method, path)).status).toBe(404)
  })
})

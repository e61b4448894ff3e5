import { afterEach, describe, expect, it } from 'vitest'
import { chunk, contextTooLong, MODEL, refusal, reset, write, writeChunks } from '../../support/backend.ts'
import { hangs, saysJson } from '../../support/door.ts'
import { call, says, Tools } from './fixture.ts'

let tools: Tools

afterEach(() => tools.close())

const searches = says({ content: null, calls: [call('search', { q: 'a' })] })
/** A delta with a whole call. */
const whole = (name: string, args: object) => ({
  tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name, arguments: JSON.stringify(args) } }],
})
/** An event that a backend waits for. */
class Latch {
  open = () => {}
  readonly opened = new Promise<void>(resolve => {
    this.open = resolve
  })
}
const COSTS = 'cost_usd_per_1m: { input: 1, output: 2 }'

describe.each([
  ['whole', {}],
  ['streamed', { stream: true }],
])('an answer with hosted tools, %s,', (_name, form) => {
  it('stops the tool when the client leaves, and charges what was spent', async () => {
    tools = await Tools.start()
    tools.search.always(hangs)
    tools.backend.next(searches)
    const controller = new AbortController()
    const asked = tools.ask(form, { signal: controller.signal }).catch(() => 'left')
    await tools.search.until(() => tools.search.calls.length === 1)

    controller.abort()

    expect(await asked).toBe('left')
    await tools.search.until(() => tools.search.aborted === 1)
    expect((await tools.test.logged(1))[0]).toMatchObject({ status: 499, tools: { search: 1 } })
    const [row] = await tools.test.ledger()
    expect(row).toMatchObject({ kind: 'settle', inputTokens: 9, outputTokens: 3, tools: { search: 1 } })
    expect(row?.cost).toBe(9_000 + 30_000 + 5_000_000)
    expect(tools.rounds).toHaveLength(1)
  })

  it('charges nothing when the gateway shuts down while a tool runs, since nobody gets anything of it', async () => {
    tools = await Tools.start({ fields: { onprem: COSTS, pro: 'tools: all' } })
    tools.search.always(hangs)
    tools.backend.next(searches)
    const asked = tools.ask(form)
    await tools.search.until(() => tools.search.calls.length === 1)

    const next = await tools.test.restart()

    expect(await (await asked).json()).toMatchObject({ code: 'DRAINING' })
    expect(await next.ledger()).toMatchObject([{ kind: 'waste', inputTokens: 9, outputTokens: 3 }])
    await next.close()
  })

  it('takes another backend for a later round where the first one fails', async () => {
    tools = await Tools.start()
    tools.backend.next(searches)
    tools.search.next(async (...exchange) => {
      await tools.backend.refuse()
      await saysJson('fine')(...exchange)
    })
    tools.cloud.next(says({ content: 'Done.' }))

    const answer = await tools.test.clock.during(tools.answer(form))

    expect(answer).toMatchObject({ content: 'Done.', finish: 'stop' })
    expect((await tools.test.logged(1))[0]?.failures?.map(({ pool }) => pool)).toContain('onprem')
    expect((await tools.test.ledger()).filter(({ kind }) => kind === 'settle')).toMatchObject([{ pool: 'cloud' }])
  })

  it('is a 503 that charges nothing where no backend is left for a later round, and its rounds are waste', async () => {
    tools = await Tools.start({ cloud: [], fields: { onprem: COSTS, pro: 'tools: all' } })
    tools.backend.next(searches)
    tools.backend.always(reset)

    const response = await tools.test.clock.during(tools.ask(form))

    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ code: 'UPSTREAMS_EXHAUSTED' })
    const rows = await tools.test.ledger()
    expect(new Set(rows.map(({ kind }) => kind))).toEqual(new Set(['waste']))
    expect(rows.find(({ cause }) => cause === 'a later round failed')).toMatchObject({
      inputTokens: 9,
      outputTokens: 3,
      cost: 15_000,
    })
    const ids = rows.map(({ requestId, cause, settledAt }) => `${requestId} ${cause} ${settledAt}`)
    expect(rows.length).toBeGreaterThan(1)
    expect(new Set(ids).size).toBeGreaterThan(1)
  })

  it('ends with length where what tools said makes it longer than the model takes', async () => {
    tools = await Tools.start({ cloud: [] })
    tools.backend.next(says({ content: 'So far. ', calls: [call('search', { q: 'a' })] }), contextTooLong)

    expect(await tools.answer(form)).toMatchObject({ content: 'So far. ', finish: 'length' })
    expect((await tools.test.ledger())[0]).toMatchObject({ kind: 'settle', tools: { search: 1 }, outputTokens: 3 })
  })

  it('of which a backend refuses a later round tells why, and charges nothing', async () => {
    tools = await Tools.start({ cloud: [] })
    tools.backend.next(searches, refusal(400, { message: 'no tool messages', type: 'invalid_request_error' }))

    const response = await tools.ask(form)

    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: expect.stringContaining('no tool messages') })
    expect(await tools.test.ledger()).toEqual([])
  })
})

describe('no tool runs for a client that left', () => {
  it('while a model spoke, whole', async () => {
    tools = await Tools.start()
    const left = new Latch()
    tools.backend.next(async exchange => {
      await left.opened
      await searches(exchange)
    })
    const controller = new AbortController()
    const asked = tools.ask({}, { signal: controller.signal }).catch(() => 'left')
    await tools.backend.received(1)

    controller.abort()
    expect(await asked).toBe('left')
    await tools.test.closed(1)
    left.open()

    expect((await tools.test.logged(1))[0]).toMatchObject({ status: 499 })
    expect(tools.search.calls).toEqual([])
    expect((await tools.test.ledger())[0]).toMatchObject({ inputTokens: 9, outputTokens: 3, cost: 9_000 + 30_000 })
  })

  it('after a model finished its calls, and before the stream of it ended', async () => {
    tools = await Tools.start()
    const left = new Latch()
    tools.backend.next(async exchange => {
      await writeChunks(exchange, { chunks: [whole('search', { q: 'a' })] })
      await write(exchange.response, chunk(MODEL, {}, 'tool_calls'))
      await left.opened
      exchange.response.end('data: [DONE]\n\n')
    })
    const controller = new AbortController()
    const asked = tools.ask({ stream: true }, { signal: controller.signal }).catch(() => 'left')
    // Once for the upkeep of the store, and once for the usage.
    await tools.test.clock.waits(5000, 2)

    controller.abort()
    expect(await asked).toBe('left')
    await tools.test.closed(1)
    left.open()

    expect((await tools.test.logged(1))[0]).toMatchObject({ status: 499 })
    expect(tools.search.calls).toEqual([])
    expect((await tools.test.ledger())[0]).not.toHaveProperty('tools')
  })
})

describe('a request for a hosted tool', () => {
  const listed = (...names: string[]) => ({ tools: names.map(name => ({ type: 'hosted', name })) })

  it('outside the plan is refused before any spend, by the name of the tool', async () => {
    tools = await Tools.start()
    const key = await tools.test.key('free', 'bea')

    const response = await tools.ask(listed('search'), { key })

    expect(response.status).toBe(429)
    expect(response.headers.get('x-should-retry')).toBe('false')
    expect(await response.json()).toMatchObject({
      error: { type: 'plan_limit', message: expect.stringMatching(/free .*hosted tool search/) },
    })
    expect(tools.rounds).toEqual([])
    expect((await tools.ask(listed('calculator'), { key })).status).toBe(200)
  })

  it.each([
    ['that is not declared', listed('serach'), 'tools', 'no such hosted tool `serach`; there are search, calculator'],
    ['listed twice', listed('search', 'search'), 'tools[1]', 'as tools[0] is'],
    [
      'listed under two names',
      {
        tools: [
          { type: 'hosted', name: 'search' },
          { type: 'function', function: { name: 'svc_search' } },
        ],
      },
      'tools[1]',
      'as tools[0] is',
    ],
    [
      'that has the name of a function of the client',
      {
        tools: [
          { type: 'function', function: { name: 'search' } },
          { type: 'hosted', name: 'search' },
        ],
      },
      'tools[1]',
      'as tools[0] is',
    ],
    ['without a name', { tools: [{ type: 'hosted' }] }, 'tools[0].name', 'is required'],
    ['of another type', { tools: [{ type: 'magic', name: 'search' }] }, 'tools[0].type', 'must be one of'],
    ['with more than one choice', { ...listed('search'), n: 2 }, 'n', 'must be 1 with hosted tools'],
    [
      'that is forced and not listed',
      { ...listed('search'), tool_choice: { type: 'hosted', name: 'calculator' } },
      'tool_choice',
      'names calculator, which tools do not list as hosted',
    ],
    [
      'that is forced and is a function of the client',
      { tools: [{ type: 'function', function: { name: 'mine' } }], tool_choice: { type: 'hosted', name: 'mine' } },
      'tool_choice',
      'names mine, which tools do not list as hosted',
    ],
  ])('%s is a 400 that names the field', async (_name, body, field, problem) => {
    tools = await Tools.start()

    const response = await tools.ask(body)

    expect(response.status).toBe(400)
    const { error } = (await response.json()) as { error: string }
    expect(error.startsWith(`${field}: `)).toBe(true)
    expect(error).toContain(problem)
    expect(tools.rounds).toEqual([])
  })

  it('whose server tells nothing of it is a 503 before any spend', async () => {
    tools = await Tools.start({ tools: '  lost: { mcp: "http://127.0.0.1:9/mcp" }' })

    const response = await tools.ask(listed('lost'))

    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('5')
    expect(await response.json()).toEqual({ code: 'TOOL_UNAVAILABLE', error: expect.stringContaining('lost') })
    expect(tools.rounds).toEqual([])
    expect(await tools.test.ledger()).toEqual([])
  })

  it.each([
    ['it', { hosted: false }, {}],
    ['its function', {}, { hosted: false }],
  ])(
    'of which %s says "hosted": false is for a function of the client, whatever its name, and no backend sees the mark',
    async (_, ofTool, ofFunction) => {
      tools = await Tools.start()
      const mine = { name: 'svc_search', parameters: { type: 'object' } }
      tools.backend.next(says({ content: null, calls: [call('svc_search', { x: 1 })] }))

      const answer = await tools.answer({
        tools: [{ type: 'function', ...ofTool, function: { ...mine, ...ofFunction } }],
      })

      expect(answer.calls).toEqual([{ name: 'svc_search', arguments: '{"x":1}' }])
      expect(tools.rounds[0]?.tools).toEqual([{ type: 'function', function: mine }])
      expect(tools.search.calls).toEqual([])
    },
  )

  it('named svc_ like no hosted tool is for a function of the client', async () => {
    tools = await Tools.start()
    const mine = { type: 'function', function: { name: 'svc_mine', parameters: { type: 'object' } } }
    tools.backend.next(says({ content: null, calls: [call('svc_mine', { x: 1 })] }))

    const answer = await tools.answer({ tools: [mine] })

    expect(answer.calls).toEqual([{ name: 'svc_mine', arguments: '{"x":1}' }])
    expect(tools.rounds[0]?.tools).toEqual([mine])
  })
})

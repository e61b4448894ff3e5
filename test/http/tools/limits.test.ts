import { afterEach, describe, expect, it } from 'vitest'
import { hangs, saysJson } from '../../support/door.ts'
import { call, says, Tools } from './fixture.ts'

let tools: Tools

afterEach(() => tools.close())

const searches = (q: string) => says({ content: null, calls: [call('search', { q })] })

describe.each([
  ['whole', {}],
  ['streamed', { stream: true }],
])('an answer with hosted tools, %s,', (_name, form) => {
  it('calls a tool as often as max_calls says, and has one last round without it', async () => {
    tools = await Tools.start({ tool: ', max_calls: 2' })
    tools.backend.next(searches('a'), searches('b'), says({ content: 'Enough.' }))

    expect(await tools.answer(form)).toMatchObject({ content: 'Enough.', finish: 'stop' })

    expect(tools.search.calls).toHaveLength(2)
    expect(tools.rounds.map(({ tools: offered }) => offered?.length)).toEqual([1, 1, undefined])
  })

  it('does not make the calls of one turn that are too many, and tells the model so', async () => {
    tools = await Tools.start({ tool: ', max_calls: 2' })
    const calls = ['a', 'b', 'c'].map(q => call('search', { q }, q))
    tools.backend.next(says({ content: null, calls }), says({ content: 'Enough.' }))

    await tools.answer(form)

    expect(tools.search.calls).toEqual([{ q: 'a' }, { q: 'b' }])
    expect(tools.rounds[1]?.messages.at(-1)?.content).toMatch(
      /no result.*\n.*search may be called 2 times in one answer/,
    )
    expect((await tools.test.ledger())[0]).toMatchObject({ tools: { search: 2 } })
  })

  it('still offers the other tools when one is used up', async () => {
    tools = await Tools.start({ tool: ', max_calls: 1' })
    tools.backend.next(searches('a'), says({ content: 'Enough.' }))

    await tools.answer({ ...form, tools: ['search', 'calculator'].map(name => ({ type: 'hosted', name })) })

    expect(tools.rounds[1]?.tools?.map(tool => tool.function.name)).toEqual(['calculator'])
  })

  it('has at most as many rounds as limits.tool_rounds says, the last one without tools', async () => {
    tools = await Tools.start({ tool: ', max_calls: 50', yaml: 'limits: { tool_rounds: 3 }' })
    tools.backend.always(searches('again'))

    expect(await tools.answer(form)).toMatchObject({ content: '', calls: [], finish: 'length' })

    expect(tools.rounds.map(({ tools: offered }) => offered?.length)).toEqual([1, 1, undefined])
    expect(tools.search.calls).toHaveLength(2)
  })

  it('gives up a tool after its timeout, closes the connection, and tells the model', async () => {
    tools = await Tools.start({ tool: ', timeout: 3s' })
    tools.search.always(hangs)
    tools.backend.next(searches('a'), says({ content: 'Slow.' }))
    const answer = tools.answer(form)
    await tools.search.until(() => tools.search.calls.length === 1)

    tools.test.clock.advance(2999)
    expect(tools.search.aborted).toBe(0)
    tools.test.clock.advance(1)

    expect(await answer).toMatchObject({ content: 'Slow.', finish: 'stop' })
    await tools.search.until(() => tools.search.aborted === 1)
    expect(tools.rounds[1]?.messages.at(-1)?.content).toMatch(/no result.*\n.*did not answer within 3 s/)
    expect(tools.test.alarms).toEqual([expect.stringMatching(/a hosted tool fails .*search.*within its timeout/)])
    // Nobody pays for what never came.
    const [row] = await tools.test.ledger()
    expect(row).toMatchObject({ kind: 'settle', cost: 18_000 + 60_000 })
    expect(row).not.toHaveProperty('tools')
  })

  it('has limits.tool_time for all its tools, and after it a last round without them', async () => {
    tools = await Tools.start({ tool: ', timeout: 8s, max_calls: 9', yaml: 'limits: { tool_time: 10s }' })
    tools.backend.next(searches('a'), searches('b'), says({ content: 'Late.' }))
    tools.search.always(hangs)
    const answer = tools.answer(form)

    await tools.search.until(() => tools.search.calls.length === 1)
    tools.test.clock.advance(8000)
    await tools.search.until(() => tools.search.calls.length === 2)
    tools.test.clock.advance(2000)

    expect(await answer).toMatchObject({ content: 'Late.', finish: 'stop' })
    expect(tools.rounds.map(({ tools: offered }) => offered?.length)).toEqual([1, 1, undefined])
  })

  it('has max_tokens for all rounds together', async () => {
    tools = await Tools.start()
    const usage = { prompt_tokens: 9, completion_tokens: 30, total_tokens: 39 }
    tools.backend.next(says({ content: null, usage, calls: [call('search', { q: 'a' })] }), says({ content: 'Done.' }))

    await tools.answer({ ...form, max_tokens: 100 })

    expect(tools.rounds.map(({ max_tokens: cap }) => cap)).toEqual([100, 70])
  })

  it('ends with length when max_tokens is used up between rounds, and runs no more tools', async () => {
    tools = await Tools.start()
    const usage = { prompt_tokens: 9, completion_tokens: 100, total_tokens: 109 }
    tools.backend.next(says({ content: 'Well, ', usage, calls: [call('search', { q: 'a' })] }))

    expect(await tools.answer({ ...form, max_tokens: 100 })).toMatchObject({ content: 'Well, ', finish: 'length' })
    expect(tools.search.calls).toEqual([])
  })

  it('ends with length where what is left is too little for a model that thinks', async () => {
    tools = await Tools.start()
    const usage = { prompt_tokens: 9, completion_tokens: 100, total_tokens: 109 }
    tools.backend.next(says({ content: 'Well, ', usage, calls: [call('search', { q: 'a' })] }))

    const answer = await tools.answer({ ...form, model: 'svc-ultra-pro', max_tokens: 2099 })

    expect(answer).toMatchObject({ content: 'Well, ', finish: 'length' })
    expect(tools.search.calls).toEqual([])
  })

  it('runs no call that max_tokens cut off', async () => {
    tools = await Tools.start()
    tools.backend.next(says({ content: 'Well, ', finish: 'length', calls: [call('search', '{"q":"a')] }))

    expect(await tools.answer(form)).toMatchObject({ content: 'Well, ', calls: [], finish: 'length' })
    expect(tools.search.calls).toEqual([])
  })

  it('ends with length when the quota runs out between rounds, and never passes the limit', async () => {
    // 31 KB of result are held as as many tokens: 3.1 cents beside the 0.5 that were spent and 1 for two more calls.
    tools = await Tools.start({ tool: ', max_result: 32KB', spare: true })
    const key = await tools.test.key('spare', 'bea')
    tools.search.next(saysJson('x'.repeat(31_000)))
    tools.backend.next(says({ content: 'So far. ', calls: [call('search', { q: 'a' })] }), says({ content: 'More.' }))

    const answer = await tools.answer(form, key)

    expect(answer).toMatchObject({ content: 'So far. ', finish: 'length' })
    expect(tools.rounds).toHaveLength(1)
    const [row] = await tools.test.ledger()
    expect(row?.cost).toBe(9_000 + 30_000 + 5_000_000)
    const spend = await tools.test.gateway.store.accounts.readSpend(row?.account ?? '')
    expect(spend).toMatchObject({ used: row?.cost, held: 0 })
  })

  it('is refused before any spend where its calls could not be paid', async () => {
    tools = await Tools.start({ spare: true })
    const key = await tools.test.key('spare', 'bea')
    tools.backend.next(
      says({ content: 'Much.', usage: { prompt_tokens: 9, completion_tokens: 3000, total_tokens: 3009 } }),
    )
    await tools.answer({ tools: [] }, key)

    const response = await tools.ask(form, { key })

    expect(response.status).toBe(402)
    expect(tools.rounds).toHaveLength(1)
    expect((await tools.ask({ ...form, tools: [], max_tokens: 100 }, { key })).status).toBe(200)
  })
})

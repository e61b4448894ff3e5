import { afterEach, describe, expect, it } from 'vitest'
import { chunk, MODEL, sse, stream, streamThenClose, streamThenHang } from '../../support/backend.ts'
import { hangs, saysJson } from '../../support/door.ts'
import { eventsOf } from '../../support/gateway.ts'
import { call, ofStream, says, Tools } from './fixture.ts'

let tools: Tools

afterEach(() => tools.close())

const searches = says({ content: null, calls: [call('search', { q: 'a' })] })
const BROKEN = {
  error: { code: 'UPSTREAM_INTERRUPTED', type: 'upstream_error', message: expect.any(String) },
}
const part = (name: string) => ({
  tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name, arguments: '{"q":' } }],
})

describe('a stream with hosted tools', () => {
  it('shows the text of a round as it comes, and not after the tools', async () => {
    tools = await Tools.start()
    tools.search.always(hangs)
    tools.backend.next(says({ content: 'Let me look. ', calls: [call('search', { q: 'a' })] }))
    const response = await tools.ask({ stream: true })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()

    let text = ''
    while (!text.includes('Let me look. ')) text += (await reader?.read())?.value ?? ''

    await tools.search.until(() => tools.search.calls.length === 1)
    expect(text).not.toContain('finish_reason":"')
    await reader?.cancel()
    await tools.test.logged(1)
  })

  it('is kept alive while a tool runs', async () => {
    tools = await Tools.start({ tool: ', timeout: 60s' })
    let release = () => {}
    tools.search.next(async (...exchange) => {
      await new Promise<void>(resolve => {
        release = resolve
      })
      await saysJson('late')(...exchange)
    })
    tools.backend.next(says({ content: 'Hm. ', calls: [call('search', { q: 'a' })] }), says({ content: 'There.' }))
    const response = await tools.ask({ stream: true })
    await tools.search.until(() => tools.search.calls.length === 1)

    tools.test.clock.advance(15_000)
    release()

    const text = await response.text()
    expect(text.match(/: keep-alive\n\n/g)).toHaveLength(1)
    const events = text.split('\n\n').flatMap(event => (event.startsWith('data: ') ? [event.slice(6)] : []))
    expect(ofStream(events)).toMatchObject({ content: 'Hm. There.', finish: 'stop' })
  })

  it('sends no usage to a client that asked for none', async () => {
    tools = await Tools.start()
    tools.backend.next(searches, says({ content: 'Done.' }))

    expect(await tools.answer({ stream: true })).toMatchObject({ content: 'Done.', usage: undefined })
    expect((await tools.test.ledger())[0]).toMatchObject({ estimated: false })
  })

  it('that breaks in a call of a hosted tool fails over unseen: the client got nothing of it', async () => {
    tools = await Tools.start()
    tools.backend.next(streamThenClose({ chunks: [part('search')] }), streamThenClose({ chunks: [part('search')] }))
    tools.cloud.next(searches, says({ content: 'Done.' }))
    tools.backend.always(streamThenClose({ chunks: [part('search')] }))
    const answer = tools.answer({ stream: true })

    expect(await tools.test.clock.during(answer)).toMatchObject({ content: 'Done.', finish: 'stop' })
    expect(tools.search.calls).toHaveLength(1)
  })

  it('with a broken event in a call of a hosted tool fails over unseen: no tool gets half of its arguments', async () => {
    tools = await Tools.start()
    const begins = chunk(MODEL, part('search'), null)
    const rest = chunk(MODEL, { tool_calls: [{ index: 0, function: { arguments: '"a"}' } }] }, null)
    tools.backend.always(sse(`${begins}data: {"broken\n\n${rest}${chunk(MODEL, {}, 'tool_calls')}data: [DONE]\n\n`))
    tools.cloud.next(searches, says({ content: 'Done.' }))

    const answer = await tools.test.clock.during(tools.answer({ stream: true }))

    expect(answer).toMatchObject({ content: 'Done.', finish: 'stop' })
    expect(tools.search.calls).toEqual([{ q: 'a' }])
  })

  const said = (name: string | undefined, args: string) => ({ function: { name, arguments: args } })
  it.each([
    [
      'without an index, in one chunk',
      [
        [
          { id: 'a', ...said('search', '{"q":"a"}') },
          { id: 'b', ...said('search', '{"q":"b"}') },
        ],
      ],
    ],
    [
      'without an index, in two chunks',
      [[{ id: 'a', ...said('search', '{"q":"a"}') }], [{ id: 'b', ...said('search', '{"q":"b"}') }]],
    ],
    ['without index and id', [[said('search', '{"q":"a"}'), said('search', '{"q":"b"}')]]],
    [
      'all with index 0',
      [
        [{ index: 0, id: 'a', ...said('search', '{"q":"a"}') }],
        [{ index: 0, id: 'b', ...said('search', '{"q":"b"}') }],
      ],
    ],
    [
      'with another id in every part',
      [
        [{ index: 0, id: 'a', ...said('search', '{"q":') }],
        [{ index: 0, id: 'x', ...said(undefined, '"a"}') }],
        [{ index: 1, id: 'b', ...said('search', '{"q":') }],
        [{ index: 1, id: 'y', ...said(undefined, '"b"}') }],
      ],
    ],
    [
      'with an empty id and name in later parts',
      [
        [{ index: 0, id: 'a', ...said('search', '{"q":') }],
        [{ index: 0, id: '', ...said('', '"a"}') }],
        [{ index: 1, id: 'b', ...said('search', '{"q":"b"}') }],
      ],
    ],
    [
      'with id and name in every part',
      [
        [{ index: 0, id: 'a', ...said('search', '{"q":') }],
        [{ index: 0, id: 'a', ...said('search', '"a"}') }],
        [{ index: 1, id: 'b', ...said('search', '{"q":"b"}') }],
      ],
    ],
    [
      'with a name that comes after the id',
      [
        [{ index: 0, id: 'a', type: 'function' }],
        [{ index: 0, ...said('search', '{"q":"a"}') }],
        [{ index: 1, id: 'b', ...said('', '') }],
        [{ index: 1, ...said('search', '{"q":"b"}') }],
      ],
    ],
  ])('runs the calls of a backend that tells them %s', async (_form, parts) => {
    tools = await Tools.start()
    const chunks = parts.map(calls => ({ tool_calls: calls }))
    tools.backend.next(stream({ chunks, finish: 'tool_calls' }), says({ content: 'Done.' }))

    expect(await tools.answer({ stream: true })).toMatchObject({ content: 'Done.', calls: [], finish: 'stop' })

    const results = tools.rounds[1]?.messages.filter(({ role }) => role === 'tool')
    expect(results?.map(({ content }) => content?.split('\n')[1])).toEqual(['{"ok":true}', '{"ok":true}'])
    expect(new Set(results?.map(({ tool_call_id: id }) => id)).size).toBe(2)
    expect(new Set(tools.search.calls.map(args => JSON.stringify(args)))).toEqual(new Set(['{"q":"a"}', '{"q":"b"}']))
  })

  it('gives the client its own calls as its SDK can read them, however the backend numbers and names them', async () => {
    tools = await Tools.start()
    const mine = { type: 'function', function: { name: 'my_tool', parameters: { type: 'object' } } }
    const chunks = [
      { tool_calls: [{ index: 0, id: 'a', type: 'function', ...said('', '') }] },
      { tool_calls: [{ index: 0, ...said('my_tool', '{"x":') }] },
      { tool_calls: [{ index: 0, ...said(undefined, '1}') }] },
      { tool_calls: [{ index: 0, id: 'b', ...said('my_tool', '{"y":2}') }] },
    ]
    tools.backend.next(stream({ chunks, finish: 'tool_calls' }))

    const answer = await tools.answer({ stream: true, tools: [{ type: 'hosted', name: 'search' }, mine] })

    expect(answer.finish).toBe('tool_calls')
    expect(answer.calls.map(({ arguments: args }) => args)).toEqual(['{"x":1}', '{"y":2}'])
  })

  it('that breaks in a later round after its first text ends in an error event, and what was spent is charged', async () => {
    tools = await Tools.start()
    tools.backend.next(
      says({ content: 'One. ', calls: [call('search', { q: 'a' })] }),
      streamThenClose({ chunks: ['Two'] }),
    )

    const events = await eventsOf(await tools.ask({ stream: true }))

    expect(JSON.parse(events.at(-1) ?? '')).toEqual(BROKEN)
    expect(events.join('')).toContain('Two')
    const [row] = await tools.test.ledger()
    expect(row).toMatchObject({
      kind: 'settle',
      tools: { search: 1 },
      estimated: true,
      inputTokens: expect.any(Number),
    })
    expect(row?.cost).toBeGreaterThan(5_000_000)
  })

  it('whose later round finds no backend ends in an error event once it has begun', async () => {
    tools = await Tools.start({ cloud: [] })
    tools.backend.next(says({ content: 'One. ', calls: [call('search', { q: 'a' })] }))
    tools.search.next(async (...exchange) => {
      await tools.backend.refuse()
      await saysJson('fine')(...exchange)
    })
    const events = tools.ask({ stream: true }).then(eventsOf)

    expect(JSON.parse((await tools.test.clock.during(events)).at(-1) ?? '')).toEqual(BROKEN)
    const [row] = await tools.test.ledger()
    expect(row).toMatchObject({ kind: 'settle', tools: { search: 1 }, inputTokens: 9, outputTokens: 3 })
  })

  it('that the client leaves while a model speaks in a later round stops it, and what was spent is charged', async () => {
    tools = await Tools.start()
    tools.backend.next(
      says({ content: 'One. ', calls: [call('search', { q: 'a' })] }),
      streamThenHang({ chunks: ['Two'] }),
    )
    const response = await tools.ask({ stream: true })
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes('Two')) text += (await reader?.read())?.value ?? ''

    await reader?.cancel()

    await tools.test.clock.during(tools.backend.clientGone(1), 100)
    expect((await tools.test.logged(1))[0]).toMatchObject({ status: 499 })
    const [row] = await tools.test.ledger()
    expect(row).toMatchObject({ kind: 'settle', tools: { search: 1 }, outputTokens: 4, estimated: true })
  })

  it('of a model with commit: complete is held until its last round ended well', async () => {
    tools = await Tools.start({ fields: { core: 'commit: complete' } })
    tools.backend.next(
      says({ content: 'One. ', calls: [call('search', { q: 'a' })] }),
      streamThenClose({ chunks: ['Tw'] }),
      says({ content: 'Two.' }),
    )
    tools.cloud.next(says({ content: 'Two.' }))

    const answer = await tools.test.clock.during(tools.answer({ stream: true }))

    expect(answer).toMatchObject({ content: 'One. Two.', finish: 'stop' })
  })
})

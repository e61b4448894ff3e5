import type { OpenAI } from 'openai'
import { describe, expect, it } from 'vitest'
import { saysJson } from '../../support/door.ts'
import { INTERRUPTED } from '../support/broken.ts'
import { exhausted } from '../support/rig.ts'
import { LOOKED_UP, lookup, mixed, SUM, skipWaits, type ToolRig } from '../support/tool-rig.ts'
import { type Seen, seen, streamed } from './one-answer.ts'
import { headerOf, type Sdk, user } from './sdk.ts'

type Chat = OpenAI.ChatCompletionCreateParamsNonStreaming
type Tool = OpenAI.ChatCompletionFunctionTool

/** The SDK's types know none but functions; what is sent, is what it sends. */
const hosted = (name: string) => ({ type: 'hosted', name }) as unknown as Tool
const marked = (name: string) => ({ type: 'function' as const, hosted: true, function: { name } })
const plain = (name: string) => ({ type: 'function' as const, function: { name: `svc_${name}` } })
const chatWith = (...tools: Tool[]): Chat => ({ model: 'svc-core', messages: [user('Is it raining?')], tools })

export function hostedToolScenarios(sdk: Sdk, rig: ToolRig): void {
  const { OpenAI, client, helpers } = sdk
  const ways: readonly (readonly [string, (chat: Chat, key?: string) => Promise<Seen>])[] = [
    ['whole', async (chat, apiKey = rig.key) => seen(await client({ apiKey }).chat.completions.create(chat))],
    [
      'streamed',
      async (chat, apiKey = rig.key) => streamed(await client({ apiKey }).chat.completions.create(asStream(chat))),
    ],
    [
      'collected by the helper',
      async (chat, apiKey = rig.key) => {
        const runner = helpers(client({ apiKey })).stream(asStream(chat))
        return { ...seen(await runner.finalChatCompletion()), usage: await runner.totalUsage() }
      },
    ],
  ]

  describe.each(ways)('an answer with hosted tools, %s,', (way, ask) => {
    it.each([
      ['{type: "hosted", name}', hosted, ''],
      ['functions with "hosted": true', marked, ''],
      ['plain functions named svc_<tool>', plain, 'svc_'],
    ])('is one ordinary answer, where tools were listed as %s', async (_form, tool, prefix) => {
      rig.says(...lookup(`${prefix}echo`, `${prefix}search`))

      const answer = await ask(chatWith(tool('echo'), tool('search')))

      expect(answer).toMatchObject({ role: 'assistant', content: LOOKED_UP, calls: [], finish: 'stop', usage: SUM })
      expect(rig.mcp.calls).toMatchObject([{ tool: 'echo', args: { text: 'weather' } }])
      expect(rig.search.calls).toEqual([{ q: 'weather' }])
      expect(rig.rounds).toHaveLength(3)
      expect(rig.rounds[2]?.messages.at(2)?.content).toMatch(/\nweather$/)
      expect(await rig.calls()).toMatchObject([{ status: 200, tools: { echo: 1, search: 1 } }])
    })

    it('ends with length where the month has no more for another round', async () => {
      const key = await rig.test.key('spare', `poor ${way}`)
      rig.search.always(saysJson('x'.repeat(31_000)))
      rig.says(...lookup().slice(1))

      const answer = await ask(chatWith(hosted('search')), key)

      expect(answer).toMatchObject({ content: 'Let me look. ', calls: [], finish: 'length' })
      expect(rig.rounds).toHaveLength(1)
      expect(await rig.calls()).toHaveLength(1)
    })

    it('with a tool outside the plan is a RateLimitError of type plan_limit that is not tried again', async () => {
      const key = await rig.test.key('free', `free ${way}`)
      const error = await caught(ask(chatWith(hosted('echo'), hosted('search')), key))

      expect(error).toBeInstanceOf(OpenAI.RateLimitError)
      expect(error).toMatchObject({ status: 429, code: 'rate_limit_exceeded', type: 'plan_limit' })
      expect(error).toHaveProperty('message', expect.stringMatching(/free .*hosted tool search/))
      expect(await rig.calls()).toMatchObject([{ status: 429 }])
      expect(rig.rounds).toEqual([])
    })

    it('with a tool whose server is down is a 503 after the retries and waits that it was told', async () => {
      skipWaits(rig, 5000)
      const error = await caught(ask(chatWith(hosted('lost'))))

      expect(error).toBeInstanceOf(OpenAI.InternalServerError)
      expect(headerOf((error as { headers?: unknown }).headers, 'x-svc-error-code')).toBe('TOOL_UNAVAILABLE')
      expect(error).toMatchObject({ status: 503, message: expect.stringContaining('hosted tool lost') })
      expect(await rig.calls()).toMatchObject([{ status: 503 }, { status: 503 }, { status: 503 }])
      expect(rig.rounds).toEqual([])
    })
  })

  it('an answer that loses its backends between rounds is had by a retry', async () => {
    rig.says(...lookup().slice(0, 2), exhausted, ...lookup())

    const { choices, usage } = await client().chat.completions.create(chatWith(hosted('echo'), hosted('search')))

    expect(choices[0]?.message.content).toBe(LOOKED_UP)
    expect(usage).toEqual(SUM)
    expect(await rig.calls()).toMatchObject([{ status: 503 }, { status: 200 }])
  })

  it('a stream that loses its backends between rounds throws after what was said, and is not tried again', async () => {
    rig.says(...lookup().slice(0, 2), exhausted)
    const chat = asStream(chatWith(hosted('echo'), hosted('search')))
    let text = ''
    const error = await caught(
      (async () => {
        for await (const { choices } of await client().chat.completions.create(chat))
          text += choices[0]?.delta.content ?? ''
      })(),
    )

    expect(error).toBeInstanceOf(OpenAI.APIError)
    expect(error).toMatchObject({ ...INTERRUPTED, error: INTERRUPTED })
    expect(text).toBe('Let me think. Let me look. ')
    expect(await rig.calls()).toMatchObject([{ status: 200, interrupted: expect.stringMatching(/./) }])
  })

  it('an answer with a tool whose server comes back is had by a retry', async () => {
    skipWaits(rig, 5000, () => rig.late.door.serve())
    rig.says({ content: 'Hello.' })

    const { choices } = await client().chat.completions.create(chatWith(hosted('late')))

    expect(choices[0]?.message.content).toBe('Hello.')
    expect(await rig.calls()).toMatchObject([{ status: 503 }, { status: 200 }])
  })

  it.each([false, true])('an answer with hosted tools has the headers of any (stream: %s)', async stream => {
    rig.says(...lookup())
    const chat = { ...chatWith(hosted('echo'), hosted('search')), stream }

    const { data, response } = await client().chat.completions.create(chat).withResponse()

    if (Symbol.asyncIterator in data) for await (const _chunk of data);
    const [call] = await rig.calls()
    expect(response.headers.get('x-request-id')).toBe(call?.requestId)
    expect(response.headers.get('x-svc-upstream')).toBe('onprem')
    expect(response.headers.get('x-svc-quota-plan')).toBe('pro')
    expect(Number(response.headers.get('x-svc-quota-used'))).toBeGreaterThan(0)
  })

  it.each([false, true])('runTools runs the tools of the client between hosted ones (stream: %s)', async stream => {
    rig.says(...mixed)
    const units: unknown[] = []
    const locate = {
      type: 'function' as const,
      function: {
        name: 'locate',
        description: 'Where the user is',
        parameters: { type: 'object', properties: { unit: { type: 'string' } } },
        parse: JSON.parse,
        function: (args: unknown) => {
          units.push(args)
          return 'Oslo'
        },
      },
    }
    const chat = { ...chatWith(), tools: [plain('echo'), plain('search'), locate] }
    const runner = stream ? helpers().runTools({ ...chat, stream } as never) : helpers().runTools(chat as never)

    expect(await runner.finalContent()).toBe('Ah. It snows.')

    expect(units).toEqual([{ unit: 'city' }])
    expect(rig.mcp.calls).toMatchObject([{ args: { text: 'weather' } }])
    expect(rig.search.calls).toEqual([{ q: 'Oslo' }])
    expect(await rig.calls()).toMatchObject([
      { status: 200, tools: { echo: 1 } },
      { status: 200, tools: { search: 1 } },
    ])
    const locating = { id: 'c3', type: 'function', function: { name: 'locate', arguments: '{"unit":"city"}' } }
    expect(rig.rounds[2]?.messages.slice(1)).toMatchObject([
      { role: 'assistant', content: 'Let me think. Where are you? ', tool_calls: [locating] },
      { role: 'tool', tool_call_id: 'c3', content: 'Oslo' },
    ])
  })
}

const asStream = (chat: Chat) => ({ ...chat, stream: true as const, stream_options: { include_usage: true } })

const caught = (from: Promise<unknown>): Promise<unknown> =>
  from.then(
    () => Promise.reject(new Error('it succeeded')),
    (error: unknown) => error,
  )

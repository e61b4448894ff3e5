import type { FinishReason, ToolChoice, ToolSet } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { saysJson } from '../../support/door.ts'
import { INTERRUPTED } from '../support/broken.ts'
import { exhausted } from '../support/rig.ts'
import { LOOKED_UP, lookup, mixed, skipWaits, type ToolRig } from '../support/tool-rig.ts'
import type { AiSdk } from './sdk.ts'

/** The result of one SDK call, whole or streamed. */
interface Seen {
  readonly text: string
  readonly finishReason: FinishReason
  readonly totalUsage: unknown
  readonly steps: readonly { readonly finishReason: FinishReason; readonly toolCalls: readonly unknown[] }[]
  readonly headers: Readonly<Record<string, string>> | undefined
}

interface Options {
  readonly apiKey?: string
  readonly maxRetries?: number
  readonly toolChoice?: ToolChoice<ToolSet>
}

/** Usage of this many rounds. */
const usageOf = (rounds: number) => ({ inputTokens: 9 * rounds, outputTokens: 3 * rounds, totalTokens: 12 * rounds })

export function hostedToolScenarios({ ai, provider }: AiSdk, rig: ToolRig): void {
  const { APICallError, RetryError, generateText, stepCountIs, streamText, tool } = ai
  /** All that the SDK can send is functions, so hosted tools go by their longer names; without `execute` it runs none. */
  const listed = {
    svc_echo: tool({ description: 'Says what it is told', inputSchema: z.object({ text: z.string() }) }),
    svc_search: tool({ description: 'Searches', inputSchema: z.object({ q: z.string() }) }),
  }

  const ask = async (streamed: boolean, tools: ToolSet, options: Options = {}) => {
    const { apiKey = rig.key, ...rest } = options
    const model = provider({ apiKey, includeUsage: true })('svc-core')
    const request = { model, tools, prompt: 'Is it raining?', stopWhen: stepCountIs(5), ...rest }
    return streamed ? ofStream(request) : ofWhole(request)
  }
  const ofWhole = async (request: Parameters<typeof generateText>[0]): Promise<Seen> => {
    const { text, finishReason, totalUsage, steps, response } = await generateText(request)
    return { text, finishReason, totalUsage, steps, headers: response.headers }
  }
  const ofStream = async (request: Parameters<typeof streamText>[0]): Promise<Seen> => {
    const errors: unknown[] = []
    const result = streamText({ ...request, onError: ({ error }) => void errors.push(error) })
    await result.consumeStream()
    if (errors.length > 0) throw errors[0]
    const [text, finishReason, totalUsage, steps] = await Promise.all([
      result.text,
      result.finishReason,
      result.totalUsage,
      result.steps,
    ])
    return { text, finishReason, totalUsage, steps, headers: (await result.response).headers }
  }

  describe.each([
    ['whole', false],
    ['streamed', true],
  ])('an answer with hosted tools, %s,', (way, streamed) => {
    it('is one ordinary step', async () => {
      rig.says(...lookup('svc_echo', 'svc_search'))

      const { steps, headers, ...answer } = await ask(streamed, listed)

      expect(answer).toMatchObject({ text: LOOKED_UP, finishReason: 'stop', totalUsage: usageOf(3) })
      expect(steps).toMatchObject([{ finishReason: 'stop', toolCalls: [] }])
      expect(rig.mcp.calls).toMatchObject([{ tool: 'echo', args: { text: 'weather' } }])
      expect(rig.search.calls).toEqual([{ q: 'weather' }])
      const [call, ...others] = await rig.calls()
      expect(others).toEqual([])
      expect(call).toMatchObject({ status: 200, tools: { echo: 1, search: 1 } })
      expect(headers).toMatchObject({
        'x-request-id': call?.requestId,
        'x-svc-upstream': 'onprem',
        'x-svc-quota-plan': 'pro',
      })
    })

    it('has tools of the client in between, which the SDK runs in its own steps', async () => {
      rig.says(...mixed)
      const units: string[] = []
      const locate = tool({
        description: 'Where the user is',
        inputSchema: z.object({ unit: z.string() }),
        execute: async ({ unit }) => {
          units.push(unit)
          return 'Oslo'
        },
      })

      const { text, totalUsage, steps } = await ask(streamed, { ...listed, locate })

      expect(text).toBe('Ah. It snows.')
      expect(totalUsage).toMatchObject(usageOf(4))
      expect(steps).toMatchObject([
        { finishReason: 'tool-calls', text: 'Let me think. Where are you? ', toolCalls: [{ toolName: 'locate' }] },
        { finishReason: 'stop', toolCalls: [] },
      ])
      expect(units).toEqual(['city'])
      expect(rig.mcp.calls).toMatchObject([{ args: { text: 'weather' } }])
      expect(rig.search.calls).toEqual([{ q: 'Oslo' }])
      expect(await rig.calls()).toMatchObject([{ tools: { echo: 1 } }, { tools: { search: 1 } }])
    })

    it('ends with length where the month has no more for another round', async () => {
      const apiKey = await rig.test.key('spare', `poor ${way}`)
      rig.search.always(saysJson('x'.repeat(31_000)))
      rig.says(...lookup('', 'svc_search').slice(1))

      const { text, finishReason, steps } = await ask(streamed, { svc_search: listed.svc_search }, { apiKey })

      expect({ text, finishReason }).toEqual({ text: 'Let me look. ', finishReason: 'length' })
      expect(steps).toMatchObject([{ toolCalls: [] }])
      expect(rig.rounds).toHaveLength(1)
      expect(await rig.calls()).toHaveLength(1)
    })

    it('with a tool outside the plan is an APICallError of type plan_limit', async () => {
      const apiKey = await rig.test.key('free', `free ${way}`)
      // This SDK tries every 429 again: it does not read x-should-retry.
      const error = await caught(ask(streamed, listed, { apiKey, maxRetries: 0 }))

      expect(APICallError.isInstance(error)).toBe(true)
      expect(error).toMatchObject({
        statusCode: 429,
        message: expect.stringMatching(/free .*hosted tool search/),
        data: { error: { code: 'rate_limit_exceeded', type: 'plan_limit' } },
      })
      expect(await rig.calls()).toMatchObject([{ status: 429 }])
      expect(rig.rounds).toEqual([])
    })

    it('with a tool whose server is down is a 503 after the retries and waits that it was told', async () => {
      skipWaits(rig, 5000)
      const error = await caught(ask(streamed, { svc_lost: listed.svc_echo }))

      expect(RetryError.isInstance(error)).toBe(true)
      expect(error).toMatchObject({
        reason: 'maxRetriesExceeded',
        lastError: {
          statusCode: 503,
          message: expect.stringMatching(/^The hosted tool lost cannot be used now/),
          responseHeaders: { 'x-svc-error-code': 'TOOL_UNAVAILABLE' },
          responseBody: expect.stringContaining('hosted tool lost'),
        },
      })
      expect(await rig.calls()).toMatchObject([{ status: 503 }, { status: 503 }, { status: 503 }])
      expect(rig.rounds).toEqual([])
    })
  })

  describe.each([
    ['required', 'required'],
    [
      { type: 'tool', toolName: 'svc_echo' },
      { type: 'function', function: { name: 'svc_echo' } },
    ],
  ] as const)('a forced tool (%j)', (toolChoice, sent) => {
    it('is forced in the first round of a stream only', async () => {
      rig.says(...lookup('svc_echo', 'svc_search'))

      expect(await ask(true, listed, { toolChoice })).toMatchObject({ text: LOOKED_UP, finishReason: 'stop' })
      expect(rig.rounds.map(({ tool_choice: choice }) => choice)).toEqual([sent, undefined, undefined])
    })

    it('is missed by generateText, which wants to see the call: hosted tools are forced in streams', async () => {
      rig.says(...lookup('svc_echo', 'svc_search'))

      expect(await caught(ask(false, listed, { toolChoice }))).toHaveProperty('name', 'AI_ToolChoiceViolationError')
      expect(await rig.calls()).toMatchObject([{ status: 200, tools: { echo: 1, search: 1 } }])
    })
  })

  it('a stream that loses its backends between rounds ends as an error, and is not tried again', async () => {
    rig.says(...lookup('svc_echo', 'svc_search').slice(0, 2), exhausted)

    expect(await caught(ask(true, listed))).toEqual(INTERRUPTED)
    expect(await rig.calls()).toMatchObject([{ status: 200, interrupted: expect.stringMatching(/./) }])
  })

  it('an answer with a tool whose server comes back is had by a retry', async () => {
    skipWaits(rig, 5000, () => rig.late.door.serve())
    rig.says({ content: 'Hello.' })

    expect((await ask(false, { svc_late: listed.svc_echo })).text).toBe('Hello.')
    expect(await rig.calls()).toMatchObject([{ status: 503 }, { status: 200 }])
  })
}

const caught = (from: Promise<unknown>): Promise<unknown> =>
  from.then(
    () => Promise.reject(new Error('it succeeded')),
    (error: unknown) => error,
  )

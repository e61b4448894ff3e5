import fc from 'fast-check'
import { expect, it } from 'vitest'
import { answer, sse } from '../support/backend.ts'
import { type Meant, type OddStream, oddStream } from '../support/odd-chats.ts'
import type { Rig } from './support/rig.ts'
import { sdkSuite } from './support/suite.ts'

/** An SDK's result for a stream; empty if it threw. */
interface Taken {
  readonly text: string
  readonly calls: readonly { readonly name: string; readonly input: unknown }[]
  /** In the words of the SDK. */
  readonly finish: string
}

const RUNS = 120
const TOOL = { type: 'function' as const, function: { name: 'get_weather', parameters: { type: 'object' } } }
const isWhole = ({ end }: Meant) => end !== 'failed' && end !== 'cut'
const finishOf = ({ end, calls }: Meant) => (end === 'stop' && calls.length > 0 ? 'tool_calls' : end)

/** Streams of all kinds: whole ones are taken as they were meant, and the others throw. */
async function held(rig: Rig, take: () => Promise<Taken>, finishes: Readonly<Record<string, string>> = {}) {
  rig.backend.answersChecks(answer({ content: 'Hi' }))
  await fc.assert(
    fc.asyncProperty(oddStream, async ({ meant, events }: OddStream) => {
      rig.backend.always(sse(events))
      if (!isWhole(meant)) {
        await expect(take()).rejects.toThrow()
        return
      }
      const { text, calls, finish } = await take()
      expect({ text, calls, finish }).toEqual({
        text: meant.text,
        calls: meant.calls.map(({ name, arguments: args }) => ({ name, input: JSON.parse(args || '{}') })),
        finish: finishes[finishOf(meant)] ?? finishOf(meant),
      })
    }),
    { numRuns: RUNS },
  )
}

const messages = [{ role: 'user' as const, content: 'Hi' }]

for (const name of ['openai-4', 'openai-5', 'openai']) {
  sdkSuite([name], async rig => {
    const { loadSdk } = await import('./openai/sdk.ts')
    const sdk = await loadSdk(name, rig)

    it('never throws at a whole stream, and never takes a truncated one for finished', async () => {
      await held(rig, async () => {
        const runner = sdk.helpers(sdk.client({ maxRetries: 0 })).stream({ model: 'svc-core', messages, tools: [TOOL] })
        const { choices } = await runner.finalChatCompletion()
        const [choice] = choices
        if (!choice) throw new Error('no choice came')
        const { content, tool_calls: calls = [] } = choice.message
        // An answer that was cut may have been cut before the first argument.
        const isCut = ['length', 'content_filter'].includes(choice.finish_reason ?? '')
        const inputOf = (args: string) => JSON.parse(args === '' && isCut ? '{}' : args)
        return {
          text: content ?? '',
          calls: calls.flatMap(call =>
            call.type === 'function' ? [{ name: call.function.name, input: inputOf(call.function.arguments) }] : [],
          ),
          finish: choice.finish_reason,
        }
      })
    })
  })
}

sdkSuite(['ai', '@ai-sdk/openai-compatible'], async rig => {
  const { loadAiSdk } = await import('./ai-sdk/sdk.ts')
  const { ai, provider } = await loadAiSdk(rig)

  it('never throws at a whole stream, and never takes a truncated one for finished', async () => {
    const { jsonSchema, streamText, tool } = ai
    const inputSchema = jsonSchema<object>({ type: 'object' })
    const tools = { get_weather: tool({ inputSchema }), run: tool({ inputSchema }) }
    await held(
      rig,
      async () => {
        const taken = streamText({ model: provider()('svc-core'), messages, tools, maxRetries: 0, onError: () => {} })
        for await (const part of taken.fullStream) if (part.type === 'error') throw part.error
        const [text, calls, finish] = await Promise.all([taken.text, taken.toolCalls, taken.finishReason])
        return { text, calls: calls.map(({ toolName, input }) => ({ name: toolName, input })), finish }
      },
      { tool_calls: 'tool-calls', content_filter: 'content-filter' },
    )
  })
})

sdkSuite(['@langchain/openai', '@langchain/core'], async rig => {
  const { loadLangChain } = await import('./langchain/sdk.ts')
  const { chat } = await loadLangChain(rig)

  it('never throws at a whole stream, and never takes a truncated one for finished', async () => {
    const { concat } = await import('@langchain/core/utils/stream')
    await held(rig, async () => {
      const bound = chat({ maxRetries: 0 }).bindTools([TOOL])
      let whole: Awaited<ReturnType<typeof bound.invoke>> | undefined
      for await (const each of await bound.stream(messages)) whole = whole ? concat(whole, each) : each
      if (!whole) throw new Error('nothing came')
      const { content, tool_calls: calls = [], response_metadata: about } = whole
      return {
        text: String(content),
        calls: calls.map(({ name, args }) => ({ name, input: args })),
        finish: String(about.finish_reason),
      }
    })
  })
})

import type { ChatMessage } from '@llamaindex/core/llms'
import { tool } from '@llamaindex/core/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { streamThenHang } from '../../support/backend.ts'
import { PNG } from '../support/models.ts'
import { type LlamaIndex, messages } from './sdk.ts'

const USAGE = { prompt_tokens: 10, completion_tokens: 33, total_tokens: 43 }

export function chatScenarios({ rig, llm }: LlamaIndex): void {
  describe('chat', () => {
    it('is answered, with the raw answer beside it', async () => {
      const { message, raw } = await llm().chat({ messages })

      expect(message.role).toBe('assistant')
      expect(message.content).toContain('6*7 = 42')
      expect(raw).toMatchObject({ model: 'test-model', usage: USAGE })
    })

    it('completes a prompt', async () => {
      expect((await llm().complete({ prompt: 'What is 6*7?' })).text).toContain('6*7 = 42')
    })

    it('remembers earlier turns, all of which reach the backend', async () => {
      const turns: ChatMessage[] = [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello, my name is Ada.' },
        { role: 'assistant', content: 'Hello Ada.' },
        { role: 'user', content: 'What is my name?' },
      ]

      const { message } = await llm().chat({ messages: turns })

      expect(message.content).toContain('your name is Ada')
      expect(rig.sent.messages).toEqual(turns)
    })

    it('passes sampling parameters on', async () => {
      const additionalChatOptions = { seed: 7, stop: ['\n\n'] }

      await llm({ temperature: 0.5, topP: 0.25, maxTokens: 5, additionalChatOptions }).chat({ messages })

      expect(rig.sent).toMatchObject({ temperature: 0.5, top_p: 0.25, max_tokens: 5, seed: 7, stop: ['\n\n'] })
    })

    it('passes a picture on to a model that sees', async () => {
      const content = [
        { type: 'text' as const, text: 'What is this?' },
        { type: 'image_url' as const, image_url: { url: `data:image/png;base64,${PNG}` } },
      ]

      await llm({ model: 'svc-ultra-pro' }).chat({ messages: [{ role: 'user', content }] })

      expect(rig.sent.messages).toEqual([{ role: 'user', content }])
    })
  })

  describe('a stream', () => {
    it('says what the whole answer says', async () => {
      const { message } = await llm().chat({ messages })

      let text = ''
      for await (const { delta } of await llm().chat({ messages, stream: true })) text += delta

      expect(text).toBe(message.content)
    })

    it.each([
      [true, [USAGE]],
      [false, []],
    ])('ends with its usage only if asked (include_usage: %s)', async (include_usage, usages) => {
      const additionalChatOptions = { stream_options: { include_usage } }
      const seen = []
      for await (const { raw } of await llm({ additionalChatOptions }).chat({ messages, stream: true })) {
        const { usage } = raw as { usage?: unknown }
        if (usage) seen.push(usage)
      }

      expect(seen).toEqual(usages)
    })

    it('ends for the backend too when its reader leaves', async () => {
      rig.backend.next(streamThenHang({ chunks: ['Hel', 'lo'] }))
      const leaving = new AbortController()
      const additionalSessionOptions = { fetchOptions: { signal: leaving.signal } }
      const reading = (async () => {
        for await (const { delta } of await llm({ additionalSessionOptions }).chat({ messages, stream: true }))
          if (delta) leaving.abort()
      })()
      await reading.catch(() => {
        // However it tells its user: what counts is that the backend hears of it.
      })

      await rig.test.clock.during(rig.backend.clientGone(1), 100)
      expect(await rig.test.logged(1)).toMatchObject([{ status: 499 }])
    })
  })
}

export function toolScenarios({ rig, llm }: LlamaIndex): void {
  describe('tools', () => {
    it.each([false, true])('are called, and the answer uses their result (stream: %s)', async streamed => {
      const cities: string[] = []
      const weather = tool({
        name: 'weather',
        description: 'The weather of a city',
        parameters: z.object({ city: z.string() }),
        execute: ({ city }: { city: string }) => {
          cities.push(city)
          return 'Snow, -3 degrees'
        },
      })
      const question: ChatMessage = { role: 'user', content: 'What is the weather in Oslo?' }
      const request = { messages: [question], tools: [weather] }

      const first = streamed
        ? (await llm().exec({ ...request, stream: true })).newMessages()
        : (await llm().exec(request)).newMessages
      const { message } = await llm().chat({ messages: [question, ...first], tools: [weather] })

      expect(cities).toEqual(['Oslo'])
      expect(message.content).toContain('weather said: "Snow, -3 degrees"')
      expect(rig.sent.messages).toMatchObject([question, { role: 'assistant' }, { role: 'tool' }])
      expect(rig.sent.tools).toMatchObject([{ type: 'function', function: { name: 'weather' } }])
    })
  })

  describe('structured output', () => {
    const schema = z.object({ result: z.number(), why: z.string() })

    it('reaches the backend as a schema that the answer fits', async () => {
      const { message } = await llm().chat({ messages, responseFormat: schema })

      expect(schema.parse(JSON.parse(String(message.content)))).toEqual({ result: 42, why: '6*7 = 42.' })
      expect(rig.sent.response_format).toMatchObject({
        type: 'json_schema',
        json_schema: { strict: true, schema: { required: ['result', 'why'] } },
      })
    })

    it('comes back parsed from a tool', async () => {
      const request = { messages: [{ role: 'user' as const, content: 'Format the output for Oslo.' }] }

      const { object } = await llm().exec({ ...request, responseFormat: z.object({ city: z.string() }) })

      expect(object).toEqual({ city: 'Oslo' })
    })
  })
}

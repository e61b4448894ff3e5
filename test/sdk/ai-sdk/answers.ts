import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { answer, stream, streamThenHang } from '../../support/backend.ts'
import { PNG } from '../support/models.ts'
import { type AiSdk, prompt } from './sdk.ts'

export function chatScenarios({ rig, ai, provider }: AiSdk): void {
  const { generateText, streamText } = ai

  describe('chat', () => {
    it('is answered, with the usage, the model that served and the headers', async () => {
      const { text, usage, finishReason, response } = await generateText({ model: provider()('svc-core'), prompt })

      expect(text).toContain('6*7 = 42')
      expect(finishReason).toBe('stop')
      expect(usage).toMatchObject({ inputTokens: 10, outputTokens: 33, totalTokens: 43 })
      expect(response.modelId).toBe('test-model')
      const [call] = await rig.calls()
      expect(response.headers).toMatchObject({
        'x-request-id': call?.requestId,
        'x-svc-upstream': 'onprem',
        'x-svc-quota-plan': 'pro',
        'x-svc-quota-used': '0.00034',
      })
    })

    it('remembers earlier turns, and the system message reaches the backend', async () => {
      const messages = [
        { role: 'user' as const, content: 'Hello, my name is Ada.' },
        { role: 'assistant' as const, content: 'Hello Ada.' },
        { role: 'user' as const, content: 'What is my name?' },
      ]

      const { text } = await generateText({ model: provider()('svc-core'), system: 'Be brief.', messages })

      expect(text).toContain('your name is Ada')
      expect(rig.sent.messages).toEqual([{ role: 'system', content: 'Be brief.' }, ...messages])
    })

    it('passes sampling parameters on', async () => {
      const settings = { temperature: 0.5, topP: 0.25, seed: 7, stopSequences: ['\n\n'], maxOutputTokens: 5 }

      const { finishReason } = await generateText({ model: provider()('svc-core'), prompt, ...settings })

      expect(finishReason).toBe('length')
      expect(rig.sent).toMatchObject({ temperature: 0.5, top_p: 0.25, seed: 7, stop: ['\n\n'], max_tokens: 5 })
    })

    it('shows the thoughts of a model that thinks', async () => {
      rig.backend.next(answer({ content: 'Yes.', reasoning: 'Let me see.' }))

      const { text, reasoningText } = await generateText({ model: provider()('svc-ultra-pro'), prompt })

      expect({ text, reasoningText }).toEqual({ text: 'Yes.', reasoningText: 'Let me see.' })
    })

    it('passes a picture on to a model that sees', async () => {
      const content = [
        { type: 'text' as const, text: 'What is this?' },
        { type: 'image' as const, image: Buffer.from(PNG, 'base64'), mediaType: 'image/png' },
      ]

      await generateText({ model: provider()('svc-ultra-pro'), messages: [{ role: 'user', content }] })

      const image_url = { url: `data:image/png;base64,${PNG}` }
      expect(rig.sent.messages).toEqual([
        { role: 'user', content: [{ type: 'text', text: 'What is this?' }, expect.objectContaining({ image_url })] },
      ])
    })
  })

  describe('a stream', () => {
    it('says what the whole answer says, with headers and its finish', async () => {
      const whole = await generateText({ model: provider()('svc-core'), prompt })

      const result = streamText({ model: provider()('svc-core'), prompt })

      let text = ''
      for await (const piece of result.textStream) text += piece
      expect(text).toBe(whole.text)
      expect(await result.finishReason).toBe('stop')
      expect((await result.response).headers).toMatchObject({ 'x-svc-upstream': 'onprem', 'x-svc-quota-plan': 'pro' })
    })

    it.each([
      [true, { inputTokens: 10, outputTokens: 33, totalTokens: 43 }],
      [false, { inputTokens: undefined, outputTokens: undefined }],
    ])('tells its usage only if asked (includeUsage: %s)', async (includeUsage, usage) => {
      const result = streamText({ model: provider({ includeUsage })('svc-core'), prompt })

      expect(await result.usage).toMatchObject(usage)
    })

    it('shows the thoughts of a model that thinks', async () => {
      rig.backend.next(stream({ chunks: [{ reasoning_content: 'Let me ' }, { reasoning_content: 'see.' }, 'Yes.'] }))

      const result = streamText({ model: provider()('svc-ultra-pro'), prompt })

      expect([await result.reasoningText, await result.text]).toEqual(['Let me see.', 'Yes.'])
    })

    it('ends for the backend too when its reader aborts', async () => {
      rig.backend.next(streamThenHang({ chunks: ['Hel', 'lo'] }))
      const leaving = new AbortController()

      const result = streamText({ model: provider()('svc-core'), prompt, abortSignal: leaving.signal })
      for await (const part of result.fullStream) if (part.type === 'text-delta') leaving.abort()

      await rig.test.clock.during(rig.backend.clientGone(1), 100)
      expect(await rig.test.logged(1)).toMatchObject([{ status: 499 }])
    })
  })
}

export function toolScenarios({ rig, ai, provider }: AiSdk): void {
  const { generateText, streamText, tool, stepCountIs, Output } = ai

  describe('tools', () => {
    const weather = () => {
      const cities: string[] = []
      const inputSchema = z.object({ city: z.string() })
      const execute = async ({ city }: { city: string }) => {
        cities.push(city)
        return 'Snow, -3 degrees'
      }
      return { cities, tools: { weather: tool({ description: 'The weather of a city', inputSchema, execute }) } }
    }

    it.each([false, true])('are called, and the answer uses their result (stream: %s)', async streamed => {
      const { cities, tools } = weather()
      const model = provider()('svc-core')
      const request = { model, tools, stopWhen: stepCountIs(3), prompt: 'What is the weather in Oslo?' }

      const result = streamed ? streamText(request) : await generateText(request)

      expect(await result.text).toContain('weather said: "Snow, -3 degrees"')
      expect(cities).toEqual(['Oslo'])
      expect((await result.steps).map(({ finishReason }) => finishReason)).toEqual(['tool-calls', 'stop'])
      expect(await rig.calls()).toHaveLength(2)
    })

    it('reach the backend with the choice among them', async () => {
      const { cities, tools } = weather()

      await generateText({ model: provider()('svc-core'), tools, toolChoice: 'none', prompt: 'The weather in Oslo?' })

      expect(cities).toEqual([])
      expect(rig.sent).toMatchObject({
        tool_choice: 'none',
        tools: [{ type: 'function', function: { name: 'weather' } }],
      })
    })
  })

  describe('structured output', () => {
    const output = Output.object({ schema: z.object({ result: z.number(), why: z.string() }), name: 'sum' })

    it.each([false, true])('reaches the backend as a schema and comes back parsed (stream: %s)', async streamed => {
      const request = { model: provider()('svc-core'), prompt, output }

      const result = streamed ? streamText(request) : await generateText(request)

      expect(await result.output).toEqual({ result: 42, why: '6*7 = 42.' })
      expect(rig.sent.response_format).toMatchObject({
        type: 'json_schema',
        json_schema: { name: 'sum', strict: true, schema: { required: ['result', 'why'] } },
      })
    })
  })
}

import { AIMessageChunk, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { streamThenHang } from '../../support/backend.ts'
import { PNG } from '../support/models.ts'
import { type LangChain, question } from './sdk.ts'

const USAGE = { input_tokens: 10, output_tokens: 33, total_tokens: 43 }

export function chatScenarios({ rig, chat }: LangChain): void {
  describe('chat', () => {
    it('is answered, with the usage and the model that served', async () => {
      const answer = await chat().invoke(question)

      expect(answer.content).toContain('6*7 = 42')
      expect(answer.usage_metadata).toMatchObject(USAGE)
      expect(answer.response_metadata).toMatchObject({ model_name: 'test-model', finish_reason: 'stop' })
    })

    it('remembers earlier turns, all of which reach the backend', async () => {
      const turns = [new SystemMessage('Be brief.'), new HumanMessage('Hello, my name is Ada.')]
      const first = await chat().invoke(turns)

      const answer = await chat().invoke([...turns, first, new HumanMessage('What is my name?')])

      expect(answer.content).toContain('your name is Ada')
      expect(rig.sent.messages).toMatchObject([
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello, my name is Ada.' },
        { role: 'assistant', content: first.content },
        { role: 'user', content: 'What is my name?' },
      ])
    })

    it('passes sampling parameters on', async () => {
      const answer = await chat({ temperature: 0.5, topP: 0.25, maxTokens: 5, stop: ['\n\n'] }).invoke(question)

      expect(answer.response_metadata.finish_reason).toBe('length')
      expect(rig.sent).toMatchObject({ temperature: 0.5, top_p: 0.25, max_tokens: 5, stop: ['\n\n'] })
    })

    it('answers a batch, one call each', async () => {
      const answers = await chat().batch(['What is 1+2?', 'What is 2+3?'])

      expect(answers.map(({ content }) => /= (\d)/.exec(String(content))?.[1])).toEqual(['3', '5'])
      expect(await rig.calls()).toHaveLength(2)
    })

    it('passes a picture on to a model that sees', async () => {
      const image_url = { url: `data:image/png;base64,${PNG}` }
      const content = [
        { type: 'text', text: 'What is this?' },
        { type: 'image_url', image_url },
      ]

      await chat({ model: 'svc-ultra-pro' }).invoke([new HumanMessage({ content })])

      expect(rig.sent.messages).toEqual([{ role: 'user', content }])
    })
  })

  describe('a stream', () => {
    it('says what the whole answer says', async () => {
      const whole = await chat().invoke(question)

      let text = ''
      for await (const { content } of await chat().stream(question)) text += content

      expect(text).toBe(whole.content)
    })

    it.each([
      [true, expect.objectContaining(USAGE)],
      [false, undefined],
    ])('tells its usage unless that is not wanted (streamUsage: %s)', async (streamUsage, usage) => {
      let whole: AIMessageChunk | undefined
      for await (const chunk of await chat({ streamUsage }).stream(question)) whole = whole?.concat(chunk) ?? chunk

      expect(whole?.usage_metadata).toEqual(usage)
    })

    it('ends for the backend too when its reader aborts', async () => {
      rig.backend.next(streamThenHang({ chunks: ['Hel', 'lo'] }))
      const leaving = new AbortController()
      const reading = (async () => {
        for await (const { content } of await chat().stream(question, { signal: leaving.signal }))
          if (content) leaving.abort()
      })()

      await expect(reading).rejects.toThrow(/abort/i)

      await rig.test.clock.during(rig.backend.clientGone(1), 100)
      expect(await rig.test.logged(1)).toMatchObject([{ status: 499 }])
    })
  })
}

export function toolScenarios({ rig, chat }: LangChain): void {
  describe('tools', () => {
    const weather = tool(() => 'Snow, -3 degrees', {
      name: 'weather',
      description: 'The weather of a city',
      schema: z.object({ city: z.string() }),
    })

    it.each([false, true])('are called, and the answer uses their result (stream: %s)', async streamed => {
      const model = chat().bindTools([weather])
      const turns = [new HumanMessage('What is the weather in Oslo?')]
      const first = streamed ? await collected(await model.stream(turns)) : await model.invoke(turns)
      const [call] = first.tool_calls ?? []
      expect(first.tool_calls).toMatchObject([{ name: 'weather', args: { city: 'Oslo' } }])

      const content = await weather.invoke({ city: 'Oslo' })
      const result = new ToolMessage({ content, tool_call_id: call?.id ?? '' })
      const second = await model.invoke([...turns, first, result])

      expect(second.content).toContain('weather said: "Snow, -3 degrees"')
    })

    it('reach the backend with the choice among them', async () => {
      const model = chat().bindTools([weather], { tool_choice: 'none', parallel_tool_calls: false })

      expect((await model.invoke('The weather in Oslo?')).tool_calls).toEqual([])
      expect(rig.sent).toMatchObject({
        tool_choice: 'none',
        parallel_tool_calls: false,
        tools: [{ type: 'function', function: { name: 'weather' } }],
      })
    })
  })

  describe('structured output', () => {
    const schema = z.object({ result: z.number(), why: z.string() })

    it('reaches the backend as a schema and comes back parsed', async () => {
      const model = chat().withStructuredOutput(schema, { name: 'sum', method: 'jsonSchema' })

      expect(await model.invoke(question)).toEqual({ result: 42, why: '6*7 = 42.' })
      expect(rig.sent.response_format).toMatchObject({
        type: 'json_schema',
        json_schema: { name: 'sum', strict: true, schema: { required: ['result', 'why'] } },
      })
    })

    it('comes back parsed from a forced tool', async () => {
      const model = chat().withStructuredOutput(z.object({ city: z.string() }), {
        name: 'place',
        method: 'functionCalling',
      })

      expect(await model.invoke('I live in Oslo.')).toEqual({ city: 'Oslo' })
      expect(rig.sent.tool_choice).toEqual({ type: 'function', function: { name: 'place' } })
    })

    it('may be any JSON object', async () => {
      const model = chat().withStructuredOutput(z.object({ answer: z.string() }), { method: 'jsonMode' })

      expect(await model.invoke(question)).toEqual({ answer: '6*7 = 42.' })
      expect(rig.sent.response_format).toEqual({ type: 'json_object' })
    })
  })
}

async function collected(chunks: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> {
  let whole = new AIMessageChunk('')
  for await (const chunk of chunks) whole = whole.concat(chunk)
  return whole
}

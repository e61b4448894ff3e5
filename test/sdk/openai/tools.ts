import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Sdk, sum, user } from './sdk.ts'

const tool = (name: string) => ({
  type: 'function' as const,
  function: {
    name,
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
})
const tools = [tool('weather'), tool('population')]
const question = user('What is the weather in Oslo?')

export function toolScenarios({ rig, client, helpers }: Sdk): void {
  describe('tools', () => {
    it.each([false, true])('are called, and the answer uses their result (stream: %s)', async stream => {
      const request = { model: 'svc-core', messages: [question], tools }
      const first = stream
        ? await helpers().stream(request).finalChatCompletion()
        : await client().chat.completions.create(request)
      const [choice] = first.choices
      const [call] = choice?.message.tool_calls ?? []
      if (!choice || call?.type !== 'function') throw new Error('no tool call')
      expect(choice.finish_reason).toBe('tool_calls')
      expect(call.function.name).toBe('weather')
      expect(JSON.parse(call.function.arguments)).toEqual({ city: 'Oslo' })

      const result = { role: 'tool' as const, tool_call_id: call.id, content: 'Snow, -3 degrees' }
      const messages = [question, choice.message, result]
      const second = await client().chat.completions.create({ model: 'svc-core', messages, tools })

      expect(second.choices[0]?.message.content).toContain('weather said: "Snow, -3 degrees"')
    })

    it('are called side by side, and their streamed arguments do not mix', async () => {
      const messages = [user('What are the weather and the population of Oslo?')]

      const { choices } = await helpers().stream({ model: 'svc-core', messages, tools }).finalChatCompletion()

      const calls = choices[0]?.message.tool_calls ?? []
      expect(calls.map(call => call.type === 'function' && call.function)).toMatchObject([
        { name: 'weather', arguments: '{"city":"Oslo"}' },
        { name: 'population', arguments: '{"city":"Oslo"}' },
      ])
      expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
    })

    it('reach the backend with the choice among them, as they are', async () => {
      const tool_choice = { type: 'function' as const, function: { name: 'population' } }
      const request = { model: 'svc-core', messages: [question], tools, tool_choice, parallel_tool_calls: false }

      const { choices } = await client().chat.completions.create(request)

      expect(choices[0]?.message.tool_calls).toMatchObject([{ function: { name: 'population' } }])
      expect(rig.sent).toMatchObject({ tools, tool_choice, parallel_tool_calls: false })
    })

    it('run in the loop of the helper', async () => {
      const cities: unknown[] = []
      const weather = {
        ...tools[0],
        type: 'function' as const,
        function: {
          ...tool('weather').function,
          description: 'The weather of a city',
          parse: JSON.parse,
          function: (args: unknown) => {
            cities.push(args)
            return 'Snow, -3 degrees'
          },
        },
      }

      const runner = helpers().runTools({ model: 'svc-core', messages: [question], tools: [weather] })

      expect(await runner.finalContent()).toContain('Snow, -3 degrees')
      expect(cities).toEqual([{ city: 'Oslo' }])
      expect(await rig.calls()).toHaveLength(2)
    })
  })
}

export function structureScenarios({ rig, client, helpers, zodResponseFormat }: Sdk): void {
  describe('structured output', () => {
    const response_format = () => zodResponseFormat(z.object({ result: z.number(), why: z.string() }) as never, 'sum')

    it.each([false, true])('reaches the backend as a schema and comes back parsed (stream: %s)', async stream => {
      const request = { ...sum, response_format: response_format() }

      const { choices } = stream
        ? await helpers().stream(request).finalChatCompletion()
        : await helpers().parse(request)

      expect(choices[0]?.message.parsed).toEqual({ result: 42, why: '6*7 = 42.' })
      expect(rig.sent.response_format).toEqual(JSON.parse(JSON.stringify(response_format())))
    })

    it('may be any JSON object', async () => {
      const { choices } = await client().chat.completions.create({ ...sum, response_format: { type: 'json_object' } })

      expect(JSON.parse(choices[0]?.message.content ?? '')).toMatchObject({ answer: '6*7 = 42.' })
      expect(rig.sent.response_format).toEqual({ type: 'json_object' })
    })
  })
}

import type Anthropic from '@anthropic-ai/sdk'
import { describe, expect, it } from 'vitest'
import { stream } from '../../support/backend.ts'
import { type Sdk, sum, textOf, user } from './sdk.ts'

const tool = (name: string): Anthropic.Tool => ({
  name,
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
})
const tools = [tool('weather'), tool('population')]

export function answerScenarios({ rig, client }: Sdk): void {
  describe('an answer', () => {
    it('is whole, with what it used', async () => {
      const message = await client().messages.create(sum)

      expect(message).toMatchObject({
        type: 'message',
        role: 'assistant',
        model: 'test-model',
        stop_reason: 'end_turn',
      })
      expect(textOf(message)).toContain('42')
      expect(message.usage.input_tokens).toBeGreaterThan(0)
      expect(message._request_id).toBe((await rig.calls())[0]?.requestId)
    })

    it('is the same as a stream', async () => {
      const whole = await client().messages.create(sum)
      const streamed = await client().messages.stream(sum).finalMessage()

      const { service_tier: _tier, ...usage } = whole.usage
      expect(streamed).toMatchObject({ content: whole.content, stop_reason: 'end_turn', usage })
    })

    it('comes by a bearer as well', async () => {
      const message = await client({ apiKey: null, authToken: rig.key }).messages.create(sum)

      expect(textOf(message)).toContain('42')
    })

    it('ends where its cap does', async () => {
      const messages = [user('Count to 50')]
      const message = await client().messages.create({ ...sum, max_tokens: 5, messages })

      expect(message.stop_reason).toBe('max_tokens')
    })
  })

  describe('tools', () => {
    const ask = { ...sum, messages: [user('What is the weather in Oslo?')], tools }

    it.each([false, true])('are called, and the answer uses their result (stream: %s)', async streams => {
      const first = streams ? await client().messages.stream(ask).finalMessage() : await client().messages.create(ask)
      const call = first.content.find(block => block.type === 'tool_use')
      if (!call) throw new Error('no tool call')
      expect(first.stop_reason).toBe('tool_use')
      expect(call).toMatchObject({ name: 'weather', input: { city: 'Oslo' } })

      const result = user([{ type: 'tool_result', tool_use_id: call.id, content: 'Snow, -3 degrees' }])
      const messages = [...ask.messages, { role: 'assistant' as const, content: first.content }, result]
      const second = await client().messages.create({ ...ask, messages })

      expect(textOf(second)).toContain('weather said: "Snow, -3 degrees"')
    })

    it('are called side by side, and their streamed inputs do not mix', async () => {
      const messages = [user('What are the weather and the population of Oslo?')]

      const { content } = await client()
        .messages.stream({ ...ask, messages })
        .finalMessage()

      const calls = content.filter(block => block.type === 'tool_use')
      expect(calls).toMatchObject([
        { name: 'weather', input: { city: 'Oslo' } },
        { name: 'population', input: { city: 'Oslo' } },
      ])
      expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
    })

    it('of Anthropic are ignored beside others, as a header says', async () => {
      const search = { type: 'web_search_20250305' as const, name: 'web_search' as const }

      const { response } = await client()
        .messages.create({ ...ask, tools: [search, ...tools] })
        .withResponse()

      expect(response.headers.get('x-svc-ignored-tools')).toBe('web_search_20250305')
      expect(rig.sent.tools).toHaveLength(2)
    })
  })

  it('thinking is shown with a signature, and comes back to the model with the results', async () => {
    rig.backend.next(stream({ chunks: THOUGHT, finish: 'tool_calls' }))
    const ask = { ...sum, tools, thinking: { type: 'adaptive' as const } }

    const first = await client().messages.stream(ask).finalMessage()

    expect(first.content).toMatchObject([
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'tool_use', id: 'call_1' },
    ])
    const result = user([{ type: 'tool_result', tool_use_id: 'call_1', content: 'Snow' }])
    await client().messages.create({
      ...ask,
      messages: [...ask.messages, { role: 'assistant', content: first.content }, result],
    })
    expect(rig.sent.messages).toMatchObject([{}, { reasoning_content: 'Hm.' }, { role: 'tool' }])
  })

  it('tokens of a prompt are counted, at no cost', async () => {
    const { max_tokens: _cap, ...prompt } = sum
    const { input_tokens: tokens } = await client().messages.countTokens({ ...prompt, tools })

    expect(tokens).toBeGreaterThan(30)
    expect(tokens).toBeLessThan(150)
    expect(rig.backend.requests).toHaveLength(0)
    expect(await rig.test.ledger()).toEqual([])
  })

  it('the models are listed', async () => {
    const { data, has_more } = await client().models.list()

    expect(data.map(({ id }) => id)).toContain('svc-core')
    expect(data[0]).toMatchObject({ type: 'model', display_name: expect.any(String) })
    expect(has_more).toBe(false)
  })
}

const THOUGHT = [
  { reasoning_content: 'Hm.' },
  { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } }] },
]

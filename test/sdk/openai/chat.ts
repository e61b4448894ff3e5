import { describe, expect, it } from 'vitest'
import { PNG } from '../support/models.ts'
import { type Sdk, sum, user } from './sdk.ts'

export function chatScenarios({ rig, client }: Sdk): void {
  describe('chat', () => {
    it('is answered, with the usage and the model that served', async () => {
      const answer = await client().chat.completions.create(sum)

      expect(answer).toMatchObject({ object: 'chat.completion', model: 'test-model', created: 1_700_000_000 })
      expect(answer.choices).toHaveLength(1)
      expect(answer.choices[0]).toMatchObject({ message: { role: 'assistant' }, finish_reason: 'stop' })
      expect(answer.choices[0]?.message.content).toContain('6*7 = 42')
      expect(answer.usage).toEqual({ prompt_tokens: 10, completion_tokens: 33, total_tokens: 43 })
    })

    it('tells its pool, its request id and the standing of the quota', async () => {
      const { data, response } = await client().chat.completions.create(sum).withResponse()

      const [call] = await rig.calls()
      expect(data).toHaveProperty('_request_id', call?.requestId)
      expect(response.headers.get('x-request-id')).toBe(call?.requestId)
      expect(response.headers.get('x-svc-upstream')).toBe('onprem')
      expect(response.headers.get('x-svc-quota-plan')).toBe('pro')
      expect(response.headers.get('x-svc-quota-used')).toBe('0.00034')
      expect(response.headers.get('x-svc-quota-limit')).toBe('20')
      expect(response.headers.get('x-svc-quota-reset')).toBe('2026-12-01T00:00:00.000Z')
    })

    it.each([
      ['no model', {}],
      ['an alias', { model: 'svc-auto' }],
    ])('with %s goes to the model of the alias', async (_name, named) => {
      const { model: _model, ...body } = sum

      const answer = await client().chat.completions.create({ ...body, ...named } as never)

      expect(answer).toMatchObject({ model: 'test-model' })
      expect(await rig.calls()).toMatchObject([{ status: 200, model: 'svc-core' }])
    })

    it('remembers earlier turns, all of which reach the backend', async () => {
      const first = { model: 'svc-core', messages: [user('Hello, my name is Ada.')] }
      const { choices } = await client().chat.completions.create(first)
      const messages = [...first.messages, choices[0]?.message ?? user(''), user('What is my name?')]

      const answer = await client().chat.completions.create({ model: 'svc-core', messages })

      expect(answer.choices[0]?.message.content).toContain('your name is Ada')
      expect(rig.sent.messages).toEqual(JSON.parse(JSON.stringify(messages)))
    })

    it('passes system messages and sampling parameters on as they are', async () => {
      const system = { role: 'system' as const, content: 'Be brief.' }
      const sampling = {
        temperature: 0.5,
        top_p: 0.25,
        seed: 7,
        presence_penalty: 0.1,
        frequency_penalty: 0.2,
        user: 'u1',
      }
      const stop = ['\n\n']

      await client().chat.completions.create({ ...sum, messages: [system, ...sum.messages], ...sampling, stop })

      expect(rig.sent).toMatchObject({ messages: [system, ...sum.messages], ...sampling, stop })
    })

    it.each(['max_tokens', 'max_completion_tokens'])('ends with `length` at %s', async cap => {
      const answer = await client().chat.completions.create({ ...sum, [cap]: 5 } as typeof sum)

      expect(answer.choices[0]?.finish_reason).toBe('length')
      expect(answer.usage?.completion_tokens).toBe(5)
      expect(rig.sent).toMatchObject({ [cap]: 5 })
    })

    it('gives as many choices as were asked for', async () => {
      const answer = await client().chat.completions.create({ ...sum, n: 2 })

      expect(answer.choices.map(({ index }) => index)).toEqual([0, 1])
    })

    it('passes a picture on to a model that sees', async () => {
      const picture = { type: 'image_url' as const, image_url: { url: `data:image/png;base64,${PNG}` } }
      const content = [{ type: 'text' as const, text: 'What is this?' }, picture]

      await client().chat.completions.create({ model: 'svc-ultra-pro', messages: [{ role: 'user', content }] })

      expect(rig.sent.messages).toEqual([{ role: 'user', content }])
    })
  })

  describe('models', () => {
    it('are listed to the end, and each can be shown', async () => {
      const ids = []
      for await (const { id, object } of client().models.list()) {
        expect(object).toBe('model')
        ids.push(id)
      }

      expect(ids).toEqual(expect.arrayContaining(['svc-core', 'svc-ultra-pro', 'svc-auto']))
      for (const id of ids) expect(await client().models.retrieve(id)).toMatchObject({ id, object: 'model' })
    })
  })

  it('shows the quota at the absolute path', async () => {
    await client().chat.completions.create(sum)

    const quota = await client().get(`${rig.test.url}/billing/quota`)

    expect(quota).toMatchObject({ object: 'quota', planSlug: 'pro', used: 0.00034, limit: 20, unit: 'usd' })
  })
}

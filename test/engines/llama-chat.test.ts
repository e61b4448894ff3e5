import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { END_TOKEN } from './model/tiny-model.ts'
import { readAnswer } from './support/answers.ts'
import { engineSuite, type Llama, startLlama } from './support/engines.ts'
import { type Rig, startRig } from './support/rig.ts'

engineSuite('xllamacpp', () => {
  let llama: Llama
  let rig: Rig

  beforeAll(async () => {
    llama = await startLlama()
    rig = await startRig(`
models:
  tiny: { kind: chat, tier: guest, serve: [llama], context: 2k, max_output: 64, usd_per_1m: { input: 1, output: 10 } }
  native: { kind: chat, tier: guest, serve: [native], context: 2k, max_output: 64, usd_per_1m: { input: 1, output: 10 } }
pools:
  llama: { site: on-premises, model: tiny, provider: llamacpp, replicas: ["${llama.url}"] }
  native: { site: on-premises, model: tiny, speaks: [chat, responses, messages], replicas: ["${llama.url}"] }
`)
  })
  afterAll(async () => {
    await rig?.close()
    await llama?.kill()
  })

  const messages = [{ role: 'user', content: 'Tell me a story.' }]
  const asked = { model: 'tiny', messages, temperature: 0, max_tokens: 12 }
  const chat = async (body: object) => readAnswer(await rig.post('/chat/completions', body))
  const usage = { stream_options: { include_usage: true } }
  /** The engine's own count while something ran. */
  const madeIn = async (run: () => Promise<unknown>) => {
    const before = await llama.made()
    await run()
    return (await llama.made()) - before
  }

  describe('a chat', () => {
    it('is answered whole, and charged what the engine counted', async () => {
      await rig.charged()
      const answer = await chat(asked)

      expect(answer).toMatchObject({ status: 200, finish: 'length', usage: { completion_tokens: 12 } })
      expect(answer.text).not.toBe('')
      expect(await rig.charged()).toEqual({ input: answer.usage?.prompt_tokens, output: 12, estimated: 0 })
    })

    it('says the same as a stream, with its usage where that was asked for', async () => {
      const whole = await chat(asked)
      const streamed = await chat({ ...asked, stream: true, ...usage })

      expect(streamed).toEqual({ ...whole, isDone: true })
    })

    it('streams no usage that was not asked for, and charges it all the same', async () => {
      await rig.charged()
      const answer = await chat({ ...asked, stream: true })

      expect(answer).toMatchObject({ finish: 'length', isDone: true })
      expect(answer.usage).toBeUndefined()
      expect(await rig.charged()).toMatchObject({ output: 12, estimated: 0 })
    })

    it.each([false, true])('ends with `stop` where the model ends its text (stream: %s)', async stream => {
      const answer = await chat({ ...asked, stream, logit_bias: { [END_TOKEN]: 100 } })

      expect(answer).toMatchObject({ status: 200, finish: 'stop', isDone: true })
    })

    it.each([
      ['max_tokens', { max_tokens: 5 }, 5],
      ['max_completion_tokens', { max_completion_tokens: 5 }, 5],
      ['the cap of the model', {}, 64],
    ])('keeps to %s', async (_name, cap, tokens) => {
      const { max_tokens: _, ...body } = asked

      expect(await madeIn(() => chat({ ...body, ...cap }))).toBe(tokens)
      expect(await madeIn(() => chat({ ...body, ...cap, stream: true }))).toBe(tokens)
    })

    it.each([true, false])(
      'is charged for each choice, though the engine reports one of them (stream: %s)',
      async stream => {
        await rig.charged()
        const made = await madeIn(() => chat({ ...asked, n: 2, stream }))

        expect(made).toBe(24)
        expect((await rig.charged()).output).toBe(24)
      },
    )

    it('has all choices of a whole answer', async () => {
      const response = await rig.post('/chat/completions', { ...asked, n: 2 })

      expect(await response.json()).toMatchObject({
        choices: [
          { index: 0, finish_reason: 'length' },
          { index: 1, finish_reason: 'length' },
        ],
        usage: { completion_tokens: 24 },
      })
    })
  })

  describe.each(['tiny', 'native'])('the model %s', model => {
    it.each([false, true])('answers Messages, and says that the cap ended it (stream: %s)', async stream => {
      await rig.charged()
      const response = await rig.post('/messages', { model, messages, max_tokens: 7, stream })

      expect(await response.text()).toContain('"stop_reason":"max_tokens"')
      expect(await rig.charged()).toMatchObject({ output: 7, estimated: 0 })
    })
  })

  it('calls an answer that its cap ended incomplete for clients of Responses', async () => {
    const body = { model: 'tiny', input: 'Hi', max_output_tokens: 7, store: false }

    expect(await (await rig.post('/responses', body)).json()).toMatchObject({ status: 'incomplete' })
    expect(await (await rig.post('/responses', { ...body, stream: true })).text()).toContain(
      'event: response.incomplete',
    )
  })

  describe('what llama.cpp refuses', () => {
    const long = 'The quick brown fox jumps over the lazy dog. '.repeat(150)

    it.each([false, true])(
      'is a prompt that is too long, in the word that agents look for (stream: %s)',
      async stream => {
        const response = await rig.post('/chat/completions', {
          ...asked,
          stream,
          messages: [{ role: 'user', content: long }],
        })

        expect(response.status).toBe(400)
        expect(await response.text()).toContain('context_length_exceeded')
      },
    )

    it('is a schema that is none, in its own words', async () => {
      const json_schema = { name: 'p', schema: { type: 'nonsense' } }
      const response = await rig.post('/chat/completions', {
        ...asked,
        response_format: { type: 'json_schema', json_schema },
      })

      expect(response.status).toBe(400)
    })

    it('is no fault of the engine: the next request is served', async () => {
      expect(await chat(asked)).toMatchObject({ status: 200 })
    })
  })
})

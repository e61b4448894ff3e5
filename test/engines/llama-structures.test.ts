import { afterAll, beforeAll, expect, it } from 'vitest'
import { CALL_TOKEN, END_TOKEN } from './model/tiny-model.ts'
import { readAnswer } from './support/answers.ts'
import { engineSuite, type Llama, startLlama } from './support/engines.ts'
import { type Rig, startRig } from './support/rig.ts'

engineSuite('xllamacpp', () => {
  let llama: Llama
  let vectors: Llama
  let rig: Rig

  beforeAll(async () => {
    ;[llama, vectors] = await Promise.all([startLlama(), startLlama('embeddings')])
    rig = await startRig(`
models:
  tiny: { kind: chat, tier: guest, serve: [llama], context: 2k, max_output: 500, usd_per_1m: { input: 1, output: 10 } }
  vectors: { kind: embedding, tier: guest, serve: [vectors], context: 512, usd_per_1m: { input: 1 } }
pools:
  llama: { site: on-premises, model: tiny, replicas: ["${llama.url}"] }
  vectors: { site: on-premises, model: tiny, replicas: ["${vectors.url}"] }
`)
  })
  afterAll(async () => {
    await rig?.close()
    await Promise.all([llama?.kill(), vectors?.kill()])
  })

  /** Small enough that random weights write all of it. */
  const parameters = {
    type: 'object',
    properties: { unit: { enum: ['C', 'F'] }, exact: { type: 'boolean' } },
    required: ['unit', 'exact'],
    additionalProperties: false,
  }
  const tool = { type: 'function', function: { name: 'get_weather', description: 'Weather', parameters } }
  const body = { model: 'tiny', messages: [{ role: 'user', content: 'How is the weather?' }], temperature: 0, seed: 1 }
  const chat = async (more: object) => readAnswer(await rig.post('/chat/completions', { ...body, ...more }))
  /** Random weights begin no call by themselves, and end none. The engine forces its content and its end. */
  const calling = { logit_bias: { [CALL_TOKEN]: 99, [END_TOKEN]: 100 } }
  const isFit = { unit: expect.stringMatching(/^[CF]$/), exact: expect.any(Boolean) }

  it.each([false, true])(
    'a tool that must be called is called, with arguments of its schema (stream: %s)',
    async stream => {
      const { calls, finish, isDone } = await chat({
        ...calling,
        stream,
        tools: [tool],
        tool_choice: 'required',
        parallel_tool_calls: false,
      })

      expect({ finish, isDone, calls }).toEqual({
        finish: 'tool_calls',
        isDone: true,
        calls: [{ name: 'get_weather', arguments: expect.any(String) }],
      })
      expect(JSON.parse(calls[0]?.arguments ?? '')).toEqual(isFit)
    },
  )

  it('a call and its result go back to the engine', async () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"unit":"C"}' } }
    const answer = await chat({
      max_tokens: 8,
      tools: [tool],
      tool_choice: 'none',
      messages: [
        ...body.messages,
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
      ],
    })

    expect(answer).toMatchObject({ status: 200, finish: 'length' })
  })

  it.each([false, true])('JSON has the schema that was asked for (stream: %s)', async stream => {
    const json_schema = { name: 'weather', strict: true, schema: parameters }
    const { text, finish } = await chat({ stream, response_format: { type: 'json_schema', json_schema } })

    expect(finish).toBe('stop')
    expect(JSON.parse(text)).toEqual(isFit)
  })

  const embed = async (asked: object) => {
    const response = await rig.post('/embeddings', { model: 'vectors', ...asked })
    return (await response.json()) as Vectors
  }

  it('texts are embedded in their order, and charged by the tokens that the engine counted', async () => {
    await rig.charged()
    const input = ['one', 'two', 'one']
    const { data, usage } = await embed({ input })

    const [one = [], two = [], again = []] = data.map(({ embedding }) => embedding as number[])
    expect([one.length, two.length]).toEqual([768, 768])
    expect(distance(one, again)).toBeLessThan(0.01)
    expect(distance(one, two)).toBeGreaterThan(0.01)
    expect(await rig.charged()).toMatchObject({ input: usage.prompt_tokens, estimated: 0 })
  })

  it('vectors in base64 are those in numbers', async () => {
    const ask = async (encoding_format: string) => (await embed({ input: 'one', encoding_format })).data[0]?.embedding
    const numbers = (await ask('float')) as number[]
    const encoded = Buffer.from((await ask('base64')) as string, 'base64')

    expect(encoded.length).toBe(4 * 768)
    expect(distance(numbers, Array.from(new Float32Array(new Uint8Array(encoded).buffer)))).toBeLessThan(0.01)
  })

  const distance = (a: readonly number[], b: readonly number[]): number =>
    Math.sqrt(a.reduce((sum, value, at) => sum + (value - (b[at] ?? 0)) ** 2, 0))
})

interface Vectors {
  readonly data: readonly { readonly embedding: readonly number[] | string }[]
  readonly usage: { readonly prompt_tokens: number }
}

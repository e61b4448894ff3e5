import { describe, expect, it } from 'vitest'
import { dialectOf, publicAnswer } from '../../../src/wire/dialects.ts'
import { likelyJson, withoutLikelihoods } from '../../../src/wire/fast/likelihoods.ts'
import { readNative } from '../../../src/wire/native/dialect.ts'
import { responsesNative } from '../../../src/wire/responses/native.ts'
import { allAtOnce } from '../../../src/wire/steps.ts'

const list = Array.from({ length: 1500 }, (_, n) => ({
  token: `t"${n}`,
  logprob: -(n + 1) / 7,
  bytes: [116, 34],
  top_logprobs: [{ token: 'é', logprob: -1, bytes: null }],
}))
const chat = (...choices: object[]) => ({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices })
const choice = (logprobs: unknown, index = 0) => ({
  index,
  message: { content: 'Hi' },
  logprobs,
  finish_reason: 'stop',
})
const part = (logprobs: unknown) => ({ type: 'output_text', text: 'Hi', annotations: [], logprobs })
const response = (...content: object[]) => ({
  id: 'r',
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'm',
  output: [{ type: 'message', id: 'm', role: 'assistant', status: 'completed', content }],
  usage: {
    ...{ input_tokens: 3, output_tokens: 4, total_tokens: 7 },
    ...{ input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } },
  },
})

const padding = 'x'.repeat(300_000)
const json = (value: object) => Buffer.from(JSON.stringify({ ...value, padding }))

describe('an answer without its likelihoods', () => {
  it.each<[string, object, number]>([
    ['a chat', chat(choice({ content: list, refusal: null })), 1],
    ['a chat with alternatives', chat(choice({ content: list }), choice({ content: list, refusal: list }, 1)), 3],
    ['a response', response(part(list)), 1],
    ['a response with several parts', response(part(list), part([]), part(list)), 2],
  ])('of %s is the same once they are put back', (_, answer, lists) => {
    const bytes = json(answer)
    const light = allAtOnce(withoutLikelihoods(bytes))
    const said = JSON.parse(light?.bytes.toString() ?? '{}')

    expect(light?.bytes.toString().split('u0000logprobs')).toHaveLength(lists + 1)
    expect(JSON.parse(light ? allAtOnce(light.restored(Buffer.from(JSON.stringify(said)))).toString() : '')).toEqual(
      JSON.parse(bytes.toString()),
    )
  })

  it('is made of one whose names have escapes', () => {
    const text = json(response(part(list)))
      .toString()
      .replaceAll('logprobs"', 'logprob\\u0073"')
    const light = allAtOnce(withoutLikelihoods(Buffer.from(text)))

    expect(light?.bytes.toString()).toContain('u0000logprobs')
  })

  it.each<[string, Buffer]>([
    ['a small answer', Buffer.from(JSON.stringify(chat(choice({ content: list.slice(0, 9) }))))],
    ['one that has none', json(chat(choice(null)))],
    ['empty lists', json(response(part([])))],
    ['no JSON', Buffer.from(`${json(response(part(list))).toString()}]`)],
  ])('is not made of %s', (_, bytes) => {
    expect(allAtOnce(withoutLikelihoods(bytes))).toBeUndefined()
  })

  it('is put together in another form of its tokens', () => {
    const bytes = json(chat(choice({ content: list })))
    const light = allAtOnce(withoutLikelihoods(bytes))
    const [{ logprobs }] = JSON.parse(light?.bytes.toString() ?? '').choices
    const text = light && allAtOnce(light.restored(Buffer.from(JSON.stringify(logprobs)), ({ token }) => ({ token })))

    expect(JSON.parse(text?.toString() ?? '')).toEqual({ content: list.map(({ token }) => ({ token })) })
  })

  it.each([0, 1, 199, 200, 401])('of %i tokens is written as JSON writes it', tokens => {
    const some = { ...chat(choice({ content: list.slice(0, tokens), refusal: null }), choice(null, 1)), padding }

    expect(JSON.parse(allAtOnce(likelyJson(some)).toString())).toEqual(some)
  })

  it('puts each list back once, whatever marks a backend writes itself', () => {
    const light = allAtOnce(withoutLikelihoods(json(chat(choice({ content: list })))))
    const twice = [{ '\0logprobs': 0 }, { '\0logprobs': 0 }, { '\0logprobs': 'x' }]
    const text = light && allAtOnce(light.restored(Buffer.from(JSON.stringify(twice)))).toString()

    expect(JSON.parse(text ?? '')).toEqual([...list, ...twice.slice(1)])
  })
})

describe('a large response with likelihoods', () => {
  const bytes = json(response(part(list), part(list)))
  const dialect = dialectOf({ speaks: ['responses'] })

  it('is the chat that a parser makes of it', () => {
    const answer = allAtOnce(publicAnswer(dialect, 'chat', bytes))

    expect(JSON.parse(answer?.toString() ?? '')).toEqual(JSON.parse(dialect.answer('chat', bytes)?.toString() ?? ''))
    expect(JSON.parse(answer?.toString() ?? '').choices[0].logprobs.content).toEqual([...list, ...list])
  })

  it('is weighed as without them, and passes as it came', () => {
    const { padding: _, ...bare } = JSON.parse(json(response(part([]), part([]))).toString())
    const small = allAtOnce(readNative(Buffer.from(JSON.stringify(bare)), responsesNative))

    expect(allAtOnce(readNative(bytes, responsesNative))).toEqual({ ...small, bytes })
  })

  it('keeps them where its usage is completed', () => {
    const usage = { input_tokens: 3, output_tokens: 4 }
    const answer = allAtOnce(readNative(json({ ...response(part(list)), usage }), responsesNative))

    const sent = JSON.parse(answer?.bytes.toString() ?? '')
    expect(sent.usage).toMatchObject({ ...usage, total_tokens: 7, output_tokens_details: { reasoning_tokens: 0 } })
    expect(sent.output).toEqual(response(part(list)).output)
  })
})

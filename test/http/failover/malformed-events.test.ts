import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Behaviour, chunk, sse } from '../../support/backend.ts'
import { Failover, fine } from './fixture.ts'

let site: Failover
beforeEach(async () => {
  site = await Failover.start()
  site.cloud.always(fine)
})
afterEach(() => site.close())

const OOPS = 'data: {"choices":[{"delta":{"cont\n\n'
const say = (content: string) => chunk('test-model', { content }, null)
const begin = (content: string) => chunk('test-model', { role: 'assistant', content }, null)
const stop = chunk('test-model', {}, 'stop')
const usage = (tokens: number) =>
  `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 9, completion_tokens: tokens, total_tokens: 9 + tokens } })}\n\n`
const DONE = 'data: [DONE]\n\n'

const stream = (...events: readonly string[]): Behaviour => sse(events.join(''))
const ask = async (behaviour: Behaviour, body: object = {}) => {
  site.everyOnprem(behaviour)
  const response = await site.test.chat(site.key, { stream: true, ...body })
  const text = await response.text()
  await site.test.logged(1)
  return text
}
const metric = async () => {
  const { text } = await site.test.gateway.app.metrics()
  return Array.from(text.matchAll(/^svc_skipped_events_total\{pool="onprem",.*\} (\d+)$/gm), ([, count]) => count)
}

describe('an event of a stream that cannot be read', () => {
  it('is skipped where finish and usage come whole, counted, and in the log', async () => {
    const text = await ask(stream(begin('Fi'), OOPS, say('ne.'), stop, usage(2), DONE))

    expect(text).toBe([begin('Fi'), say('ne.'), stop, DONE].join(''))
    expect(site.test.log[0]).toMatchObject({ status: 200, skippedEvents: 1, interrupted: undefined })
    expect(await metric()).toEqual(['1'])
    expect(site.failures).toEqual([0, 0])
    expect(await site.test.ledger()).toMatchObject([{ kind: 'settle', estimated: false, outputTokens: 2 }])
  })

  const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } }
  const broken: readonly (readonly [string, Behaviour, object])[] = [
    ['where more was counted than came', stream(say('Fi'), OOPS, say('ne.'), stop, usage(3), DONE), {}],
    ['where no usage comes', stream(say('Fi'), OOPS, say('ne.'), stop, DONE), {}],
    ['where no finish comes', stream(say('Fi'), OOPS, say('ne.'), DONE), {}],
    ['where tools may be called', stream(say('Fi'), OOPS, say('ne.'), stop, usage(2), DONE), { tools: [tool] }],
    [
      'where JSON is wanted',
      stream(say('Fi'), OOPS, say('ne.'), stop, usage(2), DONE),
      { response_format: { type: 'json_object' } },
    ],
    [
      'where JSON of a schema is wanted',
      stream(say('Fi'), OOPS, say('ne.'), stop, usage(2), DONE),
      { response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' } } } },
    ],
  ]
  it.each(broken)('ends the answer as interrupted %s', async (_name, behaviour, body) => {
    const text = await ask(behaviour, body)

    expect(text).toContain('UPSTREAM_INTERRUPTED')
    expect(text).not.toContain('[DONE]')
    expect(text).not.toContain('"stop"')
    expect(site.test.log[0]?.interrupted).toBeTruthy()
    expect(site.failures).toEqual([1, 0])
  })

  it('is skipped where the backend always counts one token more, for the end of its text', async () => {
    const plain = stream(say('Fi'), say('ne.'), stop, usage(3), DONE)
    for (let n = 0; n < 3; n++) expect(await ask(plain)).toContain('[DONE]')

    expect(await ask(stream(say('Fi'), OOPS, say('ne.'), stop, usage(3), DONE))).toContain('[DONE]')
    expect(await ask(stream(say('Fi'), OOPS, stop, usage(3), DONE))).toContain('UPSTREAM_INTERRUPTED')
  })
})

describe('an event that cannot be read of a whole answer, which is fetched as a stream,', () => {
  beforeEach(() => site.test.reload({ fields: { onprem: 'fetch: stream' } }))

  const contentOf = (text: string) =>
    (JSON.parse(text) as { choices: [{ message: { content: string } }] }).choices[0].message.content

  it('is skipped by the same rule, counted, and in the log', async () => {
    const text = await ask(stream(say('Fi'), OOPS, say('ne.'), stop, usage(2), DONE), { stream: false })

    expect(contentOf(text)).toBe('Fine.')
    expect(site.test.log[0]).toMatchObject({ status: 200, skippedEvents: 1, failures: [] })
    expect(await metric()).toEqual(['1'])
    expect(await site.test.ledger()).toMatchObject([{ kind: 'settle', estimated: false, outputTokens: 2 }])
  })

  it.each([
    ['more was counted than came', usage(3), {}],
    ['tools may be called', usage(2), { tools: [{ type: 'function', function: { name: 'f' } }] }],
    ['JSON is wanted', usage(2), { response_format: { type: 'json_object' } }],
  ])('sends it elsewhere where %s', async (_name, counted, body) => {
    await ask(stream(say('Fi'), OOPS, say('ne.'), stop, counted, DONE), { stream: false, ...body })

    expect(site.test.log[0]).toMatchObject({ status: 200, pool: 'cloud', skippedEvents: undefined })
    expect(site.test.log[0]?.failures?.[0]).toEqual({ pool: 'onprem', cause: 'malformed event' })
  })
})

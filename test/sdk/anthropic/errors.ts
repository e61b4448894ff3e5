import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, it } from 'vitest'
import { status, streamThenEnd } from '../../support/backend.ts'
import { INTERRUPTED } from '../support/broken.ts'
import { arrange, outage, type Refused, refusals } from '../support/refusals.ts'
import { exhausted, spentMinute } from '../support/rig.ts'
import { type Sdk, sum } from './sdk.ts'

/** Anthropic's statuses and types of what others are refused with as well. */
const SAID: Readonly<Record<string, readonly [status: number, type: string]>> = {
  'an unknown key': [401, 'authentication_error'],
  'a key of another service': [401, 'authentication_error'],
  'an unknown model': [404, 'not_found_error'],
  'a request the backend finds invalid': [400, 'invalid_request_error'],
  'a model outside the plan': [429, 'rate_limit_error'],
  'a request the month cannot pay': [402, 'billing_error'],
}

export function errorScenarios({ rig, client }: Sdk): void {
  const caught = (from: PromiseLike<unknown>): Promise<InstanceType<typeof Anthropic.APIError>> =>
    Promise.resolve(from).then(
      () => Promise.reject(new Error('it succeeded')),
      (error: InstanceType<typeof Anthropic.APIError>) => error,
    )
  const ask = ({ apiKey, model, maxTokens = 100 }: Refused, stream: boolean, options = {}) =>
    client({ apiKey, ...options }).messages.create({ ...sum, model, stream, max_tokens: maxTokens })

  describe.each([false, true])('refused before it starts (stream: %s)', stream => {
    it.each(refusals)('$name is an error of its type that is not tried again', async refusal => {
      const [status, type] = SAID[refusal.name] ?? []
      const error = await caught(ask(await arrange(rig, refusal), stream))

      expect(error).toBeInstanceOf(Anthropic.APIError)
      expect(error).toMatchObject({ status, type, error: { error: { type, message: expect.any(String) } } })
      expect(error.message).toMatch(new RegExp(refusal.text.source.replace(/^\^/, '')))
      expect(await rig.calls()).toMatchObject([{ status, requestId: error.requestID }])
    })

    it('an outage is an error after as many retries as the user asked for', async () => {
      const error = await caught(ask(await arrange(rig, outage), stream, { maxRetries: 1 }))

      expect(error).toMatchObject({ status: 503, type: 'overloaded_error' })
      expect(await rig.calls()).toMatchObject([{ status: 503 }, { status: 503 }])
    })

    it('an outage that is over at the retry is not seen', async () => {
      rig.backend.next(exhausted)

      await ask({ apiKey: rig.key, model: 'svc-core' }, stream)

      expect((await rig.calls())[0]).toMatchObject({ status: 503 })
    })

    it('a spent minute is tried again after the wait that the answer names', async () => {
      const apiKey = await spentMinute(rig, 100)

      const answer = await ask({ apiKey, model: 'svc-core', maxTokens: 10 }, stream)

      if ('controller' in answer) for await (const _event of answer);
      expect((await rig.calls()).slice(2)).toMatchObject([{ status: 429, type: 'requests' }, { status: 200 }])
    })
  })

  it('a stream that breaks throws what broke it', async () => {
    rig.backend.always(streamThenEnd({ chunks: ['Hel', 'lo'] }))

    const error = await caught(client().messages.stream(sum).finalMessage())

    expect(error.message).toContain(INTERRUPTED.message)
  })

  it('a prompt that is too long is said in the words that agents shorten it for', async () => {
    const message =
      "This model's maximum context length is 1000 tokens. However, you requested 1200 tokens (1100 in the messages, 100 in the completion)."
    rig.backend.always(status(400, { error: { message, code: 'context_length_exceeded' } }))

    const error = await caught(client().messages.create(sum))

    expect(error.message).toContain('prompt is too long: 1100 tokens > 1000 maximum')
  })

  it.each<[string, object, string]>([
    ['no max_tokens', { max_tokens: undefined }, 'max_tokens: Field required'],
    ['no message', { messages: [] }, 'messages: must not be empty'],
    ['a PDF', { messages: [pdf] }, 'messages[0].content[0].source'],
    [
      'an answer that was begun',
      { messages: [...sum.messages, { role: 'assistant', content: '4' }] },
      'messages: the conversation must end with a user message',
    ],
    ['a text for a number', { temperature: 'hot' }, 'temperature: must be a number'],
  ])('%s is a BadRequestError that names the field', async (_name, body, text) => {
    const error = await caught(client().messages.create({ ...sum, ...body } as never))

    expect(error).toBeInstanceOf(Anthropic.BadRequestError)
    expect(error.message).toContain(text)
    expect(rig.backend.requests).toHaveLength(0)
  })
}

const pdf = {
  role: 'user',
  content: [{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AA==' } }],
}

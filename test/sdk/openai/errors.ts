import { describe, expect, it } from 'vitest'
import { arrange, outage, type Refusal, type Refused, refusals } from '../support/refusals.ts'
import { burst, busyKey, exhausted, isTold, spentMinute, waitedOut } from '../support/rig.ts'
import { headerOf, type Sdk, sum } from './sdk.ts'

/** The error in a user's catch. */
interface Caught {
  readonly error?: unknown
  readonly headers?: unknown
}

export function errorScenarios(sdk: Sdk): void {
  const { rig, client } = sdk
  const caught = (from: PromiseLike<unknown>): Promise<Caught> =>
    Promise.resolve(from).then(
      () => Promise.reject(new Error('it succeeded')),
      (error: Caught) => error,
    )
  const chat = ({ apiKey, model, maxTokens }: Refused, stream: boolean, options = {}) =>
    client({ apiKey, ...options }).chat.completions.create({ ...sum, model, stream, max_tokens: maxTokens ?? null })

  describe.each([false, true])('refused before it starts (stream: %s)', stream => {
    it.each(refusals)('$name is a $status $code that is not tried again', async refusal => {
      const error = await caught(chat(await arrange(rig, refusal), stream))

      expect(error).toBeInstanceOf(classOf(sdk, refusal.status))
      expectSeen(error, refusal)
      expect(await rig.calls()).toMatchObject([{ status: refusal.status, requestId: requestIdOf(error) }])
    })

    it('a request without a key is a 401 NO_AUTH that says what to send', async () => {
      const options = { defaultHeaders: { Authorization: null } }
      const error = await caught(chat({ apiKey: rig.key, model: 'svc-core' }, stream, options))

      expect(error).toBeInstanceOf(sdk.OpenAI.AuthenticationError)
      const said = { code: 'invalid_api_key', type: 'authentication_error' }
      expectSeen(error, { status: 401, code: 'NO_AUTH', said, text: /Authorization: Bearer svc_/ })
      expect(await rig.calls()).toHaveLength(1)
    })

    it(`${outage.name} is a 503 after as many retries as the user asked for`, async () => {
      const error = await caught(chat(await arrange(rig, outage), stream, { maxRetries: 1 }))

      expect(error).toBeInstanceOf(sdk.OpenAI.InternalServerError)
      expectSeen(error, outage)
      expect(await rig.calls()).toMatchObject([{ status: 503 }, { status: 503 }])
    })

    it('an outage that is over at the retry is not seen', async () => {
      rig.backend.next(exhausted)

      await end(await chat({ apiKey: rig.key, model: 'svc-core' }, stream))

      expect(await rig.calls()).toMatchObject([{ status: 503 }, { status: 200 }])
    })

    it('a spent minute is tried again after the wait it was told, and served', async () => {
      const apiKey = await spentMinute(rig, 100)

      await end(await chat({ apiKey, model: 'svc-core', maxTokens: 10 }, stream))

      expect((await rig.calls()).slice(2)).toMatchObject([{ status: 429, type: 'requests' }, { status: 200 }])
    })
  })

  it('the month that cannot pay says when it ends and where to top up', async () => {
    const quota = refusals.find(({ code }) => code === 'quota_exceeded')
    const { error } = await caught(chat(await arrange(rig, quota ?? outage), false))

    expect(error).toMatchObject({
      resetDate: '2026-12-01',
      topupUrl: expect.stringMatching(/^http/),
      overageEnabled: false,
    })
  })

  it('a spent minute tells the wait in the body and in both headers', async () => {
    const apiKey = await spentMinute(rig, 1500)
    const error = await caught(chat({ apiKey, model: 'svc-core', maxTokens: 10 }, false, { maxRetries: 0 }))

    expect(error).toBeInstanceOf(sdk.OpenAI.RateLimitError)
    expect(error).toMatchObject({ code: 'rate_limit_exceeded', type: 'requests', error: { retry_after_ms: 1500 } })
    expect(headerOf(error.headers, 'retry-after-ms')).toBe('1500')
    expect(headerOf(error.headers, 'retry-after')).toBe('2')
    expect(headerOf(error.headers, 'x-should-retry')).toBeUndefined()
  })

  it('a burst inside one second is waited out and served', async () => {
    await burst(rig, isTold, apiKey => Promise.resolve(chat({ apiKey, model: 'svc-core', maxTokens: 10 }, false)))

    expect((await rig.calls()).slice(2)).toMatchObject(waitedOut)
  })

  it('a request beside too many others is a 429 of type concurrency', async () => {
    const busy = await busyKey(rig)
    const request = { apiKey: busy.key, model: 'svc-core', maxTokens: 10 }
    const error = await caught(chat(request, false, { maxRetries: 0 }))

    expect(error).toBeInstanceOf(sdk.OpenAI.RateLimitError)
    expect(error).toMatchObject({ code: 'rate_limit_exceeded', type: 'concurrency', error: { retry_after_ms: 1000 } })
    await busy.free()
  })

  it.each([
    ['no messages', { messages: [] }, /^messages: /],
    ['a text for a number', { temperature: 'hot' }, /^temperature: /],
    ['a message of no role', { messages: [{ content: 'Hi' }] }, /^messages\[0\]\.role: |^messages.*role/],
    ['a parameter that changes the price', { service_tier: 'priority' }, /^service_tier: /],
    ['two caps that differ', { max_tokens: 5, max_completion_tokens: 6 }, /^max_completion_tokens: /],
  ])('%s is a BadRequestError that names the field', async (_name, body, text) => {
    const error = await caught(client().chat.completions.create({ ...sum, ...body } as never))

    expect(error).toBeInstanceOf(sdk.OpenAI.BadRequestError)
    expectSeen(error, {
      status: 400,
      code: 'VALIDATION_ERROR',
      said: { code: null, type: 'invalid_request_error' },
      text,
    })
    expect(error).toHaveProperty('param', expect.stringMatching(text.source.replace(/: .*/, '')))
  })

  it.each([
    ['a model that is not there', () => client().models.retrieve('gpt-4o'), 'model_not_found', /gpt-4o/],
    ['an API that is not served', () => client().batches.list(), 'NOT_FOUND', /No such path/],
    ['a base URL without /v1', () => client({ baseURL: rig.test.url }).models.list(), 'NOT_FOUND', /lacks \/v1/],
    [
      'a base URL with too much of it',
      () => client({ baseURL: `${rig.baseURL}/v1` }).models.list(),
      'NOT_FOUND',
      /\/v1 twice/,
    ],
  ])('%s is a NotFoundError that says so', async (_name, call, said, text) => {
    const error = await caught(call())

    expect(error).toBeInstanceOf(sdk.OpenAI.NotFoundError)
    expectSeen(error, { status: 404, code: 'NOT_FOUND', said: { code: said, type: 'invalid_request_error' }, text })
    expect(await rig.calls()).toHaveLength(1)
  })
}

/** Reads a stream to its end, so that its call is over. */
async function end(answer: unknown): Promise<void> {
  if (typeof answer === 'object' && answer && Symbol.asyncIterator in answer)
    for await (const _chunk of answer as AsyncIterable<unknown>);
}

function classOf({ OpenAI }: Sdk, status: number) {
  switch (status) {
    case 400:
      return OpenAI.BadRequestError
    case 401:
      return OpenAI.AuthenticationError
    case 429:
      return OpenAI.RateLimitError
    default:
      // The SDK has no class of its own for 402.
      return OpenAI.APIError
  }
}

const requestIdOf = (error: Caught): string | undefined => headerOf(error.headers, 'x-request-id')

function expectSeen(error: Caught, { status, code, said, text }: Pick<Refusal, 'status' | 'code' | 'said' | 'text'>) {
  expect(headerOf(error.headers, 'x-svc-error-code')).toBe(code)
  expect(error).toMatchObject({ status, ...said, error: said })
  expect(error).toHaveProperty('message', `${status} ${messageOf(error.error)}`)
  expect(messageOf(error.error)).toMatch(text)
}

const messageOf = (error: unknown): string => (error as { message: string }).message

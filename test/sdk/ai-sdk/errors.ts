import { describe, expect, it } from 'vitest'
import { stream } from '../../support/backend.ts'
import { breaks, INTERRUPTED, LATE_OUTAGE, Reader, SAID } from '../support/broken.ts'
import { arrange, outage, type Refusal, type Refused, refusals } from '../support/refusals.ts'
import { afterSilence, burst, busyKey, exhausted, isTold, spentMinute, waitedOut } from '../support/rig.ts'
import { type AiSdk, prompt } from './sdk.ts'

/** The error in a user's catch, or in onError of a stream. */
interface Caught {
  readonly message?: string
  readonly responseBody?: string
}

export function errorScenarios({ rig, ai, provider }: AiSdk): void {
  const { APICallError, RetryError, generateText, streamText } = ai
  const ask = (
    { apiKey, model, maxTokens }: Refused,
    streamed: boolean,
    maxRetries?: number,
  ): Promise<Caught | string> => {
    const cap = maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }
    const retries = maxRetries === undefined ? {} : { maxRetries }
    const request = { model: provider({ apiKey })(model), prompt, ...cap, ...retries }
    if (!streamed)
      return generateText(request).then(
        ({ text }) => text,
        (error: Caught) => error,
      )
    return new Promise((resolve, reject) => {
      const result = streamText({ ...request, onError: ({ error }) => resolve(error as Caught) })
      Promise.resolve(result.text).then(resolve, () => {
        // Then onError was told why.
      })
      Promise.resolve(result.consumeStream()).catch(reject)
    })
  }

  describe.each([false, true])('refused before it starts (stream: %s)', streamed => {
    it.each(refusals)('$name is a $status $code with its reason', async refusal => {
      // This SDK tries every 429 again: it does not read x-should-retry.
      const error = await ask(await arrange(rig, refusal), streamed, refusal.status === 429 ? 0 : undefined)

      expect(APICallError.isInstance(error)).toBe(true)
      expect(error).toMatchObject(seen(refusal))
      expect(error).toMatchObject({ isRetryable: refusal.status === 429 })
      const { text } = refusal
      expect(textOf(error)).toMatch(text)
      expect(await rig.calls()).toMatchObject([{ status: refusal.status }])
    })

    it(`${outage.name} is tried again as often as the user asked for`, async () => {
      // One retry only: the SDK waits 2 s before it.
      const error = await ask(await arrange(rig, outage), streamed, 1)

      expect(RetryError.isInstance(error)).toBe(true)
      expect(error).toMatchObject({ reason: 'maxRetriesExceeded', lastError: seen(outage) })
      expect(error).toHaveProperty('message', expect.stringMatching(outage.text))
      expect(await rig.calls()).toMatchObject([{ status: 503 }, { status: 503 }])
    })

    it(`${outage.name} is an APICallError when the user wants no retry`, async () => {
      const error = await ask(await arrange(rig, outage), streamed, 0)

      expect(APICallError.isInstance(error)).toBe(true)
      expect(error).toMatchObject({ ...seen(outage), isRetryable: true })
      expect(JSON.parse((error as Caught).responseBody ?? '')).toMatchObject({
        error: { tier: 'on-premises', attempted: ['onprem'] },
        code: 'UPSTREAMS_EXHAUSTED',
      })
      expect(await rig.calls()).toHaveLength(1)
    })

    it('a spent minute is tried again after the wait it was told, and served', async () => {
      const apiKey = await spentMinute(rig, 100)

      expect(await ask({ apiKey, model: 'svc-core', maxTokens: 10 }, streamed)).toBeTypeOf('string')
      expect((await rig.calls()).slice(2)).toMatchObject([{ status: 429, type: 'requests' }, { status: 200 }])
    })
  })

  it('a burst inside one second is waited out and served', async () => {
    await burst(rig, isTold, apiKey => ask({ apiKey, model: 'svc-core', maxTokens: 10 }, false))

    expect((await rig.calls()).slice(2)).toMatchObject(waitedOut)
  })

  it('a request without a key is a 401 NO_AUTH', async () => {
    const request = { model: provider({ apiKey: undefined as never })('svc-core'), prompt }

    await expect(generateText(request)).rejects.toMatchObject({
      statusCode: 401,
      message: expect.stringMatching(/^Send `Authorization: Bearer svc_/),
      responseHeaders: { 'x-svc-error-code': 'NO_AUTH' },
    })
  })

  it('the month that cannot pay says when it ends in the message, and where to top up in the body', async () => {
    const quota = refusals.find(({ code }) => code === 'quota_exceeded')
    const error = (await ask(await arrange(rig, quota ?? outage), false)) as Caught

    expect(error.message).toContain('2026-12-01')
    expect(JSON.parse(error.responseBody ?? '').error).toMatchObject({
      resetDate: '2026-12-01',
      topupUrl: expect.stringMatching(/^http/),
      overageEnabled: false,
    })
  })

  it('a request beside too many others is a 429 of type concurrency that tells the wait', async () => {
    const busy = await busyKey(rig)
    const error = await ask({ apiKey: busy.key, model: 'svc-core', maxTokens: 10 }, false, 0)

    expect(error).toMatchObject({
      statusCode: 429,
      data: { error: { code: 'rate_limit_exceeded', type: 'concurrency' } },
      responseHeaders: { 'retry-after-ms': '1000', 'retry-after': '1' },
    })
    await busy.free()
  })

  const read = async (reader: Reader) => {
    const told: unknown[] = []
    const onError = ({ error }: { error: unknown }) => void told.push(error)
    const result = streamText({ model: provider()('svc-core'), prompt, onError })
    const parts: unknown[] = []
    for await (const part of result.fullStream) {
      if (part.type === 'text-delta') reader.add(part.text)
      if (part.type === 'error') parts.push(part.error)
    }
    return { told, parts, finishReason: await result.finishReason }
  }

  it.each(breaks)('a stream that $name after its first content ends as an error', async ({ behaviour }) => {
    const reader = new Reader()
    rig.backend.next(behaviour(reader.read))

    const error = [INTERRUPTED]
    expect(await read(reader)).toEqual({ told: error, parts: error, finishReason: 'error' })
    expect(reader.text).toBe(SAID)
    expect(await rig.calls()).toMatchObject([{ status: 200, interrupted: expect.stringMatching(/./) }])
  })

  describe('a stream that begins before its backend has said a word', () => {
    it('says what the backend says in the end, and nothing of the silence', async () => {
      const reader = new Reader()
      rig.backend.next(afterSilence(rig, stream({ chunks: ['Hel', 'lo'] })))

      expect(await read(reader)).toEqual({ told: [], parts: [], finishReason: 'stop' })
      expect(reader.text).toBe(SAID)
    })

    it('ends as an error that says what became of it, and is not tried again', async () => {
      const reader = new Reader()
      rig.backend.next(afterSilence(rig, exhausted))

      const { message, type, code } = LATE_OUTAGE
      const error = [{ message, type, param: null, code }]
      expect(await read(reader)).toEqual({ told: error, parts: error, finishReason: 'error' })
      expect(reader.text).toBe('')
      expect(await rig.calls()).toMatchObject([{ status: 200, code: 'UPSTREAMS_EXHAUSTED' }])
    })
  })
}

const seen = ({ status, code, said, text }: Refusal): object => ({
  statusCode: status,
  message: expect.stringMatching(text),
  responseHeaders: { 'x-svc-error-code': code, 'x-request-id': expect.stringMatching(/^req_/) },
  data: { error: said },
})

function textOf(caught: Caught | string): string {
  if (typeof caught === 'string') return caught
  const { error } = JSON.parse(caught.responseBody ?? '{}') as { error: string | { message: string } }
  return typeof error === 'string' ? error : error.message
}

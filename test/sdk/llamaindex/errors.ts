import { describe, expect, it } from 'vitest'
import { stream } from '../../support/backend.ts'
import { headerOf } from '../openai/sdk.ts'
import { breaks, INTERRUPTED, LATE_OUTAGE, Reader, SAID } from '../support/broken.ts'
import { arrange, outage, type Refusal, type Refused, refusals } from '../support/refusals.ts'
import { afterSilence, burst, busyKey, exhausted, isTold, spentMinute, waitedOut } from '../support/rig.ts'
import { type LlamaIndex, messages } from './sdk.ts'

/** The error in a user's catch: from the openai SDK 5 that LlamaIndex includes. */
interface Caught {
  readonly error?: unknown
  readonly headers?: unknown
}

/** Names, since the classes are those of a copy that LlamaIndex does not export. */
const CLASSES: Readonly<Record<number, string>> = {
  400: 'BadRequestError',
  401: 'AuthenticationError',
  402: 'APIError',
  429: 'RateLimitError',
  503: 'InternalServerError',
}

export function errorScenarios({ rig, llm }: LlamaIndex): void {
  const ask = async ({ apiKey, model, maxTokens }: Refused, streamed: boolean, maxRetries?: number) => {
    const cap = maxTokens === undefined ? {} : { maxTokens }
    const retries = maxRetries === undefined ? {} : { maxRetries }
    const asked = llm({ apiKey, model, ...cap, ...retries })
    if (!streamed) return String((await asked.chat({ messages })).message.content)
    let text = ''
    for await (const { delta } of await asked.chat({ messages, stream: true })) text += delta
    return text
  }
  const caught = (from: Promise<unknown>): Promise<Caught> =>
    from.then(
      () => Promise.reject(new Error('it succeeded')),
      (error: Caught) => error,
    )

  describe.each([false, true])('refused before it starts (stream: %s)', streamed => {
    it.each(refusals)('$name is a $status $code that is not tried again', async refusal => {
      const error = await caught(ask(await arrange(rig, refusal), streamed))

      expectSeen(error, refusal)
      expect(await rig.calls()).toMatchObject([{ status: refusal.status }])
    })

    it(`${outage.name} is a 503 after as many retries as the user asked for`, async () => {
      const error = await caught(ask(await arrange(rig, outage), streamed, 1))

      expectSeen(error, outage)
      expect(await rig.calls()).toMatchObject([{ status: 503 }, { status: 503 }])
    })

    it('a spent minute is tried again after the wait it was told, and served', async () => {
      const apiKey = await spentMinute(rig, 100)

      expect(await ask({ apiKey, model: 'svc-core', maxTokens: 10 }, streamed)).toBeTruthy()
      expect((await rig.calls()).slice(2)).toMatchObject([{ status: 429, type: 'requests' }, { status: 200 }])
    })
  })

  it('the month that cannot pay says when it ends and where to top up', async () => {
    const quota = refusals.find(({ code }) => code === 'quota_exceeded')
    const { error } = await caught(ask(await arrange(rig, quota ?? outage), false))

    expect(error).toMatchObject({
      resetDate: '2026-12-01',
      topupUrl: expect.stringMatching(/^http/),
      overageEnabled: false,
    })
  })

  it('a burst inside one second is waited out and served', async () => {
    await burst(rig, isTold, apiKey => ask({ apiKey, model: 'svc-core', maxTokens: 10 }, false))

    expect((await rig.calls()).slice(2)).toMatchObject(waitedOut)
  })

  it('a request beside too many others is a 429 of type concurrency that tells the wait', async () => {
    const busy = await busyKey(rig)
    const error = await caught(ask({ apiKey: busy.key, model: 'svc-core', maxTokens: 10 }, false, 0))

    expect(error).toMatchObject({ status: 429, type: 'concurrency', error: { retry_after_ms: 1000 } })
    expect(headerOf(error.headers, 'retry-after-ms')).toBe('1000')
    await busy.free()
  })

  const read = async (reader: Reader) => {
    for await (const { delta } of await llm().chat({ messages, stream: true })) reader.add(delta)
  }

  describe('a stream that begins before its backend has said a word', () => {
    it('says what the backend says in the end, and nothing of the silence', async () => {
      const reader = new Reader()
      rig.backend.next(afterSilence(rig, stream({ chunks: ['Hel', 'lo'] })))

      await read(reader)

      expect(reader.text).toBe(SAID)
    })

    it('throws what became of it, and is not tried again', async () => {
      const reader = new Reader()
      rig.backend.next(afterSilence(rig, exhausted))
      const error = await caught(read(reader))

      expect(error.constructor.name).toBe('APIError')
      expect(error).toMatchObject({ code: 'UPSTREAMS_EXHAUSTED', type: 'server_error', error: LATE_OUTAGE })
      expect(reader.text).toBe('')
      expect(await rig.calls()).toMatchObject([{ status: 200, code: 'UPSTREAMS_EXHAUSTED' }])
    })
  })

  it.each(breaks)('a stream that $name after its first content throws after what was said', async ({ behaviour }) => {
    const reader = new Reader()
    rig.backend.next(behaviour(reader.read))
    const error = await caught(read(reader))

    expect(error.constructor.name).toBe('APIError')
    expect(error).toMatchObject(INTERRUPTED)
    expect(reader.text).toBe(SAID)
    expect(await rig.calls()).toMatchObject([{ status: 200, interrupted: expect.stringMatching(/./) }])
  })
}

function expectSeen(error: Caught, { status, code, said, text }: Refusal): void {
  expect(error.constructor.name).toBe(CLASSES[status])
  expect(headerOf(error.headers, 'x-svc-error-code')).toBe(code)
  expect(error).toMatchObject({ status, ...said, error: { ...said, message: expect.stringMatching(text) } })
}

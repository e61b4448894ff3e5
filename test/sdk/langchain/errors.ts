import { APIError, AuthenticationError, BadRequestError, InternalServerError, RateLimitError } from 'openai'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { stream } from '../../support/backend.ts'
import { headerOf } from '../openai/sdk.ts'
import { breaks, INTERRUPTED, LATE_OUTAGE, Reader, SAID } from '../support/broken.ts'
import { arrange, outage, type Refusal, type Refused, refusals } from '../support/refusals.ts'
import { afterSilence, burst, busyKey, exhausted, spentMinute, waitedOut } from '../support/rig.ts'
import { type LangChain, question } from './sdk.ts'

/** The error in a user's catch: from the openai SDK, with fields of LangChain's. */
interface Caught {
  readonly error?: unknown
  readonly headers?: unknown
}

const CLASSES: Readonly<Record<number, unknown>> = {
  400: BadRequestError,
  401: AuthenticationError,
  402: APIError,
  429: RateLimitError,
  503: InternalServerError,
}
const LC_CODES: Readonly<Record<number, string>> = { 401: 'MODEL_AUTHENTICATION', 429: 'MODEL_RATE_LIMIT' }

export function errorScenarios({ rig, chat }: LangChain): void {
  const ask = async ({ apiKey, model, maxTokens }: Refused, streamed: boolean, maxRetries?: number) => {
    const cap = maxTokens === undefined ? {} : { maxTokens }
    const retries = maxRetries === undefined ? {} : { maxRetries }
    const llm = chat({ apiKey, model, ...cap, ...retries })
    let text = ''
    if (streamed) for await (const { content } of await llm.stream(question)) text += content
    else text = String((await llm.invoke(question)).content)
    return text
  }
  const caught = (from: Promise<unknown>): Promise<Caught> =>
    from.then(
      () => Promise.reject(new Error('it succeeded')),
      (error: Caught) => error,
    )
  /** Its pauses before retries are 1 s to 2 s at random. */
  const hurry = () => vi.spyOn(Math, 'random').mockReturnValue(0)
  afterEach(() => void vi.restoreAllMocks())

  describe.each([false, true])('refused before it starts (stream: %s)', streamed => {
    it.each(refusals)('$name is a $status $code that is not tried again', async refusal => {
      const error = await caught(ask(await arrange(rig, refusal), streamed))

      expect(error).toBeInstanceOf(CLASSES[refusal.status])
      expectSeen(error, refusal)
      expect(await rig.calls()).toMatchObject([{ status: refusal.status }])
    })

    it(`${outage.name} is a 503 after as many retries as the user asked for`, async () => {
      hurry()
      const error = await caught(ask(await arrange(rig, outage), streamed, 1))

      expect(error).toBeInstanceOf(InternalServerError)
      expectSeen(error, outage)
      expect(await rig.calls()).toMatchObject([{ status: 503 }, { status: 503 }])
    })

    it('a spent minute is tried again after the wait it was told, and served', async () => {
      hurry()
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
    // It reads the header in seconds, and waits longer at its second try.
    await burst(
      rig,
      ms => ms > 1000 && ms <= 60_000,
      apiKey => ask({ apiKey, model: 'svc-core', maxTokens: 10 }, false),
    )

    expect((await rig.calls()).slice(2)).toMatchObject(waitedOut)
  })

  it('a request beside too many others is a 429 of type concurrency that tells the wait', async () => {
    const busy = await busyKey(rig)
    const error = await caught(ask({ apiKey: busy.key, model: 'svc-core', maxTokens: 10 }, false, 0))

    expect(error).toBeInstanceOf(RateLimitError)
    expect(error).toMatchObject({ type: 'concurrency', error: { retry_after_ms: 1000 }, retryAfterMs: 1000 })
    await busy.free()
  })

  const read = async (reader: Reader) => {
    for await (const { content } of await chat().stream(question)) reader.add(String(content))
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

      expect(error).toBeInstanceOf(APIError)
      expect(error).toMatchObject({ code: 'UPSTREAMS_EXHAUSTED', type: 'server_error', error: LATE_OUTAGE })
      expect(reader.text).toBe('')
      expect(await rig.calls()).toMatchObject([{ status: 200, code: 'UPSTREAMS_EXHAUSTED' }])
    })
  })

  describe.each(breaks)('a stream that $name after its first content', ({ behaviour }) => {
    it('throws after what was said, and is not tried again', async () => {
      const reader = new Reader()
      rig.backend.next(behaviour(reader.read))
      const error = await caught(read(reader))

      expect(error).toBeInstanceOf(APIError)
      expect(error).toMatchObject(INTERRUPTED)
      expect(reader.text).toBe(SAID)
      expect(await rig.calls()).toMatchObject([{ status: 200, interrupted: expect.stringMatching(/./) }])
    })

    it('fails when it was to be collected', async () => {
      const reader = new Reader()
      rig.backend.next(behaviour(reader.read))
      const callbacks = [{ handleLLMNewToken: (token: string) => reader.add(token) }]

      await expect(chat({ streaming: true, callbacks }).invoke(question)).rejects.toMatchObject(INTERRUPTED)
      expect(reader.text).toBe(SAID)
    })
  })
}

function expectSeen(error: Caught, { status, code, said, text }: Refusal): void {
  const lc_error_code = LC_CODES[status]
  expect(headerOf(error.headers, 'x-svc-error-code')).toBe(code)
  expect(error).toMatchObject({ status, ...(lc_error_code !== undefined && { lc_error_code }) })
  expect(error).toMatchObject({ ...said, error: { ...said, message: expect.stringMatching(text) } })
  expect(error).toHaveProperty('message', expect.stringMatching(new RegExp(text.source.replace(/^\^/, ''))))
}

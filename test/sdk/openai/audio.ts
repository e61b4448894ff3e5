import { expect, it } from 'vitest'
import { json, status } from '../../support/backend.ts'
import type { Rig } from '../support/rig.ts'

/** Every byte there is: what is taken for text anywhere is not the same afterwards. */
const AUDIO = Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7) % 256))

export async function audioScenarios(name: string, rig: Rig): Promise<void> {
  const { OpenAI, toFile } = (await import(name)) as typeof import('openai')
  const client = () => new OpenAI({ baseURL: rig.baseURL, apiKey: rig.key, maxRetries: 0 })
  const speech = { model: 'svc-voice', voice: 'alloy', input: 'Hello' } as const

  it('audio.speech gives the bytes that the backend spoke, and pays for one call', async () => {
    rig.backend.next(({ response }) => void response.writeHead(200, { 'content-type': 'audio/mpeg' }).end(AUDIO))

    const answer = await client().audio.speech.create(speech)

    expect(answer.headers.get('content-type')).toBe('audio/mpeg')
    expect(Buffer.from(await answer.arrayBuffer()).equals(AUDIO)).toBe(true)
    expect(rig.backend.requests).toMatchObject([{ path: '/v1/audio/speech', body: { ...speech, model: 'test-model' } }])
    expect(await rig.test.ledger()).toMatchObject([{ model: 'svc-voice', asked: 'svc-voice', cost: 10_000_000 }])
  })

  it('audio.transcriptions sends its form whole, with the pool’s own model, and gives the text', async () => {
    rig.backend.next(json({ text: 'Hello there.' }))
    const file = await toFile(Buffer.from('RIFF of a recording'), 'a.wav')

    const { text } = await client().audio.transcriptions.create({ file, model: 'svc-voice', language: 'en' })

    expect(text).toBe('Hello there.')
    const [seen] = rig.backend.requests
    expect(seen?.path).toBe('/v1/audio/transcriptions')
    expect(seen?.headers['content-type']).toMatch(/^multipart\/form-data; ?boundary=/)
    for (const part of ['name="file"; filename="a.wav"', 'RIFF of a recording', 'name="model"', 'name="language"'])
      expect(seen?.rawBody).toContain(part)
    expect(seen?.rawBody).toContain('\r\n\r\ntest-model\r\n')
    expect(seen?.rawBody).not.toContain('svc-voice')
    expect(await rig.test.ledger()).toMatchObject([{ model: 'svc-voice', cost: 20_000_000 }])
  })

  it('what is refused is an error of the SDK, with our code and status', async () => {
    await expect(client().audio.speech.create({ ...speech, model: 'tts-1' })).rejects.toMatchObject({ status: 400 })
    const file = await toFile(Buffer.from('RIFF'), 'a.wav')
    const other = client().audio.transcriptions.create({ file, model: 'whisper-1' })
    await expect(other).rejects.toMatchObject({ status: 400 })
    rig.backend.always(status(500))
    const asked = client().audio.speech.create(speech)
    asked.catch(() => {})
    await expect(rig.test.clock.during(asked)).rejects.toMatchObject({ status: 503 })
    const key = await rig.test.key('free', 'bob')
    const poor = new OpenAI({ baseURL: rig.baseURL, apiKey: key })
    await expect(poor.audio.speech.create(speech)).rejects.toMatchObject({ status: 429, code: 'rate_limit_exceeded' })
  })
}

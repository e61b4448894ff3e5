import { afterAll, beforeAll, expect, it } from 'vitest'
import { readAnswer } from './support/answers.ts'
import { type Engine, engineSuite, startLitellm } from './support/engines.ts'
import { type Rig, startRig } from './support/rig.ts'

engineSuite('litellm', () => {
  let proxy: Engine
  let rig: Rig

  beforeAll(async () => {
    proxy = await startLitellm()
    const model = (pool: string) =>
      `{ kind: chat, tier: guest, serve: [${pool}], context: 8k, max_output: 100, usd_per_1m: { input: 1, output: 10 } }`
    const pool = (name: string) => `{ site: cloud, model: ${name}, replicas: ["${proxy.url}"] }`
    rig = await startRig(`
models: { mock: ${model('mock')}, busy: ${model('busy')}, missing: ${model('missing')} }
pools: { mock: ${pool('mock')}, busy: ${pool('busy')}, missing: ${pool('nobody')} }
`)
  })
  afterAll(async () => {
    await rig?.close()
    await proxy?.kill()
  })

  const messages = [{ role: 'user', content: 'Hi' }]
  const chat = async (body: object) => readAnswer(await rig.post('/chat/completions', { messages, ...body }))

  it.each([false, true])('a chat is answered, and charged what the proxy counted (stream: %s)', async stream => {
    await rig.charged()
    const options = stream ? { stream_options: { include_usage: true } } : {}
    const answer = await chat({ model: 'mock', stream, ...options })

    expect(answer).toMatchObject({ text: 'A mock answer in a few words.', finish: 'stop', isDone: true })
    expect(await rig.charged()).toEqual({
      input: answer.usage?.prompt_tokens,
      output: answer.usage?.completion_tokens,
      estimated: 0,
    })
  })

  it('`n` is answered whole by as many choices as the proxy makes', async () => {
    expect(await chat({ model: 'mock', n: 2 })).toMatchObject({ finish: 'stop', isDone: true })
  })

  it('a stream in which the proxy ends one choice of two is not shown as finished', async () => {
    expect(await chat({ model: 'mock', n: 2, stream: true })).toMatchObject({
      text: 'A mock answer in a few words.',
      isDone: false,
      error: 'UPSTREAM_INTERRUPTED',
    })
  })

  it('clients of Messages and Responses get the same text', async () => {
    const message = await rig.post('/messages', { model: 'mock', max_tokens: 50, messages })
    const response = await rig.post('/responses', { model: 'mock', input: 'Hi', store: false })

    const text = 'A mock answer in a few words.'
    expect(await message.json()).toMatchObject({ stop_reason: 'end_turn', content: [{ text }] })
    expect(await response.json()).toMatchObject({ status: 'completed', output: [{ content: [{ text }] }] })
  })

  it.each(['busy', 'missing'])(
    'a model that the proxy refuses is no answer, and no other pays for it: %s',
    async model => {
      await rig.charged()
      const answer = await chat({ model })

      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect(answer.error).toBeTruthy()
      expect(await rig.charged()).toMatchObject({ input: 0, output: 0 })
      expect(await chat({ model: 'mock' })).toMatchObject({ status: 200 })
    },
  )
})

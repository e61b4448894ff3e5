import { afterEach, beforeEach, expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { readAnswer, readSome } from './support/answers.ts'
import { engineSuite, type Llama, startLlama } from './support/engines.ts'
import { type Rig, startRig } from './support/rig.ts'

engineSuite('xllamacpp', () => {
  let engines: readonly Llama[]
  let rig: Rig

  beforeEach(async () => {
    engines = await Promise.all([startLlama('slow chat'), startLlama('slow chat')])
    rig = await startRig(`
models:
  tiny: { kind: chat, tier: guest, serve: [llama], context: 2k, max_output: 1800, usd_per_1m: { input: 1, output: 10 } }
pools:
  llama: { site: on-premises, model: tiny, replicas: [${engines.map(({ url }) => `"${url}"`).join(', ')}] }
`)
  })
  afterEach(async () => {
    await rig?.close()
    await Promise.all(engines.map(engine => engine.kill()))
  })

  const body = { model: 'tiny', messages: [{ role: 'user', content: 'Tell me a long story.' }], temperature: 0 }
  const working = () =>
    eventually(async () => {
      for (const engine of engines) if ((await engine.busy()) > 0) return engine
      throw new Error('no engine works')
    })
  const resting = async (engine: Llama) =>
    eventually(async () => {
      if ((await engine.busy()) > 0) throw new Error('the engine still works')
    })

  it('an engine stops when the client leaves its stream, which is charged by what was made', async () => {
    const leaving = new AbortController()
    const response = await rig.post('/chat/completions', { ...body, stream: true, max_tokens: 1700 }, leaving)
    const engine = await working()
    await expect(readSome(response, 5, () => leaving.abort())).rejects.toThrow()

    await resting(engine)
    expect(await engine.made()).toBeLessThan(1700)
    expect((await rig.charged()).output).toBeLessThan(1700)
  })

  it('an engine stops when the client leaves a whole answer', async () => {
    const leaving = new AbortController()
    const asked = rig.post('/chat/completions', { ...body, max_tokens: 1500 }, leaving)
    const engine = await working()
    leaving.abort()

    await expect(asked).rejects.toThrow()
    await resting(engine)
    expect(await engine.made()).toBeLessThan(1500)
  })

  it('a stream whose engine is killed ends in an error, and the other engine serves on', async () => {
    const response = await rig.post('/chat/completions', { ...body, stream: true, max_tokens: 900 })
    const engine = await working()
    const text = await readSome(response, 5, () => engine.kill())

    expect(text).toContain('UPSTREAM_INTERRUPTED')
    expect(text).not.toContain('[DONE]')
    for (let n = 0; n < 4; n++) {
      const answer = await readAnswer(await rig.post('/chat/completions', { ...body, max_tokens: 4 }))
      expect(answer).toMatchObject({ status: 200, finish: 'length' })
    }
  })

  it('a whole answer whose engine is killed comes from the other one, and is charged once', async () => {
    const asked = rig.post('/chat/completions', { ...body, max_tokens: 300 })
    await (await working()).kill()

    expect(await readAnswer(await asked)).toMatchObject({ status: 200, usage: { completion_tokens: 300 } })
    expect((await rig.charged()).output).toBe(300)
  })
})

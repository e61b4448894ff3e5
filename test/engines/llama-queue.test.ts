import { expect, it } from 'vitest'
import { readAnswer } from './support/answers.ts'
import { engineSuite, startLlama } from './support/engines.ts'
import { startRig } from './support/rig.ts'

const CLIENTS = 50

engineSuite('xllamacpp', () => {
  it('50 clients wait for two real llama.cpp that take two requests at once: all are served, and charged what the engines made', async () => {
    const engines = await Promise.all([startLlama(), startLlama()])
    const replicas = JSON.stringify(engines.map(({ url }) => url))
    const rig = await startRig(`
models:
  tiny: { kind: chat, tier: guest, serve: [llama], context: 2k, max_output: 64, usd_per_1m: { input: 1, output: 10 } }
pools:
  llama:
    { site: on-premises, model: tiny, provider: llamacpp, balance: busy, replicas: ${replicas},
      max_concurrent: 2, queue: { max: 50, of_account: 50, timeout: 5m } }
`)
    try {
      const made = async () =>
        (await Promise.all(engines.map(engine => engine.made()))).reduce((sum, each) => sum + each)
      const { slots } = rig.test.gateway.app.pools.of('llama')
      await rig.charged()
      const before = await made()
      let most = 0
      const answers = await Promise.all(
        Array.from({ length: CLIENTS }, async (_, n) => {
          const messages = [{ role: 'user', content: `Story ${n}.` }]
          const response = await rig.post('/chat/completions', {
            model: 'tiny',
            messages,
            max_tokens: 24,
            stream: n % 2 === 0,
          })
          most = Math.max(most, slots.taken)
          return { waited: response.headers.has('x-svc-queue-wait'), ...(await readAnswer(response)) }
        }),
      )

      expect(answers.map(({ status }) => status)).toEqual(Array(CLIENTS).fill(200))
      expect(answers.filter(({ waited }) => waited).length).toBeGreaterThanOrEqual(CLIENTS - 10)
      expect(most).toBe(2)
      const { output, estimated } = await rig.charged()
      expect([output, estimated]).toEqual([(await made()) - before, 0])
      for (const engine of engines) expect(await engine.made()).toBeGreaterThan(0)
      expect([slots.taken, slots.waiting]).toEqual([0, 0])
    } finally {
      await rig.close()
      await Promise.all(engines.map(engine => engine.kill()))
    }
  })
})

import { expect, it } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { ADMIN_TOKEN, startTestGateway } from '../support/gateway.ts'
import { engineSuite, startLlama } from './support/engines.ts'

engineSuite('xllamacpp', () => {
  it('the load of a real llama.cpp is read: idle, then as busy as it is with more requests than it takes at once', async () => {
    const llama = await startLlama('slow chat')
    const test = await startTestGateway({
      onprem: [llama],
      fields: { onprem: 'load: { from: llamacpp, url: /metrics, every: 1s }' },
    })
    const load = async () => {
      test.clock.advance(1000)
      const answer = await fetch(`${test.admin}/admin/pools`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })
      const { data } = Object(await answer.json())
      return data.find(({ pool }: { readonly pool: string }) => pool === 'onprem').replicas[0].load
    }
    const clients = new AbortController()
    try {
      await eventually(async () => expect(await load()).toMatchObject({ running: 0, waiting: 0, stale: false }))
      const ask = { model: 'tiny', messages: [{ role: 'user', content: 'Go on.' }], max_tokens: 2000, stream: true }
      const answers = Array.from({ length: 4 }, () =>
        fetch(`${llama.url}/chat/completions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(ask),
          signal: clients.signal,
        }).catch(() => undefined),
      )
      // It works on two at once.
      await eventually(async () => expect(await load()).toMatchObject({ running: 2, waiting: 2, stale: false }))
      clients.abort()
      await Promise.all(answers)
    } finally {
      clients.abort()
      await test.close()
      await llama.kill()
    }
  })
})

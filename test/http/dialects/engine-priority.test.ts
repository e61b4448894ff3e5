import { expect, it, onTestFinished } from 'vitest'
import { answer, startBackend, status } from '../../support/backend.ts'
import { startTestGateway } from '../../support/gateway.ts'

const user = { role: 'user', content: 'Hello?' }
const BODIES = {
  'chat/completions': { messages: [user] },
  responses: { input: [user], store: false },
  messages: { max_tokens: 20, messages: [user] },
} as const

const model = (name: string) =>
  `  ${name}: { kind: chat, tier: guest, serve: [${name}], context: 32k, usd_per_1m: { input: 1, output: 2 } }`
const pool = (name: string, url: string, fields: string) =>
  `  ${name}: { site: here, model: test-model, ${fields}, replicas: ["${url}"] }`

const POOLS = {
  low: 'provider: { is: vllm, priority: low_first }',
  high: 'provider: { is: sglang, priority: high_first }',
  spoken: 'provider: { is: vllm, priority: low_first }, speaks: [responses, messages]',
  without: 'provider: vllm',
} as const
const EXPECTED = { low: -7, high: 7, spoken: -7, without: undefined } as const

it.each(Object.keys(BODIES) as readonly (keyof typeof BODIES)[])(
  'engines that order requests get the priority of the plan, and never one that a client of %s writes',
  async path => {
    const backend = await startBackend()
    onTestFinished(() => backend.close())
    const names = Object.keys(POOLS) as readonly (keyof typeof POOLS)[]
    const test = await startTestGateway({
      onprem: [backend],
      yaml: 'include: [ordered.yaml]',
      fields: { pro: 'priority: 7' },
      files: {
        'ordered.yaml': [
          'models:',
          ...names.map(model),
          'pools:',
          ...names.map(name => pool(name, backend.url, POOLS[name])),
        ].join('\n'),
      },
    })
    onTestFinished(() => test.close())
    const key = await test.key('pro', 'ada')
    for (const name of names)
      for (const more of [{}, { priority: 1000 }]) {
        const before = backend.requests.length
        const response = await fetch(`${test.url}/v1/${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ ...BODIES[path], model: name, ...more }),
        })
        await response.text()
        const sent = backend.requests.slice(before).map(({ body }) => body.priority)
        // It is refused, or goes without; what the backend makes of it does not matter.
        if (response.status === 400) expect([sent, 'priority' in more]).toEqual([[], true])
        else expect(sent.length).toBeGreaterThan(0)
        for (const each of sent) expect(each, name).toBe(EXPECTED[name])
      }
  },
)

it('an engine that refuses priority is asked again without it, which operators see as learned', async () => {
  const backend = await startBackend()
  onTestFinished(() => backend.close())
  backend.always(exchange =>
    exchange.seen.body.priority === undefined
      ? answer({ content: 'Hi' })(exchange)
      : status(400, { error: { message: 'Got priority -7 but Priority scheduling is not enabled.' } })(exchange),
  )
  const fields = { onprem: POOLS.low, pro: 'priority: 7' }
  const test = await startTestGateway({ onprem: [backend], fields })
  onTestFinished(() => test.close())
  const key = await test.key('pro', 'ada')
  for (let n = 0; n < 2; n++) {
    const response = await test.chat(key, { messages: [user] })
    expect([response.status, response.headers.get('x-svc-ignored-fields')]).toEqual([200, null])
  }
  expect(backend.requests.map(({ body }) => body.priority)).toEqual([-7, undefined, undefined])
  const { lessons } = test.gateway.app.pools.of('onprem')
  expect(lessons.known(test.clock.now()).flatMap(each => each.lessons)).toEqual([{ field: 'priority' }])
})

import { afterAll, beforeAll, expect, it } from 'vitest'
import { HANGS_MS } from '../lanes/hangs.ts'
import { eventually } from '../support/eventually.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'
import { seeded } from '../support/random.ts'
import { followTime } from '../support/real-time.ts'
import { WORDS } from './model/tiny-vllm.ts'
import { engineSuite, startVllm, VLLM, type Vllm } from './support/engines.ts'

const DIALOGUES = 6
const TURNS = 4
const SYSTEM_WORDS = 3000
/** As a last resort: on a quiet machine it takes a minute. */
const LONG = 20 * HANGS_MS
/** An engine that works on one request at a time, in the order of their priority. */
const ORDERED = ['--scheduling-policy', 'priority', '--max-num-seqs', '1']

engineSuite(
  'vllm-cpu',
  () => {
    let ordered: Vllm
    let plain: Vllm
    beforeAll(async () => {
      ;[ordered, plain] = await Promise.all([startVllm(ORDERED), startVllm()])
    }, LONG)
    afterAll(() => Promise.all([ordered?.kill(), plain?.kill()]))

    async function gatewayTo(onprem: readonly Vllm[], fields: Parameters<typeof startTestGateway>[0]['fields']) {
      const test = await startTestGateway({ onprem, ...(fields && { fields }) })
      const stopTime = followTime(test.clock)
      return { test, end: () => test.close().finally(stopTime) }
    }

    it('two replicas find in their caches what was expected of them, to 5 points, and usage says the same', {
      timeout: LONG,
    }, async () => {
      const replicas = [ordered, plain]
      const { test, end } = await gatewayTo(replicas, { onprem: 'provider: vllm, balance: prefix' })
      try {
        const key = await test.key('pro', 'ada')
        const random = seeded(1)
        const words = (count: number) =>
          Array.from({ length: count }, () => WORDS[Math.floor(random() * WORDS.length)]).join(' ')
        const shared = words(SYSTEM_WORDS)
        // Each second one begins with what the others begin with, too.
        const talks = Array.from({ length: DIALOGUES }, (_, at) => [
          { role: 'system', content: at % 2 === 0 ? shared : words(SYSTEM_WORDS) },
        ])
        for (let turn = 0; turn < TURNS; turn++)
          for (const talk of talks) {
            talk.push({ role: 'user', content: words(50) })
            const response = await test.chat(key, { messages: talk, max_tokens: 16 })
            const answer = Object(await response.json())
            expect(response.status, JSON.stringify(answer)).toBe(200)
            talk.push({ role: 'assistant', content: answer.choices[0].message.content })
          }

        const { prompt_tokens, cached_tokens, expected_tokens } = test.gateway.app.pools.of('onprem').balance.found
        const counts = await Promise.all(replicas.map(replica => replica.prefixes()))
        const [asked, hits] = [0, 1].map(at => counts.reduce((sum, count) => sum + (count[at] ?? 0), 0))
        expect({ asked, hits }).toEqual({ asked: prompt_tokens, hits: cached_tokens })
        // The first turns miss, but for those that begin alike: 4 of 24.
        expect(cached_tokens / prompt_tokens).toBeGreaterThan(0.7)
        expect(Math.abs(expected_tokens - cached_tokens) / prompt_tokens).toBeLessThan(0.05)
      } finally {
        await end()
      }
    })

    const FIELDS = { onprem: 'provider: { is: vllm, priority: low_first }', pro: 'priority: 7' }

    it('an engine with priority scheduling serves a plan of a higher priority before requests that waited longer', {
      timeout: LONG,
    }, async () => {
      const { test, end } = await gatewayTo([ordered], FIELDS)
      try {
        const keys = { free: await test.key('free', 'ada'), pro: await test.key('pro', 'bob') }
        const order: string[] = []
        const ask = async (plan: keyof typeof keys, name: string, maxTokens: number) => {
          const { status, body } = await chat(test, keys[plan], { max_tokens: maxTokens, temperature: 0 })
          expect(status, body).toBe(200)
          order.push(name)
        }
        const first = ask('free', 'running', 1500)
        await eventually(async () => expect(test.gateway.app.pools.of('onprem').slots.taken).toBe(1))
        const waiting = ask('free', 'waiting', 4)
        await eventually(async () => expect(await ordered.waiting()).toBe(1))
        const urgent = ask('pro', 'urgent', 4)
        await eventually(async () => expect(await ordered.waiting()).toBe(2))
        await Promise.all([first, waiting, urgent])
        expect(order).toEqual(['running', 'urgent', 'waiting'])
      } finally {
        await end()
      }
    })

    it('an engine without priority scheduling answers all the same, whether it ignores the field or refuses it', {
      timeout: LONG,
    }, async () => {
      const { test, end } = await gatewayTo([plain], FIELDS)
      try {
        const key = await test.key('pro', 'ada')
        expect((await chat(test, key, { max_tokens: 4 })).status).toBe(200)
        const { lessons } = test.gateway.app.pools.of('onprem')
        console.log(`vLLM without priority scheduling: ${JSON.stringify(lessons.known(test.clock.now()))}`)
      } finally {
        await end()
      }
    })
  },
  VLLM,
)

async function chat(test: TestGateway, key: string, more: object) {
  const response = await test.chat(key, { messages: [{ role: 'user', content: 'w001 w002' }], ...more })
  return { status: response.status, body: await response.text() }
}

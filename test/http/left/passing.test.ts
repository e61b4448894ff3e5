import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inNpmTest } from '../../lanes/lane.ts'
import { describeRedis, type RedisServer, startRedis } from '../../support/redis/redis.ts'
import type { Spoken } from './generator.ts'
import { type Asking, LeftSite, PROMPTS, ticks } from './site.ts'

/** Every event at which a client may leave an answer that passes through, of a route that is paid by usage. */
inNpmTest.describe('with the embedded store', () => leftPassing(async () => undefined))
describeRedis('with Redis', () => leftPassing(startRedis))

const SPOKEN = ['chat', 'responses', 'messages'] as const

const YAML = `
models:
  svc-passed: { kind: passthrough, tier: standard, serve: [passed], usd_per_1m: { input: 1, output: 4, cached_input: 0.1 } }
pools:
  passed: { site: x, model: test-model, replicas: [URL] }
passthrough:
${SPOKEN.map(
  spoken =>
    `  - { path: /v1/passed/${spoken}, methods: [POST], model: svc-passed, meter: { usage: { max_input: 150k, max_output: 4k } } }`,
).join('\n')}
`

function leftPassing(startStore: () => Promise<RedisServer | undefined>): void {
  let site: LeftSite

  beforeAll(async () => {
    site = await LeftSite.start(await startStore(), YAML)
  })

  afterAll(() => site.close())

  const asking = (client: Spoken, streams = true): Asking => ({
    ...{ client, streams, model: 'svc-passed', path: `/v1/passed/${client}` },
    script: { hidden: 300, words: 3 },
  })

  describe.each(SPOKEN)('a client of %s', client => {
    it('pays all that the backend reports within 5 s, wherever it leaves a stream with hidden reasoning', async () => {
      for (let step = 0; ; step++) {
        const generation = await site.leftBefore(step, asking(client))
        if (!generation) return expect(step).toBeGreaterThan(5)
        generation.finish()

        const { inputTokens, outputTokens, estimated } = await site.charged()
        expect({ step, inputTokens, outputTokens, estimated }).toEqual({
          ...{ step, inputTokens: generation.prompt, outputTokens: 303, estimated: false },
        })
      }
    })

    it('pays all that the backend reports within 5 s, where it leaves a whole answer', async () => {
      const { generation, leave } = await site.ask(asking(client, false))
      generation.step()
      await leave()
      generation.finish()

      expect(await site.charged()).toMatchObject({
        inputTokens: generation.prompt,
        outputTokens: 303,
        estimated: false,
      })
    })

    it.each(Object.entries(PROMPTS))(
      'pays the prompt of %s uncached, what it saw and the time of hidden reasoning, where nothing is reported',
      async (_size, prompt) => {
        const shown = await site.ask(asking(client))
        shown.generation.finish()
        await shown.reading
        for (const streams of [true, false]) {
          const request = await site.ask({ ...asking(client, streams), prompt, script: { hidden: 0, words: 10 } })
          const { generation } = request
          site.think(generation, 4000)
          if (streams) {
            for (let step = 0; step < 9; step++) generation.step()
            await request.until('word4 ')
          }
          await request.leave()
          site.think(generation, 5000)

          const row = await site.charged()
          await ticks()
          expect(generation.isStopped).toBe(true)
          expect(row.estimated).toBe(true)
          expect(row.inputTokens / generation.prompt).toBeCloseTo(1, 1)
          expect(row.outputTokens / generation.generated).toBeGreaterThan(0.95)
          expect(row.outputTokens / generation.generated).toBeLessThanOrEqual(1)
        }
      },
    )
  })
}

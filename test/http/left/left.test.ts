import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inNpmTest } from '../../lanes/lane.ts'
import { describeRedis, type RedisServer, startRedis } from '../../support/redis/redis.ts'
import { type Spoken, WAYS } from './generator.ts'
import { LeftSite, PROMPTS, ticks } from './site.ts'

/**
 * Every event at which a client may leave × dialect of the client × dialect of the backend × reasoning that is hidden or not ×
 * streamed or whole: what is charged against what the backend generated.
 */
inNpmTest.describe('with the embedded store', () => leftAnswers(async () => undefined))
describeRedis('with Redis', () => leftAnswers(startRedis))

const MODELS = `
models:
${(['chat', 'responses', 'messages'] as const)
  .flatMap(speaks => [
    `  svc-${speaks}: { kind: chat, tier: guest, serve: [${speaks}], context: 1M, max_output: 4k, usd_per_1m: { input: 1, output: 4, cached_input: 0.1 } }`,
    `  svc-${speaks}-plain: { kind: chat, tier: guest, serve: [${speaks}-plain], context: 1M, max_output: 4k, usd_per_1m: { input: 1, output: 4, cached_input: 0.1 } }`,
    `  svc-${speaks}-streams: { kind: chat, tier: guest, serve: [${speaks}-streams], context: 1M, max_output: 4k, usd_per_1m: { input: 1, output: 4, cached_input: 0.1 } }`,
    `  svc-${speaks}-thinks: { kind: chat, tier: guest, serve: [${speaks}-thinks], context: 1M, max_output: 4k, thinking: { default: true, min_max_tokens: 100 }, usd_per_1m: { input: 1, output: 4, cached_input: 0.1 } }`,
  ])
  .join('\n')}
  svc-dear: { kind: chat, tier: guest, serve: [chat], context: 100k, max_output: 4k, usd_per_1m: { input: 100, output: 200 } }
pools:
${(['chat', 'responses', 'messages'] as const)
  .flatMap(speaks =>
    ['', '-plain', '-streams', '-thinks'].map(
      kind =>
        `  ${speaks}${kind}: { site: x, model: test-model, speaks: [${speaks}], replicas: [URL], fetch: ${kind === '-streams' ? 'stream' : 'whole'} }`,
    ),
  )
  .join('\n')}
`

function leftAnswers(startStore: () => Promise<RedisServer | undefined>): void {
  let site: LeftSite

  beforeAll(async () => {
    site = await LeftSite.start(await startStore(), MODELS)
  })

  afterAll(() => site.close())

  /** A pool whose streams have shown all that they count is known to hide nothing. */
  async function prove(client: Spoken, model: string): Promise<void> {
    for (let stream = 0; stream < 8; stream++) {
      const { generation, reading } = await site.ask({ client, model, script: { hidden: 0, words: 24 } })
      generation.finish()
      await reading
    }
    await site.gateway.logged(site.asked)
  }

  describe.each(WAYS)('a client of %s at a backend of %s', (client, speaks) => {
    it('pays all that the backend reports within 5 s, wherever it leaves a stream with hidden reasoning', async () => {
      for (let step = 0; ; step++) {
        const generation = await site.leftBefore(step, {
          client,
          model: `svc-${speaks}-thinks`,
          script: { hidden: 300, words: 3 },
        })
        if (!generation) return expect(step).toBeGreaterThan(5)
        generation.finish()

        const { inputTokens, outputTokens } = await site.charged()
        expect({ step, inputTokens, outputTokens }).toEqual({ step, inputTokens: generation.prompt, outputTokens: 303 })
      }
    })

    it('pays all that the backend reports within 5 s, wherever it leaves a whole answer', async () => {
      for (const model of [`svc-${speaks}`, `svc-${speaks}-streams`, `svc-${speaks}-thinks`]) {
        const request = await site.ask({ client, model, streams: false, script: { hidden: 300, words: 3 } })
        request.generation.step()
        await request.leave()
        request.generation.finish()

        const { inputTokens, outputTokens } = await site.charged()
        expect({ model, inputTokens, outputTokens }).toEqual({
          model,
          inputTokens: request.generation.prompt,
          outputTokens: 303,
        })
      }
    })

    it.each(Object.entries(PROMPTS))(
      'pays the prompt of %s uncached, what it saw and the time of hidden reasoning, where nothing is reported',
      async (_size, prompt) => {
        const request = await site.ask({
          client,
          model: `svc-${speaks}-thinks`,
          prompt,
          script: { hidden: 0, words: 10 },
        })
        const { generation } = request
        // 50 tokens a second are what is taken for granted of a backend.
        site.think(generation, 4000)
        for (let step = 0; step < 9; step++) generation.step()
        await request.until('word4 ')
        await request.leave()
        site.think(generation, 5000)

        const row = await site.charged()
        await ticks()
        expect(generation.isStopped).toBe(true)
        expect(row.estimated).toBe(true)
        expect(row.inputTokens / generation.prompt).toBeCloseTo(1, 1)
        expect(row.outputTokens / generation.generated).toBeGreaterThan(0.95)
        expect(row.outputTokens / generation.generated).toBeLessThanOrEqual(1)
      },
    )

    it('stops the backend at once, and pays what was generated, where nothing can be hidden', async () => {
      const model = `svc-${speaks}-plain`
      await prove(client, model)
      for (let step = 0; ; step++) {
        const generation = await site.leftBefore(step, { client, model, script: { hidden: 0, words: 3 } })
        if (!generation) return expect(step).toBeGreaterThan(5)
        const { generated } = generation
        if (!generation.isStopped) generation.finish()

        const { outputTokens, inputTokens } = await site.charged()
        expect({ step, outputTokens }).toEqual({ step, outputTokens: generated })
        expect(inputTokens / generation.prompt).toBeCloseTo(1, 1)
      }
    })
  })

  it('a backend that counts in each chunk is stopped at once, and paid what it counted', async () => {
    const generation = await site.leftBefore(6, {
      client: 'chat',
      model: 'svc-chat-thinks',
      script: { hidden: 300, words: 9, isCounting: true },
    })

    const { inputTokens, outputTokens } = await site.charged()
    expect({ inputTokens, outputTokens }).toEqual({ inputTokens: generation?.prompt, outputTokens: 304 })
    expect(generation?.isStopped).toBe(true)
  })

  it.each([true, false])(
    'an account of 1 USD causes no more than that and one request (usage told: %s)',
    async told => {
      const account = await site.gateway.key('free', `free-${told}`)
      const before = await spent()
      let caused = 0
      let dearest = 0
      // A request holds up to 0.21 USD, and is refused where less is left.
      for (let request = 0; request < 40 && (await spent()) - before < 1 - 0.21; request++) {
        const { generation, leave } = await site.ask({
          client: 'chat',
          model: 'svc-dear',
          prompt: 'q w',
          cap: 1000,
          account,
          script: { hidden: 0, words: 3 },
        })
        site.think(generation, 10_000)
        for (let step = 0; step < 5; step++) generation.step()
        await leave()
        if (told) generation.finish()
        else site.think(generation, 5000)
        await site.charged()
        const cost = (generation.generated * 200 + generation.prompt * 100) / 1e6
        caused += cost
        dearest = Math.max(dearest, cost)
      }
      expect(caused).toBeGreaterThan(0.5)
      expect(caused).toBeLessThanOrEqual(1 + dearest)
    },
  )

  /** Charges of the accounts on plan `free`, in USD. */
  async function spent(): Promise<number> {
    const rows = await site.gateway.ledger()
    return rows.reduce((sum, { plan, kind, cost }) => sum + (plan === 'free' && kind !== 'waste' ? cost / 1e9 : 0), 0)
  }
}

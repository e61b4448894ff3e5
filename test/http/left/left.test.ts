import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inNpmTest } from '../../lanes/lane.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { describeRedis, type RedisServer, startRedis } from '../../support/redis/redis.ts'
import { Generator, PATHS, type Script, type Spoken, WAYS } from './generator.ts'

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

const PROMPTS = { '4 KB': 'lorem ipsum '.repeat(340), '400 KB': 'lorem ipsum '.repeat(34_000) }

interface Row {
  readonly kind: string
  readonly inputTokens: number
  readonly outputTokens: number
  readonly estimated: boolean
}

function leftAnswers(startStore: () => Promise<RedisServer | undefined>): void {
  let redis: RedisServer | undefined
  let generator: Generator
  let gateway: TestGateway
  let key: string
  let asked = 0

  beforeAll(async () => {
    redis = await startStore()
    generator = await Generator.start()
    gateway = await startTestGateway({
      onprem: [generator.backend],
      yaml: 'include: [left.yaml]',
      files: { 'left.yaml': MODELS.replaceAll('URL', JSON.stringify(generator.backend.url)) },
      ...(redis && { redis }),
    })
    key = await gateway.key('pro')
  })

  afterAll(async () => {
    await gateway.close()
    await generator.backend.close()
    await redis?.stop()
  })

  interface Asking {
    readonly client: Spoken
    readonly model: string
    readonly streams?: boolean
    readonly prompt?: string
    readonly cap?: number
    readonly account?: string
    readonly script: Script
  }

  /** Sends a request, and has its client read what comes. */
  async function ask(asking: Asking) {
    const { client, model, streams = true, prompt = PROMPTS['4 KB'], cap = 3000, account = key, script } = asking
    generator.script = script
    // Ids go by time: the last row is that of the last request.
    gateway.clock.advance(1)
    const leave = new AbortController()
    const answering = fetch(`${gateway.url}${PATHS[client]}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model,
        stream: streams,
        ...(client === 'responses'
          ? { input: prompt, max_output_tokens: cap, store: false }
          : { messages: [{ role: 'user', content: prompt }], max_tokens: cap }),
      }),
      signal: leave.signal,
    })
    let text = ''
    const reading = answering
      .then(async response => {
        for await (const piece of response.body ?? []) text += Buffer.from(piece as Uint8Array).toString()
      })
      .catch(() => {})
    await generator.backend.received(++asked)
    return {
      generation: generator.last,
      reading,
      until: async (wanted: string) => {
        while (!text.includes(wanted)) await tick()
      },
      leave: async () => {
        leave.abort()
        await gateway.closed(asked)
        await ticks()
      },
    }
  }

  /** The row of the last request, once it is settled. */
  async function charged(): Promise<Row> {
    await gateway.logged(asked)
    const rows = await gateway.ledger()
    const last = rows.filter(({ kind }) => kind !== 'waste').at(-1)
    if (!last || rows.filter(({ kind }) => kind !== 'waste').length !== asked) throw new Error('a request has no row')
    return last
  }

  /** Has a client leave before the step of this number. Undefined once the answer has no such step. */
  async function leftBefore(step: number, asking: Asking) {
    const request = await ask(asking)
    const { generation } = request
    if (generation.left <= step) {
      generation.finish()
      await request.reading
      await gateway.logged(asked)
      return undefined
    }
    for (let made = 0; made < step; made++) generation.step()
    const said = Math.min(asking.script.words, generation.generated - (step > 1 ? asking.script.hidden : 0))
    if (said > 0 && asking.streams !== false) await request.until(`word${said - 1} `)
    await ticks()
    await request.leave()
    return generation
  }

  /** A pool whose streams have shown all that they count is known to hide nothing. */
  async function prove(client: Spoken, model: string): Promise<void> {
    for (let stream = 0; stream < 8; stream++) {
      const { generation, reading } = await ask({ client, model, script: { hidden: 0, words: 24 } })
      generation.finish()
      await reading
    }
    await gateway.logged(asked)
  }

  describe.each(WAYS)('a client of %s at a backend of %s', (client, speaks) => {
    it('pays all that the backend reports within 5 s, wherever it leaves a stream with hidden reasoning', async () => {
      for (let step = 0; ; step++) {
        const generation = await leftBefore(step, {
          client,
          model: `svc-${speaks}-thinks`,
          script: { hidden: 300, words: 3 },
        })
        if (!generation) return expect(step).toBeGreaterThan(5)
        generation.finish()

        const { inputTokens, outputTokens } = await charged()
        expect({ step, inputTokens, outputTokens }).toEqual({ step, inputTokens: generation.prompt, outputTokens: 303 })
      }
    })

    it('pays all that the backend reports within 5 s, wherever it leaves a whole answer', async () => {
      for (const model of [`svc-${speaks}`, `svc-${speaks}-streams`, `svc-${speaks}-thinks`]) {
        const request = await ask({ client, model, streams: false, script: { hidden: 300, words: 3 } })
        request.generation.step()
        await request.leave()
        request.generation.finish()

        const { inputTokens, outputTokens } = await charged()
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
        const request = await ask({ client, model: `svc-${speaks}-thinks`, prompt, script: { hidden: 0, words: 10 } })
        const { generation } = request
        // 50 tokens a second are what is taken for granted of a backend.
        think(generation, 4000)
        for (let step = 0; step < 9; step++) generation.step()
        await request.until('word4 ')
        await request.leave()
        think(generation, 5000)

        const row = await charged()
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
        const generation = await leftBefore(step, { client, model, script: { hidden: 0, words: 3 } })
        if (!generation) return expect(step).toBeGreaterThan(5)
        const { generated } = generation
        if (!generation.isStopped) generation.finish()

        const { outputTokens, inputTokens } = await charged()
        expect({ step, outputTokens }).toEqual({ step, outputTokens: generated })
        expect(inputTokens / generation.prompt).toBeCloseTo(1, 1)
      }
    })
  })

  it('a backend that counts in each chunk is stopped at once, and paid what it counted', async () => {
    const generation = await leftBefore(6, {
      client: 'chat',
      model: 'svc-chat-thinks',
      script: { hidden: 300, words: 9, isCounting: true },
    })

    const { inputTokens, outputTokens } = await charged()
    expect({ inputTokens, outputTokens }).toEqual({ inputTokens: generation?.prompt, outputTokens: 304 })
    expect(generation?.isStopped).toBe(true)
  })

  it.each([true, false])(
    'an account of 1 USD causes no more than that and one request (usage told: %s)',
    async told => {
      const account = await gateway.key('free', `free-${told}`)
      const before = await spent()
      let caused = 0
      let dearest = 0
      // A request holds up to 0.21 USD, and is refused where less is left.
      for (let request = 0; request < 40 && (await spent()) - before < 1 - 0.21; request++) {
        const { generation, leave } = await ask({
          client: 'chat',
          model: 'svc-dear',
          prompt: 'q w',
          cap: 1000,
          account,
          script: { hidden: 0, words: 3 },
        })
        think(generation, 10_000)
        for (let step = 0; step < 5; step++) generation.step()
        await leave()
        if (told) generation.finish()
        else think(generation, 5000)
        await charged()
        const cost = (generation.generated * 200 + generation.prompt * 100) / 1e6
        caused += cost
        dearest = Math.max(dearest, cost)
      }
      expect(caused).toBeGreaterThan(0.5)
      expect(caused).toBeLessThanOrEqual(1 + dearest)
    },
  )

  /** What the accounts of plan `free` were charged, in USD. */
  async function spent(): Promise<number> {
    const rows = await gateway.ledger()
    return rows.reduce((sum, { plan, kind, cost }) => sum + (plan === 'free' && kind !== 'waste' ? cost / 1e9 : 0), 0)
  }

  /** Time passes in which a backend makes 50 tokens a second. */
  function think(generation: { think(tokens: number): void }, ms: number): void {
    generation.think((ms * 50) / 1000)
    gateway.clock.advance(ms)
  }
}

const tick = () => new Promise(setImmediate)

/** What is on its way between sockets of this process arrives. */
async function ticks(): Promise<void> {
  for (let turn = 0; turn < 30; turn++) await tick()
}

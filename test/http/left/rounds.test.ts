import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inNpmTest } from '../../lanes/lane.ts'
import { hangs } from '../../support/door.ts'
import { type HttpTool, startHttpTool } from '../../support/http-tool.ts'
import { describeRedis, type RedisServer, startRedis } from '../../support/redis/redis.ts'
import { CALL_TOKENS, type Generation, type Spoken, WAYS } from './generator.ts'
import { type Asked, type Asking, LeftSite, ticks } from './site.ts'

/** Every event of every round of an answer with hosted tools at which a client may leave: what is charged for all rounds. */
inNpmTest.describe('with the embedded store', () => leftRounds(async () => undefined))
describeRedis('with Redis', () => leftRounds(startRedis))

const SPOKEN = ['chat', 'responses', 'messages'] as const

const yamlOf = (tool: string) => `
hosted_tools:
  search:
    http: ${JSON.stringify(tool)}
    description: Searches the web.
    parameters: { type: object, properties: { q: { type: string } } }
    usd_per_call: 0.005
models:
${SPOKEN.map(
  speaks =>
    `  svc-${speaks}: { kind: chat, tier: guest, serve: [${speaks}], context: 1M, max_output: 4k, thinking: { default: true, min_max_tokens: 100 }, usd_per_1m: { input: 1, output: 4 } }`,
).join('\n')}
pools:
${SPOKEN.map(speaks => `  ${speaks}: { site: x, model: test-model, speaks: [${speaks}], replicas: [URL] }`).join('\n')}
`

const TOOLS: Readonly<Record<Spoken, object>> = {
  chat: { type: 'function', function: { name: 'svc_search' } },
  responses: { type: 'function', name: 'svc_search', parameters: { type: 'object' } },
  messages: { name: 'svc_search', input_schema: { type: 'object' } },
}
/** The price of a call, in nano-USD. */
const SEARCH = 5_000_000
const CALLS = 2
const script = { hidden: 300, words: 2, calls: CALLS }
/** The price of a round that calls a tool, and of the last one. */
const ROUND = 300 + 2 + CALL_TOKENS
const LAST = 300 + 2
/** Output of an answer until the end of a round. */
const outputIn = (round: number) => round * ROUND + (round === CALLS ? LAST : ROUND)
/** Calls of tools by then. */
const toolsIn = (round: number) => (round === 0 ? undefined : { search: round })

function leftRounds(startStore: () => Promise<RedisServer | undefined>): void {
  let tool: HttpTool
  let site: LeftSite

  beforeAll(async () => {
    tool = await startHttpTool()
    site = await LeftSite.start(await startStore(), yamlOf(tool.url), { fields: { pro: 'tools: all' } })
  })

  afterAll(async () => {
    await site.close()
    await tool.close()
  })

  /** Has a client leave before a step of a round, and the backend finish it. False where the round has no such step. */
  async function leftIn(round: number, step: number, asking: Asking): Promise<readonly Generation[] | undefined> {
    const { backend, generations } = site.generator
    const before = generations.length
    const request = await site.ask(asking)
    for (let over = 0; over < round; over++) {
      generations[before + over]?.finish()
      await backend.received(before + over + 2)
    }
    const { last } = site.generator
    if (last.left <= step) {
      await finished(request, before)
      return undefined
    }
    for (let made = 0; made < step; made++) last.step()
    await ticks()
    await request.leave()
    last.finish()
    return generations.slice(before)
  }

  async function finished({ reading }: Asked, before: number): Promise<void> {
    const { backend, generations } = site.generator
    for (let round = generations.length - before; round <= CALLS + 1; round++) {
      site.generator.last.finish()
      if (round <= CALLS) await backend.received(before + round + 1)
    }
    await reading
    await site.gateway.logged(site.asked)
  }

  describe.each(WAYS)('a client of %s at a backend of %s', (client, speaks) => {
    const asking = (streams: boolean): Asking => ({
      ...{ client, model: `svc-${speaks}`, streams, cap: 3500, script },
      more: { tools: [TOOLS[client]] },
    })

    it.each([
      [true, 0],
      [true, 1],
      [true, 2],
      [false, 0],
      [false, 1],
      [false, 2],
    ])(
      'pays each round as its backend reports it, wherever it leaves (streamed: %s, in round %i)',
      async (streams, round) => {
        // A whole answer has nothing before its end.
        for (let step = 0; streams || step === 0; step++) {
          const made = await leftIn(round, step, asking(streams))
          if (!made) return expect(step).toBeGreaterThan(4)

          const { inputTokens, outputTokens, estimated, cost, tools } = await site.charged()
          const output = outputIn(round)
          const input = made.reduce((sum, { prompt }) => sum + prompt, 0)
          expect({ step, rounds: made.length, inputTokens, outputTokens, estimated }).toEqual({
            ...{ step, rounds: round + 1, inputTokens: input, outputTokens: output, estimated: false },
          })
          expect(tools).toEqual(toolsIn(round))
          expect(cost).toBe(input * 1000 + output * 4000 + round * SEARCH)
        }
      },
    )

    it('pays the rounds before, and a tool that is running when it leaves', async () => {
      for (const streams of [true, false]) {
        const { generation, leave } = await site.ask(asking(streams))
        const calls = tool.requests.length
        tool.next(hangs)
        generation.finish()
        await tool.until(() => tool.requests.length > calls)
        await leave()

        expect(await site.charged()).toMatchObject({
          ...{ inputTokens: generation.prompt, outputTokens: ROUND, tools: { search: 1 }, estimated: false },
        })
      }
    })

    it('pays the rounds before as told, and this one by its time, where nothing more is reported', async () => {
      const { backend, generations } = site.generator
      for (const streams of [true, false]) {
        const before = generations.length
        const { generation, leave } = await site.ask(asking(streams))
        generation.finish()
        await backend.received(before + 2)
        const { last } = site.generator
        site.think(last, 4000)
        await leave()
        site.think(last, 5000)

        const row = await site.charged()
        await ticks()
        expect(last.isStopped).toBe(true)
        expect(row.estimated).toBe(true)
        const share = (row.outputTokens - ROUND) / last.generated
        expect(share).toBeGreaterThan(0.95)
        expect(share).toBeLessThanOrEqual(1)
        expect((row.inputTokens - generation.prompt) / last.prompt).toBeGreaterThan(0.95)
        expect((row.inputTokens - generation.prompt) / last.prompt).toBeLessThan(1.2)
      }
    })
  })
}

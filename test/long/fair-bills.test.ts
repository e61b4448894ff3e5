import { describe, expect, it, onTestFinished } from 'vitest'
import { call, says, Tools } from '../http/tools/fixture.ts'
import { stream, streamThenHang } from '../support/backend.ts'
import { seeded } from '../support/random.ts'
import { startRedis } from '../support/redis/redis.ts'
import { randomAnswer, type Spoken } from '../support/spoken-answers.ts'
import { sizeOf } from './harness/size.ts'

const ANSWERS = sizeOf('ANSWERS', 200, 4)
const ROUND = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 }

/** Reads an answer until it has said all of a text, and leaves. */
async function leaveAfter(response: Response, text: string, leaving: AbortController): Promise<void> {
  const decoder = new TextDecoder()
  let read = ''
  for await (const bytes of response.body ?? []) {
    read += decoder.decode(bytes, { stream: true })
    if (contentOf(read) === text) break
  }
  leaving.abort()
}

const contentOf = (events: string): string =>
  events
    .split('\n\n')
    .slice(0, -1)
    .map(event => JSON.parse(event.slice('data: '.length)).choices?.[0]?.delta?.content ?? '')
    .join('')

interface Kind {
  /** Whether the backend reports usage at the end of each round. */
  readonly reports: boolean
  /** Whether a round that calls a tool comes before the answer. */
  readonly hosted: boolean
}

/** Output tokens of one request, as the ledger has them. `ask` makes the request and reads as much of its answer as its client wants. */
async function billed(tools: Tools, { reports, hosted }: Kind, ask: (body: object) => Promise<void>): Promise<number> {
  const usage = reports ? ROUND : null
  if (hosted) tools.backend.next(says({ content: null, calls: [call('search', { q: 'a' })], usage }))
  const settled = tools.test.log.length + 1
  await ask({ stream: true, max_tokens: 200, ...(!hosted && { tools: undefined }) })
  const row = (await tools.test.logged(settled)).at(-1)
  return row?.outputTokens ?? 0
}

const billOfWhole = (tools: Tools, key: string, { deltas, tokens }: Spoken, kind: Kind): Promise<number> =>
  billed(tools, kind, async body => {
    const usage = kind.reports ? { prompt_tokens: 9, completion_tokens: tokens, total_tokens: 9 + tokens } : null
    tools.backend.next(stream({ chunks: deltas, usage }))
    await (await tools.ask(body, { key })).text()
  })

const billOfPart = (tools: Tools, key: string, deltas: readonly string[], kind: Kind): Promise<number> =>
  billed(tools, kind, async body => {
    tools.backend.next(streamThenHang({ chunks: deltas }))
    const leaving = new AbortController()
    const response = await tools.ask(body, { key, signal: leaving.signal })
    await leaveAfter(response, deltas.join(''), leaving).catch(() => {})
  })

describe.each(['embedded', 'redis'])('on a store that is %s', store => {
  it.each<[string, Kind]>([
    ['without tools', { hosted: false, reports: true }],
    ['with a backend that never reports usage', { hosted: false, reports: false }],
    ['with hosted tools', { hosted: true, reports: true }],
    ['with hosted tools and a backend that never reports usage', { hosted: true, reports: false }],
  ])(`${ANSWERS} answers cut at each event cost what came and at most what the whole costs, %s`, async (_how, kind) => {
    const redis = store === 'redis' ? await startRedis() : undefined
    const tools = await Tools.start(redis ? { redis } : {})
    onTestFinished(async () => {
      await tools.close()
      await redis?.stop()
    })
    const random = seeded(7)
    const before = kind.hosted && kind.reports ? ROUND.completion_tokens : 0
    for (let answer = 0; answer < ANSWERS; answer++) {
      const spoken = randomAnswer(random, 1)
      // The minute of one account would not do for all of them: Redis counts by its own clock.
      const key = await tools.test.key('pro', `reader-${answer}`)
      const whole = await billOfWhole(tools, key, spoken, kind)
      for (let came = 1; came <= spoken.deltas.length; came++) {
        const bill = await billOfPart(tools, key, spoken.deltas.slice(0, came), kind)

        expect(bill).toBeGreaterThanOrEqual(before + came)
        expect(bill).toBeLessThanOrEqual(whole)
      }
    }
  })
})

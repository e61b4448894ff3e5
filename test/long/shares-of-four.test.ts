import { expect, it, onTestFinished } from 'vitest'
import type { ShownPool } from '../../src/wire/admin/pool.ts'
import { startTree, type Tree } from '../server/workers/tree.ts'
import { yamlOf } from '../server/workers/tree-yaml.ts'
import { answer, startBackend } from '../support/backend.ts'
import { eventually } from '../support/eventually.ts'
import { describeRedis, useRedis } from '../support/redis/redis.ts'

const SLOTS = 10
/** Requests of each plan at each of four gateways, and as many starts as shares are counted over. */
const EACH = 75
const WINDOW = 80
/** The time of a request at the engine, in ms. */
const SERVICE = 400

/** Answers have the length that is expected where nothing is known: all requests cost as much. */
const USAGE = { prompt_tokens: 9, completion_tokens: 256, total_tokens: 265 }

const pool = `max_concurrent: ${SLOTS}, max_concurrent_over: store, queue: { max: 1000, of_account: 1000, timeout: 5m }`
const more = {
  pool: `${pool}, shares: { "plan:team": 60%, "plan:pro": 40% }`,
  plans: 'team: { models: all, rpm: 1M, tpm: 900M, monthly_usd: 500 }',
}

/** An engine that serves requests once it may, and keeps count. */
async function startEngine() {
  const backend = await startBackend()
  onTestFinished(() => backend.close())
  let begin = () => {}
  const begun = new Promise<void>(resolve => {
    begin = resolve
  })
  const seen = { service: SERVICE, running: 0, most: 0, order: [] as string[], url: backend.url, begin }
  backend.always(async exchange => {
    seen.most = Math.max(seen.most, ++seen.running)
    const [{ content = '' } = {}] = exchange.seen.body.messages as readonly { readonly content?: string }[]
    seen.order.push(content)
    await begun
    await new Promise(resolve => setTimeout(resolve, seen.service))
    seen.running--
    await answer({ content: 'Hi', usage: USAGE })(exchange)
  })
  return seen
}

async function ask(tree: Tree, key: string, content: string): Promise<number | 'cut'> {
  try {
    const response = await tree.chat(key, { messages: [{ role: 'user', content }] })
    await response.text()
    return response.status
  } catch {
    return 'cut'
  }
}

async function poolAt(tree: Tree): Promise<ShownPool | undefined> {
  const { body } = await tree.ask('GET', '/admin/pools')
  return (body as { data: readonly ShownPool[] }).data[0]
}

describeRedis('four gateways on one Redis', () => {
  const redis = useRedis()

  it('keep shares of 60% and 40% while all of them are full of both, also once one of them is killed', async () => {
    const engine = await startEngine()
    const yaml = yamlOf(engine.url, () => redis().url, more)
    const trees = await Promise.all(Array.from({ length: 4 }, () => startTree(1, yaml)))
    onTestFinished(async () => void (await Promise.all(trees.map(tree => tree.end()))))
    const [first, , , killed] = trees
    if (!first || !killed) throw new Error('there are four')
    const [team, pro] = [await first.mint('team', 'team'), await first.mint('pro', 'pro')]

    const asked = trees.map(tree =>
      Array.from({ length: EACH }, () => [ask(tree, team, 'team'), ask(tree, pro, 'pro')]).flat(),
    )
    await eventually(async () => {
      const waiting = await Promise.all(trees.map(async tree => (await poolAt(tree))?.waiting ?? 0))
      expect(waiting.reduce((sum, each) => sum + each)).toBe(8 * EACH - SLOTS)
    })
    engine.begin()
    await eventually(() => expect(engine.order.length).toBeGreaterThan(SLOTS + WINDOW))
    for (const pid of killed.processes()) process.kill(pid, 'SIGKILL')
    // Slots of the killed one count in their shares until its lease is over: then the others fill all slots again.
    const cut = engine.order.length
    await eventually(() => expect(engine.order.length).toBeGreaterThan(cut + 2 * SLOTS))
    expect(engine.most).toBeLessThanOrEqual(SLOTS)
    engine.most = 0
    await eventually(() => expect(engine.most).toBe(SLOTS))
    const from = engine.order.length
    await eventually(() => expect(engine.order.length).toBeGreaterThan(from + WINDOW))

    const parts = [SLOTS, from].map(
      begin => engine.order.slice(begin, begin + WINDOW).filter(each => each === 'team').length / WINDOW,
    )
    console.log(`the share of 60% got ${parts.join(' before and ')} after the kill, of ${WINDOW} starts each`)
    expect(Math.min(...parts)).toBeGreaterThanOrEqual(0.54)
    expect(Math.max(...parts)).toBeLessThanOrEqual(0.66)
    engine.service = 5
    expect(await Promise.all(asked.slice(0, 3).flat())).toEqual(Array(6 * EACH).fill(200))
    expect(await Promise.all(asked[3] ?? [])).toContain('cut')
    expect(engine.most).toBeLessThanOrEqual(SLOTS)
    await eventually(async () => expect(await poolAt(first)).toMatchObject({ in_flight: 0, waiting: 0 }))
  })
})

import { expect, it, onTestFinished } from 'vitest'
import type { ShownExplained } from '../../../src/wire/admin/explained.ts'
import type { ShownPool } from '../../../src/wire/admin/pool.ts'
import { answer, startBackend } from '../../support/backend.ts'
import { eventually } from '../../support/eventually.ts'
import { describeRedis, useRedis } from '../../support/redis/redis.ts'
import { startTree, type Tree } from './tree.ts'
import { yamlOf } from './tree-yaml.ts'

const SLOTS = 4
const POOL = `max_concurrent: ${SLOTS}, max_concurrent_over: store, queue: { max: 1000, of_account: 1000, timeout: 5m }`

/** The time of a request at the engine, in ms: several reports of a process to the store. */
const SERVICE = 150

/** Answers have the length that is expected where nothing is known: the shares of accounts show within a few requests. */
const USAGE = { prompt_tokens: 9, completion_tokens: 256, total_tokens: 265 }

/** An engine that serves requests once it may, and keeps count. */
async function startEngine() {
  const backend = await startBackend()
  onTestFinished(() => backend.close())
  let begin = () => {}
  const begun = new Promise<void>(resolve => {
    begin = resolve
  })
  const seen = { running: 0, most: 0, order: [] as string[], url: backend.url, begin }
  backend.always(async exchange => {
    seen.most = Math.max(seen.most, ++seen.running)
    const [{ content = '' } = {}] = exchange.seen.body.messages as readonly { readonly content?: string }[]
    seen.order.push(content)
    await begun
    await new Promise(resolve => setTimeout(resolve, SERVICE))
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

const times = <T>(count: number, each: () => T): readonly T[] => Array.from({ length: count }, each)

async function poolAt(tree: Tree): Promise<ShownPool | undefined> {
  const { body } = await tree.ask('GET', '/admin/pools')
  return (body as { data: readonly ShownPool[] }).data[0]
}

describeRedis('three gateways on one Redis', () => {
  const redis = useRedis()

  it('share the slots of a pool in one fair order, also once one of them is killed', async () => {
    const engine = await startEngine()
    const yaml = yamlOf(engine.url, () => redis().url, { pool: POOL })
    const trees = await Promise.all([1, 2, 1].map(workers => startTree(workers, yaml)))
    onTestFinished(async () => void (await Promise.all(trees.map(tree => tree.end()))))
    const [first, second, third] = trees
    if (!first || !second || !third) throw new Error('there are three')
    const [hog, modest] = [await first.mint('pro', 'hog'), await first.mint('pro', 'modest')]

    const flood = [first, second].flatMap(tree => times(40, () => ask(tree, hog, 'hog')))
    const killed = times(40, () => ask(third, hog, 'hog'))
    const small = times(40, () => ask(first, modest, 'modest'))
    await eventually(async () => {
      const waiting = await Promise.all(trees.map(async tree => (await poolAt(tree))?.waiting ?? 0))
      expect(waiting.reduce((sum, each) => sum + each)).toBe(160 - SLOTS)
    })
    await eventually(async () => {
      const { body } = await third.ask('POST', '/admin/explain', { account: 'hog', model: 'svc-core' })
      const texts = (body as ShownExplained).stages.map(({ text }) => text)
      const full = `onprem is full now: ${SLOTS} of ${SLOTS} slots are in use`
      expect(texts.join('\n')).toMatch(new RegExp(`${full}, and \\d+ requests wait here; the queue takes 1000`))
    })
    engine.begin()
    await eventually(() => expect(engine.order.length).toBeGreaterThan(80))
    for (const pid of third.processes()) process.kill(pid, 'SIGKILL')

    expect(await Promise.all(small)).toEqual(times(40, () => 200))
    expect(await Promise.all(flood)).toEqual(times(80, () => 200))
    expect(await Promise.all(killed)).toContain('cut')
    const served = engine.order.slice(20, 80).filter(each => each === 'modest').length
    expect(served).toBeGreaterThanOrEqual(24)
    expect(served).toBeLessThanOrEqual(36)
    expect(engine.most).toBeLessThanOrEqual(SLOTS)
    // Its slots are free again.
    const again = times(6, () => ask(second, modest, 'again'))
    expect(await Promise.all(again)).toEqual(times(6, () => 200))
    await eventually(async () => expect(await poolAt(second)).toMatchObject({ in_flight: 0, waiting: 0 }))
  })

  it('give an owner its share back at one of them, though others lent all slots to requests of a higher priority', async () => {
    const engine = await startEngine()
    const pool = POOL.replace('{ max: 1000', '{ aging: 1h, max: 1000')
    const more = {
      pool: `${pool}, shares: { "plan:team": 50% }`,
      plans: 'team: { models: all, rpm: 1M, tpm: 900M, monthly_usd: 500, priority: 0 }',
    }
    const trees = await Promise.all(
      [1, 2].map(workers =>
        startTree(
          workers,
          yamlOf(engine.url, () => redis().url, more),
        ),
      ),
    )
    onTestFinished(async () => void (await Promise.all(trees.map(tree => tree.end()))))
    const [first, second] = trees
    if (!first || !second) throw new Error('there are two')
    const [hog, owner] = [await first.mint('pro', 'borrower'), await first.mint('team', 'owner')]
    const flood = times(60, () => ask(second, hog, 'hog'))
    await eventually(async () => expect((await poolAt(second))?.waiting).toBe(60 - SLOTS))
    const own = times(10, () => ask(first, owner, 'own'))
    await eventually(async () => expect((await poolAt(first))?.waiting).toBe(10))
    engine.begin()

    expect(await Promise.all(own)).toEqual(times(10, () => 200))
    const order = engine.order.slice(SLOTS)
    expect(order.indexOf('own')).toBeLessThan(SLOTS)
    expect(order.lastIndexOf('own')).toBeLessThan(30)
    expect(engine.most).toBeLessThanOrEqual(SLOTS)
    expect(await Promise.all(flood)).toEqual(times(60, () => 200))
    await eventually(async () =>
      expect((await poolAt(first))?.queue?.shares).toEqual([
        { owner: 'plan:team', share: '50%', guaranteed: 2, in_flight: 0, waiting: 0 },
      ]),
    )
  })

  it('go on with the slots in use while Redis is away', async () => {
    const engine = await startEngine()
    const tree = await startTree(
      1,
      yamlOf(engine.url, () => redis().url, { pool: POOL }),
    )
    onTestFinished(async () => void (await tree.end()))
    engine.begin()
    const key = await tree.mint('pro', 'ada')
    const asked = times(60, () => ask(tree, key, 'ada'))
    await eventually(() => expect(engine.order.length).toBeGreaterThan(8))
    await eventually(async () => expect((await poolAt(tree))?.waiting).toBeGreaterThan(10))
    redis().pause()
    const from = engine.order.length
    await eventually(() => expect(engine.order.length).toBeGreaterThan(from + 2))
    redis().resume()

    const statuses = await Promise.all(asked)
    expect(statuses.filter(each => each === 200).length).toBeGreaterThan(8)
    expect(engine.most).toBeLessThanOrEqual(SLOTS)
  })
})

it('with 3 workers on the embedded store, a pool shares its slots through the store process', async () => {
  const engine = await startEngine()
  const tree = await startTree(3, yamlOf(engine.url, undefined, { pool: POOL }))
  onTestFinished(async () => void (await tree.end()))
  engine.begin()
  const [hog, modest] = [await tree.mint('pro', 'hog'), await tree.mint('pro', 'modest')]
  const flood = times(40, () => ask(tree, hog, 'hog'))
  await eventually(() => expect(engine.order.length).toBeGreaterThan(8))
  const small = times(12, () => ask(tree, modest, 'modest'))

  expect(await Promise.all(small)).toEqual(times(12, () => 200))
  expect(await Promise.all(flood)).toEqual(times(40, () => 200))
  expect(engine.most).toBeLessThanOrEqual(SLOTS)
  await eventually(async () => {
    expect(await poolAt(tree)).toMatchObject({ in_flight: 0, waiting: 0, max_concurrent: SLOTS })
    expect((await tree.ask('GET', '/metrics')).text).toMatch(/^svc_pool_slots_leased\{pool="onprem".*\} 0$/m)
  })
})

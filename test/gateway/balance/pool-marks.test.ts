import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { MarkTable, TableBudget } from '../../../src/gateway/balance/mark-table.ts'
import { type CacheDomain, PoolMarks } from '../../../src/gateway/balance/pool-marks.ts'
import type { PromptSketch } from '../../../src/policy/balance/prompt-sketch.ts'
import { weightOf } from '../../../src/policy/balance/rendezvous.ts'

const URLS = ['http://a', 'http://b', 'http://c'] as const
const REPLICAS = URLS.map(url => ({ url }))
const ALICE: CacheDomain = { low: 17, high: 99 }
const BOB: CacheDomain = { low: 4711, high: 12 }
const POOL: CacheDomain = { low: 0, high: 0, isPool: true }

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

/** Buffers are given back behind a collection. */
async function collected(): Promise<void> {
  for (let round = 0; round < 3; round++) {
    collect()
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

/** A prompt of so many marks, 2 KB apart; those with equal names begin alike. */
function prompt(name: number, count: number, shared = 0): PromptSketch {
  const of = (at: number, salt: number) => weightOf(at < shared ? at : Math.imul(name, 7919) + at, salt) | 0
  const marks = Array.from({ length: count }, (_, at) => at)
  return {
    low: Array.from(marks, at => of(at, 1)),
    high: Array.from(marks, at => of(at, 2)),
    ends: Array.from(marks, at => 2048 * (at + 1)),
    bytes: 2048 * count,
    anchor: name,
  }
}

describe('the marks of a pool', () => {
  it('know how much of a prompt each replica was sent', () => {
    const marks = new PoolMarks(new TableBudget())
    marks.remember(prompt(1, 5), ALICE, URLS[0])
    marks.remember(prompt(2, 5, 3), ALICE, URLS[1])
    expect(marks.knownBytes(prompt(1, 5), ALICE, REPLICAS)).toEqual([5 * 2048, 0, 0])
    expect(marks.knownBytes(prompt(3, 5, 3), ALICE, REPLICAS)).toEqual([0, 3 * 2048, 0])
  })

  it('of one domain say nothing to another', () => {
    const marks = new PoolMarks(new TableBudget())
    marks.remember(prompt(1, 5), ALICE, URLS[0])
    expect(marks.knownBytes(prompt(1, 5), BOB, REPLICAS)).toEqual([0, 0, 0])
    expect(marks.knownBytes(prompt(1, 5), POOL, REPLICAS)).toEqual([0, 0, 0])
  })

  it('forget a replica whose cache is gone, and that alone', () => {
    const marks = new PoolMarks(new TableBudget())
    for (const url of URLS) marks.remember(prompt(1, 4), ALICE, url)
    marks.forget(URLS[1])
    expect(marks.knownBytes(prompt(1, 4), ALICE, REPLICAS)).toEqual([8192, 0, 8192])
  })

  it('give the bit of a replica that is not declared any more to another, without what the first had', () => {
    const marks = new PoolMarks(new TableBudget())
    marks.remember(prompt(1, 4), ALICE, URLS[0])
    marks.keep([URLS[1]])
    marks.remember(prompt(2, 1), ALICE, URLS[1])
    expect(marks.knownBytes(prompt(1, 4), ALICE, REPLICAS)).toEqual([0, 0, 0])
  })

  it('serve more than 32 replicas', () => {
    const marks = new PoolMarks(new TableBudget())
    const many = Array.from({ length: 70 }, (_, i) => `http://replica-${i}`)
    for (const url of many) marks.remember(prompt(1, 1), ALICE, url)
    for (const [index, url] of many.entries()) marks.remember(prompt(index + 10, 3), ALICE, url)
    for (const [index, url] of many.entries()) {
      const known = marks.knownBytes(
        prompt(index + 10, 3),
        ALICE,
        many.map(url => ({ url })),
      )
      expect(known.flatMap((bytes, at) => (bytes > 0 ? [many[at]] : []))).toEqual([url])
    }
  })

  it('of a hostile domain push out no other domain, however many prompts it sends', () => {
    const marks = new PoolMarks(new TableBudget())
    const kept = Array.from({ length: 100 }, (_, name) => prompt(name, 20))
    for (const each of kept) marks.remember(each, ALICE, URLS[0])
    for (let name = 1000; name < 21_000; name++) marks.remember(prompt(name, 20), BOB, URLS[1])
    for (const each of kept) expect(marks.knownBytes(each, ALICE, REPLICAS)[0]).toBe(20 * 2048)
    // It still finds its own newest ones.
    expect(marks.knownBytes(prompt(20_999, 20), BOB, REPLICAS)[1]).toBe(20 * 2048)
  })

  it('that nobody uses go before those that are used again', () => {
    const table = new MarkTable(new TableBudget(), 1, 256)
    const used = [123, 456] as const
    for (let at = 0; at < 400; at++) {
      table.add(at + 10_000, 7, 0, 1)
      table.add(...used, 0, 2)
    }
    expect(table.bits(...used)).toBe(2)
    expect(table.bits(10_000, 7)).toBe(0)
  })

  it('of all pools together take at most 20 MB under a million distinct prompts', async () => {
    const budget = new TableBudget()
    const pools = Array.from({ length: 50 }, () => new PoolMarks(budget))
    await collected()
    const before = process.memoryUsage().arrayBuffers
    for (let name = 0; name < 1_000_000; name++) {
      const domain = { low: weightOf(name % 5000, 3) | 0, high: 1 }
      pools[name % 50]?.remember(prompt(name, 2), domain, URLS[name % 3] ?? '')
    }
    await collected()
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThanOrEqual(20_000_000)
    expect(budget.takenBytes).toBeLessThanOrEqual(20_000_000)
  })

  it('give their memory back with their pool', () => {
    const budget = new TableBudget()
    const before = budget.takenBytes
    const marks = new PoolMarks(budget)
    for (let name = 0; name < 20_000; name++) marks.remember(prompt(name, 3), ALICE, URLS[0])
    marks.close()
    expect(budget.takenBytes).toBe(before)
  })
})

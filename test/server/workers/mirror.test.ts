import { describe, expect, it, onTestFinished } from 'vitest'
import type { LedgerRecord } from '../../../src/wire/admin/ledger-record.ts'
import { answer, type Backend, hang, startBackend } from '../../support/backend.ts'
import { eventually } from '../../support/eventually.ts'
import { describeRedis, type RedisServer, startRedis, useRedis } from '../../support/redis/redis.ts'
import { startTree, type Tree } from './tree.ts'
import { yamlOf } from './tree-yaml.ts'

async function backends(): Promise<readonly [Backend, Backend]> {
  const both = [await startBackend(), await startBackend()] as const
  onTestFinished(async () => void (await Promise.all(both.map(each => each.close()))))
  both[0].always(answer({ content: 'Hi' }))
  both[1].always(hang)
  return both
}

/** A copy holds up to 4,000 output tokens at $5 a million: $0.02. */
const yaml =
  ([onprem, fresh]: readonly [Backend, Backend], copies: number, store?: string) =>
  (directory: string): string =>
    yamlOf(
      onprem.url,
      store === undefined ? undefined : () => store,
    )(directory).replace(
      'serve: [onprem],',
      `serve: [onprem], mirror: { to: new, sample: 100%, max_usd_per_day: ${0.021 * copies} },`,
    ) +
    `  new: { site: on-premises, model: new-model, replicas: ["${fresh.url}"], cost_usd_per_1m: { input: 5, output: 5 } }\n`

async function ask(tree: Tree, key: string): Promise<void> {
  const response = await tree.chat(key)
  expect(response.status, await response.text()).toBe(200)
}

async function rowsOf(tree: Tree): Promise<readonly LedgerRecord[]> {
  const { text } = await tree.ask('GET', '/admin/ledger?since=1d')
  return text
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as LedgerRecord)
}

/** Copies that the budget left out, over all workers. */
async function leftOut(tree: Tree): Promise<number> {
  const { text } = await tree.ask('GET', '/metrics')
  const series = text.matchAll(/^svc_mirror_copies_total\{[^}]*outcome="budget"[^}]*\} (\d+)$/gm)
  return [...series].reduce((sum, [, count]) => sum + Number(count), 0)
}

/** Nano-USD that an account has spent, and those that it has reserved. */
async function spentBy({ url }: Tree, key: string): Promise<{ readonly used: number; readonly held: number }> {
  const response = await fetch(`${url}/billing/quota`, { headers: { authorization: `Bearer ${key}` } })
  const { used, held } = (await response.json()) as { readonly used: number; readonly held: number }
  return { used: Math.round(used * 1e9), held: Math.round(held * 1e9) }
}

const ANSWERED = 6
const ASKED = 12
const RUNNING = 2

/** 9 input and 3 output tokens at $5 a million. */
const COPY_NANO_USD = 12 * 5000

/** Three workers share one budget of copies, and are killed while as many copies run as it pays for. */
async function killedWithCopies(redis?: RedisServer): Promise<void> {
  const [onprem, fresh] = await backends()
  const config = yaml([onprem, fresh], RUNNING, redis?.url)
  const tree = await startTree(3, config)
  const key = await tree.mint('pro', 'three_workers')
  fresh.always(answer({ content: 'Hi' }))
  for (let asked = 1; asked <= ANSWERED; asked++) {
    await ask(tree, key)
    await eventually(async () => expect((await rowsOf(tree)).filter(isCopy)).toHaveLength(asked))
  }
  fresh.always(hang)
  await Promise.all(Array.from({ length: ASKED }, () => ask(tree, key)))
  await eventually(async () => expect(await leftOut(tree)).toBe(ASKED - RUNNING))
  expect(fresh.requests).toHaveLength(ANSWERED + RUNNING)
  for (const pid of tree.processes().toReversed()) process.kill(pid, 'SIGKILL')
  await tree.ended

  const next = await startTree(3, config, tree)
  onTestFinished(async () => void (await next.end()))
  await ask(next, key)
  await eventually(async () => expect(await leftOut(next)).toBe(1))
  expect(fresh.requests).toHaveLength(ANSWERED + RUNNING)
  await eventually(async () => {
    const rows = await rowsOf(next)
    const settled = rows.filter(({ kind }) => kind === 'settle')
    expect(settled).toHaveLength(ANSWERED + ASKED + 1)
    expect(rows.filter(isCopy).map(row => row.cost_nano_usd)).toEqual(Array(ANSWERED).fill(COPY_NANO_USD))
    expect(rows).toHaveLength(settled.length + ANSWERED)
    const billed = settled.reduce((sum, { cost_nano_usd }) => sum + cost_nano_usd, 0)
    expect(await spentBy(next, key)).toEqual({ used: billed, held: 0 })
  })
}

const isCopy = ({ kind }: LedgerRecord): boolean => kind === 'mirror'

const budgetSpent = async (tree: Tree) =>
  expect((await tree.ask('GET', '/metrics')).text).toMatch(/svc_mirror_copies_total\{[^}]*outcome="budget"\} [1-9]/)

it('a gateway that is killed while a copy runs leaves no bill of it, and what the copy may have cost stays reserved', async () => {
  const [onprem, fresh] = await backends()
  const tree = await startTree(1, yaml([onprem, fresh], 1))
  const key = await tree.mint('pro', 'ada')
  await ask(tree, key)
  await fresh.received(1)
  for (const pid of tree.processes().toReversed()) process.kill(pid, 'SIGKILL')
  await tree.ended

  const next = await startTree(1, yaml([onprem, fresh], 1), tree)
  onTestFinished(async () => void (await next.end()))
  await ask(next, key)
  await eventually(() => budgetSpent(next))
  expect(fresh.requests).toHaveLength(1)
  const kinds = (await rowsOf(next)).map(({ kind }) => kind)
  expect(kinds).toEqual(['settle', 'settle'])
})

describe('three workers that are killed with copies on the way', () => {
  it('bill nobody for copies, keep within the budget of the day, and have a row of each copy that ended', () =>
    killedWithCopies())
})

describeRedis('on one Redis', () => {
  const redis = useRedis()

  it('three workers that are killed with copies on the way bill nobody for them, and keep within the budget', async () => {
    // Copies of killed workers stay reserved in the budget of their Redis.
    const own = await startRedis()
    onTestFinished(() => own.stop())
    await killedWithCopies(own)
  })

  it('the copies of two gateways share the budget of a day', async () => {
    const [onprem, fresh] = await backends()
    const trees = await Promise.all([1, 1].map(workers => startTree(workers, yaml([onprem, fresh], 2, redis().url))))
    onTestFinished(async () => void (await Promise.all(trees.map(tree => tree.end()))))
    const [first] = trees
    if (!first) throw new Error('no gateway')
    const key = await first.mint('pro', 'ada')
    for (const tree of trees) for (let asked = 0; asked < 3; asked++) await ask(tree, key)
    for (const tree of trees) await eventually(() => budgetSpent(tree))
    expect(fresh.requests).toHaveLength(2)
  })
})

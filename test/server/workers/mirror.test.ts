import { expect, it, onTestFinished } from 'vitest'
import type { LedgerRecord } from '../../../src/wire/admin/ledger-record.ts'
import { answer, type Backend, hang, startBackend } from '../../support/backend.ts'
import { eventually } from '../../support/eventually.ts'
import { describeRedis, useRedis } from '../../support/redis/redis.ts'
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
  const { text } = await next.ask('GET', '/admin/ledger?since=1d')
  const kinds = text
    .trim()
    .split('\n')
    .map(line => (JSON.parse(line) as LedgerRecord).kind)
  expect(kinds).toEqual(['settle', 'settle'])
})

describeRedis('on one Redis', () => {
  const redis = useRedis()

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

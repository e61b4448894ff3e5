import { describe, expect, it, onTestFinished } from 'vitest'
import type { ShownPool } from '../../../src/wire/admin/pool.ts'
import { answer, type Backend, startBackend, status } from '../../support/backend.ts'
import { eventually } from '../../support/eventually.ts'
import { describeRedis, useRedis } from '../../support/redis/redis.ts'
import { startTree, type Tree } from './tree.ts'
import { yamlOf } from './tree-yaml.ts'

const AFTER = 40
const CANARY = `{ pool: new, share: 50%, canary: { stop_when: { errors_over: 10%, against: onprem, after: ${AFTER} } } }`

async function backends(): Promise<readonly [Backend, Backend]> {
  const both = [await startBackend(), await startBackend()] as const
  for (const each of both) each.always(answer({ content: 'Hi' }))
  onTestFinished(async () => void (await Promise.all(both.map(each => each.close()))))
  return both
}

async function start(workers: number, [onprem, fresh]: readonly [Backend, Backend], store?: string): Promise<Tree> {
  const yaml = yamlOf(onprem.url, store === undefined ? undefined : () => store)
  const tree = await startTree(workers, directory => {
    const pool = `  new: { site: on-premises, model: new-model, replicas: ["${fresh.url}"] }\n`
    return yaml(directory).replace('serve: [onprem]', `serve: [${CANARY}, onprem]`) + pool
  })
  onTestFinished(async () => void (await tree.end()))
  return tree
}

let sessions = 0

/** Asks in new conversations, eight at a time, each of which has to be served. Returns the pools that served them. */
async function ask(tree: Tree, key: string, count: number): Promise<readonly (string | null)[]> {
  const pools: (string | null)[] = []
  while (pools.length < count) {
    const asked = Array.from({ length: 8 }, async () => {
      const response = await fetch(`${tree.url}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'x-session-affinity': `s-${sessions++}`,
        },
        body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }] }),
      })
      await response.text()
      expect(response.status).toBe(200)
      return response.headers.get('x-svc-upstream')
    })
    pools.push(...(await Promise.all(asked)))
  }
  return pools
}

async function canaryAt(tree: Tree) {
  const { body } = await tree.ask('GET', '/admin/pools')
  const pool = (body as { readonly data: readonly ShownPool[] }).data.find(each => each.pool === 'new')
  return { drained: pool?.drained, canary: pool?.shares?.[0]?.canary }
}

/** A canary turns bad: it is drained everywhere, nobody gets an error, and it begins anew once it is undrained. */
async function turnsBad(trees: readonly [Tree, ...Tree[]], fresh: Backend): Promise<void> {
  const [first] = trees
  const key = await first.mint('pro', 'ada')
  for (const tree of trees) await ask(tree, key, (3 * AFTER) / trees.length)
  await eventually(async () =>
    expect((await canaryAt(first)).canary?.canary.requests).toBeGreaterThanOrEqual(AFTER - 2),
  )
  expect((await canaryAt(first)).drained).toBe(false)

  fresh.always(status(401))
  await eventually(async () => {
    for (const tree of trees) await ask(tree, key, 8)
    for (const tree of trees)
      expect(await canaryAt(tree)).toMatchObject({ drained: true, canary: { state: 'stopped', why: 'errors_over' } })
  })
  await eventually(async () => {
    const before = fresh.requests.length
    for (const tree of trees) expect(new Set(await ask(tree, key, 16))).toEqual(new Set(['onprem']))
    expect(fresh.requests).toHaveLength(before)
  })
  const { text } = await first.ask('GET', '/admin/audit')
  expect(text.match(/"by":"canary"/g)).toHaveLength(1)

  fresh.always(answer({ content: 'Hi' }))
  expect((await first.ask('POST', '/admin/pools/undrain', { pool: 'new' })).status).toBe(200)
  await eventually(async () => {
    for (const tree of trees) expect(await ask(tree, key, 16)).toContain('new')
    for (const tree of trees)
      expect(await canaryAt(tree)).toMatchObject({
        drained: false,
        canary: { state: 'running', canary: { errors: 0 } },
      })
  })
}

it('two workers on the embedded store stop a canary by what both of them counted', async () => {
  const [onprem, fresh] = await backends()
  await turnsBad([await start(2, [onprem, fresh])], fresh)
})

describeRedis('on one Redis', () => {
  const redis = useRedis()

  describe('a canary', () => {
    it('is stopped by what two gateways counted, one of them with two workers, and at both of them', async () => {
      const [onprem, fresh] = await backends()
      const trees = await Promise.all([2, 1].map(workers => start(workers, [onprem, fresh], redis().url)))
      await turnsBad(trees as [Tree, ...Tree[]], fresh)
    })
  })
})

import { afterEach, expect, it } from 'vitest'
import type { ShownPool } from '../../../src/wire/admin/pool.ts'
import { ADMIN_TOKEN } from '../../support/gateway.ts'
import { did } from '../../support/operator.ts'
import { Queued, until } from './fixture.ts'

let site: Queued
afterEach(() => site.close())

/** Five slots: three are guaranteed to the org, two to the plan. */
const POOL =
  'max_concurrent: 5, queue: { max: 100, timeout: 1h }, shares: { "org:research": 60%, "plan:free": 40% }, provider: { is: vllm, priority: low_first }'

const admin = (path: string) => fetch(site.test.admin + path, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } })

const shownShares = async () =>
  ((await (await admin('/admin/pools')).json()) as { data: readonly ShownPool[] }).data[0]?.queue?.shares

/** Starts a pool that requests of the plan have filled, and in which more of them wait. */
async function startBorrowed() {
  site = await Queued.start(POOL, { fields: { pro: 'priority: 5' } })
  const borrower = await site.test.key('free', 'bob')
  const owner = site.key
  await did(site.test, 'accounts/org', { account: 'ada', org: 'org:research' })
  const ask = (content: string, key: string, more = {}) => site.ask(content, { key, max_tokens: 16, ...more })
  const asked = Array.from({ length: 5 }, () => ask('lent', borrower))
  await until(() => site.gate.open === 5)
  for (let n = 0; n < 4; n++) asked.push(ask('lent', borrower))
  await site.waits(4)
  return { asked, ask, borrower, owner }
}

/** Ends the oldest of the requests that run, and waits for the one that gets its slot. */
async function endOne(): Promise<string | undefined> {
  const came = site.gate.asked.length
  site.gate.letOne()
  await until(() => site.gate.asked.length > came)
  return site.gate.asked.at(-1)
}

it('an owner has its share within one service time of those that borrowed all slots, and all of them get what is left', async () => {
  const { asked, ask, owner } = await startBorrowed()
  for (let n = 0; n < 4; n++) asked.push(ask('own', owner))
  const leaves = new AbortController()
  const gone = ask('gone', owner, { signal: leaves.signal }).catch(() => {})
  await site.waits(9)
  leaves.abort()
  await gone
  await site.waits(8)

  // Slots that come free bring both shares to their guarantee, and then keep them there.
  const order = [await endOne(), await endOne(), await endOne(), await endOne(), await endOne()]
  expect(order).toEqual(['own', 'own', 'own', 'lent', 'lent'])
  expect(await shownShares()).toEqual([
    { owner: 'org:research', share: '60%', guaranteed: 3, in_flight: 3, waiting: 1 },
    { owner: 'plan:free', share: '40%', guaranteed: 2, in_flight: 2, waiting: 2 },
  ])
  const metrics = await (await admin('/metrics')).text()
  expect(metrics).toContain('svc_pool_share_slots{pool="onprem",owner="org:research"} 3')
  expect(metrics).toContain('svc_pool_share_in_flight{pool="onprem",owner="plan:free"} 2')
  expect(metrics).toContain('svc_pool_share_queue{pool="onprem",owner="org:research"} 1')

  let over = 0
  const all = asked.map(each => each.finally(() => over++))
  await site.gate.letAllUntil(() => over === 13)
  expect((await Promise.all(all)).map(({ status }) => status)).toEqual(Array(13).fill(200))
  expect(site.load).toEqual([0, 0])
  expect((await shownShares())?.map(({ in_flight, waiting }) => [in_flight, waiting])).toEqual([
    [0, 0],
    [0, 0],
  ])
})

it('an engine is told the priority of the plan, and serves requests in slots of their own share before all others', async () => {
  const { asked, ask, owner } = await startBorrowed()
  asked.push(ask('own', owner))
  await site.waits(5)
  expect((await ask('more', owner, { priority: -1000 })).status).toBe(400)
  expect(await endOne()).toBe('own')

  const sent = site.backend.requests.map(({ body }) => body.priority)
  expect(sent).toEqual([-102, -102, -1, -1, -1, -106])
  let over = 0
  const all = asked.map(each => each.finally(() => over++))
  await site.gate.letAllUntil(() => over === 10)
  await Promise.all(all)
})

it('a reload that changes shares changes the guarantees of requests that wait already', async () => {
  const { asked, ask, owner } = await startBorrowed()
  asked.push(ask('own', owner))
  await site.waits(5)
  await site.test.reload({ fields: { onprem: POOL.replace('60%', '20%').replace('40%', '80%'), pro: 'priority: 5' } })
  asked.push(ask('own', owner))
  await site.waits(6)

  expect([await endOne(), await endOne(), await endOne()]).toEqual(['own', 'lent', 'lent'])
  let over = 0
  const all = asked.map(each => each.finally(() => over++))
  await site.gate.letAllUntil(() => over === 11)
  await Promise.all(all)
  expect(site.load).toEqual([0, 0])
})

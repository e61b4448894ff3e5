import { expect, it } from 'vitest'
import type { Settlement } from '../../../../../src/gateway/store/hold-store.ts'
import { again, noticeOf, waits } from '../../../../../src/gateway/store/notice.ts'
import { placeOfNotice } from '../../../../../src/gateway/store/notice-store.ts'
import type { Store } from '../../../../../src/gateway/store/store.ts'
import type { Hold } from '../../../../../src/policy/counters/account-counters.ts'
import type { Claims } from '../../../../../src/policy/decision.ts'
import { NOTICE_SCOPES, type NoticeRule } from '../../../../../src/policy/limits/notice-rule.ts'
import type { LimitRule } from '../../../../../src/policy/limits/rule.ts'
import { claimsOfRules } from '../../../../../src/policy/limits/rule-claim.ts'
import { nanoUsd } from '../../../../../src/policy/nano-usd.ts'
import { type Crossing, watchesOf } from '../../../../../src/policy/notices.ts'
import type { Notice } from '../../../../../src/records/notice.ts'
import type { Start } from '../../contract.ts'
import { admit, claimsOf, LAPSED, NOON, openShop, type Shop, settlement } from '../../fixtures.ts'

const NOTICES: readonly NoticeRule[] = [{ at: [50, 80, 100], of: NOTICE_SCOPES, to: ['ops'] }]
const DAY_MS = 86_400_000

/** A settlement of 50 nano-USD and 30 tokens with the limits that notices are about, as the gateway makes it. */
const watched = (hold: Hold, claims: Claims, cost = 50): Settlement => {
  const watches = watchesOf({ notices: NOTICES, claims, hold })
  return { ...settlement(hold, { tokens: 30, cost: nanoUsd(cost) }), ...(watches && { watches }) }
}

async function serve(store: Store, shop: Shop, requestId: string, claims: Claims): Promise<void> {
  await store.holds.settle(watched(await admit(store, shop, requestId, claims), claims))
}

const crossings = (store: Store): Promise<readonly Crossing[]> => store.notices.readCrossings(1000)

const reached = async (store: Store): Promise<readonly string[]> =>
  (await crossings(store)).map(({ name, percent }) => `${name.split(' ')[0]} ${name.split(' ')[1]} ${percent}`).sort()

const withRules = (rules: readonly LimitRule[], shop: Shop, org = 'acme'): Claims => {
  const caller = { key: { id: 'key_1' }, terms: { ...shop.terms, org } }
  const subject = { plan: 'pro', model: { name: 'svc-core', tier: 'basic' }, user: 'ada' }
  return { ...claimsOf({ limit: 1_000_000_000 }), rules: claimsOfRules(rules, caller, subject) }
}

export function noticesContract(start: Start): void {
  it('each threshold of a quota is written down once, however many requests settle at once', async () => {
    const { store } = await start()
    const shops = await Promise.all(Array.from({ length: 20 }, (_, index) => openShop(store, `shop${index}`)))
    const claims = claimsOf({ limit: 500 })
    const holds = await Promise.all(
      shops.flatMap((shop, at) =>
        Array.from({ length: 8 }, (_, index) => admit(store, shop, `req_${at}_${index}`, claims)),
      ),
    )
    // 400 of 500 nano-USD: above 80 percent only with all of them.
    await Promise.all(holds.map(hold => store.holds.settle(watched(hold, claims))))

    const at80 = (await crossings(store)).filter(({ percent }) => percent === 80)
    expect(at80).toHaveLength(20)
    expect(new Set(at80.map(({ about }) => about.account)).size).toBe(20)
    expect(at80.every(({ used, at, end }) => used === 400 && at === NOON && end > NOON)).toBe(true)
    await store.holds.settle(watched(holds[0] as Hold, claims))
    expect((await crossings(store)).filter(({ percent }) => percent === 80)).toHaveLength(20)
  })

  it('a settlement that passes several thresholds writes one, the highest', async () => {
    const { store } = await start()
    await serve(store, await openShop(store), 'req_1', claimsOf({ limit: 60 }))
    expect(await reached(store)).toEqual(['acct_shop usd/month// 80'])
    expect((await crossings(store))[0]).toMatchObject({ above: 0, used: 50, about: { most: 60, measure: 'usd' } })
  })

  it('a limit that is lowered below its use is written down once', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    await serve(store, shop, 'req_1', claimsOf({ limit: 1000 }))
    expect(await crossings(store)).toEqual([])
    for (const id of ['req_2', 'req_3']) {
      const claims = claimsOf({ limit: 1000 })
      const lowered = { ...claims, spend: { ...claims.spend, allotment: nanoUsd(70) } }
      await store.holds.settle(watched(await admit(store, shop, id, claims), lowered))
    }
    expect(await reached(store)).toEqual(['acct_shop usd/month// 100'])
  })

  it('accounts that share a limit write its thresholds down once, and each of them its own', async () => {
    const { store } = await start()
    const shops = await Promise.all(Array.from({ length: 8 }, (_, index) => openShop(store, `member${index}`)))
    const rules: readonly LimitRule[] = [
      { measure: 'usd', most: 500, per: 'month', of: 'org' },
      { measure: 'requests', most: 1, per: 'hour' },
      { measure: 'tokens', most: 1000, per: 'minute' },
    ]
    await Promise.all(shops.map((shop, at) => serve(store, shop, `req_${at}`, withRules(rules, shop))))
    const own = shops.map(({ account }) => `${account} requests/hour// 100`)
    const shared = (await reached(store)).filter(text => text.startsWith('org:'))
    expect(shared.at(-1)).toBe('org:acme usd/month// 80')
    expect(new Set(shared).size).toBe(shared.length)
    expect((await reached(store)).filter(text => !text.startsWith('org:'))).toEqual(own)
  })

  it('requests of a day are counted as they are admitted, and the next day begins anew', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    for (const id of ['req_1', 'req_2', 'req_3']) await serve(store, shop, id, claimsOf({ perDay: 3 }))
    const [first] = await reached(store)
    expect(await reached(store)).toEqual(['acct_shop requests/day// 100', 'acct_shop requests/day// 50'])
    expect(first).toBeDefined()
    clock.at += DAY_MS
    for (const id of ['req_4', 'req_5']) await serve(store, shop, id, claimsOf({ perDay: 3, at: clock.at }))
    expect(await reached(store)).toHaveLength(3)
  })

  it('a request whose gateway died is announced as of its checkpoint, once', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    const claims = claimsOf({ limit: 60 })
    const hold = await admit(store, shop, 'req_1', claims)
    await store.holds.heartbeat([{ hold, soFar: watched(hold, claims, 30) }])
    clock.at += LAPSED
    await store.holds.sweep()
    expect(await reached(store)).toEqual(['acct_shop usd/month// 50'])
    await store.holds.settle(watched(hold, claims))
    expect(await reached(store)).toEqual(['acct_shop usd/month// 50', 'acct_shop usd/month// 80'])
  })

  it('what was written down outlives a restart, and is not written down again after it', async () => {
    const { store, reopen } = await start()
    const shop = await openShop(store)
    await serve(store, shop, 'req_1', claimsOf({ limit: 60 }))
    const before = await crossings(store)
    const reopened = await reopen()
    expect(await crossings(reopened)).toEqual(before)
    await reopened.notices.removeCrossings(await crossings(reopened))
    expect(await crossings(reopened)).toEqual([])
    const claims = claimsOf({ limit: 1000 })
    const same = { ...claims, spend: { ...claims.spend, allotment: nanoUsd(125) } }
    await reopened.holds.settle(watched(await admit(reopened, shop, 'req_2', claims), same))
    expect(await crossings(reopened)).toEqual([])
  })

  it('a notice is added once, waits until it is over, and comes again where an operator asks', async () => {
    const { store } = await start()
    const [one, two] = [noticeNamed('one', NOON), noticeNamed('two', NOON + 1)]
    expect(await store.notices.add([one, two])).toEqual({ added: 2, full: [] })
    expect(await store.notices.add([one])).toEqual({ added: 0, full: [] })
    const waiting = await store.notices.readWaiting(10)
    expect(waiting.map(({ notice }) => notice)).toEqual([one, two])
    expect(await store.notices.countWaiting()).toBe(2)
    const failed: Notice = {
      ...one,
      deliveries: [{ target: 'ops', state: 'failed', tries: 9, error: 'it answered 500' }],
    }
    await store.notices.write([failed, { ...two, deliveries: [] }])
    expect(await store.notices.countWaiting()).toBe(0)
    const last = waiting.at(-1)?.number
    expect(await store.notices.readWaiting(10, last)).toEqual([])
    await store.notices.write([again(failed)], true)
    const [retried] = await store.notices.readWaiting(10, last)
    expect(retried?.notice.deliveries).toEqual([
      { target: 'ops', state: 'waiting', tries: 0, error: 'it answered 500' },
    ])
    await store.notices.write([noticeNamed('unknown', NOON)])
    expect(await store.notices.find(noticeNamed('unknown', NOON).id)).toBeUndefined()
  })

  it('notices are listed newest first, and the old ones go once none of their deliveries waits', async () => {
    const { store } = await start()
    const all = Array.from({ length: 7 }, (_, index) => noticeNamed(`n${index}`, NOON + index))
    await store.notices.add(all)
    const newest = [...all].reverse()
    const page = await store.notices.readNewest(3)
    expect(page).toEqual(newest.slice(0, 3))
    expect(await store.notices.readNewest(9, placeOfNotice(page.at(-1) as Notice))).toEqual(newest.slice(3))
    expect(await store.notices.trim(NOON + 5, 100)).toBe(0)
    const over = all.map(notice => ({
      ...notice,
      deliveries: [{ target: 'ops', state: 'delivered', tries: 1 } as const],
    }))
    expect(over.some(waits)).toBe(false)
    await store.notices.write(over.slice(0, 6))
    expect(await store.notices.trim(NOON + 3, 100)).toBe(3)
    expect(await store.notices.trim(0, 2)).toBe(2)
    expect(await store.notices.readNewest(9)).toEqual([all[6], over[5]])
  })
}

const noticeNamed = (name: string, at: number): Notice =>
  noticeOf(
    {
      ...{ name, at, percent: 80, above: 0, used: 8, end: at + DAY_MS },
      about: { measure: 'requests', most: 10, per: 'day', of: 'account', account: 'acct_shop' },
    },
    NOTICES,
  )

/** Watchers of keys, accounts and incidents, wherever they run. */
export function noticeProgressContract(start: Start): void {
  it('the progress of a watcher and its notices are written together, by one of several that come from the same place', async () => {
    const { store, reopen } = await start()
    const looks = Array.from({ length: 4 }, (_, index) => {
      const progress = { watcher: 'incidents', after: `after ${index}` }
      return store.notices.advance(progress, [noticeNamed(`n${index}`, NOON + index)])
    })
    const won = (await Promise.all(looks)).flatMap((isDone, index) => (isDone ? [index] : []))
    expect(won).toHaveLength(1)
    const before = `after ${won[0]}`
    expect(await store.notices.readProgress('incidents')).toBe(before)
    expect(await store.notices.readProgress('keys')).toBeUndefined()
    expect((await store.notices.readNewest(9)).map(({ at }) => at)).toEqual([NOON + (won[0] ?? 0)])
    const again = await reopen()
    expect(await again.notices.advance({ watcher: 'incidents', before: 'another', after: 'x' }, [])).toBe(false)
    expect(await again.notices.advance({ watcher: 'incidents', before, after: 'x' }, [noticeNamed('n8', NOON)])).toBe(
      true,
    )
    expect(await again.notices.readProgress('incidents')).toBe('x')
    expect(await again.notices.countWaiting()).toBe(2)
  })
}

/** One process at a time delivers, wherever several share a store. */
export function deliveryLeaseContract(start: Start): void {
  it('one process at a time delivers', async () => {
    const { store } = await start()
    expect(await store.notices.lease('a', 30_000)).toBe(true)
    expect(await store.notices.lease('a', 30_000)).toBe(true)
    expect(await store.notices.lease('b', 30_000)).toBe(false)
    await store.notices.release('a')
    expect(await store.notices.lease('b', 30_000)).toBe(true)
  })
}

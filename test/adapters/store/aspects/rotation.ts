import { expect, it } from 'vitest'
import type { KeyRecord, Rotation, TooManyKeys } from '../../../../src/gateway/store/key-store.ts'
import { windowOf } from '../../../../src/policy/decision.ts'
import type { Start } from '../contract.ts'
import {
  admission,
  admit,
  auditOf,
  claimsOf,
  ledgerOf,
  mintOf,
  NOON,
  openShop,
  type Shop,
  settlement,
} from '../fixtures.ts'

const rotationOf = ({ account, keyHash }: Shop, key: string): Rotation => ({
  account,
  current: keyHash,
  next: { hash: `hash-${key}`, prefix: `svc_${key}…` },
  by: account,
})

const keyOf = (answer: KeyRecord | TooManyKeys | undefined): readonly KeyRecord[] =>
  answer && !('outcome' in answer) ? [answer] : []

export function rotationContract(start: Start): void {
  it('a rotation ends the old key and makes the new one active, both of the same account', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store, 'ada', 'free')
    clock.at += 1000

    const rotated = await store.keys.rotate(rotationOf(shop, 'b'))

    expect(rotated).toEqual({
      hash: 'hash-b',
      id: 'key_hash-b',
      origin: 'key_hash-of-ada',
      keyPrefix: 'svc_b…',
      account: shop.account,
      kind: 'developer',
      label: 'ada',
      terms: { override: 'free' },
      status: 'active',
      createdAt: NOON + 1000,
    })
    expect(await store.keys.findCaller(shop.keyHash)).toBeUndefined()
    expect(await store.keys.findCaller('hash-b')).toMatchObject({ account: shop.account, terms: { override: 'free' } })
    expect(await store.keys.listOf(shop.account)).toMatchObject([
      { hash: 'hash-b', status: 'active' },
      { hash: shop.keyHash, status: 'rotated' },
    ])
    expect(await store.keys.mint(mintOf('ada', 'c'))).toEqual({ outcome: 'exists', key: rotated })
  })

  it('the audit says of every key that keeps responses apart that it does, whether a rotation made it so or took it over', async () => {
    const { store } = await start()
    const shop = await openShop(store)

    await store.keys.rotate({ ...rotationOf(shop, 'b'), apart: 'key_b' })
    await store.keys.rotate({ ...rotationOf(shop, 'c'), current: 'hash-b' })
    await store.keys.rotate({ ...rotationOf(shop, 'd'), current: 'hash-c', limits: [] })

    const rotated = (await auditOf(store)).filter(({ action }) => action === 'rotate').map(({ after }) => after)
    expect(rotated).toEqual([
      ...['svc_b…, responses apart', 'svc_c…, responses apart', 'svc_d…, no limits, responses apart'],
    ])
    expect((await store.keys.findCaller('hash-d'))?.apart).toBe('key_b')
  })

  it('standing, spend and history carry over, and nothing of them is new', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    await store.holds.settle(settlement(await admit(store, shop, 'req_1', claimsOf({ rpm: 1 }))))

    await store.keys.rotate(rotationOf(shop, 'b'))

    const next = { ...shop, keyHash: 'hash-b' }
    expect(await store.accounts.readSpend(shop.account)).toEqual({ used: 50, held: 0, window: windowOf(NOON) })
    expect(await ledgerOf(store, shop.account)).toHaveLength(1)
    expect(await store.holds.admit(admission(next, 'req_2', claimsOf({ rpm: 1 })))).toMatchObject({})
    expect(await store.holds.admit(admission(next, 'req_3'))).toMatchObject({
      readings: { requests: 1, tokens: 30, used: 50 },
    })
  })

  it('a request under way is settled after its key was rotated', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    const hold = await admit(store, shop, 'req_1')
    await store.keys.rotate(rotationOf(shop, 'b'))

    await store.holds.settle(settlement(hold))

    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 50, held: 0 })
    expect(await store.holds.admit(admission(shop, 'req_2'))).toEqual({ outcome: 'key-gone' })
  })

  it('of two rotations of one key one wins, and the loser’s key is nobody', async () => {
    const { store } = await start()
    const shop = await openShop(store)

    const answers = await Promise.all(['a', 'b'].map(key => store.keys.rotate(rotationOf(shop, key))))

    const winners = answers.flatMap(keyOf)
    expect(winners).toHaveLength(1)
    const callers = await Promise.all(['hash-a', 'hash-b'].map(hash => store.keys.findCaller(hash)))
    expect(callers.filter(caller => caller !== undefined)).toMatchObject([{ keyPrefix: winners[0]?.keyPrefix }])
    expect((await store.keys.list()).map(({ status }) => status)).toEqual(['active', 'rotated'])
  })

  it('of a rotation and a revoke of one key one wins', async () => {
    const { store } = await start()
    for (let turn = 0; turn < 8; turn++) {
      const shop = await openShop(store, `shop${turn}`)
      const { account, keyHash } = shop
      const rotate = () => store.keys.rotate(rotationOf(shop, `next${turn}`))
      const revoke = () => store.keys.revoke({ hash: keyHash, account, by: account })

      const answers = await Promise.all(turn % 2 ? [rotate(), revoke()] : [revoke(), rotate()])

      const [winner, ...others] = answers.flatMap(keyOf)
      expect(others).toEqual([])
      const active = (await store.keys.listOf(account)).filter(({ status }) => status === 'active')
      expect(active.map(({ hash }) => hash)).toEqual(winner?.status === 'active' ? [`hash-next${turn}`] : [])
      expect(await store.keys.findCaller(keyHash)).toBeUndefined()
    }
  })

  it('a key of another account, an unknown one and one that ended are not rotated, and leave nothing', async () => {
    const { store } = await start()
    const [ada, bob, cy] = [await openShop(store, 'ada'), await openShop(store, 'bob'), await openShop(store, 'cy')]
    await store.keys.revoke({ hash: cy.keyHash, by: 'operator' })
    await store.keys.rotate(rotationOf(bob, 'b'))
    const before = [await store.keys.list(), await auditOf(store)]

    expect(await store.keys.rotate({ ...rotationOf(ada, 'x'), account: bob.account })).toBeUndefined()
    expect(await store.keys.rotate({ ...rotationOf(ada, 'x'), current: 'hash-nobody' })).toBeUndefined()
    expect(await store.keys.rotate(rotationOf(bob, 'x'))).toBeUndefined()
    expect(await store.keys.rotate(rotationOf(cy, 'x'))).toBeUndefined()

    expect([await store.keys.list(), await auditOf(store)]).toEqual(before)
    expect(await store.keys.findCaller('hash-x')).toBeUndefined()
  })

  it('a rotation survives a restart', async () => {
    const { store, reopen } = await start()
    const shop = await openShop(store)
    await store.keys.rotate(rotationOf(shop, 'b'))

    const reopened = await reopen()

    expect(await reopened.keys.findCaller(shop.keyHash)).toBeUndefined()
    expect(await reopened.keys.findCaller('hash-b')).toMatchObject({ account: shop.account })
  })
}

import { expect, it } from 'vitest'
import { windowOf } from '../../../../src/policy/decision.ts'
import type { Start } from '../contract.ts'
import {
  admission,
  admit,
  ledgerOf,
  MOST_KEYS,
  mintKey,
  mintOf,
  NOON,
  openShop,
  outcomeOf,
  settlement,
} from '../fixtures.ts'

const by = 'operator'

/** A mint by the account itself, which signed in before. */
const ownMint = (account: string, key: string) => ({
  key: { hash: `hash-${key}`, prefix: `svc_${key}…` },
  owner: { account },
  most: MOST_KEYS,
  by: account,
})

export function keysContract(start: Start): void {
  it('a minted key is its account’s active one', async () => {
    const { store } = await start()

    const minted = await store.keys.mint(mintOf('ada', 'a', 'free'))

    const key = {
      hash: 'hash-a',
      id: 'key_hash-a',
      keyPrefix: 'svc_a…',
      account: 'acct_a',
      kind: 'developer',
      label: 'ada',
      terms: { override: 'free' },
      status: 'active',
      createdAt: NOON,
    }
    expect(minted).toEqual({ outcome: 'minted', key })
    expect(await store.keys.list()).toEqual([key])
    expect(await store.keys.listOf('acct_a')).toEqual([key])
    expect(await store.keys.findCaller('hash-a')).toEqual({
      kind: 'developer',
      account: 'acct_a',
      keyPrefix: 'svc_a…',
      terms: { override: 'free' },
      key: { id: 'key_hash-a' },
    })
  })

  it('a hash that was never minted is nobody', async () => {
    const { store } = await start()

    expect(await store.keys.findCaller('hash-a')).toBeUndefined()
    expect(await store.keys.listOf('acct_a')).toEqual([])
  })

  it('a second mint for a label shows the first key and writes nothing', async () => {
    const { store } = await start()
    const key = await mintKey(store, mintOf('ada', 'a', 'free'))

    const second = await store.keys.mint(mintOf('ada', 'b', 'pro'))

    expect(second).toEqual({ outcome: 'exists', key })
    expect(await store.keys.list()).toEqual([key])
    expect(await store.keys.findCaller('hash-b')).toBeUndefined()
  })

  it('a key that is minted again is shown as it is, also where it ended, and no other one is made', async () => {
    const { store } = await start()
    const first = await store.keys.mint(mintOf('ada', 'a'))

    expect(await store.keys.mint({ ...mintOf('ada', 'a'), name: 'ci' })).toEqual({ ...first, outcome: 'exists' })
    await store.keys.revoke({ hash: 'hash-a', by: 'operator' })

    expect(await store.keys.mint(mintOf('ada', 'a'))).toMatchObject({ outcome: 'exists', key: { status: 'revoked' } })
    expect(await store.keys.findCaller('hash-a')).toBeUndefined()
  })

  it('a rotation that is made again shows the next key as it is, which works on, and rotates nothing', async () => {
    const { store } = await start()
    const { account } = await mintKey(store, mintOf('ada', 'a'))
    const rotation = { account, current: 'hash-a', next: { hash: 'hash-b', prefix: 'svc_b…' }, by: 'operator' }
    const rotated = await store.keys.rotate(rotation)

    expect(await Promise.all([store.keys.rotate(rotation), store.keys.rotate(rotation)])).toEqual([rotated, rotated])
    expect(await store.keys.findCaller('hash-b')).toMatchObject({ account })
    expect(await store.keys.list()).toHaveLength(2)
  })

  it('what keys are derived from is what came first, for all that ask', async () => {
    const { store, reopen } = await start()
    const kept = await Promise.all(['one', 'two', 'three'].map(each => store.keys.keepMintSecret(each)))

    expect(new Set(kept).size).toBe(1)
    expect(await (await reopen()).keys.keepMintSecret('four')).toBe(kept[0])
  })

  it('a mint that keeps the plan opens an account on its own, and leaves one that is there on the plan that it has', async () => {
    const { store } = await start()
    const mintOn = (key: string, override: string) => {
      const owner = { label: 'ada', override, newAccount: `acct_${key}`, keepsPlan: true } as const
      return store.keys.mint({ ...mintOf('ada', key), name: key, owner })
    }

    await mintOn('a', 'free')
    const second = await mintOn('b', 'pro')

    expect(second).toMatchObject({ outcome: 'minted', key: { terms: { override: 'free' } } })
  })

  it('a key of an account that signed in leaves its terms as they are', async () => {
    const { store } = await start()
    await store.accounts.signIn({ account: 'acct_ada', claimed: 'team' })

    const first = await store.keys.mint(ownMint('acct_ada', 'a'))
    const second = await store.keys.mint(ownMint('acct_ada', 'b'))

    expect(first).toMatchObject({ outcome: 'minted', key: { account: 'acct_ada', terms: { claimed: 'team' } } })
    expect(second).toEqual({ ...first, outcome: 'exists' })
  })

  it.each([
    ['a label', (key: string) => mintOf('ada', key)],
    ['an account that signed in', (key: string) => ownMint('acct_ada', key)],
  ])('of eight concurrent first mints for %s one wins', async (_whom, mint) => {
    const { store } = await start()
    await store.accounts.signIn({ account: 'acct_ada', label: 'ada' })

    const mints = await Promise.all(Array.from('abcdefgh', key => store.keys.mint(mint(key))))

    const winners = mints.filter(({ outcome }) => outcome === 'minted')
    const keys = mints.flatMap(minted => ('key' in minted ? [minted.key] : []))
    expect(winners).toHaveLength(1)
    expect(keys).toHaveLength(8)
    expect(new Set(keys.map(({ hash }) => hash)).size).toBe(1)
    expect(await store.keys.list()).toEqual([keys[0]])
  })

  it('labels are accounts of their own', async () => {
    const { store } = await start()

    await Promise.all(Array.from('abcd', key => store.keys.mint(mintOf(`label ${key}`, key))))

    const accounts = (await store.keys.list()).map(({ account }) => account)
    expect(accounts.sort()).toEqual(['acct_a', 'acct_b', 'acct_c', 'acct_d'])
  })

  it('a key revoked is unknown to the next look-up', async () => {
    const { store } = await start()
    const key = await mintKey(store, mintOf('ada', 'a'))

    const revoked = await store.keys.revoke({ hash: 'hash-a', by })

    expect(revoked).toEqual({ ...key, status: 'revoked' })
    expect(await store.keys.findCaller('hash-a')).toBeUndefined()
    expect(await store.keys.list()).toEqual([{ ...key, status: 'revoked' }])
    expect(await store.keys.listOf('acct_a')).toEqual([{ ...key, status: 'revoked' }])
  })

  it('a key is revoked once', async () => {
    const { store } = await start()
    await store.keys.mint(mintOf('ada', 'a'))

    const answers = await Promise.all([1, 2, 3].map(() => store.keys.revoke({ hash: 'hash-a', by })))

    expect(answers.filter(answer => answer !== undefined)).toHaveLength(1)
    expect(await store.keys.revoke({ hash: 'hash-a', by })).toBeUndefined()
    expect(await store.keys.revoke({ hash: 'hash-b', by })).toBeUndefined()
  })

  it('a key is revoked by its owner, and not by another account', async () => {
    const { store } = await start()
    const [ada, bob] = [await openShop(store, 'ada'), await openShop(store, 'bob')]

    expect(await store.keys.revoke({ hash: ada.keyHash, account: bob.account, by: bob.account })).toBeUndefined()
    expect(await store.keys.findCaller(ada.keyHash)).toMatchObject({ account: ada.account })
    const own = await store.keys.revoke({ hash: ada.keyHash, account: ada.account, by: ada.account })
    expect(own).toMatchObject({ status: 'revoked' })
  })

  it('a request that was looked up before the revoke is not admitted after it', async () => {
    const { store } = await start()
    const shop = await openShop(store)

    await store.keys.revoke({ hash: shop.keyHash, by })

    expect(await store.holds.admit(admission(shop, 'req_1'))).toEqual({ outcome: 'key-gone' })
  })

  it('requests beside a revoke are admitted or find the key gone, and those sent after its answer find it gone', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    const ask = (id: number) => store.holds.admit(admission(shop, `req_${id}`))

    const before = Array.from({ length: 20 }, (_, index) => ask(index))
    const later = store.keys.revoke({ hash: shop.keyHash, by }).then(() => Promise.all([100, 101, 102].map(ask)))

    for (const answer of await Promise.all(before)) expect(['admitted', 'key-gone']).toContain(outcomeOf(answer))
    expect((await later).map(outcomeOf)).toEqual(['key-gone', 'key-gone', 'key-gone'])
  })

  it('a key of another account admits nothing', async () => {
    const { store } = await start()
    const ada = await openShop(store, 'ada')
    const bob = await openShop(store, 'bob')

    const answer = await store.holds.admit({ ...admission(ada, 'req_1'), account: bob.account })

    expect(answer).toEqual({ outcome: 'key-gone' })
  })

  it('an account minted again keeps its id, spend and history, on the plan that was asked', async () => {
    const { store } = await start()
    const shop = await openShop(store, 'ada', 'pro')
    await store.holds.settle(settlement(await admit(store, shop, 'req_1')))
    await store.keys.revoke({ hash: shop.keyHash, by })

    const again = await store.keys.mint(mintOf('ada', 'b', 'free'))

    const { account } = shop
    expect(again).toMatchObject({ outcome: 'minted', key: { account, terms: { override: 'free' }, status: 'active' } })
    expect(await store.accounts.readSpend(account)).toEqual({ used: 50, held: 0, window: windowOf(NOON) })
    expect(await ledgerOf(store, account)).toHaveLength(1)
    expect(await store.keys.findCaller(shop.keyHash)).toBeUndefined()
  })

  it('keys, revocations and terms survive a restart', async () => {
    const { store, reopen } = await start()
    await store.keys.mint(mintOf('ada', 'a', 'free'))
    await store.keys.mint(mintOf('bob', 'b'))
    await store.keys.revoke({ hash: 'hash-b', by })
    const before = await store.keys.list()

    const reopened = await reopen()

    expect(await reopened.keys.list()).toEqual(before)
    expect(await reopened.keys.findCaller('hash-a')).toMatchObject({ account: 'acct_a', terms: { override: 'free' } })
    expect(await reopened.keys.findCaller('hash-b')).toBeUndefined()
    expect(await reopened.keys.mint(mintOf('ada', 'c'))).toMatchObject({ outcome: 'exists', key: { hash: 'hash-a' } })
  })
}

import { expect, it } from 'vitest'
import { windowOf } from '../../../src/policy/window.ts'
import type { Start } from '../contract.ts'
import { admission, admit, ledgerOf, NOON, openShop, settlement } from '../fixtures.ts'

const mintOf = (label: string, key: string, plan = 'pro') => ({
  keyHash: `hash-${key}`,
  keyPrefix: `svc_${key}…`,
  label,
  plan,
  newAccount: `acct_${key}`,
})

export function keysContract(start: Start): void {
  it('a minted key is its account’s active one', async () => {
    const { store } = await start()

    const minted = await store.mintKey(mintOf('ada', 'a', 'free'))

    const key = {
      hash: 'hash-a',
      keyPrefix: 'svc_a…',
      account: 'acct_a',
      label: 'ada',
      plan: 'free',
      status: 'active',
      createdAt: NOON,
    }
    expect(minted).toEqual({ outcome: 'minted', key })
    expect(await store.listKeys()).toEqual([key])
    expect(await store.findCaller('hash-a')).toEqual({
      kind: 'developer',
      account: 'acct_a',
      plan: 'free',
      keyPrefix: 'svc_a…',
    })
  })

  it('a hash that was never minted is nobody', async () => {
    const { store } = await start()

    expect(await store.findCaller('hash-a')).toBeUndefined()
  })

  it('a second mint for a label shows the first key and writes nothing', async () => {
    const { store } = await start()
    const first = await store.mintKey(mintOf('ada', 'a', 'free'))

    const second = await store.mintKey(mintOf('ada', 'b', 'pro'))

    expect(second).toEqual({ outcome: 'exists', key: first.key })
    expect(await store.listKeys()).toEqual([first.key])
    expect(await store.findCaller('hash-b')).toBeUndefined()
  })

  it('of eight concurrent mints for one label one wins', async () => {
    const { store } = await start()

    const mints = await Promise.all(Array.from('abcdefgh', key => store.mintKey(mintOf('ada', key))))

    const winners = mints.filter(({ outcome }) => outcome === 'minted')
    expect(winners).toHaveLength(1)
    expect(new Set(mints.map(({ key }) => key.hash)).size).toBe(1)
    expect(await store.listKeys()).toEqual(winners.map(({ key }) => key))
  })

  it('labels are accounts of their own', async () => {
    const { store } = await start()

    await Promise.all(Array.from('abcd', key => store.mintKey(mintOf(`label ${key}`, key))))

    const accounts = (await store.listKeys()).map(({ account }) => account)
    expect(accounts.sort()).toEqual(['acct_a', 'acct_b', 'acct_c', 'acct_d'])
  })

  it('a key revoked is unknown to the next look-up', async () => {
    const { store } = await start()
    const { key } = await store.mintKey(mintOf('ada', 'a'))

    const revoked = await store.revokeKey('hash-a')

    expect(revoked).toEqual({ ...key, status: 'revoked' })
    expect(await store.findCaller('hash-a')).toBeUndefined()
    expect(await store.listKeys()).toEqual([{ ...key, status: 'revoked' }])
  })

  it('a key is revoked once', async () => {
    const { store } = await start()
    await store.mintKey(mintOf('ada', 'a'))

    const answers = await Promise.all([1, 2, 3].map(() => store.revokeKey('hash-a')))

    expect(answers.filter(answer => answer !== undefined)).toHaveLength(1)
    expect(await store.revokeKey('hash-a')).toBeUndefined()
    expect(await store.revokeKey('hash-b')).toBeUndefined()
  })

  it('a request that was looked up before the revoke is not admitted after it', async () => {
    const { store } = await start()
    const shop = await openShop(store)

    await store.revokeKey(shop.keyHash)

    expect(await store.admit(admission(shop, 'req_1'))).toEqual({ outcome: 'key-gone' })
  })

  it('a key of another account admits nothing', async () => {
    const { store } = await start()
    const ada = await openShop(store, 'ada')
    const bob = await openShop(store, 'bob')

    const answer = await store.admit({ ...admission(ada, 'req_1'), account: bob.account })

    expect(answer).toEqual({ outcome: 'key-gone' })
  })

  it('an account minted again keeps its id, spend and history, on the plan that was asked', async () => {
    const { store } = await start()
    const shop = await openShop(store, 'ada', 'pro')
    await store.settle(settlement(await admit(store, shop, 'req_1')))
    await store.revokeKey(shop.keyHash)

    const again = await store.mintKey(mintOf('ada', 'b', 'free'))

    expect(again).toMatchObject({ outcome: 'minted', key: { account: shop.account, plan: 'free', status: 'active' } })
    expect(await store.readSpend(shop.account)).toEqual({ plan: 'free', used: 50, held: 0, window: windowOf(NOON) })
    expect(await ledgerOf(store, shop.account)).toHaveLength(1)
    expect(await store.findCaller(shop.keyHash)).toBeUndefined()
  })

  it('listings begin with the newest key, even of one millisecond', async () => {
    const { store, clock } = await start()
    for (const key of 'dbac') await store.mintKey(mintOf(`label ${key}`, key))
    clock.at -= 5000

    await store.mintKey(mintOf('after the clock stepped back', 'e'))

    expect((await store.listKeys()).map(({ hash }) => hash)).toEqual(
      ['e', 'c', 'a', 'b', 'd'].map(key => `hash-${key}`),
    )
  })

  it('keys, revocations and plans survive a restart', async () => {
    const { store, reopen } = await start()
    await store.mintKey(mintOf('ada', 'a', 'free'))
    await store.mintKey(mintOf('bob', 'b'))
    await store.revokeKey('hash-b')
    const before = await store.listKeys()

    const reopened = await reopen()

    expect(await reopened.listKeys()).toEqual(before)
    expect(await reopened.findCaller('hash-a')).toMatchObject({ account: 'acct_a', plan: 'free' })
    expect(await reopened.findCaller('hash-b')).toBeUndefined()
    expect(await reopened.mintKey(mintOf('ada', 'c'))).toMatchObject({ outcome: 'exists', key: { hash: 'hash-a' } })
  })
}

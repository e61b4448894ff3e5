import { expect, it } from 'vitest'
import type { Mint } from '../../../../src/gateway/store/key-store.ts'
import type { Start } from '../contract.ts'
import { auditOf, MOST_KEYS, mintKey, mintOf, openShop, type Shop } from '../fixtures.ts'

const named = ({ account }: Shop, name: string): Mint => ({
  key: { hash: `hash-${name}`, prefix: 'svc_7Hq2…', id: `key_${name.length}${name.charCodeAt(0)}` },
  owner: { account },
  name,
  most: MOST_KEYS,
  by: 'operator',
})

/** Labels of accounts and names of keys that people would take for another one: src/gateway/accounts/look-alikes.ts. */
export function lookAlikesContract(start: Start): void {
  it.each([
    ['in case', 'ADA@example.com'],
    ['in a Cyrillic letter', '\u0430da@example.com'],
    ['in a dash and in width', '\uff41da@example.com'],
  ])('no account begins under a label that differs from another one only %s', async (_, label) => {
    const { store } = await start()
    const ada = await openShop(store, 'ada@example.com')

    expect(await store.keys.mint(mintOf(label, 'other'))).toEqual({
      ...{ outcome: 'alike', label: 'ada@example.com', account: ada.account },
    })

    expect(await store.accounts.findByLabel(label)).toEqual([])
    expect(await store.accounts.find('acct_other')).toBeUndefined()
    expect(await store.keys.findCaller('hash-other')).toBeUndefined()
    expect(await auditOf(store)).toHaveLength(1)
  })

  it('a store that is opened again knows what its labels look like, and mints for those that exist', async () => {
    const { store, reopen } = await start()
    await openShop(store, 'ada')
    await store.keys.mint(mintOf('Ada', 'other'))

    const { keys } = await reopen()

    expect((await keys.mint(mintOf('ada', 'second'))).outcome).toBe('exists')
    expect((await keys.mint(mintOf('aDa', 'third'))).outcome).toBe('alike')
    expect((await keys.mint(mintOf('Bob', 'bob'))).outcome).toBe('minted')
  })

  it('of eight concurrent mints for labels that look alike one opens an account', async () => {
    const { store } = await start()
    const labels = ['shop', 'Shop', 'SHOP', 'sHop', 'sh\u043ep', 'shOp', 'shoP', '\u0455hop']

    const mints = await Promise.all(labels.map((label, at) => store.keys.mint(mintOf(label, `k${at}`))))

    expect(mints.filter(({ outcome }) => outcome === 'minted')).toHaveLength(1)
    expect(mints.filter(({ outcome }) => outcome === 'alike')).toHaveLength(7)
    const found = await Promise.all(labels.map(label => store.accounts.findByLabel(label)))
    expect(found.flat()).toHaveLength(1)
  })

  it('a sign-in never gives an account a label that looks like that of another one, and may share the same one', async () => {
    const { store } = await start()
    await openShop(store, 'ada')
    const labelOf = async (account: string) => (await store.accounts.find(account))?.label

    await store.accounts.signIn({ account: 'acct_eve', label: '\u0430da' })
    await store.accounts.signIn({ account: 'acct_bob', label: 'bob' })
    await store.accounts.signIn({ account: 'acct_rob', label: 'bob' })
    await store.accounts.signIn({ account: 'acct_mallory', label: 'BOB' })

    expect(await Promise.all(['acct_eve', 'acct_bob', 'acct_rob', 'acct_mallory'].map(labelOf))).toEqual([
      ...['acct_eve', 'bob', 'bob', 'acct_mallory'],
    ])
  })

  it('an account that signs in may change the case of its own label, and a label that it left may be had', async () => {
    const { store } = await start()
    await store.accounts.signIn({ account: 'acct_ada', label: 'ada', issuedAt: 1 })
    await store.accounts.signIn({ account: 'acct_ada', label: 'Ada', issuedAt: 2 })
    expect((await store.accounts.find('acct_ada'))?.label).toBe('Ada')

    await store.accounts.signIn({ account: 'acct_ada', label: 'countess', issuedAt: 3 })
    expect((await store.keys.mint(mintOf('ADA', 'k'))).outcome).toBe('minted')
    expect((await store.keys.mint(mintOf('Countess', 'l'))).outcome).toBe('alike')
  })

  it('no key gets a name that looks like that of one of its account which works', async () => {
    const { store } = await start()
    const [shop, other] = [await openShop(store), await openShop(store, 'market')]
    const ci = await mintKey(store, named(shop, 'ci'))

    expect(await store.keys.mint(named(shop, 'CI'))).toEqual({ outcome: 'alike', key: ci })
    expect((await store.keys.mint(named(shop, '\u0441i'))).outcome).toBe('alike')
    expect((await store.keys.mint(named(other, 'Ci'))).outcome).toBe('minted')

    await store.keys.revoke({ hash: ci.hash, by: 'operator' })
    expect((await store.keys.mint(named(shop, 'CI'))).outcome).toBe('minted')
  })

  it('of eight concurrent mints of keys whose names look alike one makes a key, and others beside them are made', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    const alike = ['ci', 'Ci', 'CI', 'cI', '\u0441i', '\u0421i', 'c\u0456', '\u0441\u0456']
    const others = ['build', 'deploy', 'docs']

    const mints = await Promise.all([...alike, ...others].map(name => store.keys.mint(named(shop, name))))

    const outcomes = mints.map(({ outcome }) => outcome)
    expect(outcomes.slice(0, 8).sort()).toEqual([...Array(7).fill('alike'), 'minted'])
    expect(outcomes.slice(8)).toEqual(['minted', 'minted', 'minted'])
    expect((await store.keys.listOf(shop.account)).filter(({ status }) => status === 'active')).toHaveLength(5)
  })
}

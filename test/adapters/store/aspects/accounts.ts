import { expect, it } from 'vitest'
import type { AccountRecord } from '../../../../src/gateway/store/account-store.ts'
import type { Store } from '../../../../src/gateway/store/store.ts'
import type { Start } from '../contract.ts'
import { all, auditOf, claimsOf, mintOf, NOON, openShop } from '../fixtures.ts'

const idsOf = async (store: Store, label: string) =>
  (await store.accounts.findByLabel(label)).map(({ account }) => account).sort()

export function accountsContract(start: Start): void {
  it('every account is read once, also those without a key and those whose key ended', async () => {
    const { store, reopen } = await start()
    const labels = Array.from({ length: 300 }, (_, number) => `label ${number}`)
    for (const [number, label] of labels.entries()) await store.keys.mint(mintOf(label, `k${number}`))
    await store.keys.revoke({ hash: 'hash-k7', by: 'operator' })
    await store.accounts.signIn({ account: 'acct_signed_in', claimed: 'team', label: 'ada@example.com' })
    await store.accounts.signIn({ account: 'acct_odd:{00}:account:*', label: 'odd' })
    await store.keys.mintGuest({ account: 'dev_1', key: { hash: 'guest', prefix: 'svc_g…' } })
    await store.accounts.changeTerms({ account: 'acct_k3', change: { override: 'pro' }, by: 'operator' })
    const all = ['acct_signed_in', 'acct_odd:{00}:account:*', 'dev_1', ...labels.map((_, number) => `acct_k${number}`)]

    const check = async (opened: Store) => {
      const read: AccountRecord[] = []
      for await (const account of opened.accounts.readAll()) read.push(account)
      expect(read.map(({ account }) => account).sort()).toEqual(all.sort())
      for (const account of ['acct_signed_in', 'acct_k3', 'dev_1'])
        expect(read.find(each => each.account === account)).toEqual(await opened.accounts.find(account))
    }
    await check(store)
    await check(await reopen())
  })

  it('the first sign-in begins the account, with what its token says', async () => {
    const { store, reopen } = await start()

    const caller = await store.accounts.signIn({ account: 'acct_ada', claimed: 'team', label: 'ada@example.com' })

    const terms = { claimed: 'team' }
    const account = { account: 'acct_ada', kind: 'developer', label: 'ada@example.com', terms, createdAt: NOON }
    expect(caller).toEqual({ kind: 'developer', account: 'acct_ada', keyPrefix: null, terms })
    expect(await store.accounts.find('acct_ada')).toEqual(account)
    expect(await store.accounts.find('ada@example.com')).toBeUndefined()
    expect(await store.accounts.findByLabel('ada@example.com')).toEqual([account])
    expect(await (await reopen()).accounts.findByLabel('ada@example.com')).toEqual([account])
  })

  it('an account whose token says nothing is called by its id, until one says more', async () => {
    const { store } = await start()

    expect(await store.accounts.signIn({ account: 'acct_ada' })).toMatchObject({ terms: {} })
    expect(await store.accounts.find('acct_ada')).toMatchObject({ label: 'acct_ada' })

    await store.accounts.signIn({ account: 'acct_ada', label: 'ada' })
    expect(await store.accounts.find('acct_ada')).toMatchObject({ label: 'ada' })
  })

  it('of eight concurrent first sign-ins one account comes', async () => {
    const { store } = await start()

    const callers = await Promise.all(
      Array.from({ length: 8 }, () => store.accounts.signIn({ account: 'acct_ada', claimed: 'team', label: 'ada' })),
    )

    expect(new Set(callers.map(caller => JSON.stringify(caller))).size).toBe(1)
    expect(await idsOf(store, 'ada')).toEqual(['acct_ada'])
  })

  it('a later sign-in changes the claimed plan and the label, and nothing else', async () => {
    const { store, clock } = await start()
    await store.accounts.signIn({ account: 'acct_ada', claimed: 'team', label: 'ada' })
    await store.accounts.changeTerms({ account: 'acct_ada', change: { overage: true }, by: 'operator' })
    clock.at += 1000

    const caller = await store.accounts.signIn({ account: 'acct_ada', claimed: 'pro', label: 'ada l.' })

    expect(caller.terms).toEqual({ claimed: 'pro', overage: true })
    expect(await store.accounts.find('acct_ada')).toMatchObject({ label: 'ada l.', createdAt: NOON })
    expect([await idsOf(store, 'ada'), await idsOf(store, 'ada l.')]).toEqual([[], ['acct_ada']])
  })

  it('a token without a plan takes the claim back, and one without a label leaves the label', async () => {
    const { store } = await start()
    await store.accounts.signIn({ account: 'acct_ada', claimed: 'team', label: 'ada' })

    const callers = [
      await store.accounts.signIn({ account: 'acct_ada' }),
      await store.accounts.signIn({ account: 'acct_ada' }),
    ]

    expect(callers.map(({ terms }) => terms)).toEqual([{}, {}])
    expect(await store.accounts.find('acct_ada')).toMatchObject({ label: 'ada' })
  })

  it('a sign-in shows the active key of its account, and none after it ended', async () => {
    const { store } = await start()
    const { account, keyHash } = await openShop(store, 'ada')

    expect(await store.accounts.signIn({ account })).toMatchObject({ account, keyPrefix: 'svc_7Hq2…' })
    await store.keys.revoke({ hash: keyHash, by: account })
    expect(await store.accounts.signIn({ account })).toMatchObject({ account, keyPrefix: null })
  })

  it('a label that an operator gave is not overwritten by a token', async () => {
    const { store } = await start()
    const { account } = await openShop(store, 'ada', 'pro')

    const caller = await store.accounts.signIn({ account, claimed: 'team', label: 'somebody else' })

    expect(caller.terms).toEqual({ override: 'pro', claimed: 'team' })
    expect(await store.accounts.find(account)).toMatchObject({ label: 'ada' })
    expect(await idsOf(store, 'somebody else')).toEqual([])
  })

  it('accounts that signed in may share a label, and one that an operator opened too', async () => {
    const { store } = await start()
    await store.accounts.signIn({ account: 'acct_1', label: 'ada' })
    await store.accounts.signIn({ account: 'acct_2', label: 'ada' })
    await store.accounts.signIn({ account: 'acct_3', label: 'ada l.' })

    expect(await idsOf(store, 'ada')).toEqual(['acct_1', 'acct_2'])
    await store.keys.mint(mintOf('ada', 'a'))
    expect(await idsOf(store, 'ada')).toEqual(['acct_1', 'acct_2', 'acct_a'])
    expect(await idsOf(store, 'ad')).toEqual([])
  })

  it('an operator’s label is never that of an account which chose it by signing in', async () => {
    const { store } = await start()
    await store.accounts.signIn({ account: 'acct_eve', label: 'ada' })

    const minted = await store.keys.mint(mintOf('ada', 'a', 'pro'))

    expect(minted).toMatchObject({ outcome: 'minted', key: { account: 'acct_a', label: 'ada' } })
    expect(await store.accounts.find('acct_eve')).toMatchObject({ terms: {} })
  })

  it('a token from before the one that was believed changes nothing', async () => {
    const { store } = await start()
    await store.accounts.signIn({ account: 'acct_1', claimed: 'pro', issuedAt: NOON })
    await store.accounts.signIn({ account: 'acct_1', claimed: 'free', issuedAt: NOON + 2000 })

    const caller = await store.accounts.signIn({ account: 'acct_1', claimed: 'pro', issuedAt: NOON + 1000 })

    expect(caller.terms).toEqual({ claimed: 'free' })
  })

  it.each([
    ['a token that claims nothing', { issuedAt: NOON }],
    ['a token older than every other', { issuedAt: -1, claimed: 'pro', label: 'ada' }],
  ])('%s opens a blank account, without a time from which tokens are believed', async (_, token) => {
    const { store } = await start()
    expect(await store.accounts.signIn({ account: 'acct_1', ...token })).toMatchObject({ account: 'acct_1', terms: {} })

    const accounts = (await all(store.dump())).flatMap(([kind, record]) => (kind === 'account' ? [record] : []))
    expect(accounts).toMatchObject([{ account: 'acct_1', label: 'acct_1', terms: {} }])
    expect(accounts[0]).not.toHaveProperty('believedAt', expect.anything())
  })

  it('an operator’s label means the account opened under it before any that signed in', async () => {
    const { store } = await start()
    const { account, keyHash } = await openShop(store, 'ada')
    await store.accounts.signIn({ account: 'acct_1', label: 'ada' })

    expect(await store.keys.mint(mintOf('ada', 'a'))).toMatchObject({ outcome: 'exists', key: { hash: keyHash } })
    await store.keys.revoke({ hash: keyHash, by: 'operator' })
    expect(await store.keys.mint(mintOf('ada', 'b'))).toMatchObject({ outcome: 'minted', key: { account } })
  })

  it('an operator’s label that several signed in under opens an account of its own', async () => {
    const { store } = await start()
    await store.accounts.signIn({ account: 'acct_1', label: 'ada' })
    await store.accounts.signIn({ account: 'acct_2', label: 'ada' })

    const minted = await store.keys.mint(mintOf('ada', 'a'))

    expect(minted).toMatchObject({ outcome: 'minted', key: { account: 'acct_a', label: 'ada' } })
  })

  it('a sign-in spends without a key, and an account that nobody opened does not', async () => {
    const { store } = await start()
    const { account, terms } = await store.accounts.signIn({ account: 'acct_ada', claimed: 'team' })
    const asked = { requestId: 'req_1', account, terms, claims: claimsOf() }

    expect(await store.holds.admit(asked)).toMatchObject({ outcome: 'admitted' })
    expect(await store.accounts.readSpend(account)).toMatchObject({ used: 0, held: 50 })
    expect(await store.holds.admit({ ...asked, requestId: 'req_2', account: 'acct_nobody' })).toEqual({
      outcome: 'key-gone',
    })
  })

  it('a sign-in leaves no audit row', async () => {
    const { store } = await start()

    await store.accounts.signIn({ account: 'acct_ada', claimed: 'team', label: 'ada' })
    await store.accounts.signIn({ account: 'acct_ada', claimed: 'pro', label: 'ada l.' })

    expect(await auditOf(store)).toEqual([])
  })
}

import { expect, it } from 'vitest'
import type { Store } from '../../../../src/gateway/store/store.ts'
import type { OrgTerms } from '../../../../src/policy/facts.ts'
import type { Start } from '../contract.ts'
import { admission, all, auditOf, NOON, openShop, outcomeOf, type Shop } from '../fixtures.ts'

const by = 'operator'

/** An account of an org, as a request of it would find it. */
async function openMember(store: Store, org: string, label = 'ada'): Promise<Shop & { orgTerms: OrgTerms }> {
  const { keyHash, account } = await openShop(store, label)
  const { terms: orgTerms } = await store.orgs.open(org)
  const { terms = {} } = (await store.accounts.changeTerms({ account, change: { org }, by })) ?? {}
  return { keyHash, account, terms, orgTerms }
}

const freeze = (store: Store, org: string, frozen = true) => store.orgs.changeTerms({ org, change: { frozen }, by })

export function orgsContract(start: Start): void {
  it('an org is opened once, and is there after a restart', async () => {
    const { store, clock, reopen } = await start()
    await Promise.all([store.orgs.open('acme'), store.orgs.open('acme'), store.orgs.open('beta')])
    clock.at += 1000
    await freeze(store, 'acme')

    const acme = { org: 'acme', terms: { frozen: true }, createdAt: NOON }
    expect(await store.orgs.open('acme')).toEqual(acme)
    const reopened = await reopen()
    expect(await reopened.orgs.find('acme')).toEqual(acme)
    expect((await all(reopened.orgs.readAll())).map(({ org }) => org).sort()).toEqual(['acme', 'beta'])
  })

  it('one that nobody opened is not there, and cannot be changed', async () => {
    const { store } = await start()

    expect([await store.orgs.find('acme'), await freeze(store, 'acme')]).toEqual([undefined, undefined])
    expect(await all(store.orgs.readAll())).toEqual([])
    expect(await auditOf(store)).toEqual([])
  })

  it('is no account, in no listing of them', async () => {
    const { store } = await start()
    const { account } = await openMember(store, 'acme')

    expect(await store.accounts.find('org:acme')).toBeUndefined()
    expect((await all(store.accounts.readAll())).map(each => each.account)).toEqual([account])
  })

  it('a caller comes with what its org says, by key and by sign-in, and without one as ever', async () => {
    const { store } = await start()
    const { keyHash, account } = await openMember(store, 'acme')
    const other = await openShop(store, 'bob')
    await freeze(store, 'acme')

    const terms = { override: 'pro', org: 'acme' }
    expect(await store.keys.findCaller(keyHash)).toMatchObject({ account, terms, orgTerms: { frozen: true } })
    expect(await store.accounts.signIn({ account })).toMatchObject({ terms, orgTerms: { frozen: true } })
    expect(await store.keys.findCaller(other.keyHash)).not.toHaveProperty('orgTerms')
    expect(await store.accounts.signIn({ account: 'acct_new' })).not.toHaveProperty('orgTerms')
  })

  it('what is decided of an org makes the claims of all its accounts stale, and of no others', async () => {
    const { store } = await start()
    const members = [await openMember(store, 'acme', 'ada'), await openMember(store, 'acme', 'bob')]
    const others = [await openMember(store, 'beta', 'cy'), await openShop(store, 'dan')]
    const ask = (shops: readonly Shop[], round: number) =>
      Promise.all(shops.map(shop => store.holds.admit(admission(shop, `req_${round}_${shop.account}`))))
    expect((await ask([...members, ...others], 1)).map(outcomeOf)).toEqual(Array(4).fill('admitted'))

    const frozen = await freeze(store, 'acme')

    expect(frozen).toEqual({ org: 'acme', terms: { frozen: true }, createdAt: NOON })
    const terms = { override: 'pro', org: 'acme' }
    const stale = { outcome: 'stale', terms, orgTerms: { frozen: true }, at: NOON }
    expect(await ask(members, 2)).toEqual([stale, stale])
    expect((await ask(others, 2)).map(outcomeOf)).toEqual(['admitted', 'admitted'])
    const known = members.map(member => ({ ...member, orgTerms: { frozen: true as const } }))
    expect((await ask(known, 3)).map(outcomeOf)).toEqual(['admitted', 'admitted'])
  })

  it('beside requests: those asked after the answer to a change of an org are all stale', async () => {
    const { store } = await start()
    const member = await openMember(store, 'acme')
    const ask = (id: number) => store.holds.admit(admission(member, `req_${id}`))

    const before = Array.from({ length: 10 }, (_, index) => ask(index))
    const later = freeze(store, 'acme').then(() => Promise.all([100, 101, 102].map(ask)))

    for (const answer of await Promise.all(before)) expect(['admitted', 'stale']).toContain(outcomeOf(answer))
    expect((await later).map(outcomeOf)).toEqual(['stale', 'stale', 'stale'])
  })

  it('an account that moves is on the terms of its new org, and of none when it has left', async () => {
    const { store } = await start()
    const member = await openMember(store, 'acme')
    await store.orgs.open('beta')
    await freeze(store, 'beta')
    const { account } = member

    await store.accounts.changeTerms({ account, change: { org: 'beta' }, by })
    const moved = { terms: { override: 'pro', org: 'beta' }, orgTerms: { frozen: true } as const }
    expect(await store.holds.admit(admission(member, 'req_1'))).toEqual({ outcome: 'stale', ...moved, at: NOON })

    await store.accounts.changeTerms({ account, change: { org: null }, by })
    const left = { outcome: 'stale', terms: { override: 'pro' }, at: NOON }
    expect(await store.holds.admit(admission({ ...member, ...moved }, 'req_2'))).toEqual(left)
  })

  it('an account may name an org that is not there: nothing of it counts until it is', async () => {
    const { store } = await start()
    const { keyHash, account } = await openShop(store, 'ada')
    await store.accounts.changeTerms({ account, change: { org: 'acme' }, by })
    const caller = await store.keys.findCaller(keyHash)
    const shop = { keyHash, account, terms: caller?.terms ?? {} }

    expect(caller).not.toHaveProperty('orgTerms')
    expect(await store.holds.admit(admission(shop, 'req_1'))).toMatchObject({ outcome: 'admitted' })
    await store.orgs.open('acme')
    expect(await store.holds.admit(admission(shop, 'req_2'))).toMatchObject({ outcome: 'stale', orgTerms: {} })
  })

  it('limits of an org are kept, and make claims stale', async () => {
    const { store, reopen } = await start()
    const member = await openMember(store, 'acme')
    const limit = { measure: 'usd', most: 500, per: 'month', of: 'org' } as const

    await store.orgs.changeTerms({ org: 'acme', change: { limit }, by })

    const stale = { outcome: 'stale', orgTerms: { limits: [limit] } }
    expect(await store.holds.admit(admission(member, 'req_1'))).toMatchObject(stale)
    expect(await (await reopen()).orgs.find('acme')).toMatchObject({ terms: { limits: [limit] } })
  })

  it('changes of an org at once all count', async () => {
    const { store } = await start()
    await store.orgs.open('acme')
    const limits = (['requests', 'tokens', 'usd'] as const).map(measure => ({ measure, most: 5, per: 'day' }) as const)

    await Promise.all(limits.map(limit => store.orgs.changeTerms({ org: 'acme', change: { limit }, by })))

    expect((await store.orgs.find('acme'))?.terms.limits).toHaveLength(3)
    expect(await auditOf(store)).toHaveLength(3)
  })

  it('changes of an org and of who belongs to it leave rows of the audit', async () => {
    const { store, clock } = await start()
    const { account } = await openMember(store, 'acme')
    clock.at += 1
    await freeze(store, 'acme')
    clock.at += 1
    await store.accounts.changeTerms({ account, change: { org: null }, by })

    expect((await auditOf(store)).filter(({ action }) => action !== 'mint')).toEqual([
      { at: NOON, by, action: 'set-org', account, before: '', after: 'org:acme' },
      { at: NOON + 1, by, action: 'freeze', account: 'org:acme', before: '', after: 'frozen' },
      { at: NOON + 2, by, action: 'set-org', account, before: 'org:acme', after: '' },
    ])
    expect((await auditOf(store, { account: 'org:acme' })).map(({ action }) => action)).toEqual(['freeze'])
  })
}

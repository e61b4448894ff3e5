import { expect, it } from 'vitest'
import { INVITATION_MS, MOST_SIGN_INS } from '../../../../src/gateway/accounts/invitations.ts'
import type { SignInsChange } from '../../../../src/gateway/store/account-store.ts'
import type { Store } from '../../../../src/gateway/store/store.ts'
import type { Start } from '../contract.ts'
import { auditOf, mintOf, NOON, openShop } from '../fixtures.ts'

const changeOf =
  (store: Store, account: string) =>
  (change: SignInsChange['change'], by = 'operator') =>
    store.accounts.changeSignIns({ account, change, by })

const INVITE = { invite: 'hash-of-secret', forMs: INVITATION_MS }
const JOIN = { join: 'acct_person', secret: 'hash-of-secret' }

/** Sign-ins that join an account which an operator opened: src/gateway/accounts/invitations.ts. */
export function invitationsContract(start: Start): void {
  it('a sign-in that joins is the caller of the account from then on, with its plan, also after a restart', async () => {
    const { store, reopen } = await start()
    const { account } = await openShop(store, 'ada', 'pro')
    const change = changeOf(store, account)

    expect(await change(INVITE)).toMatchObject({ outcome: 'changed' })
    expect(await change(JOIN, 'acct_person')).toMatchObject({
      outcome: 'changed',
      record: { signIns: ['acct_person'] },
    })

    const check = async ({ accounts }: Store) => {
      const caller = await accounts.signIn({ account: 'acct_person', claimed: 'free', label: 'ada', issuedAt: NOON })
      expect(caller).toMatchObject({ account, keyPrefix: 'svc_7Hq2…', terms: { override: 'pro' } })
      expect(caller.terms).not.toHaveProperty('claimed')
      expect(await accounts.find('acct_person')).toBeUndefined()
    }
    await check(store)
    await check(await reopen())
  })

  it('an invitation joins one sign-in, which may repeat it, and no other one', async () => {
    const { store } = await start()
    const { account } = await openShop(store)
    const change = changeOf(store, account)
    await change(INVITE)

    const joined = await Promise.all(
      Array.from({ length: 8 }, (_, at) => change({ ...JOIN, join: `acct_${at}` }, `acct_${at}`)),
    )

    const winners = joined.flatMap(({ outcome }, at) => (outcome === 'changed' ? [`acct_${at}`] : []))
    expect(winners).toHaveLength(1)
    expect(joined.filter(({ outcome }) => outcome === 'not-invited')).toHaveLength(7)
    const [winner = ''] = winners
    expect(await change({ ...JOIN, join: winner })).toMatchObject({ outcome: 'changed' })
    expect((await store.accounts.find(account))?.signIns).toEqual([winner])
  })

  it('an invitation ends after a day, with the next one, and where it is withdrawn', async () => {
    const { store, clock } = await start()
    const change = changeOf(store, (await openShop(store)).account)
    await change(INVITE)
    clock.at += INVITATION_MS
    expect(await change(JOIN)).toEqual({ outcome: 'not-invited' })

    await change(INVITE)
    await change({ ...INVITE, invite: 'hash-of-next' })
    expect(await change(JOIN)).toEqual({ outcome: 'not-invited' })
    await change({ withdraw: true })
    expect(await change({ ...JOIN, secret: 'hash-of-next' })).toEqual({ outcome: 'not-invited' })

    await change(INVITE)
    clock.at += INVITATION_MS - 1
    expect(await change(JOIN)).toMatchObject({ outcome: 'changed' })
  })

  it('a sign-in that is let go is an account of its own again, or joins another one', async () => {
    const { store } = await start()
    const [one, other] = [await openShop(store, 'ada'), await openShop(store, 'bob')]
    const [change, changeOther] = [changeOf(store, one.account), changeOf(store, other.account)]
    await change(INVITE)
    await change(JOIN)
    await changeOther(INVITE)
    expect(await changeOther(JOIN)).toEqual({ outcome: 'joined-other' })

    expect(await change({ remove: 'acct_person' })).toMatchObject({ outcome: 'changed' })
    expect(await change({ remove: 'acct_person' })).toEqual({ outcome: 'not-joined' })
    expect(await store.accounts.signIn({ account: 'acct_person' })).toMatchObject({ account: 'acct_person' })

    expect(await changeOther(JOIN)).toMatchObject({ outcome: 'changed' })
    expect(await store.accounts.signIn({ account: 'acct_person' })).toMatchObject({ account: other.account })
  })

  it('the account that a sign-in had stays as it is, with its keys', async () => {
    const { store } = await start()
    const { account } = await openShop(store)
    await store.accounts.signIn({ account: 'acct_person', claimed: 'free' })
    await store.keys.mint({ ...mintOf('person', 'own'), owner: { account: 'acct_person' } })
    const change = changeOf(store, account)
    await change(INVITE)
    await change(JOIN)

    expect(await store.accounts.signIn({ account: 'acct_person' })).toMatchObject({ account })
    expect(await store.keys.findCaller('hash-own')).toMatchObject({
      account: 'acct_person',
      terms: { claimed: 'free' },
    })
  })

  it('the audit has who invited, who joined and who let a sign-in go', async () => {
    const { store } = await start()
    const { account } = await openShop(store)
    const change = changeOf(store, account)
    await change(INVITE)
    await change(JOIN, 'acct_person')
    await change(JOIN, 'acct_person')
    await change({ remove: 'acct_person' })

    const until = `until ${new Date(NOON + INVITATION_MS).toISOString()}`
    expect((await auditOf(store)).slice(1)).toEqual([
      { at: NOON, by: 'operator', action: 'invite', account, before: '', after: until },
      { at: NOON, by: 'acct_person', action: 'join', account, before: '', after: 'acct_person' },
      { at: NOON, by: 'operator', action: 'leave', account, before: 'acct_person', after: '' },
    ])
  })

  it('an account takes so many sign-ins and no more, and no account is not joined', async () => {
    const { store } = await start()
    const change = changeOf(store, (await openShop(store)).account)
    for (let at = 0; at < MOST_SIGN_INS; at++) {
      await change(INVITE)
      await change({ ...JOIN, join: `acct_${at}` })
    }
    await change(INVITE)

    expect(await change(JOIN)).toEqual({ outcome: 'full' })
    expect(await changeOf(store, 'acct_nobody')(INVITE)).toEqual({ outcome: 'unknown' })
  })
}

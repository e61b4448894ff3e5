import { expect, it } from 'vitest'
import type { ContactsChange, SignInsChange } from '../../../../src/gateway/store/account-store.ts'
import type { Start } from '../contract.ts'
import { auditOf, LAPSED, openShop } from '../fixtures.ts'

const WEBHOOK = { url: 'https://hooks.example.com/', secret: 'whsec_AAAA' }

/** Where notices of an account go. */
export function contactsContract(start: Start): void {
  it('one of several that bring the same token confirms the address, and it outlives a restart', async () => {
    const { store, reopen } = await start()
    const { account } = await openShop(store)
    const change = (what: ContactsChange['change']) =>
      store.accounts.changeContacts({ account, change: what, by: 'ada' })
    await change({ mail: { address: 'ada@example.com', hash: 'h1', forMs: LAPSED } })
    expect((await change({ confirm: 'h2' })).outcome).toBe('not-asked')
    const tries = await Promise.all(Array.from({ length: 4 }, () => change({ confirm: 'h1' })))
    expect(tries.map(({ outcome }) => outcome).sort()).toEqual(['changed', 'not-asked', 'not-asked', 'not-asked'])
    await change({ webhook: WEBHOOK, at: [80] })
    const reopened = await reopen()
    const contacts = { mail: 'ada@example.com', webhook: WEBHOOK, at: [80] }
    expect((await reopened.accounts.find(account))?.contacts).toEqual(contacts)
    const after = (await auditOf(reopened, { account })).map(({ action, after: text }) => `${action} ${text}`)
    expect(after.slice(1)).toEqual([
      'set-notices ada@example.com (not confirmed)',
      'set-notices ada@example.com',
      'set-notices 80% · ada@example.com · hooks.example.com',
    ])
  })

  it('a sign-in that is removed takes the addresses of the account with it, in one step, and the audit says so', async () => {
    const { store, reopen } = await start()
    const { account } = await openShop(store)
    const by = 'operator'
    const change = (what: ContactsChange['change']) => store.accounts.changeContacts({ account, change: what, by })
    const people = (what: SignInsChange['change']) => store.accounts.changeSignIns({ account, change: what, by })
    for (const person of ['acct_one', 'acct_two']) {
      await people({ invite: 'h', forMs: LAPSED })
      await people({ join: person, secret: 'h' })
    }
    await change({ mail: { address: 'ada@example.com', hash: 'h1', forMs: LAPSED } })
    await change({ confirm: 'h1' })
    await change({ mail: { address: 'ada@example.org', hash: 'h2', forMs: LAPSED }, webhook: WEBHOOK, at: [80] })
    await people({ remove: 'acct_one' })
    const reopened = await reopen()
    const left = await reopened.accounts.find(account)
    expect([left?.signIns, left?.contacts]).toEqual([['acct_two'], { at: [80] }])
    expect((await auditOf(reopened, { account })).at(-1)).toMatchObject({
      ...{ action: 'leave', before: 'acct_one', after: 'the addresses for notices are removed' },
    })
  })

  it('an address that was to replace the confirmed one is withdrawn, and its token with it', async () => {
    const { store } = await start()
    const { account } = await openShop(store)
    const change = (what: ContactsChange['change']) =>
      store.accounts.changeContacts({ account, change: what, by: 'ada' })
    await change({ mail: { address: 'ada@example.com', hash: 'h1', forMs: LAPSED } })
    await change({ confirm: 'h1' })
    await change({ mail: { address: 'ada@example.org', hash: 'h2', forMs: LAPSED }, at: [80] })
    await change({ mail: 'keep' })
    expect((await change({ confirm: 'h2' })).outcome).toBe('not-asked')
    expect((await store.accounts.find(account))?.contacts).toEqual({ at: [80], mail: 'ada@example.com' })
  })

  it('a token ends with its time, with a later one, and with the address; a choice that changes nothing leaves no row', async () => {
    const { store, clock } = await start()
    const { account } = await openShop(store)
    const change = (what: ContactsChange['change']) =>
      store.accounts.changeContacts({ account, change: what, by: 'ada' })
    const ask = (hash: string) => change({ mail: { address: 'ada@example.com', hash, forMs: LAPSED } })
    await ask('h1')
    clock.at += LAPSED
    expect((await change({ confirm: 'h1' })).outcome).toBe('not-asked')
    await ask('h2')
    await ask('h3')
    expect((await change({ confirm: 'h2' })).outcome).toBe('not-asked')
    await change({ mail: null })
    expect((await change({ confirm: 'h3' })).outcome).toBe('not-asked')
    const rows = (await auditOf(store, { account })).length
    expect((await change({ mail: null, webhook: null, at: null })).outcome).toBe('changed')
    expect(await auditOf(store, { account })).toHaveLength(rows)
    const unknown = { account: 'acct_none', change: { mail: null }, by: 'ada' } as const
    expect((await store.accounts.changeContacts(unknown)).outcome).toBe('unknown')
  })
}

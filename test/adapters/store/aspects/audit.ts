import { expect, it } from 'vitest'
import { windowOf } from '../../../../src/policy/decision.ts'
import { nanoUsd } from '../../../../src/policy/nano-usd.ts'
import type { Start } from '../contract.ts'
import { all, auditOf, mintOf, NOON, openGuest } from '../fixtures.ts'

const window = windowOf(NOON).start
const by = 'operator'

export function auditContract(start: Start): void {
  it('every change of a key leaves a row with the masks of before and after', async () => {
    const { store, clock } = await start()
    await store.keys.mint(mintOf('ada', 'a'))
    clock.at += 1
    const account = 'acct_a'
    const next = { hash: 'hash-b', prefix: 'svc_b…' }
    await store.keys.rotate({ account, current: 'hash-a', next, by: account })
    clock.at += 1

    await store.keys.revoke({ hash: 'hash-b', by: 'root' })

    expect(await auditOf(store)).toEqual([
      { at: NOON, by, action: 'mint', account, before: '', after: 'svc_a…' },
      { at: NOON + 1, by: account, action: 'rotate', account, before: 'svc_a…', after: 'svc_b…' },
      { at: NOON + 2, by: 'root', action: 'revoke', account, before: 'svc_b…', after: '' },
    ])
  })

  it('changes are read backwards too, of all accounts and of one', async () => {
    const { store, clock } = await start()
    for (const account of ['acct_a', 'acct_b']) await store.accounts.signIn({ account })
    for (let place = 0; place < 300; place++) {
      clock.at += 1
      const account = place % 3 === 0 ? 'acct_a' : 'acct_b'
      await store.accounts.changeTerms({ account, change: { frozen: place % 6 < 3 }, by })
    }

    for (const query of [{}, { account: 'acct_a' }]) {
      const rows = await auditOf(store, query)
      expect(rows.length).toBeGreaterThan(90)
      expect(await all(store.accounts.readAuditBack(query))).toEqual(rows.reverse())
    }
  })

  it('every change of terms leaves a row with what was before and after, amounts exact', async () => {
    const { store, clock } = await start()
    await store.accounts.signIn({ account: 'acct_a' })
    const changes = [
      { override: 'pro' },
      { override: null },
      { overage: true },
      { overage: { capNanoUsd: nanoUsd(5_000_000_000) } },
      { overage: false },
      { overage: null },
      { grant: nanoUsd(9_007_199_000_000_001), window },
      { grant: nanoUsd(-9_007_198_999_999_000), window },
      { grant: nanoUsd(-9_000_000_000), window },
      { frozen: true },
      { frozen: false },
      { limit: { measure: 'usd', most: 500_000_000_000, per: 'month' } },
      { limit: { measure: 'usd', most: 12_500_000_000, per: 'month' } },
      { limit: { measure: 'concurrent', most: 3, of: 'key', model: 'svc-core' } },
      { withoutLimit: { measure: 'usd', per: 'month' } },
    ] as const
    for (const change of changes) {
      clock.at += 1
      await store.accounts.changeTerms({ account: 'acct_a', change, by })
    }

    expect((await auditOf(store)).map(({ action, before, after }) => [action, before, after])).toEqual([
      ['set-plan', '', 'pro'],
      ['set-plan', 'pro', ''],
      ['set-overage', '', 'on'],
      ['set-overage', 'on', '5 USD'],
      ['set-overage', '5 USD', 'off'],
      ['set-overage', 'off', ''],
      ['grant', '', '9007199.000000001 USD'],
      ['grant', '9007199.000000001 USD', '0.000001001 USD'],
      ['grant', '0.000001001 USD', ''],
      ['freeze', '', 'frozen'],
      ['thaw', 'frozen', ''],
      ['set-limit', '', 'usd 500 per month'],
      ['set-limit', 'usd 500 per month', 'usd 12.5 per month'],
      ['set-limit', '', 'concurrent 3 of key for svc-core'],
      ['unset-limit', 'usd 12.5 per month', ''],
    ])
  })

  it('what is decided as it was leaves no row', async () => {
    const { store } = await start()
    await store.accounts.signIn({ account: 'acct_a' })
    const limit = { measure: 'usd', most: 5, per: 'day' } as const
    const changes = [
      { override: 'pro' },
      { overage: { capNanoUsd: nanoUsd(5) } },
      { org: 'acme' },
      { frozen: true },
      { limit },
      { grant: nanoUsd(0), window },
    ]
    for (const change of [...changes, ...changes, { withoutLimit: { measure: 'usd', per: 'hour' } as const }])
      await store.accounts.changeTerms({ account: 'acct_a', change, by })
    await store.orgs.open('acme')
    for (const frozen of [false, true, true]) await store.orgs.changeTerms({ org: 'acme', change: { frozen }, by })

    const rows = await auditOf(store)

    const actions = ['set-plan', 'set-overage', 'set-org', 'freeze', 'set-limit', 'freeze']
    expect(rows.map(({ action }) => action)).toEqual(expect.arrayContaining(actions))
    expect(rows).toHaveLength(actions.length)
  })

  it('a mint that moves an account to another plan leaves a row of that too, and one that does not leaves none', async () => {
    const { store, clock } = await start()
    for (const [key, plan] of [
      ['a', 'pro'],
      ['b', 'pro'],
      ['c', 'free'],
    ] as const) {
      clock.at += 1
      await store.keys.mint(mintOf('ada', key, plan))
      clock.at += 1
      await store.keys.revoke({ hash: `hash-${key}`, by })
    }

    const rows = await auditOf(store)

    const actions = ['mint', 'revoke', 'mint', 'revoke', 'mint', 'revoke', 'set-plan']
    expect(rows.map(({ action }) => action).sort()).toEqual(actions.sort())
    expect(rows.find(({ action }) => action === 'set-plan')).toMatchObject({ by, before: 'pro', after: 'free' })
  })

  it('a key that an operator mints for a device leaves a row, and the next mint for it none', async () => {
    const { store } = await start()
    const guest = { account: 'dev_phone', key: { hash: 'hash-g', prefix: 'svc_g…' }, by }

    await store.keys.mintGuest(guest)
    await store.keys.mintGuest(guest)

    expect(await auditOf(store)).toMatchObject([{ by, action: 'mint', account: 'dev_phone', after: 'svc_g…' }])
  })

  it('what changed nothing, and a device that asks for its key, leave no row', async () => {
    const { store } = await start()
    const phone = await openGuest(store)
    await store.keys.mint(mintOf('ada', 'a'))
    const before = await auditOf(store)

    await store.keys.mint(mintOf('ada', 'b', 'free'))
    await store.keys.revoke({ hash: 'hash-nobody', by })
    await store.keys.revoke({ hash: 'hash-a', account: phone.account, by })
    await store.keys.rotate({ account: phone.account, current: 'hash-a', next: { hash: 'x', prefix: 'x' }, by })
    await store.accounts.changeTerms({ account: 'acct_nobody', change: { override: 'pro' }, by })

    expect(before).toHaveLength(1)
    expect(await auditOf(store)).toEqual(before)
  })

  it('a change of the gateway itself leaves a row without an account, which no account is shown', async () => {
    const { store, clock, reopen } = await start()
    await store.accounts.noteChange({ by: 'operator ada@laptop', action: 'apply', before: '1 (aaa)', after: '2 (bbb)' })
    clock.at += 1
    await store.accounts.signIn({ account: 'acct_a' })
    await store.accounts.changeTerms({ account: 'acct_a', change: { override: 'pro' }, by })
    clock.at += 1
    await store.accounts.noteChange({ by, action: 'drain', before: '', after: 'onprem' })

    const reopened = await reopen()

    expect(await auditOf(reopened)).toEqual([
      { at: NOON, by: 'operator ada@laptop', action: 'apply', account: '', before: '1 (aaa)', after: '2 (bbb)' },
      { at: NOON + 1, by, action: 'set-plan', account: 'acct_a', before: '', after: 'pro' },
      { at: NOON + 2, by, action: 'drain', account: '', before: '', after: 'onprem' },
    ])
    expect(await auditOf(reopened, { account: 'acct_a' })).toMatchObject([{ action: 'set-plan' }])
  })

  it('is read oldest first, of one account or from a moment on, also after a restart', async () => {
    const { store, clock, reopen } = await start()
    const accounts = Array.from({ length: 300 }, (_, index) => `acct_${index % 3}`)
    for (const account of accounts.slice(0, 3)) await store.accounts.signIn({ account })
    for (const [index, account] of accounts.entries()) {
      clock.at = NOON + index
      await store.accounts.changeTerms({ account, change: { grant: nanoUsd(1), window }, by })
    }

    const reopened = await reopen()

    expect((await auditOf(reopened)).map(({ at }) => at)).toEqual(accounts.map((_, index) => NOON + index))
    const rows = await auditOf(reopened, { account: 'acct_1', since: NOON + 290 })
    expect(rows.map(({ at, account }) => [at, account])).toEqual([
      [NOON + 292, 'acct_1'],
      [NOON + 295, 'acct_1'],
      [NOON + 298, 'acct_1'],
    ])
  })
}

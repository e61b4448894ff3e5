import { describe, expect, it } from 'vitest'
import type { TermsChange } from '../../../../src/gateway/store/account-store.ts'
import type { Store } from '../../../../src/gateway/store/store.ts'
import type { EpochMs } from '../../../../src/policy/config.ts'
import { windowOf } from '../../../../src/policy/decision.ts'
import type { Terms } from '../../../../src/policy/facts.ts'
import { type NanoUsd, nanoUsd } from '../../../../src/policy/nano-usd.ts'
import type { Start } from '../contract.ts'
import { admission, claimsOf, NOON, openShop, outcomeOf } from '../fixtures.ts'

const USD: NanoUsd = nanoUsd(1_000_000_000)
const WINDOW = windowOf(NOON).start
const LAST_WINDOW = windowOf(WINDOW - 1).start

const CHANGES: readonly [string, TermsChange['change'], Terms][] = [
  ['a plan', { override: 'free' }, { override: 'free', claimed: 'team' }],
  ['no plan', { override: null }, { claimed: 'team' }],
  ['overage', { overage: true }, { override: 'pro', claimed: 'team', overage: true }],
  ['no overage', { overage: false }, { override: 'pro', claimed: 'team', overage: false }],
  [
    'a cap',
    { overage: { capNanoUsd: nanoUsd(5 * USD) } },
    { override: 'pro', claimed: 'team', overage: { capNanoUsd: nanoUsd(5 * USD) } },
  ],
  ['a grant', { grant: USD, window: WINDOW }, { override: 'pro', claimed: 'team', grants: { [WINDOW]: USD } }],
  [
    'a limit',
    { limit: { measure: 'usd', most: 5, per: 'day', of: 'key' } },
    { override: 'pro', claimed: 'team', limits: [{ measure: 'usd', most: 5, per: 'day', of: 'key' }] },
  ],
  ['an org', { org: 'acme' }, { override: 'pro', claimed: 'team', org: 'acme' }],
  ['a freeze', { frozen: true }, { override: 'pro', claimed: 'team', frozen: true }],
]

async function changeOf(
  store: Store,
  account: string,
  ...changes: TermsChange['change'][]
): Promise<Terms | undefined> {
  for (const change of changes) await store.accounts.changeTerms({ account, change, by: 'operator' })
  return (await store.accounts.find(account))?.terms
}

export function termsContract(start: Start): void {
  /** An account that has a plan by an operator and claims another. */
  async function openClaimed() {
    const started = await start()
    const { keyHash, account } = await openShop(started.store, 'ada', 'pro')
    const { terms } = await started.store.accounts.signIn({ account, claimed: 'team' })
    return { ...started, shop: { keyHash, account, terms } }
  }

  it.each(CHANGES)('%s holds from the next request on: claims of before are stale', async (_what, change, terms) => {
    const { store, shop } = await openClaimed()
    const { account, keyHash } = shop

    const changed = await store.accounts.changeTerms({ account, change, by: 'operator' })

    expect(changed).toEqual({ account, kind: 'developer', label: 'ada', terms, createdAt: NOON })
    expect(await store.keys.findCaller(keyHash)).toMatchObject({ account, terms })
    expect(await store.holds.admit(admission(shop, 'req_1'))).toEqual({ outcome: 'stale', terms, at: NOON })
    expect(await store.holds.admit(admission({ ...shop, terms }, 'req_1'))).toMatchObject({ outcome: 'admitted' })
  })

  it.each(CHANGES)('%s beside requests: those asked after its answer are all stale', async (_what, change, terms) => {
    const { store, shop } = await openClaimed()
    const ask = (id: number) => store.holds.admit(admission(shop, `req_${id}`))

    const before = Array.from({ length: 10 }, (_, index) => ask(index))
    const later = store.accounts
      .changeTerms({ account: shop.account, change, by: 'operator' })
      .then(() => Promise.all([100, 101, 102].map(ask)))

    for (const answer of await Promise.all(before)) expect(['admitted', 'stale']).toContain(outcomeOf(answer))
    const stale = { outcome: 'stale', terms, at: NOON }
    expect(await later).toEqual([stale, stale, stale])
  })

  it('another claim of the next token makes claims of before stale, and the same one does not', async () => {
    const { store, shop } = await openClaimed()
    const { account } = shop
    const ask = (id: string) => store.holds.admit({ requestId: id, account, terms: shop.terms, claims: claimsOf() })

    await store.accounts.signIn({ account, claimed: 'team' })
    expect(await ask('req_1')).toMatchObject({ outcome: 'admitted' })
    const { terms } = await store.accounts.signIn({ account, claimed: 'max' })
    expect(await ask('req_2')).toEqual({ outcome: 'stale', terms, at: NOON })
  })

  it('terms are the same in whatever order they come', async () => {
    const { store, shop } = await openClaimed()
    const { account } = shop
    const later = windowOf(windowOf(NOON).end).start
    await changeOf(
      store,
      account,
      { grant: nanoUsd(1), window: later },
      { grant: nanoUsd(2), window: WINDOW },
      { overage: { capNanoUsd: nanoUsd(3) } },
    )
    const terms: Terms = {
      grants: { [WINDOW]: nanoUsd(2), [later]: nanoUsd(1) },
      overage: { capNanoUsd: nanoUsd(3) },
      claimed: 'team',
      override: 'pro',
    }

    expect(await store.holds.admit(admission({ ...shop, terms }, 'req_1'))).toMatchObject({ outcome: 'admitted' })
  })

  it('what an operator takes back is as if it had never been said', async () => {
    const { store, shop } = await openClaimed()

    const taken: TermsChange['change'][] = [{ overage: null }, { override: null }, { frozen: false }]
    const terms = await changeOf(store, shop.account, { overage: true }, { frozen: true }, ...taken)

    expect(terms).toEqual({ claimed: 'team' })
    expect(await changeOf(store, shop.account, { overage: null }, { override: null })).toEqual({ claimed: 'team' })
  })

  it('a limit stands in the place of the one that counts the same, and beside others', async () => {
    const { store, reopen } = await start()
    const { account } = await openShop(store)
    const [usd, tokens] = [{ measure: 'usd', per: 'month' } as const, { measure: 'tokens', per: '30d' } as const]

    const both = await changeOf(
      store,
      account,
      { limit: { ...usd, most: 1 } },
      { limit: { ...tokens, most: 7 } },
      { limit: { ...usd, most: 2 } },
    )
    const own = [
      { ...tokens, most: 7 },
      { ...usd, most: 2 },
    ]
    expect(both?.limits).toEqual(own)
    expect((await (await reopen()).accounts.find(account))?.terms.limits).toEqual(own)
  })

  it('a limit that is taken back leaves the others, and the last one leaves nothing', async () => {
    const { store } = await start()
    const { account } = await openShop(store)
    const [usd, tokens] = [{ measure: 'usd', per: 'month' } as const, { measure: 'tokens', per: '30d' } as const]
    await changeOf(store, account, { limit: { ...usd, most: 1 } }, { limit: { ...tokens, most: 7 } })

    expect((await changeOf(store, account, { withoutLimit: usd }))?.limits).toEqual([{ ...tokens, most: 7 }])
    expect(await changeOf(store, account, { withoutLimit: tokens })).toEqual({ override: 'pro' })
  })

  describe('grants', () => {
    const grant = (grant: NanoUsd, window: EpochMs = WINDOW) => ({ grant, window })

    it('add up by window, also when given at once', async () => {
      const { store } = await start()
      const { account } = await openShop(store)

      const changes = [
        grant(nanoUsd(1)),
        grant(nanoUsd(2)),
        grant(nanoUsd(3), LAST_WINDOW),
        grant(nanoUsd(4)),
        grant(nanoUsd(5)),
      ]
      await Promise.all(changes.map(change => store.accounts.changeTerms({ account, change, by: 'operator' })))

      expect((await store.accounts.find(account))?.terms.grants).toEqual({ [LAST_WINDOW]: 3, [WINDOW]: 12 })
    })

    it('are never below 0 in sum, and a sum of 0 is no grant', async () => {
      const { store } = await start()
      const { account } = await openShop(store)

      expect(await changeOf(store, account, grant(nanoUsd(5)), grant(nanoUsd(-2)))).toMatchObject({
        grants: { [WINDOW]: 3 },
      })
      expect(await changeOf(store, account, grant(nanoUsd(-9)))).toEqual({ override: 'pro' })
      expect(await changeOf(store, account, grant(nanoUsd(4)))).toMatchObject({ grants: { [WINDOW]: 4 } })
    })

    it('of the eight newest windows are kept', async () => {
      const { store } = await start()
      const { account } = await openShop(store)
      const windows = Array.from({ length: 9 }, (_, month) => Date.UTC(2025, month))

      const terms = await changeOf(store, account, ...windows.map(window => grant(nanoUsd(1), window)))

      expect(terms?.grants).toEqual(Object.fromEntries(windows.slice(1).map(window => [window, 1])))
    })
  })

  it('an account that nobody opened has no terms to change', async () => {
    const { store } = await start()

    expect(
      await store.accounts.changeTerms({ account: 'acct_nobody', change: { override: 'pro' }, by: 'operator' }),
    ).toBe(undefined)
    expect(await store.accounts.find('acct_nobody')).toBeUndefined()
  })

  it('terms survive a restart', async () => {
    const { store, shop, reopen } = await openClaimed()
    const terms = await changeOf(
      store,
      shop.account,
      { overage: { capNanoUsd: USD } },
      { grant: nanoUsd(7), window: WINDOW },
    )

    const reopened = await reopen()

    expect(await reopened.keys.findCaller(shop.keyHash)).toMatchObject({ terms })
    expect(terms).toEqual({ override: 'pro', claimed: 'team', overage: { capNanoUsd: USD }, grants: { [WINDOW]: 7 } })
  })
}

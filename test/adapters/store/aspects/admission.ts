import { expect, it } from 'vitest'
import type { Admission } from '../../../../src/gateway/store/hold-store.ts'
import { NO_COUNTERS, take } from '../../../../src/policy/counters/account-counters.ts'
import { judge } from '../../../../src/policy/counters/judge.ts'
import { type Refuse, windowOf } from '../../../../src/policy/decision.ts'
import { COUNT_RULES, limitsOf } from '../../../../src/policy/limits/named-rules.ts'
import { claimsOfRules } from '../../../../src/policy/limits/rule-claim.ts'
import { nanoUsd } from '../../../../src/policy/nano-usd.ts'
import type { Start } from '../contract.ts'
import {
  admission,
  admit,
  claimsOf,
  LAPSED,
  mintKey,
  mintOf,
  NOON,
  openShop,
  outcomes,
  settlement,
} from '../fixtures.ts'

const ids = (count: number) => Array.from({ length: count }, (_, index) => `req_${String(index).padStart(4, '0')}`)

export function admissionContract(start: Start): void {
  it('an admission holds the largest output that was granted, and says what was used before', async () => {
    const { store } = await start()
    const shop = await openShop(store)

    const first = await store.holds.admit(admission(shop, 'req_1'))
    const second = await store.holds.admit(admission(shop, 'req_2'))

    expect(first).toEqual({
      outcome: 'admitted',
      hold: {
        requestId: 'req_1',
        account: shop.account,
        output: 20,
        tokens: 30,
        cost: 50,
        second: NOON / 1000,
        window: windowOf(NOON).start,
        at: NOON,
        round: 0,
        spent: { tokens: 0, cost: 0 },
      },
      readings: { requests: 0, tokens: 0, day: 0, concurrent: 0, used: 0, held: 0 },
    })
    expect(second).toMatchObject({ readings: { requests: 1, tokens: 30, day: 1, concurrent: 1, used: 0, held: 50 } })
  })

  it.each([
    ['requests', claimsOf({ rpm: 10 })],
    ['tokens', claimsOf({ tpm: 300 })],
    ['daily', claimsOf({ perDay: 10 })],
    ['concurrency', claimsOf({ maxConcurrent: 10 })],
    ['spend', claimsOf({ limit: nanoUsd(500) })],
  ])('concurrent admissions never pass the %s limit', async (_limit, claims) => {
    const { store } = await start()
    const shop = await openShop(store)

    const answers = await Promise.all(ids(50).map(id => store.holds.admit(admission(shop, id, claims))))

    expect(outcomes(answers)).toEqual({ admitted: 10, refused: 40 })
  })

  it.each(COUNT_RULES.map(({ name }) => name))(
    '%s refuses at once as the policy does, and counts in the same way',
    async name => {
      const { store } = await start()
      const shop = await openShop(store)
      const claims = { ...claimsOf(), limits: limitsOf({ rpm: 1e6, tpm: 1e9, [name]: 0 }) }
      const wide = { ...claimsOf(), limits: limitsOf({ rpm: 1e6, tpm: 1e9, [name]: 1e6 }) }
      const hold = await admit(store, shop, 'req_1', wide)
      const counters = take(NO_COUNTERS, hold)

      const answer = await store.holds.admit(admission(shop, 'req_2', claims))

      const { denial, readings } = judge(counters, claims, NOON) as Refuse
      expect(answer).toMatchObject({ denial, readings })
      expect(await store.accounts.readUsage(shop.account)).toMatchObject(readings)
    },
  )

  it('limits are the account’s own', async () => {
    const { store } = await start()
    const [ada, bob] = [await openShop(store, 'ada'), await openShop(store, 'bob')]
    await admit(store, ada, 'req_1', claimsOf({ rpm: 1 }))

    expect(await store.holds.admit(admission(bob, 'req_2', claimsOf({ rpm: 1 })))).toMatchObject({
      outcome: 'admitted',
    })
    expect(await store.holds.admit(admission(ada, 'req_3', claimsOf({ rpm: 1 })))).toHaveProperty('denial')
  })

  it('a new key does not reset the counters', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    await admit(store, shop, 'req_1', claimsOf({ rpm: 1 }))
    await store.keys.revoke({ hash: shop.keyHash, by: 'operator' })
    const key = await mintKey(store, mintOf('shop', 'next'))

    const answer = await store.holds.admit(admission({ ...shop, keyHash: key.hash }, 'req_2', claimsOf({ rpm: 1 })))

    expect(answer).toMatchObject({ denial: { type: 'requests' } })
  })

  it('a refused admission takes nothing', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    await admit(store, shop, 'req_1', claimsOf({ tpm: 50 }))

    for (const id of ids(5)) await store.holds.admit(admission(shop, id, claimsOf({ tpm: 50 })))

    expect(await store.holds.admit(admission(shop, 'req_2'))).toMatchObject({
      readings: { requests: 1, tokens: 30, day: 1, concurrent: 1, used: 0, held: 50 },
    })
  })

  it('a trial is answered as the admission behind it, and takes nothing', async () => {
    const { store, clock } = await start()
    const [shop, other] = [await openShop(store), await openShop(store, 'other')]
    const rules = claimsOfRules(
      [{ measure: 'requests', most: 1, per: 'hour' }],
      { terms: shop.terms },
      { plan: 'pro', model: { name: 'svc-core', tier: 'basic' } },
    )
    const asked: readonly Admission[] = [
      admission(shop, 'req_1'),
      admission(shop, 'req_2', claimsOf({ min: 0, want: 50, tpm: 100 })),
      admission(shop, 'req_3', claimsOf({ rpm: 2 })),
      admission(shop, 'req_4', claimsOf({ limit: 120 })),
      admission(shop, 'req_5', claimsOf({ limit: 20 })),
      admission(shop, 'req_6', claimsOf({ maxConcurrent: 2 })),
      { ...admission(shop, 'req_7', claimsOf()), shared: { limit: nanoUsd(70) } },
      { ...admission(other, 'req_8', claimsOf()), shared: { limit: nanoUsd(70) } },
      admission({ ...shop, keyHash: 'hash-of-nobody' }, 'req_9'),
      admission({ ...shop, terms: { override: 'free' } }, 'req_10'),
      admission(shop, 'req_11', { ...claimsOf(), rules }),
      admission(shop, 'req_12', { ...claimsOf(), rules }),
    ]
    for (const each of asked) {
      const before = await store.accounts.readUsage(each.account)
      const tried = [1, 2].map(() => store.holds.admit({ ...each, isTrial: true }))
      const [first, again] = await Promise.all(tried)
      expect(await store.accounts.readUsage(each.account)).toEqual(before)

      expect([first, again]).toEqual(Array(2).fill(await store.holds.admit(each)))
      clock.at += 1000
    }
  })

  it('a retry after the wait is admitted, and one a millisecond earlier is not', async () => {
    const { store, clock } = await start(NOON + 250)
    const shop = await openShop(store)
    await admit(store, shop, 'req_1', claimsOf({ rpm: 1 }))
    const refused = await store.holds.admit(admission(shop, 'req_2', claimsOf({ rpm: 1 })))
    expect(refused).toMatchObject({ denial: { type: 'requests', retryAfterMs: 60_750 } })

    clock.at += 60_749
    expect(await store.holds.admit(admission(shop, 'req_3', claimsOf({ rpm: 1 })))).toMatchObject({})
    clock.at += 1
    expect(await store.holds.admit(admission(shop, 'req_4', claimsOf({ rpm: 1 })))).toMatchObject({
      outcome: 'admitted',
    })
  })

  it('a repeated request id takes nothing twice', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    const first = await store.holds.admit(admission(shop, 'req_1', claimsOf({ rpm: 1 })))

    clock.at += 2000
    const repeated = await Promise.all(
      [1, 2, 3].map(() => store.holds.admit(admission(shop, 'req_1', claimsOf({ rpm: 1 })))),
    )

    expect(repeated).toEqual([first, first, first])
    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 0, held: 50 })
  })

  it('a repetition that was decided anew in the next window keeps its place in the first', async () => {
    const end = windowOf(NOON).end
    const { store, clock } = await start(end - 1)
    const shop = await openShop(store)
    const first = await store.holds.admit(admission(shop, 'req_1', claimsOf({ at: end - 1 })))

    clock.at = end
    const repeated = await store.holds.admit(admission(shop, 'req_1', claimsOf({ at: end })))

    expect(repeated).toEqual(first)
  })

  it('a request id repeated after its settlement holds nothing', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    const first = await store.holds.admit(admission(shop, 'req_1'))
    if ('hold' in first) await store.holds.settle(settlement(first.hold))

    expect(await store.holds.admit(admission(shop, 'req_1'))).toEqual(first)
    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 50, held: 0 })
  })

  it.each([
    ['has ended', windowOf(NOON).end],
    ['has not begun', windowOf(NOON).start - 1],
  ])('claims in a window that %s are stale', async (_what, at) => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    clock.at = at

    expect(await store.holds.admit(admission(shop, 'req_1'))).toEqual({ outcome: 'stale', terms: shop.terms, at })
  })

  it('a request id repeated after its hold was swept up holds nothing', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    await store.holds.admit(admission(shop, 'req_1'))
    clock.at += LAPSED
    await store.holds.sweep()

    await store.holds.admit(admission(shop, 'req_1'))

    expect(await store.holds.admit(admission(shop, 'req_2'))).toMatchObject({
      readings: { requests: 1, concurrent: 0, used: 0, held: 0 },
    })
  })

  it('the minute and the day survive a restart', async () => {
    const { store, clock, reopen } = await start()
    const shop = await openShop(store)
    await store.holds.settle(settlement(await admit(store, shop, 'req_1')))

    const reopened = await reopen()
    const answer = await reopened.holds.admit(admission(shop, 'req_2'))

    expect(answer).toMatchObject({ readings: { requests: 1, tokens: 30, day: 1, concurrent: 0, used: 50, held: 0 } })
    clock.at += 61_000
    expect(await reopened.holds.admit(admission(shop, 'req_3'))).toMatchObject({
      readings: { requests: 0, tokens: 0, day: 2 },
    })
  })
}

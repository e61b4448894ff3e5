import { expect, it } from 'vitest'
import { windowOf } from '../../../src/policy/window.ts'
import type { Start } from '../contract.ts'
import { admission, admit, claimsOf, NOON, openShop, settlement } from '../fixtures.ts'

export function readingsContract(start: Start): void {
  it('a standing says what an account holds and used, and what counts of its minute', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store, 'ada')
    const first = await admit(store, shop, 'req_1')
    clock.at += 30_000
    await admit(store, shop, 'req_2')

    expect(await store.readStanding(shop.account)).toEqual({
      record: await store.findAccount(shop.account),
      used: 0,
      held: 100,
      window: windowOf(NOON),
      requests: 2,
      tokens: 60,
      open: 2,
      at: NOON + 30_000,
    })

    await store.settle(settlement(first, { tokens: 12, cost: 14 }))
    expect(await store.readStanding(shop.account)).toMatchObject({
      used: 14,
      held: 50,
      requests: 2,
      tokens: 42,
      open: 1,
    })

    clock.at += 31_000
    expect(await store.readStanding(shop.account)).toMatchObject({ requests: 1, tokens: 30, held: 50 })
    clock.at += 30_000
    expect(await store.readStanding(shop.account)).toMatchObject({ requests: 0, tokens: 0, held: 50 })
  })

  it('a second that the clock came by twice may hold less than no tokens, and hides no other', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    const first = await admit(store, shop, 'req_1')
    clock.at += 130_000
    await admit(store, shop, 'req_2')
    // Further back than a minute is frozen for: it begins anew.
    clock.at -= 130_000
    const again = await admit(store, shop, 'req_3')
    await store.refund(first)
    await store.settle(settlement(again, { tokens: 12, cost: 14 }))
    clock.at += 1000
    await admit(store, shop, 'req_4')

    expect(await store.readStanding(shop.account)).toMatchObject({ requests: 2, tokens: 12 })
    const refused = await store.admit(admission(shop, 'req_5', { ...claimsOf(), requests: { limit: 2 } }))
    const second = NOON / 1000
    expect(refused).toMatchObject({
      outcome: 'refused',
      judged: {
        minute: [
          [second, 1, -18],
          [second + 1, 1, 30],
        ],
      },
    })
  })

  it('an account that nothing was asked of stands at nothing, and one that is not there nowhere', async () => {
    const { store } = await start()
    const shop = await openShop(store)

    expect(await store.readStanding(shop.account)).toMatchObject({ used: 0, held: 0, requests: 0, tokens: 0, open: 0 })
    expect(await store.readStanding('acct_nobody')).toBeUndefined()
  })
}

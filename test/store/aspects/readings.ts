import { expect, it } from 'vitest'
import { windowOf } from '../../../src/policy/window.ts'
import type { Start } from '../contract.ts'
import { admit, NOON, openShop, settlement } from '../fixtures.ts'

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

  it('an account that nothing was asked of stands at nothing, and one that is not there nowhere', async () => {
    const { store } = await start()
    const shop = await openShop(store)

    expect(await store.readStanding(shop.account)).toMatchObject({ used: 0, held: 0, requests: 0, tokens: 0, open: 0 })
    expect(await store.readStanding('acct_nobody')).toBeUndefined()
  })
}

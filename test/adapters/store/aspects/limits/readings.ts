import { expect, it } from 'vitest'
import { windowOf } from '../../../../../src/policy/decision.ts'
import { nanoUsd } from '../../../../../src/policy/nano-usd.ts'
import type { Start } from '../../contract.ts'
import { admission, admit, admitted, claimsOf, NOON, openShop, settlement } from '../../fixtures.ts'

export function readingsContract(start: Start): void {
  it('a standing says what an account holds and used, and what counts of its minute', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store, 'ada')
    const first = await admit(store, shop, 'req_1')
    clock.at += 30_000
    await admit(store, shop, 'req_2')

    expect(await store.accounts.readUsage(shop.account)).toEqual({
      record: await store.accounts.find(shop.account),
      used: 0,
      held: 100,
      window: windowOf(NOON),
      requests: 2,
      tokens: 60,
      day: 2,
      concurrent: 2,
      newest: (NOON + 30_000) / 1000,
      at: NOON + 30_000,
    })

    await store.holds.settle(settlement(first, { tokens: 12, cost: nanoUsd(14) }))
    expect(await store.accounts.readUsage(shop.account)).toMatchObject({
      used: 14,
      held: 50,
      requests: 2,
      tokens: 42,
      concurrent: 1,
    })

    clock.at += 31_000
    expect(await store.accounts.readUsage(shop.account)).toMatchObject({ requests: 1, tokens: 30, held: 50 })
    clock.at += 30_000
    expect(await store.accounts.readUsage(shop.account)).toMatchObject({ requests: 0, tokens: 0, held: 50 })
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
    await store.holds.refund(first)
    await store.holds.settle(settlement(again, { tokens: 12, cost: nanoUsd(14) }))
    clock.at += 1000
    await admit(store, shop, 'req_4')

    expect(await store.accounts.readUsage(shop.account)).toMatchObject({ requests: 2, tokens: 12 })
    const refused = await store.holds.admit(admission(shop, 'req_5', claimsOf({ rpm: 2 })))
    const second = NOON / 1000
    expect(refused).toMatchObject({
      judged: {
        minute: [
          [second, 1, -18],
          [second + 1, 1, 30],
        ],
      },
    })
  })

  it('seconds that the clock came by before it went far back are not found again', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    const admitAfter = async (ms: number, id: string) => {
      clock.at += ms
      return admit(store, shop, id)
    }
    await admitAfter(0, 'req_1')
    await admitAfter(1000, 'req_2')
    await admitAfter(-125_000, 'req_3')
    await admitAfter(60_000, 'req_4')
    await admitAfter(59_000, 'req_5')
    await admitAfter(5000, 'req_6')

    expect(clock.at).toBe(NOON)
    expect(await store.accounts.readUsage(shop.account)).toMatchObject({ requests: 2, tokens: 60 })
    await admitAfter(55_000, 'req_7')
    clock.at += 6000
    expect(await store.accounts.readUsage(shop.account)).toMatchObject({ requests: 1, tokens: 30 })
    const { readings } = await admitted(store, shop, 'req_8')
    expect(readings).toMatchObject({ requests: 1, tokens: 30 })
  })

  it('of requests in every second the sixty before each count, at what they came to', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    for (let second = 0; second < 130; second++) {
      const { readings, hold } = await admitted(store, shop, `req_${second}`)
      expect(readings).toMatchObject({ requests: Math.min(second, 60), tokens: 20 * Math.min(second, 60) })
      clock.at += 1000
      await store.holds.settle(settlement(hold, { tokens: 20, cost: nanoUsd(14) }))
    }
  })

  it('an account that nothing was asked of stands at nothing, and one that is not there nowhere', async () => {
    const { store } = await start()
    const shop = await openShop(store)

    expect(await store.accounts.readUsage(shop.account)).toMatchObject({
      used: 0,
      held: 0,
      requests: 0,
      tokens: 0,
      concurrent: 0,
    })
    expect(await store.accounts.readUsage('acct_nobody')).toBeUndefined()
  })
}

import { describe, expect, it } from 'vitest'
import type { Store } from '../../../../src/gateway/store/store.ts'
import type { EpochMs } from '../../../../src/policy/config.ts'
import type { Start } from '../contract.ts'
import { admission, auditOf, claimsOf, NOON, openGuest } from '../fixtures.ts'

const HOUR = 3_600_000
const guestMint = (key: string, account = 'dev_phone') => ({
  account,
  key: { hash: `hash-${key}`, prefix: `svc_${key}…` },
})

export function guestsContract(start: Start): void {
  it('the key of a device is made once, and found again as it was', async () => {
    const { store, clock, reopen } = await start()
    expect(await store.keys.findGuest('dev_phone')).toBeUndefined()

    const key = await store.keys.mintGuest(guestMint('g'))

    expect(key).toEqual({
      hash: 'hash-g',
      id: 'key_hash-g',
      keyPrefix: 'svc_g…',
      account: 'dev_phone',
      kind: 'guest',
      label: 'dev_phone',
      terms: {},
      status: 'active',
      createdAt: NOON,
    })
    clock.at += 1000
    expect(await store.keys.mintGuest(guestMint('g'))).toEqual(key)
    expect(await store.keys.findGuest('dev_phone')).toEqual(key)
    expect(await store.keys.findCaller('hash-g')).toEqual({
      kind: 'guest',
      account: 'dev_phone',
      keyPrefix: 'svc_g…',
      terms: {},
      key: { id: 'key_hash-g' },
    })
    expect(await (await reopen()).keys.findGuest('dev_phone')).toEqual(key)
  })

  it('of eight concurrent first mints for a device all get one key', async () => {
    const { store } = await start()

    const keys = await Promise.all(Array.from({ length: 8 }, () => store.keys.mintGuest(guestMint('g'))))

    expect(new Set(keys.map(key => JSON.stringify(key))).size).toBe(1)
    expect(await store.keys.list()).toEqual([keys[0]])
  })

  it('a key that was revoked stays so, however often its device asks', async () => {
    const { store, reopen } = await start()
    const key = await store.keys.mintGuest(guestMint('g'))

    await store.keys.revoke({ hash: 'hash-g', by: 'operator' })

    const revoked = { ...key, status: 'revoked' }
    expect(await store.keys.mintGuest(guestMint('g'))).toEqual(revoked)
    expect(await store.keys.findGuest('dev_phone')).toEqual(revoked)
    expect(await store.keys.findCaller('hash-g')).toBeUndefined()
    expect(await auditOf(store)).toMatchObject([{ action: 'revoke', account: 'dev_phone', before: 'svc_g…' }])
    expect(await (await reopen()).keys.mintGuest(guestMint('g'))).toEqual(revoked)
  })

  it('devices have counters of their own', async () => {
    const { store } = await start()
    const [phone, desk] = [await openGuest(store, 'phone'), await openGuest(store, 'desk')]
    const once = claimsOf({ perDay: 1 })

    expect(await store.holds.admit(admission(phone, 'req_1', once))).toMatchObject({ outcome: 'admitted' })
    expect(await store.holds.admit(admission(phone, 'req_2', once))).toHaveProperty('denial')
    expect(await store.holds.admit(admission(desk, 'req_3', once))).toMatchObject({ outcome: 'admitted' })
  })

  it('an account that is no device has no guest key', async () => {
    const { store } = await start()
    await store.accounts.signIn({ account: 'acct_ada' })

    expect(await store.keys.findGuest('acct_ada')).toBeUndefined()
  })

  describe('events', () => {
    const count = (store: Store, name: string, limit: number) => store.accounts.countEvent([{ name, limit }], HOUR)

    it('are counted up to the limit of every window, and no further', async () => {
      const { store, clock } = await start()
      const counted: EpochMs[] = []
      // Steps that share no factor with the window, for five windows.
      for (let turn = 0; turn < 300; turn++) {
        clock.at += ((turn * 7919) % 120_000) + 1
        if ((await count(store, 'ip', 10)) === 0) counted.push(clock.at)
      }

      const fullest = Math.max(...counted.map(at => counted.filter(one => one > at - HOUR && one <= at).length))
      expect(fullest).toBe(10)
    })

    it('at once never pass the limit', async () => {
      const { store } = await start()

      const waits = await Promise.all(Array.from({ length: 50 }, () => count(store, 'ip', 10)))

      expect(waits.filter(wait => wait === 0)).toHaveLength(10)
      expect(waits.filter(wait => wait === HOUR)).toHaveLength(40)
    })

    it('wait exactly until the oldest has left', async () => {
      const { store, clock } = await start()
      await count(store, 'ip', 2)
      clock.at += 1000
      await count(store, 'ip', 2)
      clock.at += 1000

      expect(await count(store, 'ip', 2)).toBe(HOUR - 2000)
      clock.at = NOON + HOUR - 1
      expect(await count(store, 'ip', 2)).toBe(1)
      clock.at += 1
      expect(await count(store, 'ip', 2)).toBe(0)
      expect(await count(store, 'ip', 2)).toBe(1000)
    })

    it('under two names count under both or under none', async () => {
      const { store } = await start()
      const both = (one: number, other: number) =>
        store.accounts.countEvent(
          [
            { name: 'ip', limit: one },
            { name: 'net', limit: other },
          ],
          HOUR,
        )
      await count(store, 'net', 1)

      expect(await both(5, 1)).toBe(HOUR)
      expect(await count(store, 'ip', 1)).toBe(0)
      expect(await both(1, 5)).toBe(HOUR)
      expect(await both(2, 2)).toBe(0)
      expect(await both(9, 2)).toBe(HOUR)
    })

    it('with a limit of 0 never find room', async () => {
      const { store } = await start()

      expect(await count(store, 'ip', 0)).toBe(HOUR)
    })
  })
}

import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { Secret } from '../../../src/config/settings.ts'
import { type GuestAsk, guestKey } from '../../../src/gateway/accounts/guests.ts'
import { hashOf, isWellFormed } from '../../../src/gateway/accounts/keys.ts'
import { newDirectory, openHere } from '../../adapters/store/directory.ts'

const [old, present] = [new Secret('an old root secret'), new Secret('the present root secret')]
const counts = [{ name: 'ip', limit: 3 }]
const ask = (over: Partial<GuestAsk> = {}): GuestAsk => ({
  brand: 'svc',
  secrets: [present],
  deviceId: 'device-1',
  counts,
  ...over,
})
const newStore = async () => openHere(await newDirectory())

describe('the key of a device', () => {
  it('is derived from the secret and the device alone, so that every gateway gives the same one', async () => {
    const [one, other] = [await newStore(), await newStore()]

    const key = await guestKey(one, ask())

    expect(key).toEqual({ outcome: 'key', value: expect.stringMatching(/^svc_[0-9A-Za-z]{42}$/) })
    expect(await guestKey(one, ask())).toEqual(key)
    expect(await guestKey(other, ask())).toEqual(key)
  })

  it('is the lowest 36 digits to the base of 62 of an HMAC, for as long as there are devices', async () => {
    const digest = createHmac('sha256', 'the present root secret').update('guest\0v1\0device-1').digest('hex')
    let rest = BigInt(`0x${digest}`)
    let digits = ''
    while (digits.length < 36) {
      digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'.charAt(Number(rest % 62n)) + digits
      rest /= 62n
    }

    const key = await guestKey(await newStore(), ask())

    const value = key.outcome === 'key' ? key.value : ''
    expect(value.slice(0, -6)).toBe(`svc_${digits}`)
    expect(isWellFormed('svc', value)).toBe(true)
  })

  it.each([
    ['another device', { deviceId: 'device-2' }],
    ['another secret', { secrets: [old] }],
    ['a device whose name begins the same', { deviceId: 'device-1 ' }],
  ])('is another one for %s', async (_name, over) => {
    expect(await guestKey(await newStore(), ask(over))).not.toEqual(await guestKey(await newStore(), ask()))
  })

  it('works, and tells nothing of the device to whoever reads the store', async () => {
    const store = await newStore()
    const key = await guestKey(store, ask())

    const caller = key.outcome === 'key' ? await store.keys.findCaller(hashOf(key.value)) : undefined

    expect(caller).toEqual({
      kind: 'guest',
      account: expect.stringMatching(/^dev_[0-9a-f]{40}$/),
      keyPrefix: expect.stringMatching(/^svc_.{4}…$/),
      terms: {},
      key: { id: expect.stringMatching(/^key_/) },
    })
    expect(JSON.stringify([caller, await store.keys.list()])).not.toContain('device-1')
  })

  it('stays when the secret changes; new devices get theirs of the new one', async () => {
    const store = await newStore()
    const before = await guestKey(store, ask({ secrets: [old] }))

    expect(await guestKey(store, ask({ secrets: [present, old] }))).toEqual(before)
    expect(await guestKey(store, ask({ secrets: [present, old], deviceId: 'device-2' }))).toEqual(
      await guestKey(await newStore(), ask({ deviceId: 'device-2' })),
    )
  })

  it('is a new one that works when the brand changes', async () => {
    const store = await newStore()
    await guestKey(store, ask())

    const key = await guestKey(store, ask({ brand: 'acme' }))

    expect(key).toEqual({ outcome: 'key', value: expect.stringMatching(/^acme_/) })
    expect(key.outcome === 'key' && (await store.keys.findCaller(hashOf(key.value)))).toMatchObject({ kind: 'guest' })
  })

  it('that was revoked is gone for good', async () => {
    const store = await newStore()
    const key = await guestKey(store, ask())
    if (key.outcome === 'key') await store.keys.revoke({ hash: hashOf(key.value), by: 'operator' })

    expect(await guestKey(store, ask())).toEqual({ outcome: 'ended' })
  })

  it('is one for eight first asks at once', async () => {
    const store = await newStore()

    const keys = await Promise.all(Array.from({ length: 8 }, () => guestKey(store, ask({ counts: [] }))))

    expect(new Set(keys.map(key => JSON.stringify(key))).size).toBe(1)
    expect(await store.keys.list()).toHaveLength(1)
  })
})

describe('new devices', () => {
  it('are counted, and those that have a key are not', async () => {
    const store = await newStore()
    const outcomes: string[] = []
    for (const deviceId of ['a', 'a', 'b', 'a', 'c', 'c', 'd', 'a'])
      outcomes.push(`${deviceId} ${(await guestKey(store, ask({ deviceId }))).outcome}`)

    expect(outcomes).toEqual(['a key', 'a key', 'b key', 'a key', 'c key', 'c key', 'd wait', 'a key'])
    expect(await guestKey(store, ask({ deviceId: 'd' }))).toEqual({ outcome: 'wait', retryAfterMs: 3_600_000 })
  })

  it('cannot come where there is no secret to make their keys of', async () => {
    await expect(guestKey(await newStore(), ask({ secrets: [] }))).rejects.toThrow(/no secret/)
  })
})

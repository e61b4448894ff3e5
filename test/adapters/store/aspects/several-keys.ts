import { describe, expect, it } from 'vitest'
import { KEYS_KEPT, type KeyRecord, type Mint } from '../../../../src/gateway/store/key-store.ts'
import type { Store } from '../../../../src/gateway/store/store.ts'
import type { LimitRule } from '../../../../src/policy/limits/rule.ts'
import type { Start } from '../contract.ts'
import { admission, auditOf, MOST_KEYS, mintKey, NOON, openShop, type Shop } from '../fixtures.ts'

const HOUR = 3_600_000
const by = 'operator'

/** A further key of a shop. */
const mintOf = ({ account }: Shop, name: string, more: Partial<Mint> = {}): Mint => ({
  key: { hash: `hash-${name}`, prefix: `svc_${name}…`, id: `key_${name}` },
  owner: { account },
  name,
  most: MOST_KEYS,
  by,
  ...more,
})

const rotationOf = ({ account }: Shop, current: string, next: string) => ({
  account,
  current,
  next: { hash: `hash-${next}`, prefix: `svc_${next}…`, id: `key_${next}` },
  by,
})

const hashesOf = async (store: Store, { account }: Shop, status?: KeyRecord['status']) =>
  (await store.keys.listOf(account)).filter(key => !status || key.status === status).map(({ hash }) => hash)

const callers = (store: Store, ...hashes: readonly string[]) =>
  Promise.all(hashes.map(async hash => (await store.keys.findCaller(hash))?.key?.id))

export function severalKeysContract(start: Start): void {
  it('a key has the name and the restrictions that it was minted with, whoever looks', async () => {
    const { store, reopen } = await start()
    const shop = await openShop(store)
    const limits: LimitRule[] = [{ measure: 'usd', most: 5_000_000_000, per: 'day', of: 'key' }]
    const narrowed = { models: ['svc-core', 'tier:basic'], addresses: ['10.0.0.0/8'], limits }

    const minted = await store.keys.mint(mintOf(shop, 'ci', { ...narrowed, life: HOUR }))

    const key = {
      ...{ hash: 'hash-ci', id: 'key_ci', name: 'ci', keyPrefix: 'svc_ci…', account: shop.account, kind: 'developer' },
      ...{ label: 'shop', terms: shop.terms, status: 'active', createdAt: NOON, expiresAt: NOON + HOUR, ...narrowed },
    }
    expect(minted).toEqual({ outcome: 'minted', key })
    for (const open of [async () => store, reopen]) {
      const each = await open()
      expect((await each.keys.listOf(shop.account))[0]).toEqual(key)
      expect(await each.keys.findCaller('hash-ci')).toEqual({
        ...{ kind: 'developer', account: shop.account, keyPrefix: 'svc_ci…', terms: shop.terms },
        ...{ key: { id: 'key_ci', name: 'ci', models: narrowed.models, limits }, addresses: narrowed.addresses },
      })
    }
  })

  it('all keys of an account work beside each other, and each admits its requests', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    for (const name of ['a', 'b', 'c']) await store.keys.mint(mintOf(shop, name))

    expect(await hashesOf(store, shop, 'active')).toEqual(['hash-c', 'hash-b', 'hash-a', shop.keyHash])
    for (const [index, keyHash] of (await hashesOf(store, shop)).entries())
      expect(await store.holds.admit(admission({ ...shop, keyHash }, `req_${index}`))).toHaveProperty('hold')
  })

  it('a second mint of a name shows the key there is and writes nothing, also of eight at once', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    const key = await mintKey(store, mintOf(shop, 'ci'))
    const before = [await store.keys.list(), await auditOf(store)]

    const again = { ...mintOf(shop, 'x', { life: HOUR }), name: 'ci' }
    expect(await store.keys.mint(again)).toEqual({ outcome: 'exists', key })
    expect([await store.keys.list(), await auditOf(store)]).toEqual(before)

    const names = Array.from('abcdefgh', each => ({ ...mintOf(shop, each), name: 'deploy' }))
    const minted = await Promise.all(names.map(mint => store.keys.mint(mint)))
    expect(minted.filter(({ outcome }) => outcome === 'minted')).toHaveLength(1)
    expect(await hashesOf(store, shop, 'active')).toHaveLength(3)
  })

  it('never more keys work than the account may have, however many mints come at once', async () => {
    const { store } = await start()
    const shop = await openShop(store)

    const mints = Array.from('abcdefgh', name => store.keys.mint(mintOf(shop, name, { most: 4 })))
    const minted = await Promise.all(mints)

    expect(minted.filter(({ outcome }) => outcome === 'minted')).toHaveLength(3)
    expect(minted.filter(({ outcome }) => outcome === 'full')).toHaveLength(5)
    expect(await hashesOf(store, shop)).toHaveLength(4)
    expect(await store.keys.list()).toHaveLength(4)
    const ids = await callers(store, ...Array.from('abcdefgh', name => `hash-${name}`))
    expect(ids.filter(id => id !== undefined)).toHaveLength(3)
  })

  it('a key that ended makes room for another one, and its name is free', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    await store.keys.mint(mintOf(shop, 'ci', { life: HOUR, most: 2 }))
    expect(await store.keys.mint(mintOf(shop, 'b', { most: 2 }))).toEqual({ outcome: 'full' })

    clock.at += HOUR
    const again = { ...mintOf(shop, 'b', { most: 2 }), name: 'ci' }
    expect(await store.keys.mint(again)).toMatchObject({ outcome: 'minted', key: { hash: 'hash-b', name: 'ci' } })
    await store.keys.revoke({ hash: 'hash-b', by })
    expect(await store.keys.mint(mintOf(shop, 'c', { most: 2 }))).toMatchObject({ outcome: 'minted' })
  })

  it('the first key is minted, rotated and revoked without the others, and they without it', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    await store.keys.mint(mintOf(shop, 'ci'))
    const first = { owner: { account: shop.account }, most: MOST_KEYS, by, key: { hash: 'hash-n', prefix: 'svc_n…' } }

    expect(await store.keys.mint(first)).toMatchObject({ outcome: 'exists', key: { hash: shop.keyHash } })
    await store.keys.rotate(rotationOf(shop, 'hash-ci', 'ci2'))
    expect(await store.keys.mint(first)).toMatchObject({ outcome: 'exists', key: { hash: shop.keyHash } })
    await store.keys.revoke({ hash: shop.keyHash, by })
    expect(await callers(store, shop.keyHash, 'hash-ci', 'hash-ci2')).toEqual([undefined, undefined, 'key_ci2'])
    expect(await store.keys.mint(first)).toMatchObject({ outcome: 'minted', key: { hash: 'hash-n' } })
    expect(await store.accounts.signIn({ account: shop.account })).toMatchObject({ keyPrefix: 'svc_n…' })
    await store.keys.revoke({ hash: 'hash-ci2', by })
    expect(await hashesOf(store, shop, 'active')).toEqual(['hash-n'])
  })

  it(`all keys that work are listed and kept, and the last ${KEYS_KEPT} that ended`, async () => {
    const { store } = await start()
    const shop = await openShop(store)
    const working = Array.from({ length: 5 }, (_, index) => `w${index}`)
    for (const name of working) await store.keys.mint(mintOf(shop, name))
    const ended = Array.from({ length: KEYS_KEPT + 4 }, (_, index) => `e${index}`)
    for (const name of ended) {
      await store.keys.mint(mintOf(shop, name))
      await store.keys.revoke({ hash: `hash-${name}`, by })
    }

    const hashes = [...working.toReversed().map(name => `hash-${name}`), shop.keyHash]
    const last = ended.toReversed().map(name => `hash-${name}`)
    expect(await hashesOf(store, shop)).toEqual([...hashes, ...last.slice(0, KEYS_KEPT)])
    expect(await store.keys.list()).toHaveLength(hashes.length + ended.length)
  })

  it('every change is in the audit, with the name of the key', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    const usd: LimitRule = { measure: 'usd', most: 5_000_000_000, per: 'day', of: 'key' }
    const narrowed = { models: ['svc-core'], addresses: ['10.0.0.0/8'], limits: [usd] }
    await store.keys.mint(mintOf(shop, 'ci', { ...narrowed, life: 90 * 24 * HOUR }))
    clock.at += 1
    await store.keys.rotate({ ...rotationOf(shop, 'hash-ci', 'b'), overlap: { grace: 24 * HOUR, most: 9 } })
    clock.at += 1
    await store.keys.revoke({ hash: 'hash-ci', by })

    expect((await auditOf(store)).slice(1)).toMatchObject([
      { action: 'mint', before: '', after: 'svc_ci… ci, for 90d, models svc-core, from 10.0.0.0/8, usd 5 per day' },
      { action: 'rotate', before: 'svc_ci… ci, for 1d more', after: 'svc_b… ci' },
      { action: 'revoke', before: 'svc_ci… ci', after: '' },
    ])
  })

  describe('a key with an end', () => {
    it('works until that very moment, for look-ups and for admissions', async () => {
      const { store, clock } = await start()
      const shop = await openShop(store)
      await store.keys.mint(mintOf(shop, 'ci', { life: HOUR }))
      const ask = (id: string) => store.holds.admit(admission({ ...shop, keyHash: 'hash-ci' }, id))

      clock.at = NOON + HOUR - 1
      expect(await callers(store, 'hash-ci')).toEqual(['key_ci'])
      expect(await ask('req_1')).toHaveProperty('hold')
      clock.at = NOON + HOUR
      expect(await callers(store, 'hash-ci')).toEqual([undefined])
      expect(await ask('req_2')).toEqual({ outcome: 'key-gone' })
      expect((await store.keys.listOf(shop.account)).map(({ hash, status }) => [hash, status])).toEqual([
        [shop.keyHash, 'active'],
        ['hash-ci', 'expired'],
      ])
      expect(await store.keys.revoke({ hash: 'hash-ci', by })).toBeUndefined()
      expect(await store.keys.rotate(rotationOf(shop, 'hash-ci', 'b'))).toBeUndefined()
    })

    it('that is the first of its account leaves room for another first one, and is no one’s any more', async () => {
      const { store, clock } = await start()
      await store.accounts.signIn({ account: 'acct_ada' })
      const mint = (hash: string, life?: number) =>
        store.keys.mint({
          ...{ key: { hash, prefix: `${hash}…` }, owner: { account: 'acct_ada' }, most: 1, by },
          ...(life !== undefined && { life }),
        })
      await mint('one', HOUR)
      expect(await store.accounts.signIn({ account: 'acct_ada' })).toMatchObject({ keyPrefix: 'one…' })

      clock.at += HOUR
      expect(await store.accounts.signIn({ account: 'acct_ada' })).toMatchObject({ keyPrefix: null })
      expect(await mint('two')).toMatchObject({ outcome: 'minted' })
      expect(await store.accounts.signIn({ account: 'acct_ada' })).toMatchObject({ keyPrefix: 'two…' })
    })
  })

  describe('a rotation', () => {
    it('takes over name, restrictions and end, unless it is given another one', async () => {
      const { store, clock } = await start()
      const shop = await openShop(store)
      const narrowed = { models: ['svc-core'], addresses: ['::1'] }
      await store.keys.mint(mintOf(shop, 'ci', { ...narrowed, life: HOUR }))
      clock.at += 1000

      const next = await store.keys.rotate(rotationOf(shop, 'hash-ci', 'b'))
      expect(next).toMatchObject({ id: 'key_b', name: 'ci', ...narrowed, expiresAt: NOON + HOUR, status: 'active' })
      expect(await callers(store, 'hash-ci', 'hash-b')).toEqual([undefined, 'key_b'])
      expect((await store.keys.listOf(shop.account)).at(-1)).toMatchObject({ status: 'rotated', replacedBy: 'key_b' })

      const longer = await store.keys.rotate({ ...rotationOf(shop, 'hash-b', 'c'), life: 2 * HOUR })
      expect(longer).toMatchObject({ name: 'ci', ...narrowed, expiresAt: clock.at + 2 * HOUR })
      expect([next, longer]).toMatchObject([{ origin: 'key_ci' }, { origin: 'key_ci' }])
      expect(await store.keys.findCaller('hash-c')).toMatchObject({ key: { id: 'key_c', origin: 'key_ci' } })
    })

    it('keeps the limits of the key, or has others in their place beside what else it narrows', async () => {
      const { store } = await start()
      const shop = await openShop(store)
      const [before, other] = [
        [{ measure: 'usd', most: 5, per: 'day' }],
        [{ measure: 'requests', most: 9, per: 'minute' }],
      ] as const
      await store.keys.mint(mintOf(shop, 'ci', { models: ['svc-core'], limits: before }))

      expect(await store.keys.rotate(rotationOf(shop, 'hash-ci', 'b'))).toMatchObject({ limits: before })
      const changed = await store.keys.rotate({ ...rotationOf(shop, 'hash-b', 'c'), limits: other })
      expect(changed).toMatchObject({ models: ['svc-core'], limits: other })
      expect((await store.keys.findCaller('hash-c'))?.key).toMatchObject({ models: ['svc-core'], limits: other })
      const freed = await store.keys.rotate({ ...rotationOf(shop, 'hash-c', 'd'), limits: [] })
      expect([freed, (await store.keys.findCaller('hash-d'))?.key]).toMatchObject([
        { models: ['svc-core'] },
        { models: ['svc-core'] },
      ])
      expect(freed).not.toHaveProperty('limits')
      expect((await auditOf(store)).slice(-2).map(({ after }) => after)).toEqual([
        'svc_c… ci, requests 9 per minute',
        'svc_d… ci, no limits',
      ])
    })

    it('with a grace leaves both keys at work until it is over', async () => {
      const { store, clock, reopen } = await start()
      const shop = await openShop(store)
      const ask = (store: Store, keyHash: string, id: string) => store.holds.admit(admission({ ...shop, keyHash }, id))

      const rotation = { ...rotationOf(shop, shop.keyHash, 'b'), overlap: { grace: HOUR, most: 2 } }
      expect(await store.keys.rotate(rotation)).toMatchObject({ hash: 'hash-b', status: 'active' })
      const [next, old] = await store.keys.listOf(shop.account)
      expect([next?.hash, old]).toMatchObject([
        'hash-b',
        { status: 'active', expiresAt: NOON + HOUR, replacedBy: 'key_b' },
      ])
      // It is the first key from here on.
      expect(await store.accounts.signIn({ account: shop.account })).toMatchObject({ keyPrefix: 'svc_b…' })
      expect(await store.keys.rotate(rotationOf(shop, shop.keyHash, 'c'))).toBeUndefined()

      const reopened = await reopen()
      clock.at = NOON + HOUR - 1
      expect(await ask(reopened, shop.keyHash, 'req_1')).toHaveProperty('hold')
      clock.at = NOON + HOUR
      expect(await ask(reopened, shop.keyHash, 'req_2')).toEqual({ outcome: 'key-gone' })
      expect(await ask(reopened, 'hash-b', 'req_3')).toHaveProperty('hold')
      expect((await reopened.keys.listOf(shop.account))[1]).toMatchObject({ hash: shop.keyHash, status: 'rotated' })
    })

    it('can be ended within its grace, at once and without the key in its place', async () => {
      const { store } = await start()
      const shop = await openShop(store)
      await store.keys.rotate({ ...rotationOf(shop, shop.keyHash, 'b'), overlap: { grace: HOUR, most: 2 } })

      expect(await store.keys.revoke({ hash: shop.keyHash, by })).toMatchObject({ status: 'revoked' })

      expect(await callers(store, shop.keyHash, 'hash-b')).toEqual([undefined, 'key_b'])
      expect(await store.accounts.signIn({ account: shop.account })).toMatchObject({ keyPrefix: 'svc_b…' })
    })

    it('with a grace never lengthens the life of the key that it replaces', async () => {
      const { store } = await start()
      const shop = await openShop(store)
      await store.keys.mint(mintOf(shop, 'ci', { life: HOUR }))

      await store.keys.rotate({ ...rotationOf(shop, 'hash-ci', 'b'), overlap: { grace: 24 * HOUR, most: 9 } })

      const old = (await store.keys.listOf(shop.account)).find(({ hash }) => hash === 'hash-ci')
      expect(old).toMatchObject({ expiresAt: NOON + HOUR })
    })

    it('with a grace needs room for one key more, and changes nothing without', async () => {
      const { store } = await start()
      const shop = await openShop(store)
      const rotation = rotationOf(shop, shop.keyHash, 'b')
      const before = [await store.keys.list(), await auditOf(store)]

      expect(await store.keys.rotate({ ...rotation, overlap: { grace: HOUR, most: 1 } })).toEqual({ outcome: 'full' })
      expect([await store.keys.list(), await auditOf(store)]).toEqual(before)
      expect(await callers(store, 'hash-b')).toEqual([undefined])
      expect(await store.keys.rotate(rotation)).toMatchObject({ hash: 'hash-b' })
    })
  })

  it('the last use of a key is kept, and an earlier one changes nothing', async () => {
    const { store, clock, reopen } = await start()
    const shop = await openShop(store)
    const used = async (each: Store) => (await each.keys.listOf(shop.account))[0]?.lastUsedAt
    const note = (ago: number) => store.keys.noteUses([{ hash: shop.keyHash, account: shop.account, ago }])
    expect(await used(store)).toBeUndefined()

    clock.at += HOUR
    await note(1000)
    await note(5000)

    expect(await used(store)).toBe(NOON + HOUR - 1000)
    expect(await store.keys.findCaller(shop.keyHash)).toMatchObject({ account: shop.account })
    expect(await used(await reopen())).toBe(NOON + HOUR - 1000)
  })
}

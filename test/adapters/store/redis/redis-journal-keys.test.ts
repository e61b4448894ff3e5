import { beforeEach, expect, it, vi } from 'vitest'
import type { RedisStore } from '../../../../src/adapters/redis/store.ts'
import { describeRedis } from '../../../support/redis/redis.ts'
import { newDirectory } from '../directory.ts'
import { auditOf, MOST_KEYS, mintKey, mintOf, openShop, type Shop } from '../fixtures.ts'
import { PATIENCE, useGateways } from './gateways.ts'

const keyOf = (name: string) => ({ hash: `hash-of-${name}`, prefix: `svc_${name}…` })

describeRedis('keys that several gateways decided of, where the replica lacks all of it', { timeout: 60_000 }, () => {
  const { servers, open, failOver } = useGateways()
  /** The gateway that repeats its part last, as its successor. */
  let last: { readonly stateDir: string; readonly store: RedisStore }
  /** The one that does so first. */
  let first: RedisStore
  let shop: Shop

  beforeEach(async () => {
    const stateDir = await newDirectory()
    last = { stateDir, store: await open(stateDir) }
    first = await open()
    shop = await openShop(first)
    await servers().replicated()
    servers().hold()
  }, 60_000)

  /** The successor of the last one has repeated its part. */
  async function failOverInTurn(): Promise<RedisStore> {
    await last.store.close()
    await failOver(first)
    return open(last.stateDir)
  }

  const works = async (hash: string, at: RedisStore = first) => (await at.keys.findCaller(hash)) !== undefined
  const rotate = (at: RedisStore, current: string, name: string, grace?: number) =>
    at.keys.rotate({
      ...{ account: shop.account, current, next: keyOf(name), by: 'operator' },
      ...(grace !== undefined && { overlap: { grace, most: MOST_KEYS } }),
    })
  const actionsOf = async (account: string) => (await auditOf(first, { account })).map(({ action }) => action)

  it('a key that another gateway revoked than the one that minted it never works again', async () => {
    const eve = await openShop(last.store, 'eve')
    await first.keys.revoke({ hash: eve.keyHash, by: 'operator' })

    await failOverInTurn()

    expect(await works(eve.keyHash)).toBe(false)
    expect(await first.keys.listOf(eve.account)).toMatchObject([{ hash: eve.keyHash, status: 'revoked' }])
    expect(await actionsOf(eve.account)).toEqual(['mint', 'revoke'])
    // The label has no key, so that it gets one.
    expect(await first.keys.mint(mintOf('eve', 'next'))).toMatchObject({ outcome: 'minted' })
  })

  it('a key that another gateway revoked than the one that rotated to it never works again', async () => {
    await rotate(last.store, shop.keyHash, 'next')
    await first.keys.revoke({ hash: keyOf('next').hash, by: 'operator' })

    await failOverInTurn()

    expect([await works(shop.keyHash), await works(keyOf('next').hash)]).toEqual([false, false])
    expect(await actionsOf(shop.account)).toEqual(['mint', 'rotate', 'revoke'])
  })

  it('a key works in the place of one that another gateway minted', async () => {
    await mintKey(last.store, { ...mintOf('shop', 'ci'), name: 'ci' })
    await rotate(first, 'hash-ci', 'next')

    await failOverInTurn()

    await vi.waitFor(async () => expect(await works(keyOf('next').hash)).toBe(true), PATIENCE)
    expect(await works('hash-ci')).toBe(false)
    expect(await actionsOf(shop.account)).toEqual(['mint', 'mint', 'rotate'])
  })

  it('a key works in the place of one that worked on for a while and was revoked', async () => {
    await rotate(last.store, shop.keyHash, 'next', 3_600_000)
    await first.keys.revoke({ hash: shop.keyHash, by: 'operator' })

    await failOverInTurn()

    expect([await works(shop.keyHash), await works(keyOf('next').hash)]).toEqual([false, true])
  })

  it('a key works that was minted once another gateway had revoked the last one that there was room for', async () => {
    const mint = (at: RedisStore, key: string, name: string) => at.keys.mint({ ...mintOf('shop', key), name, most: 2 })
    await mint(last.store, 'one', 'ci')
    await first.keys.revoke({ hash: 'hash-one', by: 'operator' })
    await mint(last.store, 'two', 'ci')
    await first.close()
    await last.store.close()
    await failOver()

    first = await vi.waitFor(() => open(last.stateDir), PATIENCE)

    expect(await works('hash-two')).toBe(true)
  })

  it('a key works that was noted as used before it was there', async () => {
    const eve = await openShop(last.store, 'eve')
    await last.store.close()
    await failOver(first)
    await first.keys.noteUses([{ hash: eve.keyHash, account: eve.account, ago: 0 }])

    await open(last.stateDir)

    expect(await works(eve.keyHash)).toBe(true)
  })
})

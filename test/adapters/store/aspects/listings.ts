import { expect, it } from 'vitest'
import { KEYS_KEPT } from '../../../../src/gateway/store/key-store.ts'
import type { Store } from '../../../../src/gateway/store/store.ts'
import type { Start } from '../contract.ts'
import { mintOf } from '../fixtures.ts'

const by = 'operator'

const hashesOf = async (store: Store, account: string) => (await store.keys.listOf(account)).map(({ hash }) => hash)

export function listingsContract(start: Start): void {
  it('listings begin with the newest key, even of one millisecond', async () => {
    const { store, clock } = await start()
    for (const key of 'dbac') await store.keys.mint(mintOf(`label ${key}`, key))
    clock.at -= 5000

    await store.keys.mint(mintOf('after the clock stepped back', 'e'))

    expect((await store.keys.list()).map(({ hash }) => hash)).toEqual(
      ['e', 'c', 'a', 'b', 'd'].map(key => `hash-${key}`),
    )
  })

  it(`an account lists its active key and the last ${KEYS_KEPT} that ended, and older ones stay ended`, async () => {
    const { store } = await start()
    const keys = Array.from({ length: KEYS_KEPT + 3 }, (_, index) => `k${index}`)
    for (const key of keys) {
      await store.keys.mint(mintOf('ada', key))
      if (key !== keys.at(-1)) await store.keys.revoke({ hash: `hash-${key}`, by })
    }
    const newestFirst = keys.toReversed().map(key => `hash-${key}`)

    expect(await hashesOf(store, 'acct_k0')).toEqual(newestFirst.slice(0, KEYS_KEPT + 1))
    await store.keys.revoke({ hash: newestFirst[0] ?? '', by })
    expect(await hashesOf(store, 'acct_k0')).toEqual(newestFirst.slice(0, KEYS_KEPT))
    expect(await store.keys.findCaller('hash-k0')).toBeUndefined()
    expect(await store.keys.revoke({ hash: 'hash-k0', by })).toBeUndefined()
    expect((await store.keys.list()).map(({ hash }) => hash)).toEqual(newestFirst)
  })
}

import { expect, it } from 'vitest'
import type { Start } from '../contract.ts'

const MINUTE = 60_000

export function loginsContract(start: Start): void {
  it('a text is found under its name until its end, also after a restart', async () => {
    const { store, clock, reopen } = await start()
    expect(await store.logins.put('a', 'one', MINUTE)).toBe(true)
    expect(await store.logins.put('b', 'other', 2 * MINUTE)).toBe(true)
    expect(await store.logins.find('nobody')).toBeUndefined()
    clock.at += MINUTE - 1
    const reopened = await reopen()
    expect(await reopened.logins.find('a')).toBe('one')
    clock.at += 1

    expect(await reopened.logins.find('a')).toBeUndefined()
    expect(await reopened.logins.replace('a', 'one', 'two')).toBe(false)
    expect(await reopened.logins.find('b')).toBe('other')
  })

  it('a name takes another text once its own has ended, and not before', async () => {
    const { store, clock } = await start()
    await store.logins.put('a', 'one', MINUTE)
    expect(await store.logins.put('a', 'two', MINUTE)).toBe(false)
    expect(await store.logins.find('a')).toBe('one')
    clock.at += MINUTE

    expect(await store.logins.put('a', 'two', MINUTE)).toBe(true)
    expect(await store.logins.find('a')).toBe('two')
  })

  it('of several that replace or remove the same text at once, one succeeds, and the end stays', async () => {
    const { store, clock } = await start()
    await store.logins.put('a', 'one', MINUTE)
    clock.at += MINUTE / 2
    const replaced = await Promise.all(['x', 'y', 'z'].map(next => store.logins.replace('a', 'one', next)))
    expect(replaced.filter(Boolean)).toHaveLength(1)
    const next = ['x', 'y', 'z'][replaced.indexOf(true)] ?? ''
    expect(await store.logins.find('a')).toBe(next)
    const removed = await Promise.all([1, 2, 3].map(() => store.logins.replace('a', next)))
    expect(removed.filter(Boolean)).toHaveLength(1)
    expect(await store.logins.find('a')).toBeUndefined()

    await store.logins.put('b', 'one', MINUTE)
    await store.logins.replace('b', 'one', 'two')
    clock.at += MINUTE
    expect(await store.logins.find('b')).toBeUndefined()
  })

  it('a hundred that have ended leave no trace for those that follow', async () => {
    const { store, clock } = await start()
    for (let i = 0; i < 100; i++) await store.logins.put(`old-${i}`, 'one', MINUTE)
    clock.at += MINUTE
    for (let i = 0; i < 20; i++) expect(await store.logins.put(`new-${i}`, 'two', MINUTE)).toBe(true)

    expect(await store.logins.put('old-99', 'three', MINUTE)).toBe(true)
    expect(await Promise.all(['old-0', 'old-99', 'new-0'].map(each => store.logins.find(each)))).toEqual([
      undefined,
      'three',
      'two',
    ])
  })
}

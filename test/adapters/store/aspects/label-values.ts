import { expect, it } from 'vitest'
import type { Start } from '../contract.ts'
import { openShop } from '../fixtures.ts'

const MOST = 3

export function labelValuesContract(start: Start): void {
  it('a label keeps as many values of an account as it may, however many come at once, and for ever', async () => {
    const { store, reopen } = await start()
    const { account } = await openShop(store)
    const take = (value: string, in_ = store) => in_.labels.take({ account, label: 'team', value, most: MOST })

    const values = Array.from({ length: 12 }, (_, number) => `v${number % 6}`)
    const answers = await Promise.all(values.map(value => take(value)))
    const kept = new Set(values.filter((_, place) => answers[place] === undefined))
    expect(kept.size).toBe(MOST)
    for (const answer of answers) if (answer) expect(new Set(answer)).toEqual(kept)

    const reopened = await reopen()
    const [one = ''] = kept
    expect(await take(one, reopened)).toBeUndefined()
    expect(new Set(await take('another', reopened))).toEqual(kept)
  })

  it('other labels and accounts have room of their own, and values that files list are kept beside any number', async () => {
    const { store } = await start()
    const [ada, bob] = [await openShop(store, 'ada'), await openShop(store, 'bob')]
    const take = (account: string, label: string, value: string, most?: number) =>
      store.labels.take({ account, label, value, ...(most !== undefined && { most }) })
    for (const value of ['a', 'b', 'c']) expect(await take(ada.account, 'team', value, MOST)).toBeUndefined()

    expect(await take(ada.account, 'team', 'd', MOST)).toHaveLength(MOST)
    expect(await take(ada.account, 'project', 'd', MOST)).toBeUndefined()
    expect(await take(ada.account, 'tea', 'd', MOST)).toBeUndefined()
    expect(await take(bob.account, 'team', 'd', MOST)).toBeUndefined()
    expect(await take(ada.account, 'team', 'listed')).toBeUndefined()
    expect(await take(ada.account, 'team', 'listed', MOST)).toBeUndefined()
    expect(await take(ada.account, 'team', 'e', MOST)).toHaveLength(MOST + 1)
  })
}

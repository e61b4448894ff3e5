import { expect, it } from 'vitest'
import { KEPT_MINUTES, MOST_WRITERS } from '../../../../src/gateway/store/series-store.ts'
import type { Start } from '../contract.ts'
import { NOON } from '../fixtures.ts'

const MINUTE = NOON / 60_000

const at = (minute: number, gateway = 'a', counts = '{}') => ({ minute, gateway, counts })

export function seriesContract(start: Start): void {
  it('a minute that a gateway writes again takes the place of what it wrote, beside those of other gateways', async () => {
    const { store, reopen } = await start()
    await store.series.write(at(MINUTE, 'a', 'first'))
    await store.series.write(at(MINUTE + 1, 'a', 'next'))
    await store.series.write(at(MINUTE, 'b', 'other'))
    await store.series.write(at(MINUTE, 'a', 'second'))
    const all = [at(MINUTE, 'a', 'second'), at(MINUTE, 'b', 'other'), at(MINUTE + 1, 'a', 'next')]
    expect(await store.series.read(MINUTE)).toEqual(all)
    expect(await store.series.read(MINUTE + 1)).toEqual(all.slice(2))
    expect(await (await reopen()).series.read(MINUTE)).toEqual(all)
  })

  it('minutes of 24 h are read at once, over the hours that they lie in', async () => {
    const { store } = await start()
    const minutes = [0, 1, 59, 60, 61, 12 * 60, KEPT_MINUTES - 1].map(each => MINUTE + each)
    for (const minute of minutes) await store.series.write(at(minute))
    expect((await store.series.read(MINUTE)).map(({ minute }) => minute)).toEqual(minutes)
  })

  it(`at most ${MOST_WRITERS} gateways are kept on average of the minutes of an hour`, async () => {
    const { store } = await start()
    const hour = MINUTE - (MINUTE % 60)
    for (let minute = 0; minute < 60; minute++)
      await Promise.all(
        Array.from({ length: MOST_WRITERS + 1 }, (_, gateway) =>
          store.series.write(at(hour + minute, `g${minute}-${gateway}`)),
        ),
      )
    expect(await store.series.read(hour)).toHaveLength(60 * MOST_WRITERS)
    // One that is known is written all the same.
    await store.series.write(at(hour, 'g0-0', 'newer'))
    expect(await store.series.read(hour)).toContainEqual(at(hour, 'g0-0', 'newer'))
  })
}

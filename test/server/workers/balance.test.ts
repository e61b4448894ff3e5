import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Balance, tooManyOf } from '../../../src/server/workers/balance.ts'
import { VirtualClock } from '../../support/clock.ts'

/** Workers whose clients all have an answer in every half second, and open another connection at once. */
function busy(counts: number[]) {
  const clock = new VirtualClock(0)
  const asked: (readonly [number, number, boolean])[] = []
  const release = (slot: number, count: number, withStreams: boolean) => {
    asked.push([slot, count, withStreams])
    for (let n = 0; n < count; n++) {
      counts[slot] = (counts[slot] ?? 0) - 1
      const least = counts.indexOf(Math.min(...counts))
      counts[least] = (counts[least] ?? 0) + 1
    }
  }
  const serving = () => counts.map((connections, slot) => ({ slot, connections }))
  const balance = new Balance({ clock, serving, release })
  balance.start()
  return { clock, asked, counts, balance }
}

it('ten seconds after a worker began no worker has more than 1.25 times its share', () => {
  const spread = fc.array(fc.nat({ max: 2000 }), { minLength: 2, maxLength: 16 })
  fc.assert(
    fc.property(spread, counts => {
      const share = counts.reduce((sum, count) => sum + count, 0) / counts.length
      const { clock, counts: after } = busy(counts)

      clock.advance(10_000)

      expect(Math.max(...after)).toBeLessThanOrEqual(Math.max(Math.ceil(share), 1.25 * share))
    }),
  )
})

it('workers with their share, or a little more, keep their clients', () => {
  const { clock, asked } = busy([20, 22, 18])
  clock.advance(60_000)
  expect(asked).toEqual([])
})

it('one connection more than an even share is none too many', () => {
  expect([tooManyOf(1, 1 / 3), tooManyOf(2, 4 / 3), tooManyOf(3, 4 / 3)]).toEqual([0, 0, 1])
})

it('streams are asked to end their connections only where whole answers did not within two seconds', () => {
  const clock = new VirtualClock(0)
  const asked: (readonly [number, number, boolean])[] = []
  const counts = [30, 30, 0]
  const balance = new Balance({
    clock,
    serving: () => counts.map((connections, slot) => ({ slot, connections })),
    release: (...what) => asked.push(what),
  })
  balance.start()

  clock.advance(2000)
  expect(asked.filter(([slot]) => slot === 0)).toEqual(new Array(4).fill([0, 5, false]))
  clock.advance(500)
  expect(asked.filter(([slot]) => slot === 0).at(-1)).toEqual([0, 5, true])

  counts.splice(0, 3, 20, 20, 20)
  clock.advance(500)
  expect(asked.slice(-2)).toEqual([
    [0, 0, false],
    [1, 0, false],
  ])
  const { length } = asked
  balance.stop()
  clock.advance(5000)
  expect(asked).toHaveLength(length)
})

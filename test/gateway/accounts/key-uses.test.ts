import { expect, it } from 'vitest'
import { KeyUses } from '../../../src/gateway/accounts/key-uses.ts'
import type { KeyUse } from '../../../src/gateway/store/key-store.ts'
import { VirtualClock } from '../../support/clock.ts'

function using(fails = false) {
  const clock = new VirtualClock(0)
  const kept: { at: number; uses: readonly KeyUse[] }[] = []
  const noteUses = async (uses: readonly KeyUse[]) => {
    kept.push({ at: clock.elapsed(), uses })
    if (fails) throw new Error('the store is away')
  }
  return { clock, kept, uses: new KeyUses({ noteUses }, clock) }
}

it('the first use of a key is kept within a second, and not while it is used', () => {
  const { clock, kept, uses } = using()

  uses.note('a', 'acct_a')
  clock.advance(400)
  uses.note('b', 'acct_b')
  expect(kept).toEqual([])
  clock.advance(600)

  expect(kept).toEqual([
    {
      at: 1000,
      uses: [
        { hash: 'a', account: 'acct_a', ago: 1000 },
        { hash: 'b', account: 'acct_b', ago: 600 },
      ],
    },
  ])
})

it('a key that is used all the time is kept once a minute, and its last use too', () => {
  const { clock, kept, uses } = using()

  for (let second = 0; second < 150; second++) {
    uses.note('a', 'acct_a')
    clock.advance(1000)
  }
  clock.advance(120_000)

  expect(kept.map(({ at }) => at)).toEqual([1000, 61_000, 121_000, 181_000])
  const last = kept.at(-1)
  expect((last?.at ?? 0) - (last?.uses[0]?.ago ?? 0)).toBe(149_000)
})

it('nothing waits once keys are used no more', () => {
  const { clock, uses } = using()
  uses.note('a', 'acct_a')

  clock.advance(120_000)

  expect(clock.waiting(1000)).toBe(0)
})

it('pending uses are kept at the end', async () => {
  const { clock, kept, uses } = using()
  uses.note('a', 'acct_a')
  clock.advance(1000)
  uses.note('b', 'acct_b')

  await uses.stop()
  clock.advance(120_000)

  expect(kept.map(each => each.uses.map(({ hash }) => hash))).toEqual([['a'], ['b']])
})

it('a store that is away harms nobody', async () => {
  const { clock, kept, uses } = using(true)
  uses.note('a', 'acct_a')
  clock.advance(61_000)
  uses.note('a', 'acct_a')
  clock.advance(61_000)

  await uses.stop()

  expect(kept.length).toBe(2)
})

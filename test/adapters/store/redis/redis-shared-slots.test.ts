import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { SharedSlots, type SlotReport } from '../../../../src/policy/queue/shared-slots.ts'
import { useCluster } from '../../../support/redis/cluster.ts'
import { describeRedis, useRedis } from '../../../support/redis/redis.ts'
import { openRedisSubject } from '../aspects/subjects.ts'
import { NOON } from '../fixtures.ts'

const OWNERS = ['org:research', 'plan:é-product']
const ACCOUNTS = ['ada', 'bob', 'c d', 'é']
const tag = fc.integer({ min: 0, max: 4000 }).map(n => n / 3)
const charge = fc
  .record({
    account: fc.constantFrom(...ACCOUNTS),
    floor: tag,
    weight: fc.integer({ min: 0, max: 3 }),
    waits: fc.boolean(),
    work: fc.integer({ min: 1, max: 900 }),
    /** Rounds since the report that had it first. */
    repeated: fc.constantFrom(0, 0, 1, 2),
  })
  .map(each => (each.weight === 0 ? { ...each, work: -each.work / 7 } : each))
const head = fc
  .record({
    top: fc.integer({ min: -1, max: 2 }),
    risen: fc.integer({ min: -1, max: 4 }),
    tag,
    step: tag,
    weight: fc.nat(9),
    more: tag,
  })
  .map(({ more, ...each }) => ({ ...each, lastTag: each.tag + more }))
const report = fc.record({
  holder: fc.constantFrom('a', 'b', 'c'),
  late: fc.integer({ min: 0, max: 9 }).map(n => n === 0),
  max: fc.constantFrom(3, 3, 3, 5),
  held: fc.nat(2),
  waiting: fc.nat(3),
  head,
  charges: fc.array(charge, { maxLength: 3 }),
  accounts: fc.subarray(ACCOUNTS).chain(all =>
    fc.tuple(
      ...all.map(account =>
        fc.oneof(
          tag.map(floor => ({ account, floor })),
          fc.constant({ account }),
        ),
      ),
    ),
  ),
  shares: fc.option(
    fc.array(fc.record({ slots: fc.integer({ min: 1, max: 3 }), held: fc.nat(2), waiting: fc.nat(2) }), {
      minLength: 1,
      maxLength: 2,
    }),
    { nil: undefined },
  ),
  passes: fc.constantFrom(0, 0, 10, 400, 1400, 4000, 9000),
})

describeRedis.each([
  ['Redis', useRedis],
  ['a Redis Cluster', useCluster],
] as const)('slots of a pool in %s', (_name, use) => {
  const redis = use() as ReturnType<typeof useRedis>

  it('are shared as policy says, whatever processes report in whatever order', async () => {
    let now = NOON
    const { store, destroy } = await openRedisSubject(redis().url, () => now)
    onTestFinished(destroy)
    let pools = 0
    await fc.assert(
      fc.asyncProperty(fc.array(report, { minLength: 1, maxLength: 25 }), async reports => {
        const [expected, pool] = [new SharedSlots(), `pool-${pools++}`]
        let round = 0
        for (const { passes, late, head: first, charges, shares, ...each } of reports) {
          now += passes
          if (!late) round++
          const said = charges.map(({ repeated, ...of }) => ({ ...of, round: round - repeated }))
          const owned = shares?.map((share, index) => ({ owner: OWNERS[index] ?? '', ...share }))
          const told: SlotReport = {
            ...{ ...each, charges: said, round },
            ...(each.waiting > 0 && { head: first }),
            ...(owned && { shares: owned }),
          }
          expect(await store.fleet.shareSlots(pool, told, 5000)).toEqual(expected.exchange(told, 5000, now))
        }
      }),
      { numRuns: 60 },
    )
  })
})

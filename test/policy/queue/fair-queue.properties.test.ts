import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FairQueue, type FullQueue, type Queued } from '../../../src/policy/queue/fair-queue.ts'
import { type Asked, asked, NO_BOUNDS, play } from './play.ts'

const request: fc.Arbitrary<Asked> = fc
  .record({
    account: fc.integer({ min: 0, max: 5 }).map(n => `acct_${n}`),
    at: fc.nat(500),
    tokens: fc.integer({ min: 1, max: 300 }),
    real: fc.integer({ min: 1, max: 300 }),
    service: fc.integer({ min: 1, max: 100 }),
    priority: fc.nat(2),
    weight: fc.integer({ min: 1, max: 4 }),
  })
  .map(({ account, at, ...more }) => asked(account, at, more))

const requests = fc.array(request, { maxLength: 60 })
const slots = fc.integer({ min: 1, max: 4 })

const BOUNDS = { max: 10, ofAccount: 4, bytes: 100 }

/** The bound that one more request would pass. */
function boundMet(waiting: readonly Queued[], { account, bytes }: Queued): FullQueue | undefined {
  const mine = waiting.filter(each => each.account === account)
  if (waiting.length >= BOUNDS.max) return 'max'
  if (mine.length >= BOUNDS.ofAccount) return 'of_account'
  return mine.reduce((sum, each) => sum + each.bytes, bytes) > BOUNDS.bytes ? 'bytes' : undefined
}

/** The requests that start in 5,000 steps, one in each, while new accounts of a priority fill the queue before each step. */
function* floodedBy(patient: readonly Queued[], priority: number): Generator<Queued> {
  const queue = new FairQueue<Queued>()
  for (const each of patient) queue.enter(each, 0, NO_BOUNDS)
  for (let now = 0; now < 5000; now++) {
    while (queue.size < 20) queue.enter(asked(`other_${now}_${queue.size}`, now, { priority }), now, NO_BOUNDS)
    const next = queue.next(now, 10)
    if (next) queue.end(next, next.tokens)
    if (next) yield next
  }
}

describe('a fair queue', () => {
  it('starts each request once, and leaves no slot idle while one waits', () => {
    fc.assert(
      fc.property(requests, slots, fc.constantFrom(10, Number.POSITIVE_INFINITY), (all, places, aging) => {
        const { started, idle } = play(all, places, aging)
        expect(started.size).toBe(all.length)
        expect(idle).toBe(0)
      }),
    )
  })

  it('starts the requests of an account in the order in which they came', () => {
    fc.assert(
      fc.property(requests, slots, (all, places) => {
        const { order } = play(all, places, 50)
        const came = [...all].sort((a, b) => a.at - b.at)
        for (const { account } of all) {
          const of = (list: readonly Asked[]) => list.filter(each => each.account === account)
          expect(of(order)).toEqual(of(came))
        }
      }),
    )
  })

  it('starts nothing of a lower priority while the next request of any account has a higher one, without aging', () => {
    fc.assert(
      fc.property(requests, all => {
        const queue = new FairQueue<Asked>()
        for (const each of all) queue.enter(each, 0, NO_BOUNDS)
        const left = [...all]
        const highest = () => {
          const heads = new Map<string, number>()
          for (const { account, priority } of left) if (!heads.has(account)) heads.set(account, priority)
          return Math.max(...heads.values())
        }
        for (
          let next = queue.next(1e9, Number.POSITIVE_INFINITY);
          next;
          next = queue.next(1e9, Number.POSITIVE_INFINITY)
        ) {
          expect(next.priority).toBe(highest())
          left.splice(left.indexOf(next), 1)
        }
        expect(left).toEqual([])
      }),
    )
  })

  it('gives accounts that always wait tokens by their weight, within one request of each', () => {
    const account = fc.record({ weight: fc.integer({ min: 1, max: 5 }), tokens: fc.integer({ min: 1, max: 400 }) })
    fc.assert(
      fc.property(fc.array(account, { minLength: 2, maxLength: 5 }), accounts => {
        const queue = new FairQueue<Queued>()
        const ask = (name: number) => asked(String(name), 0, accounts[name])
        const served = accounts.map(() => 0)
        for (const name of accounts.keys()) for (let i = 0; i < 2; i++) queue.enter(ask(name), 0, NO_BOUNDS)
        for (let i = 0; i < 300; i++) {
          const next = queue.next(0, Number.POSITIVE_INFINITY)
          if (!next) throw new Error('nothing waits')
          served[Number(next.account)] = (served[Number(next.account)] ?? 0) + next.tokens / next.weight
          queue.end(next, next.tokens)
          queue.enter(ask(Number(next.account)), 0, NO_BOUNDS)
        }
        const most = Math.max(...accounts.map(({ tokens, weight }) => tokens / weight))
        expect(Math.max(...served) - Math.min(...served)).toBeLessThanOrEqual(2 * most + 1e-6)
      }),
    )
  })

  it('has those with one request wait at most one service time more beside one with 500, whatever is expected of answers', () => {
    const small = fc.record({
      at: fc.integer({ min: 0, max: 3000 }),
      service: fc.integer({ min: 50, max: 400 }),
      tokens: fc.integer({ min: 100, max: 4000 }),
      real: fc.integer({ min: 100, max: 4000 }),
    })
    const hogs = fc.record({ tokens: fc.integer({ min: 100, max: 4000 }), real: fc.integer({ min: 100, max: 4000 }) })
    fc.assert(
      fc.property(
        fc.array(small, { minLength: 20, maxLength: 20 }),
        hogs,
        fc.integer({ min: 1, max: 16 }),
        (of, hog, places) => {
          const twenty = of.map((each, n) => asked(`acct_${n}`, each.at, each))
          const flood = Array.from({ length: 500 }, (_, n) =>
            asked('hog', 0, { ...hog, service: 50 + ((n * 97) % 351) }),
          )
          const alone = play(twenty, places).started
          const beside = play([...flood, ...twenty], places).started
          for (const each of twenty)
            expect((beside.get(each) ?? Number.NaN) - (alone.get(each) ?? Number.NaN)).toBeLessThanOrEqual(400)
        },
      ),
      { numRuns: 30 },
    )
  })

  it('starts every request in the end, though accounts of a higher priority come without end', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 500 }), (gap, tokens) => {
        const patient = Array.from({ length: 3 }, () => asked('patient', 0, { priority: 0, tokens }))
        const left = new Set<Queued>(patient)
        for (const next of floodedBy(patient, gap)) if (left.delete(next) && left.size === 0) break
        expect(left.size).toBe(0)
      }),
      { numRuns: 20 },
    )
  })

  it('never has more waiting than its bounds, in number and in bytes of an account', () => {
    const asking = fc.record({ account: fc.constantFrom('a', 'b', 'c', 'd'), bytes: fc.nat(60), leaves: fc.boolean() })
    fc.assert(
      fc.property(fc.array(asking, { maxLength: 60 }), all => {
        const queue = new FairQueue<Queued>()
        const waiting: Queued[] = []
        for (const { leaves, ...each } of all) {
          const one = asked(each.account, 0, each)
          const full = boundMet(waiting, one)
          expect(queue.enter(one, 0, BOUNDS)).toBe(full)
          if (!full) waiting.push(one)
          const [oldest] = leaves ? waiting.splice(0, 1) : []
          if (oldest) queue.leave(oldest, 0)
          expect(queue.size).toBe(waiting.length)
        }
      }),
    )
  })
})

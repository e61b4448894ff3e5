import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Settlement } from '../../../../src/gateway/store/hold-store.ts'
import type { Store } from '../../../../src/gateway/store/store.ts'
import type { EpochMs, Millis } from '../../../../src/policy/config.ts'
import { type Charge, type Hold, readingsOf } from '../../../../src/policy/counters/account-counters.ts'
import { leastWeight } from '../../../../src/policy/counters/judge.ts'
import { amountOf } from '../../../../src/policy/counters/weight.ts'
import { type Claims, type Mutable, windowOf } from '../../../../src/policy/decision.ts'
import { CALENDAR_RULES, limitsOf } from '../../../../src/policy/limits/named-rules.ts'
import type { Readings } from '../../../../src/policy/limits/readings.ts'
import type { RuleClaim } from '../../../../src/policy/limits/rule-claim.ts'
import { NOTHING_READ } from '../../../../src/policy/limits/rule-counter.ts'
import { type NanoUsd, nanoUsd, ZERO_USD } from '../../../../src/policy/nano-usd.ts'
import type { Start } from '../contract.ts'
import { admission, all, type Clock, LAPSED, openShop, outcomeOf, type Shop, settlement, takenBy } from '../fixtures.ts'
import { begunOf, type RuleSpec, ruleClaims, specs } from './limits/rule-tables.ts'
import { Mirror, type RuleMap } from './mirror.ts'

/** About how many answers a sequence holds. */
const ANSWERS_PER_RUN = 100

/** Two hours before a month ends, so that minutes, days and windows are all crossed. */
const BEGIN: EpochMs = Date.UTC(2025, 5, 30, 22)
const HOUR: Millis = 3_600_000
const DAY: Millis = 24 * HOUR

/** How far a limit is above what is used already; wide open where it is not given. */
interface Room {
  readonly requests: number | undefined
  readonly tokens: number | undefined
  readonly day: number | undefined
  readonly open: number | undefined
  readonly spend: number | undefined
}

interface Ask {
  readonly room: Room
  readonly input: number
  readonly min: number
  readonly more: number
  readonly choices: number
  readonly items: number
  readonly price: Claims['spend']['price']
  /** Whether the claims are for the window of the begin, whatever the clock shows. */
  readonly firstWindow: boolean
  readonly rules: readonly RuleSpec[]
  /** Which of the accounts asks. */
  readonly side: number
  /** Images and seconds that a request has, at most. */
  readonly pieces: number
}

type Step =
  | { readonly do: 'admit'; readonly ask: Ask }
  | { readonly do: 'extend'; readonly ask: Ask; readonly pick: number; readonly percent: number }
  | { readonly do: 'end'; readonly how: keyof typeof ENDS; readonly pick: number; readonly percent: number }
  | { readonly do: 'heartbeat'; readonly pick: number; readonly percent: number; readonly told: boolean }
  | { readonly do: 'wait'; readonly ms: Millis }
  | { readonly do: 'sweep' | 'repeat'; readonly pick: number }

const ENDS = { settle: 0, settleOlder: 0, settleLost: 0, refund: 0, settleLate: 0, refundLate: 0, settleAgain: 0 }

const some = (max: number, min = 0): fc.Arbitrary<number> => fc.integer({ min, max })
const money = (max: number): fc.Arbitrary<NanoUsd> => some(max).map(nanoUsd)
const priceOf = (input: number, output: number): Claims['spend']['price'] => ({
  input: nanoUsd(input),
  output: nanoUsd(output),
})
/** Mostly close to the edge; sometimes wide open. */
const roomOf = (min: number, max: number): fc.Arbitrary<number | undefined> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 2, arbitrary: some(max, min) })

const ask: fc.Arbitrary<Ask> = fc.record({
  room: fc.record({
    requests: roomOf(-3, 2),
    tokens: roomOf(-100, 900),
    day: roomOf(-2, 3),
    open: roomOf(-2, 3),
    spend: fc.oneof(roomOf(-500, 3000), roomOf(-500, 8_000_000_000_000)),
  }),
  input: fc.oneof(some(300), some(200_000)),
  min: fc.oneof(fc.constant(0), some(40)),
  more: fc.oneof(some(300), some(64_000)),
  choices: some(4, 1),
  items: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: some(4) }),
  price: fc.oneof(
    fc.constant(priceOf(1000, 2000)),
    fc.constant(priceOf(1, 3)),
    fc.constant(priceOf(20, 0)),
    fc.record({ input: money(500_000), output: money(500_000), item: money(40_000_000) }),
  ),
  firstWindow: fc.integer({ min: 0, max: 19 }).map(number => number === 0),
  rules: specs,
  side: fc.nat(1),
  pieces: fc.constantFrom(0, 0, 3),
})

/** Where leases and the minute end, and where a clock that stepped back starts it anew. */
const edge = fc
  .tuple(fc.constantFrom(30_000, 60_000, 61_000, -120_000, -121_000), some(1, -1))
  .map(([ms, more]) => ms + more)

const pick = fc.nat(99)
const percent = some(140)

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('admit' as const), ask }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('extend' as const), ask, pick, percent }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      how: fc.constantFrom(...(Object.keys(ENDS) as (keyof typeof ENDS)[]), 'settle', 'settle', 'settleLate'),
      pick,
      percent,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('heartbeat' as const), pick, percent, told: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('sweep' as const, 'repeat' as const), pick }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.oneof(
        some(1500),
        some(9000),
        some(70_000),
        some(5000, -71_000),
        some(2 * HOUR, -200_000),
        some(40 * 24 * HOUR, -3 * 24 * HOUR),
        edge,
      ),
    }),
  },
)

interface World {
  readonly store: Store
  readonly clock: Clock
  readonly shop: Shop
  /** The name of what it shares with other accounts, and their counters. */
  readonly sequence: string
  readonly shared: RuleMap
}

/** Does the same to the store and to the policy, and compares every answer, and the standing after every step. */
class Pair {
  readonly #world: World
  readonly #mirror: Mirror
  /** Holds as they were before they were extended. */
  readonly #older: Hold[] = []
  /** The rules that were claimed so far, by their counters. */
  readonly #rules = new Map<string, RuleClaim>()
  #asked = 0
  compared = 0

  constructor(world: World) {
    this.#world = world
    this.#mirror = new Mirror(world.clock.now, world.shop.terms, world.shared)
  }

  async do(step: Step): Promise<void> {
    if (step.do === 'wait') this.#world.clock.at += step.ms
    else if (step.do === 'admit') await this.#admit(step.ask)
    else if (step.do === 'extend') await this.#extend(step.ask, step.pick, step.percent)
    else if (step.do === 'end') await this.#end(step.how, step.pick, step.percent)
    else if (step.do === 'heartbeat') await this.#heartbeat(step.pick, step.percent, step.told)
    else if (step.do === 'repeat') await this.#repeatExtension(step.pick)
    await this.#compareStandings()
  }

  /** Sweeps what the store swept, of this account. */
  sweep(): number {
    return this.#mirror.sweep()
  }

  /** Ends what is open, and compares the rows. */
  async finish(): Promise<void> {
    const { store, shop, clock } = this.#world
    for (const hold of this.#mirror.holds('open')) await this.#both('refund', hold)
    await this.#compareStandings()
    const kinds = ['settle', 'orphan', 'late']
    const rows = this.#mirror.rows.toSorted(
      (a, b) =>
        Number(a.requestId > b.requestId) - Number(a.requestId < b.requestId) ||
        kinds.indexOf(a.kind) - kinds.indexOf(b.kind),
    )
    clock.at += LAPSED
    this.#same(await all(store.ledger.readRows({ account: shop.account })), rows)
  }

  async #admit(ask: Ask): Promise<void> {
    const { store, shop, clock } = this.#world
    const at = ask.firstWindow ? BEGIN : clock.at
    const requestId = `req_${shop.account}_${String(this.#asked++).padStart(4, '0')}`
    const asked = admission(shop, requestId, this.#claims(ask, windowOf(at).start))
    const tried = await store.holds.admit({ ...asked, isTrial: true })
    const answer = await store.holds.admit(asked)
    this.#same(tried, answer)
    this.#same(answer, this.#mirror.admit(asked))
    if (!('denial' in answer) && answer.outcome === 'counters-missing') {
      const begun = begunOf(answer.counters, ask.input, clock.at)
      await store.holds.beginCounters(shop.account, begun)
      this.#mirror.beginCounters(begun)
      this.#same(await store.holds.admit(asked), this.#mirror.admit(asked))
    }
    if (ask.input % 8 === 0 && this.#mirror.holds('open').some(hold => hold.requestId === requestId))
      this.#same(await store.holds.admit(asked), this.#mirror.admit(asked))
  }

  async #extend(ask: Ask, pick: number, percent: number): Promise<void> {
    const hold = pickOf([...this.#mirror.holds('open'), ...this.#mirror.holds('orphan').slice(0, 1)], pick)
    if (!hold) return
    const claims = this.#claims(ask, hold.window)
    const asked = { hold, round: hold.round + 1, soFar: withPieces(settlement(hold, partOf(hold, percent))), claims }
    const expected = this.#mirror.extend(asked)
    this.#same(await this.#world.store.holds.extend(asked), expected)
    if ('hold' in expected) this.#older.push(hold)
  }

  async #repeatExtension(pick: number): Promise<void> {
    const hold = pickOf(this.#older, pick)
    if (!hold) return
    const ask = { limits: limitsOf({ rpm: 1, tpm: 1 }), input: 9, output: { want: 9, min: 9, choices: 1 } }
    const spend = this.#claims(FREE, hold.window).spend
    const asked = {
      hold,
      round: hold.round + 1,
      soFar: settlement(hold, { tokens: 1, cost: nanoUsd(1) }),
      claims: { ...ask, spend },
    }
    this.#same(await this.#world.store.holds.extend(asked), this.#mirror.extend(asked))
  }

  async #end(how: keyof typeof ENDS, pick: number, percent: number): Promise<void> {
    const hold = this.#holdFor(how, pick)
    if (!hold) return
    if (how === 'refund' || how === 'refundLate') await this.#both('refund', hold)
    else await this.#both('settle', hold, withPieces(settlement(hold, partOf(hold, percent))))
  }

  #holdFor(how: keyof typeof ENDS, pick: number): Hold | undefined {
    const open = this.#mirror.holds('open')
    if (how === 'settleOlder') {
      const ids = new Set(open.map(({ requestId }) => requestId))
      return pickOf(
        this.#older.filter(({ requestId }) => ids.has(requestId)),
        pick,
      )
    }
    if (how === 'settleLost') {
      const hold = pickOf(open, pick)
      return hold && { ...hold, requestId: `${hold.requestId}_lost${pick % 10}` }
    }
    const from = { settle: open, refund: open, settleAgain: this.#mirror.holds('ended') }
    return pickOf(how in from ? from[how as keyof typeof from] : this.#mirror.holds('orphan'), pick)
  }

  async #both(how: 'settle' | 'refund', hold: Hold, settled: Settlement = settlement(hold)): Promise<void> {
    const { store } = this.#world
    if (how === 'settle') {
      await store.holds.settle(settled)
      this.#mirror.settle(settled)
    } else {
      await store.holds.refund(hold)
      this.#mirror.refund(hold)
    }
  }

  async #heartbeat(pick: number, percent: number, told: boolean): Promise<void> {
    const hold = pickOf([...this.#mirror.holds('open'), ...this.#mirror.holds('orphan').slice(0, 1)], pick)
    if (!hold) return
    const heartbeats = [{ hold, ...(told && { soFar: withPieces(settlement(hold, partOf(hold, percent))) }) }]
    this.#same(await this.#world.store.holds.heartbeat(heartbeats), this.#mirror.heartbeat(heartbeats))
  }

  /** Reads by admissions that cannot fit: their readings are the usage, and the wait reveals the buckets. */
  async #compareStandings(): Promise<void> {
    const { shop, store, clock } = this.#world
    const window = windowOf(clock.at).start
    const { requests, tokens } = this.#readings(window)
    const turn = this.compared
    const wide = this.#claims(FREE, window)
    const probes: Claims[] = [
      { ...wide, limits: limitsOf({ rpm: requests - (turn % (requests + 1)), tpm: 1e12 }) },
      {
        ...wide,
        limits: limitsOf({ rpm: -1, tpm: tokens - ((turn * 37) % (Math.abs(tokens) + 1)) - 1 }),
        input: 0,
      },
    ]
    const asked = probes.map((claims, index) => admission(shop, `req_${shop.account}_probe${index}`, claims))
    const answers = await Promise.all(asked.map(one => store.holds.admit(one)))
    for (const [index, one] of asked.entries()) this.#same(answers[index], this.#mirror.admit(one))
    expect(answers.map(outcomeOf)).toEqual(['refused', 'refused'])
    const every = { ...wide, rules: [...this.#rules.values()] }
    this.#same(await store.holds.readRules(shop.account, every), this.#mirror.readRules(every))
  }

  #claims(ask: Ask, start: EpochMs): Claims {
    const claims: Mutable<Claims> = this.#plainClaims(ask, start)
    if (ask.pieces > 0) claims.pieces = { images: ask.pieces, seconds: 2 * ask.pieces }
    const least = leastWeight(claims)
    const rules = ruleClaims(ask.rules, this.#world.sequence, (claim, room) => {
      if (room === undefined) return 1e15
      const [{ used, held } = NOTHING_READ] = this.#mirror.readRules({ ...claims, rules: [claim] })
      return Math.max(0, used + held + amountOf(claim.rule.measure, least) + room)
    })
    for (const claim of rules) this.#rules.set(`${claim.group} ${claim.field}`, claim)
    if (rules.length > 0) claims.rules = rules
    return claims
  }

  #plainClaims(ask: Ask, start: EpochMs): Claims {
    const { room, input, min, more, choices, items, price } = ask
    const used = this.#readings(start)
    const least = input + min * choices
    const above = (base: number, by: number | undefined) => (by === undefined ? undefined : Math.max(0, base + by))
    const calendar = Object.fromEntries(
      CALENDAR_RULES.map(({ name, reading }) => [name, above(used[reading] + 1, room.day)]),
    )
    const concurrency = above(used.concurrent + 1, room.open)
    const limit = above(used.used + used.held, room.spend)
    return {
      limits: limitsOf({
        rpm: above(used.requests + 1, room.requests) ?? 1e9,
        tpm: above(used.tokens + least, room.tokens) ?? 1e12,
        ...calendar,
        max_concurrent: concurrency,
      }),
      input,
      spend: {
        ...(limit !== undefined && { limit: nanoUsd(limit) }),
        allotment: nanoUsd(limit ?? 0),
        overageEnabled: items > 0,
        window: windowOf(start),
        price,
        items,
      },
      output: { want: min + more, min, choices },
    }
  }

  #readings(window: EpochMs): Readings {
    return readingsOf(this.#mirror.standing, window, this.#world.clock.at)
  }

  #same(answer: unknown, expected: unknown): void {
    this.compared++
    expect(answer).toEqual(expected)
  }
}

const NO_ROOM: Room = { requests: undefined, tokens: undefined, day: undefined, open: undefined, spend: undefined }
const FREE: Ask = {
  room: NO_ROOM,
  input: 0,
  min: 0,
  more: 0,
  choices: 1,
  items: 0,
  price: { input: ZERO_USD, output: ZERO_USD },
  firstWindow: false,
  rules: [],
  side: 0,
  pieces: 0,
}

function sideOf(step: Step): 0 | 1 {
  if (step.do === 'wait') return 0
  const side = 'ask' in step ? step.ask.side : step.pick % 2
  return side === 1 ? 1 : 0
}

const pickOf = <T>(items: readonly T[], pick: number): T | undefined => items[pick % Math.max(1, items.length)]

const withPieces = (settled: Settlement): Settlement => {
  const { images, seconds } = settled.hold.rules?.weight ?? { images: 0, seconds: 0 }
  return images > 0 ? { ...settled, pieces: { images: settled.tokens % (images + 1), seconds } } : settled
}

function partOf(hold: Hold, percent: number): Charge {
  const taken = takenBy(hold)
  const part = (whole: number) => Math.floor((whole * percent) / 100)
  return { tokens: part(taken.tokens), cost: nanoUsd(part(taken.cost)) }
}

/**
 * The store answers as the policy does. Compares as many answers as the environment says in SCRIPT_ANSWERS, or else
 * `answers`, and some more.
 */
export function differentialContract(start: Start, answers: number): void {
  const least = Number(process.env.SCRIPT_ANSWERS ?? answers)

  it(`answers as the policy does and leaves the same standing, ${least} times and more`, async () => {
    const { store, clock } = await start(BEGIN)
    let shops = 0
    let compared = 0
    let isLeft = false

    const pairs = fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 100, size: 'max' }), async steps => {
      // The leftovers of a failed sequence.
      if (isLeft) {
        clock.at = BEGIN + 1000 * DAY
        await store.holds.sweep()
      }
      isLeft = true
      clock.at = BEGIN
      const [sequence, shared] = [`sequence${shops++}`, new Map()]
      const open = async (side: string) => {
        const shop = await openShop(store, `${sequence}${side}`)
        return new Pair({ store, clock, shop, sequence, shared })
      }
      const pairs = [await open('a'), await open('b')] as const
      for (const step of steps) {
        if (step.do === 'sweep') expect(await store.holds.sweep()).toBe(pairs[0].sweep() + pairs[1].sweep())
        await pairs[sideOf(step)].do(step)
      }
      for (const pair of pairs) {
        await pair.finish()
        compared += pair.compared
      }
      isLeft = false
    })
    // Sequences differ in how many answers they hold: more of them are drawn until there are enough.
    while (compared < least) {
      await fc.assert(pairs, {
        numRuns: Math.ceil((least - compared) / ANSWERS_PER_RUN),
        interruptAfterTimeLimit: 600_000,
        markInterruptAsFailure: true,
      })
    }

    console.info(`compared ${compared} answers of the store with those of the policy`)
  }, 660_000)
}

import { describe, expect, it } from 'vitest'
import { type Asked, playOverGateways } from '../../../bench/fair/gateways.js'
import { Slots } from '../../../src/gateway/pools/slots.ts'
import { StoreSlots } from '../../../src/gateway/pools/store-slots.ts'
import type { Client } from '../../../src/gateway/ports.ts'
import type { FleetStore } from '../../../src/gateway/store/fleet-store.ts'
import { StoreUnavailable } from '../../../src/gateway/store/store.ts'
import { SharedSlots } from '../../../src/policy/queue/shared-slots.ts'
import { VirtualClock } from '../../support/clock.ts'

const PARTS = { Slots, StoreSlots, SharedSlots, StoreUnavailable }
const SLOTS = 16
const GATEWAYS = [0, 1, 2, 3]
/** The mean work of a request where it is not shorter than was expected, in tokens. */
const WORK = 1200
const SECONDS_OF_TOKEN = 0.0035

/** An account whose clients ask anew after each answer. */
interface Account {
  readonly name: string
  /** Work as it turns out, for each token that was expected. */
  readonly error: number
  readonly at: readonly number[]
  /** Clients at each of those gateways. */
  readonly clients: number
  readonly weight?: number
}

interface Request extends Asked {
  readonly real: number
  readonly expected: number
  readonly of: Account
}

type Options = Partial<Parameters<typeof playOverGateways<Request>>[2]>

/** Plays the same clients at so many gateways. Returns the share of the work that each account had from `from` seconds on, in percent. */
async function play(
  accounts: readonly Account[],
  gateways: number,
  { from = 8, ...more }: Options & { from?: number } = {},
) {
  let dice = 1
  const requestOf = (of: Account, gateway: number): Request => {
    dice = (dice * 16_807) % 2_147_483_647
    const real = Math.max(1, Math.round(WORK * Math.min(1, of.error) * (0.5 + dice / 2_147_483_647)))
    return { account: of.name, weight: of.weight ?? 1, gateway, at: 0, real, expected: real / of.error, of }
  }
  const asked = accounts.flatMap(of =>
    of.at.flatMap(gateway => Array.from({ length: of.clients }, () => requestOf(of, gateway))),
  )
  const { done, conserving, most } = await playOverGateways(PARTS, asked, {
    ...{ gateways, slots: SLOTS, until: 48 },
    expectedOf: ({ expected }) => expected,
    realOf: ({ real }) => real,
    serviceOf: ({ real }) => 0.005 + real * SECONDS_OF_TOKEN,
    again: ({ of, gateway }) => requestOf(of, gateway),
    ...more,
  })
  const counted = done.filter(({ end }) => end > 1000 * from)
  const workOf = (name?: string) =>
    counted.filter(({ account }) => name === undefined || account === name).reduce((sum, { real }) => sum + real, 0)
  return { shares: accounts.map(({ name }) => (100 * workOf(name)) / workOf()), conserving, most }
}

const SHORT = 1 / 20
const LONG = 20

/** One account asks at all gateways, another at one of them. */
const uneven = (hog: number, modest: number, clients: number): readonly Account[] => [
  { name: 'hog', error: hog, at: GATEWAYS, clients },
  { name: 'modest', error: modest, at: [0], clients: 40 },
]
const WEIGHED: readonly Account[] = [
  { name: 'a', error: SHORT, at: GATEWAYS, clients: 20, weight: 3 },
  { name: 'b', error: SHORT, at: [0, 1], clients: 20, weight: 2 },
]

describe('four gateways that lease slots from one store', () => {
  it.each([
    ['all answers are 1/20 of what was expected', uneven(SHORT, SHORT, 8), [50, 50], {}],
    ['answers of the account that is everywhere are 1/20, and it has few clients', uneven(SHORT, 1, 3), [50, 50], {}],
    [
      'answers of the account that is everywhere are 20 times as long, and it has few clients',
      uneven(LONG, SHORT, 3),
      [50, 50],
      {},
    ],
    ['answers are 1/20, weights 3 and 2, and one gateway is killed', WEIGHED, [60, 40], { kill: 8, from: 16 }],
    [
      'answers are 1/20, weights 3 and 2, and the store is away for 10 s',
      WEIGHED,
      [60, 40],
      { away: [8, 18], from: 19 },
    ],
  ] as const)(
    'give accounts their shares within 2 %%, and leave hardly a slot idle, where %s',
    async (_, accounts, fair, more) => {
      const { shares, conserving, most } = await play(accounts, 4, more)
      for (const [index, share] of shares.entries()) expect(Math.abs(share - (fair[index] ?? 0))).toBeLessThanOrEqual(2)
      expect(conserving).toBeGreaterThanOrEqual(0.98)
      expect(most).toBeLessThanOrEqual(SLOTS)
    },
  )
})

describe('a copy at a pool with one slot over all gateways', () => {
  const client: Client = { gone: false, wasCut: false, onGone: () => () => {} }
  const room = { maxConcurrent: 1, queueTimeout: 10_000 }

  function gateways() {
    const clock = new VirtualClock(0)
    const shared = new SharedSlots()
    const store = {
      shareSlots: async (...[, report, lease]: Parameters<FleetStore['shareSlots']>) =>
        shared.exchange(report, lease, clock.now()),
    }
    const slotsOf = (holder: string) => {
      const slots = new Slots()
      new StoreSlots({ store, clock, alarm: () => {}, holder }, 'pool', slots)
      return slots
    }
    return { clock, first: slotsOf('gateway_a'), second: slotsOf('gateway_b'), third: slotsOf('gateway_c') }
  }

  it('gives way to a request that waits at another gateway', async () => {
    const { clock, first, second } = gateways()
    let gaveUp = false
    const copy = first.takeSpare(room, { clock, client }, () => {
      gaveUp = true
    })
    expect(await clock.during(copy)).toBeDefined()
    expect(await clock.during(second.take(room, clock, client))).toBe(true)
    expect([gaveUp, first.taken, second.taken]).toEqual([true, 0, 1])
  })

  it('comes after a request of another gateway that has waited less', async () => {
    const { clock, first, second, third } = gateways()
    expect(await clock.during(first.take(room, clock, client))).toBe(true)
    first.free()
    // The slot is not given back yet.
    clock.advance(20)
    const copy = second.takeSpare(room, { clock, client }, () => {})
    await new Promise(setImmediate)
    const request = third.take(room, clock, client)
    await new Promise(setImmediate)
    expect(await clock.during(request)).toBe(true)
    expect(await clock.during(copy)).toBeUndefined()
  })
})

import { describe, expect, it } from 'vitest'
import { SharedSlots, type SlotReport } from '../../../src/policy/queue/shared-slots.ts'

const LEASE = 5000

const head = (tag: number, more: Partial<NonNullable<SlotReport['head']>> = {}): NonNullable<SlotReport['head']> => ({
  ...{ top: 1, risen: 1, tag, step: 100, weight: 1, lastTag: tag },
  ...more,
})

const told = (...accounts: readonly string[]) => accounts.map(account => ({ account }))

/** Reports of several processes, each counting its rounds. */
class Store {
  readonly slots = new SharedSlots()
  readonly #rounds = new Map<string, number>()
  now = 0

  tell(holder: string, more: Partial<SlotReport> = {}) {
    const round = (this.#rounds.get(holder) ?? 0) + 1
    this.#rounds.set(holder, round)
    const report = { holder, round, max: 4, held: 0, waiting: 0, charges: [], accounts: [], ...more }
    return this.slots.exchange(report, LEASE, this.now)
  }
}

describe('slots that processes share', () => {
  it('are never granted beyond the number of the pool', () => {
    const store = new Store()
    expect(store.tell('a', { waiting: 3, head: head(0) }).granted).toBe(3)
    expect(store.tell('b', { waiting: 3, head: head(0) }).granted).toBe(1)
    expect(store.tell('c', { waiting: 3, head: head(0) })).toMatchObject({ granted: 0, held: 4 })
  })

  it('go to the process whose next request comes first, which hears of them with its next report', () => {
    const store = new Store()
    store.tell('a', { waiting: 4, head: head(0) })
    store.tell('b', { waiting: 1, head: head(50) })
    store.tell('c', { waiting: 1, head: head(20) })
    expect(store.tell('a', { held: 3, waiting: 2, head: head(400) })).toMatchObject({ granted: 0, ahead: { tag: 50 } })
    expect(store.tell('b', { waiting: 1, head: head(50) }).granted).toBe(0)
    expect(store.tell('c', { waiting: 1, head: head(20) }).granted).toBe(1)
  })

  it('go by priority first, which aging raises to the highest that waits', () => {
    const store = new Store()
    store.tell('a', { held: 4 })
    store.tell('low', { waiting: 1, head: head(0, { top: 0, risen: 0 }) })
    store.tell('high', { waiting: 1, head: head(900, { top: 2, risen: 2 }) })
    store.tell('a', { held: 3 })
    expect(store.tell('high', { waiting: 1, head: head(900, { top: 2, risen: 2 }) }).granted).toBe(1)
    store.tell('high', { held: 1, waiting: 1, head: head(900, { top: 2, risen: 2 }) })
    store.tell('low', { waiting: 1, head: head(0, { top: 0, risen: 7 }) })
    store.tell('a', { held: 2 })
    expect(store.tell('low', { waiting: 1, head: head(0, { top: 0, risen: 7 }) }).granted).toBe(1)
  })

  it('of a process that is gone are free once its lease is over', () => {
    const store = new Store()
    store.tell('a', { waiting: 4, head: head(0) })
    expect(store.tell('b', { waiting: 2, head: head(0) }).granted).toBe(0)
    for (store.now = 0; store.now < LEASE; store.now += 1000)
      expect(store.tell('b', { waiting: 2, head: head(0) }).granted).toBe(0)
    expect(store.tell('b', { waiting: 2, head: head(0) })).toMatchObject({ granted: 2, held: 2 })
  })

  it('are not granted again after an outage, in which nobody could report', () => {
    const store = new Store()
    store.tell('a', { waiting: 4, head: head(0) })
    store.tell('b', { waiting: 2, head: head(0) })
    store.now = 10 * LEASE
    expect(store.tell('b', { waiting: 2, head: head(0) })).toMatchObject({ granted: 0, held: 4 })
  })

  it('go to no process that has been silent, though it waits, until it reports', () => {
    const store = new Store()
    store.tell('a', { held: 4 })
    store.tell('silent', { waiting: 3, head: head(0) })
    store.now = 501
    expect(store.tell('a', { held: 1, waiting: 3, head: head(900) })).toMatchObject({ granted: 3, held: 4 })
    store.tell('a', { held: 3 })
    expect(store.tell('silent', { waiting: 3, head: head(0) }).granted).toBe(1)
  })

  it('that were granted in an answer which was lost are free with the next report', () => {
    const store = new Store()
    store.tell('a', { waiting: 4, head: head(0) })
    expect(store.tell('a', { held: 0, waiting: 1, head: head(0) })).toMatchObject({ granted: 1, held: 1 })
  })

  it('that a process used while the store was away count, even beyond the number of the pool', () => {
    const store = new Store()
    store.tell('a', { waiting: 4, head: head(0) })
    expect(store.tell('b', { held: 2, waiting: 1, head: head(0) })).toMatchObject({ granted: 0, held: 6 })
    expect(store.tell('a', { held: 1 })).toMatchObject({ granted: 0, held: 4 })
  })

  it('do not change by a report that comes late', () => {
    const store = new Store()
    store.tell('a', { round: 2, held: 3 })
    expect(store.tell('a', { round: 1, held: 0 })).toMatchObject({ granted: 0, held: 3 })
  })

  it('have one order: accounts stand where all processes together have charged them', () => {
    const store = new Store()
    store.tell('b', { held: 3, waiting: 1, head: head(0) })
    const charge = { account: 'ada', floor: 0, work: 300, weight: 2, waits: true }
    store.tell('a', { held: 1, charges: [{ ...charge, round: 1 }] })
    store.tell('a', { held: 1, charges: [{ ...charge, round: 2 }] })
    const correction = { ...charge, floor: 500, work: -100, weight: 0, round: 2 }
    expect(store.tell('b', { held: 3, charges: [correction], accounts: told('ada', 'bob') }).standings).toEqual([
      { finish: 500 },
      {},
    ])
  })

  it('count a charge once, though it is repeated because nobody knows whether it arrived', () => {
    const store = new Store()
    const charge = { account: 'ada', floor: 0, work: 300, weight: 1, waits: false, round: 1 }
    store.tell('a', { held: 1, charges: [charge] })
    const repeated = [charge, { ...charge, work: 20, round: 2 }]
    expect(store.tell('a', { held: 2, charges: repeated, accounts: told('ada') }).standings).toEqual([{ finish: 320 }])
  })

  it('owe an account its turns as long as it waits at any process, and no longer', () => {
    const store = new Store()
    const start = (account: string, floor: number, round: number) => ({
      ...{ account, floor, work: 400, weight: 1, waits: true, round },
    })
    store.tell('a', { held: 2, waiting: 1, head: head(0), accounts: [{ account: 'ada', floor: 0 }] })
    store.tell('b', { held: 2, charges: [start('bob', 0, 1), start('bob', 0, 1)] })
    const anew = [{ account: 'ada', floor: 400 }]
    expect(store.tell('c', { held: 1, charges: [start('ada', 400, 1)], accounts: anew }).standings).toEqual([
      { finish: 400, floor: 0 },
    ])
    store.tell('a', { held: 2, accounts: told('ada') })
    expect(store.tell('c', { held: 2, charges: [start('ada', 900, 2)], accounts: told('ada') }).standings).toEqual([
      { finish: 800 },
    ])
  })

  it('forget everything once nobody has one or waits', () => {
    const store = new Store()
    const charge = { account: 'ada', floor: 0, work: 300, weight: 1, waits: false, round: 1 }
    store.tell('a', { held: 1, charges: [charge] })
    expect(store.tell('a', { accounts: told('ada') })).toEqual({ granted: 0, held: 0, virtual: 0, standings: [{}] })
    expect(store.slots.isIdle).toBe(true)
  })

  it('go first to the owner furthest below its guarantee of all processes, where a request of it waits and holds fewest', () => {
    const store = new Store()
    const share = (held: number, waiting: number, owner = 'org:a', slots = 3) => ({ owner, slots, held, waiting })
    const busy = { waiting: 9, head: head(0) }
    store.tell('lent', { held: 4, ...busy, shares: [share(0, 0)] })
    store.tell('one', { waiting: 2, head: head(900), shares: [share(0, 2)] })
    store.tell('two', { held: 0, waiting: 1, head: head(900), shares: [share(0, 1)] })
    expect(store.tell('lent', { held: 1, ...busy, shares: [share(0, 0)] })).toMatchObject({
      granted: 0,
      held: 4,
      shares: [{ held: 3, waiting: 0 }],
    })
    expect(store.tell('one', { waiting: 2, head: head(900), shares: [share(0, 2)] }).granted).toBe(2)
    expect(store.tell('two', { waiting: 1, head: head(900), shares: [share(0, 1)] })).toMatchObject({
      granted: 1,
      shares: [{ held: 2, waiting: 0 }],
    })
    // All guaranteed slots are in use: the next one goes in the order of all.
    store.tell('one', { held: 2, waiting: 5, head: head(900), shares: [share(2, 5)] })
    expect(store.tell('lent', { held: 0, ...busy, shares: [share(0, 0)] }).granted).toBe(1)
  })

  it('are granted for the share of an owner once, though its process hears of them later', () => {
    const store = new Store()
    const share = (held: number, waiting: number) => [{ owner: 'org:a', slots: 2, held, waiting }]
    store.tell('lent', { held: 4, waiting: 9, head: head(0), shares: share(0, 0) })
    store.tell('own', { waiting: 3, head: head(900), shares: share(0, 3) })
    store.tell('lent', { held: 2, waiting: 9, head: head(0), shares: share(0, 0) })
    expect(store.tell('lent', { held: 1, waiting: 9, head: head(0), shares: share(0, 0) }).granted).toBe(1)
    expect(store.tell('own', { waiting: 3, head: head(900), shares: share(0, 3) })).toMatchObject({
      granted: 2,
      held: 4,
    })
  })
})

import { expect, it, onTestFinished } from 'vitest'
import { CustomerRoom, MOST_OF_CUSTOMERS, MOST_OF_TARGET } from '../../../src/gateway/notices/customer-room.ts'
import { type Letter, NoticeRefused, type Target } from '../../../src/gateway/notices/lane.ts'
import { type Customers, Notifier } from '../../../src/gateway/notices/notifier.ts'
import { again, waiting } from '../../../src/gateway/store/notice.ts'
import type { Store } from '../../../src/gateway/store/store.ts'
import type { NoticeRule } from '../../../src/policy/limits/notice-rule.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import { watchesOf } from '../../../src/policy/notices.ts'
import { newDirectory, openHere } from '../../adapters/store/directory.ts'
import { admit, claimsOf, NOON, openShop, settlement } from '../../adapters/store/fixtures.ts'
import { VirtualClock } from '../../support/clock.ts'

const RULES: readonly NoticeRule[] = [{ at: [50, 80, 100], of: ['account'], to: ['ops'] }]
const DAY_MS = 86_400_000

/** A receiver that keeps what it gets, by the id of the notice, unless it is away. */
class Receiver implements Target {
  readonly messages: string[][] = []
  away = false
  readonly digest?: number

  constructor(digest?: number) {
    if (digest !== undefined) this.digest = digest
  }

  async send(letters: readonly Letter[]): Promise<void> {
    if (this.away) throw new Error('it answered 503')
    this.messages.push(letters.map(({ notice }) => notice.id))
  }

  get ids(): readonly string[] {
    return this.messages.flat()
  }
}

async function start(
  rules = RULES,
  targets: Record<string, Receiver> = { ops: new Receiver() },
  customers?: Customers,
) {
  const clock = new VirtualClock(NOON)
  const store = await openHere(await newDirectory(), clock.now)
  onTestFinished(() => store.close())
  const alarms: string[] = []
  const alarm = (text: string) => void alarms.push(text)
  const notifierOn = (holder = 'one', on = store.notices) => {
    const ports = {
      ...{ rules: () => rules, targets: () => new Map(Object.entries(targets)), holder, clock, alarm },
      customers: () => customers,
    }
    const notifier = new Notifier({ store: on, ...ports })
    onTestFinished(() => notifier.close())
    return notifier
  }
  /** One turn, and all that it began. */
  const turn = async (notifier: Notifier) => {
    await notifier.turn()
    await notifier.idle()
  }
  return { clock, store, alarms, targets, notifierOn, turn }
}

/** So many accounts reach 80 percent of their quota. */
async function cross(store: Store, count: number, from = 0): Promise<void> {
  const claims = claimsOf({ limit: 60 })
  for (let number = from; number < from + count; number++) {
    const hold = await admit(store, await openShop(store, `shop${number}`), `req_${number}`, claims)
    const watches = watchesOf({ notices: RULES, claims, hold })
    await store.holds.settle({ ...settlement(hold, { tokens: 30, cost: nanoUsd(50) }), ...(watches && { watches }) })
  }
}

it('each crossing is one notice at each of its targets, and is listed as delivered', async () => {
  const rules: readonly NoticeRule[] = [...RULES, { at: [100], of: ['account'], to: ['pager'] }]
  const { store, targets, notifierOn, turn } = await start(rules, { ops: new Receiver(), pager: new Receiver() })
  await cross(store, 20)
  await turn(notifierOn())
  expect(new Set(targets.ops?.ids).size).toBe(20)
  expect(targets.ops?.messages).toHaveLength(20)
  expect(targets.pager?.ids).toEqual([])
  const listed = await store.notices.readNewest(50)
  expect(listed.map(({ deliveries }) => deliveries)).toEqual(
    Array(20).fill([{ target: 'ops', state: 'delivered', percent: 80, tries: 1, triedAt: NOON }]),
  )
  expect(await store.notices.readCrossings(50)).toEqual([])
})

it('a target that is away for ten minutes gets all that waited, each once, with two alarms', async () => {
  const { clock, store, alarms, targets, notifierOn, turn } = await start()
  const notifier = notifierOn()
  const receiver = targets.ops as Receiver
  receiver.away = true
  await cross(store, 30)
  for (let second = 0; second < 600; second += 3) {
    await turn(notifier)
    clock.advance(3000)
  }
  const tries = (await store.notices.readNewest(50)).map(({ deliveries: [delivery] }) => delivery?.tries ?? 0)
  // One is tried again and again, and the others wait behind it.
  expect(Math.max(...tries)).toBeLessThan(20)
  receiver.away = false
  for (let second = 0; second < 63; second += 3) {
    await turn(notifier)
    clock.advance(3000)
  }
  expect(receiver.ids).toHaveLength(30)
  expect(new Set(receiver.ids).size).toBe(30)
  expect(alarms).toEqual(['a target takes no notices; they wait', 'a target takes notices again'])
})

/** A receiver that takes all but one notice, which it answers in its own way. */
class Picky extends Receiver {
  readonly attempts: string[] = []
  poison: string | undefined
  readonly #reason: Error

  constructor(reason: Error, digest?: number) {
    super(digest)
    this.#reason = reason
  }

  override async send(letters: readonly Letter[]): Promise<void> {
    const ids = letters.map(({ notice }) => notice.id)
    this.attempts.push(...ids)
    this.poison ??= ids[0]
    if (ids.some(id => id === this.poison)) throw this.#reason
    await super.send(letters)
  }
}

it.each([
  ['refuses', new NoticeRefused('it answered 400')],
  ['fails at', new Error('it answered 500')],
])('those behind a notice that its receiver %s arrive within a minute, while it is tried again', async (_, reason) => {
  const receiver = new Picky(reason)
  const { clock, store, notifierOn, turn } = await start(RULES, { ops: receiver })
  const notifier = notifierOn()
  await cross(store, 10)
  for (let second = 0; second < 60; second += 3) {
    await turn(notifier)
    clock.advance(3000)
  }
  expect(new Set(receiver.ids).size).toBe(9)
  await cross(store, 3, 10)
  for (let second = 0; second < 63; second += 3) {
    await turn(notifier)
    clock.advance(3000)
  }
  expect(receiver.ids).toHaveLength(12)
  expect(receiver.attempts.filter(id => id === receiver.poison).length).toBeGreaterThan(1)
  const poison = await store.notices.find(receiver.poison ?? '')
  expect(poison?.deliveries).toMatchObject([{ state: 'waiting', error: reason.message }])
})

it('a refused notice is tried six times in nine hours, then is failed until an operator has it sent again', async () => {
  const receiver = new Picky(new NoticeRefused('it answered 404'))
  const { clock, store, alarms, notifierOn, turn } = await start(RULES, { ops: receiver })
  const notifier = notifierOn()
  await cross(store, 1)
  for (let minute = 0; minute < 10 * 60; minute++) {
    await turn(notifier)
    clock.advance(60_000)
  }
  expect(receiver.attempts).toHaveLength(6)
  const [failed] = await store.notices.readNewest(1)
  expect(failed?.deliveries).toMatchObject([{ state: 'failed', tries: 6, error: 'it answered 404' }])
  expect(alarms).toEqual(['a target keeps refusing a notice, which is now marked as failed'])
  receiver.poison = 'none'
  if (failed) await store.notices.write([again(failed)], true)
  await turn(notifier)
  expect(receiver.ids).toEqual([failed?.id])
})

it('the notices of a refused digest are sent again one by one, so that only the one at fault stays', async () => {
  const receiver = new Picky(new NoticeRefused('it answered 400'), 60_000)
  const { clock, store, notifierOn, turn } = await start(RULES, { ops: receiver })
  const notifier = notifierOn()
  await cross(store, 5)
  for (let second = 0; second < 200; second += 3) {
    await turn(notifier)
    clock.advance(3000)
  }
  expect(receiver.messages.map(({ length }) => length)).toEqual([1, 1, 1, 1])
})

it('a target that refuses every notice opens the incident of a target that takes none', async () => {
  const receiver = new Receiver()
  receiver.send = async () => {
    throw new NoticeRefused('it answered 401')
  }
  const { store, alarms, notifierOn, turn } = await start(RULES, { ops: receiver })
  await cross(store, 5)
  await turn(notifierOn())
  expect(alarms).toEqual(['a target takes no notices; they wait'])
})

it('a target that is slow or away keeps no other waiting', async () => {
  const rules: readonly NoticeRule[] = [{ at: [80], of: ['account'], to: ['away', 'slow', 'ops'] }]
  const slow = new Receiver()
  let end = () => {}
  slow.send = () =>
    new Promise(resolve => {
      end = resolve
    })
  const { store, targets, notifierOn } = await start(rules, { away: new Receiver(), slow, ops: new Receiver() })
  if (targets.away) targets.away.away = true
  const notifier = notifierOn()
  await cross(store, 1)
  await notifier.turn()
  await expect.poll(() => targets.ops?.ids.length).toBe(1)
  end()
  await notifier.idle()
})

it('a digest gathers what comes within its time into one message', async () => {
  const { clock, store, targets, notifierOn, turn } = await start(RULES, { ops: new Receiver(300_000) })
  const notifier = notifierOn()
  await cross(store, 3)
  await turn(notifier)
  clock.advance(200_000)
  await cross(store, 2, 3)
  await turn(notifier)
  expect(targets.ops?.messages).toEqual([])
  clock.advance(100_000)
  await turn(notifier)
  expect(targets.ops?.messages.map(({ length }) => length)).toEqual([5])
})

it('a process that dies before it wrote that a notice was delivered sends it again with the same id', async () => {
  const { store, targets, notifierOn, turn } = await start()
  const forgetful = new Proxy(store.notices, {
    get: (notices, name) => (name === 'write' ? async () => {} : Reflect.get(notices, name).bind(notices)),
  })
  await cross(store, 2)
  await turn(notifierOn('one', forgetful))
  await turn(notifierOn('two'))
  const ids = targets.ops?.ids ?? []
  expect(ids).toHaveLength(4)
  expect(new Set(ids).size).toBe(2)
})

it('a delivery is given up after three days, and an operator has it sent again at once', async () => {
  const { clock, store, targets, notifierOn, turn } = await start()
  const receiver = targets.ops as Receiver
  receiver.away = true
  const notifier = notifierOn()
  await cross(store, 1)
  await turn(notifier)
  clock.advance(4 * DAY_MS)
  await turn(notifier)
  const [failed] = await store.notices.readNewest(1)
  expect(failed?.deliveries).toMatchObject([{ state: 'failed', error: 'it answered 503' }])
  expect(await store.notices.countWaiting()).toBe(0)
  receiver.away = false
  if (failed) await store.notices.write([again(failed)], true)
  await turn(notifier)
  await turn(notifier)
  expect(receiver.ids).toEqual([failed?.id])
})

it('a target that the files no longer declare ends its deliveries as failed', async () => {
  const rules: readonly NoticeRule[] = [{ at: [80], of: ['account'], to: ['gone', 'ops'] }]
  const { store, notifierOn, turn } = await start(rules)
  await cross(store, 1)
  await turn(notifierOn())
  const [notice] = await store.notices.readNewest(1)
  expect(notice?.deliveries).toMatchObject([
    { target: 'gone', state: 'failed', error: 'the files declare no such target' },
    { target: 'ops', state: 'delivered' },
  ])
})

it('notices that wait for a target end as failed once the files declare none at all, in a process that began since too', async () => {
  const targets: Record<string, Receiver> = { ops: new Receiver() }
  const { store, notifierOn, turn } = await start(RULES, targets)
  if (targets.ops) targets.ops.away = true
  await cross(store, 1)
  const before = notifierOn()
  await turn(before)
  await before.close()
  delete targets.ops
  const after = notifierOn('two')
  await turn(after)
  const [notice] = await store.notices.readNewest(1)
  expect(notice?.deliveries).toMatchObject([{ state: 'failed', error: 'the files declare no such target' }])
  await turn(after)
  expect(after.isHere).toBe(false)
})

it.each([
  ['others stay', { ops: new Receiver(), pager: new Receiver() }],
  ['none is left', { ops: new Receiver() }],
])(
  'the alarm of a target ends once the files no longer declare it, where %s',
  async (_, targets: Record<string, Receiver>) => {
    const rules: readonly NoticeRule[] = [{ at: [80], of: ['account'], to: ['ops'] }]
    const { clock, store, alarms, notifierOn, turn } = await start(rules, targets)
    const notifier = notifierOn()
    if (targets.ops) targets.ops.away = true
    await cross(store, 3)
    for (let second = 0; second < 30; second += 3) {
      await turn(notifier)
      clock.advance(3000)
    }
    expect(alarms).toEqual(['a target takes no notices; they wait'])
    delete targets.ops
    for (let second = 0; second < 63; second += 3) {
      await turn(notifier)
      clock.advance(3000)
    }
    expect(alarms.slice(1)).toEqual(['this process no longer sends notices to a target'])
  },
)

it('a notice whose receiver refused it waits for no pause once its target is gone, and ends as failed', async () => {
  const picky = new Picky(new NoticeRefused('it answered 400'))
  const targets: Record<string, Receiver> = { ops: picky, pager: new Receiver() }
  const { store, notifierOn, turn } = await start(RULES, targets)
  const notifier = notifierOn()
  await cross(store, 1)
  await turn(notifier)
  delete targets.ops
  await turn(notifier)
  const [notice] = await store.notices.readNewest(1)
  expect(notice?.deliveries).toMatchObject([{ state: 'failed', error: 'the files declare no such target' }])
})

it('the alarm of a target ends in a process once another one delivers', async () => {
  const { clock, store, alarms, targets, notifierOn, turn } = await start()
  let isLeased = true
  const leased = new Proxy(store.notices, {
    get: (notices, name) => (name === 'lease' ? async () => isLeased : Reflect.get(notices, name).bind(notices)),
  })
  const notifier = notifierOn('one', leased)
  if (targets.ops) targets.ops.away = true
  await cross(store, 3)
  for (let second = 0; second < 30; second += 3) {
    await turn(notifier)
    clock.advance(3000)
  }
  isLeased = false
  await turn(notifier)
  expect(alarms).toEqual(['a target takes no notices; they wait', 'this process no longer sends notices to a target'])
})

/** Customers who all chose mail, or a webhook, at one receiver. */
const customersAt = (receiver: Target, kind: 'mail' | 'webhook', digest?: number): Customers => ({
  offered: { at: [50, 80, 100], ...(kind === 'mail' && { mail: 'ops' }), webhooks: true },
  digest,
  contactsOf: async () => ({
    ...(kind === 'mail' ? { mail: 'a@example.com' } : { webhook: { url: 'https://a.example.com/', secret: '' } }),
  }),
  targetOf: () => receiver,
})

/** Notices of one account that wait, without the requests that would lead there. */
const waitingFor = (account: string, kind: string, count: number, at = NOON) =>
  Array.from({ length: count }, (_, number) => ({
    id: `ntc_${account}_${number}`,
    at,
    event: { kind: 'test', by: 'ada' } as const,
    deliveries: [waiting(`${account}/${kind}`, 80)],
  }))

it('all that waits for a webhook that never answers is given up after three days', async () => {
  const dead = new Receiver()
  dead.away = true
  const { clock, store, alarms, notifierOn, turn } = await start([], {}, customersAt(dead, 'webhook'))
  const notifier = notifierOn()
  await store.notices.add(waitingFor('acct_dead', 'webhook', 50))
  for (let hour = 0; hour < 3; hour++) {
    await turn(notifier)
    clock.advance(3_600_000)
  }
  expect(await store.notices.countWaiting()).toBe(50)
  clock.advance(3 * DAY_MS)
  await turn(notifier)
  const failed = (await store.notices.readNewest(100)).flatMap(({ deliveries }) => deliveries)
  expect(new Set(failed.map(({ state }) => state))).toEqual(new Set(['failed']))
  expect(failed.filter(({ tries, error }) => tries === 0 && error?.includes('three days')).length).toBeGreaterThan(30)
  expect(alarms).toEqual([])
})

it('an account has so many waiting at one target, and further ones are failed at once', async () => {
  const dead = new Receiver()
  dead.away = true
  const { store, notifierOn, turn } = await start(RULES, { ops: new Receiver() }, customersAt(dead, 'webhook'))
  const { account } = await openShop(store, 'shop0')
  await store.notices.add(waitingFor(account, 'webhook', MOST_OF_TARGET))
  await cross(store, 2)
  await turn(notifierOn())
  const made = (await store.notices.readNewest(400)).filter(({ event }) => event.kind === 'limit')
  const states = made.flatMap(({ deliveries }) => deliveries.map(({ target, state }) => [target, state]))
  expect(states.filter(([target]) => target === 'ops')).toEqual(Array(2).fill(['ops', 'delivered']))
  expect(states.filter(([target]) => target === `${account}/webhook`)).toEqual([[`${account}/webhook`, 'failed']])
  expect(states.filter(([target]) => target !== 'ops' && target !== `${account}/webhook`)).toMatchObject([
    [expect.stringContaining('/webhook'), 'waiting'],
  ])
})

it('customers leave half of the room to operators', () => {
  const each = Array.from({ length: MOST_OF_CUSTOMERS }, (_, number) => waitingFor(`acct_${number}`, 'mail', 1)).flat()
  const room = new CustomerRoom(each)
  const [notice] = waitingFor('acct_new', 'mail', 1)
  if (!notice) throw new Error('no notice')
  const both = room.admit({ ...notice, deliveries: [waiting('ops'), ...notice.deliveries] })
  expect(both.deliveries).toMatchObject([
    { target: 'ops', state: 'waiting' },
    { target: 'acct_new/mail', state: 'failed' },
  ])
})

it('the mail of customers is gathered by account', async () => {
  const receiver = new Receiver()
  const { clock, store, notifierOn, turn } = await start([], {}, customersAt(receiver, 'mail', 300_000))
  const notifier = notifierOn()
  await store.notices.add([...waitingFor('acct_a', 'mail', 3), ...waitingFor('acct_b', 'mail', 2)])
  await store.notices.add(waitingFor('acct_late', 'mail', 1, NOON + 200_000))
  await turn(notifier)
  expect(receiver.messages).toEqual([])
  clock.advance(300_000)
  await turn(notifier)
  const accounts = receiver.messages.map(ids => [ids.length, new Set(ids.map(id => id.slice(0, 10))).size])
  expect(accounts.sort()).toEqual([
    [2, 1],
    [3, 1],
  ])
})

it('recipients that are refused raise no alarm, and an alarm of the mail server ends with the next mail it takes', async () => {
  const receiver = new Receiver()
  let reason: Error | undefined = new NoticeRefused('550 no such mailbox', { isOfRecipient: true })
  receiver.send = async () => {
    if (reason) throw reason
  }
  const { clock, store, alarms, notifierOn, turn } = await start([], {}, customersAt(receiver, 'mail'))
  const notifier = notifierOn()
  await store.notices.add(waitingFor('acct_dead', 'mail', 10))
  for (let minute = 0; minute < 12 * 60; minute += 30) {
    await turn(notifier)
    clock.advance(30 * 60_000)
  }
  expect([await store.notices.countWaiting(), alarms]).toEqual([0, []])
  reason = new Error('connect ECONNREFUSED')
  await store.notices.add(waitingFor('acct_a', 'mail', 3, clock.now()))
  await turn(notifier)
  expect(alarms).toEqual(['a target takes no notices; they wait'])
  // All that waited is given up, and the alarm is open.
  clock.advance(4 * DAY_MS)
  await turn(notifier)
  await turn(notifier)
  reason = undefined
  await store.notices.add(waitingFor('acct_b', 'mail', 1, clock.now()))
  await turn(notifier)
  expect(alarms.slice(1)).toEqual(['a target takes notices again'])
})

it('crossings that nobody chose to hear of take no room', async () => {
  const { store, alarms, targets, notifierOn, turn } = await start([], {}, customersAt(new Receiver(), 'mail'))
  const unheard = Array.from({ length: 1000 }, (_, number) => ({ number }))
  let left = 25
  const many = new Proxy(store.notices, {
    get: (notices, name) => {
      if (name === 'readCrossings') return async () => (left-- > 0 ? unheard.map(crossingOf) : [])
      if (name === 'removeCrossings') return async () => {}
      return Reflect.get(notices, name).bind(notices)
    },
  })
  await turn(notifierOn('one', many))
  expect([left, alarms, targets]).toEqual([-1, [], {}])
})

const crossingOf = ({ number }: { readonly number: number }) => ({
  ...{ name: `acct_${number} usd/month// 1`, end: NOON + DAY_MS, at: NOON, percent: 1, above: 0, used: 1 },
  about: { measure: 'usd', most: 100, per: 'month', of: 'account', account: `acct_${number}` } as const,
})

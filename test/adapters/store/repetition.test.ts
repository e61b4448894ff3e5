import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import type { Repeater } from '../../../src/adapters/redis/access.ts'
import type { ScriptName } from '../../../src/adapters/redis/client.ts'
import type { Acknowledged } from '../../../src/adapters/redis/journal/acknowledged.ts'
import { JournalFiles } from '../../../src/adapters/redis/journal/files.ts'
import { Journal } from '../../../src/adapters/redis/journal/journal.ts'
import { Layout } from '../../../src/adapters/redis/layout.ts'
import { type Receivers, Repetition } from '../../../src/adapters/redis/repetition.ts'
import { eventually } from '../../support/eventually.ts'
import { newDirectory } from './directory.ts'

const SLOT = 7
const SLOTS = new Set([SLOT])
const callOf = (name: ScriptName, account: string): Acknowledged => ({ call: { name, account, keys: [], values: [] } })

let journal: Journal
let repetition: Repetition
let alarms: string[]
let readReplication: Receivers['readReplication']
/** The calls, in order. */
let called: string[]
let repeater: Repeater
/** The server that has the slots. */
let serving: string

beforeEach(async () => {
  alarms = []
  const alarm = (message: string) => void alarms.push(message)
  journal = new Journal(alarm, new JournalFiles(await newDirectory(), alarm))
  readReplication = async () => []
  called = []
  serving = 'one'
  repeater = {
    call: async ({ name, account }) => {
      called.push(`${name} ${account}`)
      return ['done']
    },
    command: async () => {},
    own: async () => {},
  }
  const servers: Receivers = {
    epoch: 'epoch',
    layout: new Layout('svc'),
    slotOf: () => SLOT,
    servers: () => [{ server: serving, slots: SLOTS }],
    serverNames: () => new Set([serving]),
    serves: server => server === serving,
    repeater,
    readReplication: () => readReplication(),
  }
  repetition = new Repetition(servers, journal, alarm)
})

afterEach(() => repetition.close())

test('a look that fails ends nobody: the operator hears of it once, and the next one comes', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const rejected: unknown[] = []
  const note = (reason: unknown) => void rejected.push(reason)
  process.on('unhandledRejection', note)
  onTestFinished(() => void process.off('unhandledRejection', note))
  let looks = 0
  readReplication = async () => {
    looks++
    if (looks !== 3) throw new Error('ERR unknown command INFO')
    return []
  }
  await repetition.open()

  for (const expected of [1, 1, 1, 2]) {
    await vi.advanceTimersByTimeAsync(1000)
    await new Promise(setImmediate)
    expect(alarms).toEqual(Array(expected).fill(expect.stringContaining('what its replicas have')))
  }

  expect(looks).toBe(4)
  expect(rejected).toEqual([])
})

/** Answers so slowly that there is no time for a second batch. */
const slow = (): Repeater => ({
  ...repeater,
  call: each => {
    vi.advanceTimersByTime(20)
    return repeater.call(each)
  },
})

async function acknowledge(...all: readonly Acknowledged[]): Promise<void> {
  journal.begin(new Map([['connected_slaves', '1']]))
  for (const what of all) await journal.add(what, { slot: SLOT, server: 'one' })
}

test('a server that is too slow for all of it is given what was decided before it serves, in its order, and the rest behind', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const ends = Array.from({ length: 500 }, () => callOf('waste', 'acct_ada'))
  await acknowledge(
    ...ends.slice(0, 250),
    callOf('mint', 'acct_eve'),
    ...ends.slice(250),
    callOf('change', 'acct_eve'),
    callOf('revoke', 'acct_eve'),
  )
  await repetition.before(SLOTS, 'two', slow())

  expect(called.slice(0, 4)).toEqual(['mint acct_eve', 'change acct_eve', 'revoke acct_eve', 'waste acct_ada'])
  expect(called.length).toBeLessThan(500)
  serving = 'two'
  repetition.goOn()
  vi.useRealTimers()
  await eventually(() => expect(called).toHaveLength(503))
})

test('what there was no time for is given to the successor of a server that is lost, and to nobody in its name', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  await acknowledge(...Array.from({ length: 300 }, () => callOf('waste', 'acct_ada')))
  await repetition.before(SLOTS, 'two', slow())
  serving = 'two'
  expect(called).toHaveLength(128)

  await repetition.before(SLOTS, 'three', repeater)
  serving = 'three'
  repetition.goOn()
  // Batches need no more turns.
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)

  expect(called).toHaveLength(128 + 300)
  expect(journal.lackedBy('three', SLOTS)).toEqual([])
})

test('the rest of one server is no reason to serve before another has its own', async () => {
  await acknowledge(...Array.from({ length: 300 }, () => callOf('waste', 'acct_ada')))
  const { call } = repeater
  const disturbed: Repeater = {
    ...repeater,
    call: each => {
      repetition.goOn()
      return call(each)
    },
  }

  await repetition.before(SLOTS, 'two', disturbed)

  expect(called).toHaveLength(300)
})

test('decisions about one account wait for each other, and those about others do not', async () => {
  await acknowledge(
    callOf('mint', 'acct_ada'),
    callOf('mint', 'acct_bob'),
    callOf('revoke', 'acct_ada'),
    callOf('revoke', 'acct_bob'),
  )
  const answers: (() => void)[] = []
  const { call } = repeater
  const waiting = {
    ...repeater,
    call: async (each: Parameters<Repeater['call']>[0]) => {
      const reply = await call(each)
      await new Promise<void>(answer => answers.push(answer))
      return reply
    },
  }

  const before = repetition.before(SLOTS, 'two', waiting)
  await eventually(() => expect(answers).toHaveLength(2))

  expect(called).toEqual(['mint acct_ada', 'mint acct_bob'])
  for (const answer of answers.splice(0)) answer()
  await eventually(() => expect(answers).toHaveLength(2))
  expect(called.slice(2)).toEqual(['revoke acct_ada', 'revoke acct_bob'])
  for (const answer of answers.splice(0)) answer()
  await before
})

test('a change that follows one of another process is tried again until that is there, or it is too old', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  let isThere = false
  const { call } = repeater
  repeater.call = async each => {
    await call(each)
    return [each.account === 'acct_ada' && isThere ? 'done' : 'changed']
  }
  await acknowledge(callOf('change', 'acct_ada'), callOf('change', 'acct_bob'))
  await repetition.open()
  serving = 'two'
  await repetition.before(SLOTS, 'two', repeater)
  expect(called).toEqual(['change acct_ada', 'change acct_bob'])
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      await vi.advanceTimersByTimeAsync(1000)
      await new Promise(setImmediate)
    }
  }

  await pass(2)
  expect(called).toHaveLength(4)
  isThere = true
  await pass(5)
  expect(called.filter(each => each === 'change acct_ada')).toHaveLength(3)
  await pass(590)
  const tries = called.length
  expect(tries).toBeLessThan(40)
  await pass(60)

  expect(called).toHaveLength(tries)
  expect(called.filter(each => each === 'change acct_ada')).toHaveLength(3)
})

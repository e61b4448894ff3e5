import { appendFileSync, mkdirSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { JournalFiles } from '../../../src/adapters/redis/journal/files.ts'
import { Journal } from '../../../src/adapters/redis/journal/journal.ts'
import { newDirectory } from './directory.ts'

const told = (number: number) => ({ command: ['SET', 'name', String(number)] })
const primary = (offset: number, ...replicas: readonly string[]) =>
  new Map([
    ['master_repl_offset', String(offset)],
    ['connected_slaves', String(replicas.length)],
    ...replicas.map((text, at): [string, string] => [`slave${at}`, text]),
  ])
const at = (offset: number, state = 'online') => `ip=10.0.0.7,port=6379,state=${state},offset=${offset},lag=0`

let directory: string
let journal: Journal
let alarms: string[]

const BY = { slot: 7, server: 'one' }
const STORE = 'epoch'
const whatOf = (of: Journal) => of.lackedBy('another', new Set([BY.slot])).map(({ what }) => what)
const kept = () => whatOf(journal).map(what => ('command' in what ? what.command[2] : '?'))

beforeEach(async () => {
  directory = await newDirectory()
  alarms = []
  journal = new Journal(message => alarms.push(message), new JournalFiles(directory, message => alarms.push(message)))
  await journal.open(STORE, () => BY.slot)
  journal.begin(primary(0, at(0)))
})

afterEach(() => journal.close())

test('nothing is kept of a server that nobody follows, until a replica is seen', async () => {
  const lone = new Journal(() => {}, new JournalFiles(await newDirectory(), () => {}))
  onTestFinished(() => lone.close())
  lone.begin(primary(0))
  await lone.add(told(1), BY)
  expect(whatOf(lone)).toEqual([])

  lone.look('one', primary(100, at(100)), lone.count)
  await lone.add(told(2), BY)
  lone.look('one', primary(200), lone.count)
  await lone.add(told(3), BY)

  expect(whatOf(lone)).toEqual([told(2), told(3)])
})

test('an entry is kept until every replica was seen behind it', async () => {
  await journal.add(told(1), BY)
  journal.look('one', primary(100, at(90), at(100)), journal.count)
  await journal.add(told(2), BY)
  journal.look('one', primary(200, at(99), at(200)), journal.count)
  expect(kept()).toEqual(['1', '2'])

  journal.look('one', primary(300, at(100), at(300)), journal.count)
  expect(kept()).toEqual(['2'])
  journal.look('one', primary(300, at(300), at(300)), journal.count)
  expect(kept()).toEqual([])
})

test('what came after the primary was asked is kept, whatever it says', async () => {
  await journal.add(told(1), BY)
  const asked = journal.count
  await journal.add(told(2), BY)

  journal.look('one', primary(100, at(100)), asked)

  expect(kept()).toEqual(['2'])
})

test('a replica that only begins to follow is not waited for, and does not stand for one that does', async () => {
  await journal.add(told(1), BY)

  journal.look('one', primary(100, at(0, 'wait_bgsave')), journal.count)
  expect(kept()).toEqual(['1'])
  journal.look('one', primary(100, at(0, 'wait_bgsave'), at(100)), journal.count)

  expect(kept()).toEqual([])
})

test('offsets of one server say nothing of another', async () => {
  await journal.add(told(1), BY)
  journal.look('one', primary(100, at(90)), journal.count)

  journal.repeated(journal.lackedBy('two', new Set([BY.slot])), 'two')
  await journal.add(told(2), { ...BY, server: 'two' })
  journal.look('two', primary(50, at(49)), journal.count)
  expect(kept()).toEqual(['1', '2'])

  journal.look('two', primary(60, at(50)), journal.count)
  expect(kept()).toEqual([])
})

test('a server is given what another acknowledged of its slots, and nothing else', async () => {
  for (const [number, slot] of [7, 8, 7].entries()) await journal.add(told(number), { slot, server: 'one' })
  await journal.add(told(3), { slot: 7, server: 'two' })

  const lacking = journal.lackedBy('two', new Set([7]))
  expect(lacking.map(({ what }) => what)).toEqual([told(0), told(2)])
  journal.repeated(lacking.slice(0, 1), 'two')

  expect(journal.lackedBy('two', new Set([7])).map(({ what }) => what)).toEqual([told(2)])
})

test('what was repeated is kept until the replicas of that server have it, whatever was seen of them before', async () => {
  await journal.add(told(1), BY)
  const asked = journal.count
  journal.repeated(journal.lackedBy('two', new Set([BY.slot])), 'two')

  journal.look('two', primary(100, at(100)), asked)
  expect(kept()).toEqual(['1'])
  journal.look('two', primary(100, at(100)), journal.count)
  expect(kept()).toEqual([])
})

test('the oldest half goes where replicas never catch up, and the operator hears of it once', async () => {
  const all = Array.from({ length: 100_001 }, (_, number) => journal.add(told(number), BY))
  await Promise.all(all)

  expect(kept()).toHaveLength(50_000)
  expect(kept().at(-1)).toBe('100000')
  expect(alarms).toEqual([expect.stringContaining('far behind')])
})

test('a successor of the process has what was kept, and files of what is forgotten go', async () => {
  await journal.add(told(1), BY)
  await journal.add(told(2), BY)
  await journal.close()

  const next = new Journal(() => {}, new JournalFiles(directory, () => {}))
  expect(await next.open(STORE, () => BY.slot)).toBe(true)
  expect(whatOf(next)).toEqual([told(1), told(2)])
  next.begin(primary(0, at(0)))
  await next.add(told(3), BY)
  expect(readdirSync(directory)).toHaveLength(2)
  const asked = next.count
  await next.add(told(4), BY)
  next.look('one', primary(100, at(100)), asked)
  expect(readdirSync(directory)).toHaveLength(2)
  next.look('one', primary(100, at(100)), next.count)
  await next.close()

  expect(readdirSync(directory)).toEqual([])
})

/** The calls that a promoted server receives. */
async function givenTo(server: string, epoch = STORE) {
  const next = new Journal(() => {}, new JournalFiles(directory, () => {}))
  await next.open(epoch, () => BY.slot)
  const lacked = next.lackedBy(server, new Set([BY.slot])).map(({ what }) => what)
  await next.close()
  return lacked
}

test('a successor gives a server nothing that this server acknowledged itself', async () => {
  await journal.add(told(1), BY)
  await journal.add(told(2), { ...BY, server: 'two' })
  await journal.close()

  expect(await givenTo('one')).toEqual([told(2)])
  expect(await givenTo('two')).toEqual([told(1)])
  expect(await givenTo('three')).toEqual([told(1), told(2)])
})

test('a successor gives a server also what it acknowledged before slots moved and came back', async () => {
  await journal.add(told(1), BY)
  await journal.moved()
  await journal.add(told(2), BY)
  await journal.close()

  expect(await givenTo('one')).toEqual([told(1)])
})

test('a store that was begun anew is given nothing of the one before, and no store after it', async () => {
  await journal.add(told(1), BY)
  await journal.close()

  expect(await givenTo('two', 'begun anew')).toEqual([])
  expect(await givenTo('two')).toEqual([])
})

test('what a process before this one left is kept for no longer than its own', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  await journal.add(told(1), BY)
  await journal.close()
  vi.advanceTimersByTime(599_000)
  const next = new Journal(() => {}, new JournalFiles(directory, () => {}))
  await next.open(STORE, () => BY.slot)
  expect(whatOf(next)).toEqual([told(1)])

  vi.advanceTimersByTime(2000)
  next.look('one', primary(0), next.count)

  expect(whatOf(next)).toEqual([])
})

test('a file that cannot be removed is told to the operator once, and goes with the next ones', async () => {
  await journal.add(told(1), BY)
  await journal.close()
  const next = new Journal(() => {}, new JournalFiles(directory, message => alarms.push(message)))
  await next.open(STORE, () => BY.slot)
  next.repeated(next.lackedBy('one', new Set([BY.slot])), 'one')
  const lookAfter = async (number: number) => {
    await next.add(told(number), BY)
    next.look('one', primary(number, at(number)), next.count)
    // Behind what the files were told before.
    await next.add(told(number), BY)
  }
  // Nobody, not even root, removes a directory as a file.
  const [first = ''] = readdirSync(directory)
  unlinkSync(join(directory, first))
  mkdirSync(join(directory, first))

  await lookAfter(2)
  await lookAfter(3)

  expect(alarms).toEqual([expect.stringContaining('cannot be removed')])
  rmdirSync(join(directory, first))
  appendFileSync(join(directory, first), '')
  await lookAfter(4)
  expect(readdirSync(directory)).not.toContain(first)
  await next.close()
})

test('half a line of a full disk hides no entry behind it from a successor', async () => {
  await journal.add(told(1), BY)
  const [file = ''] = readdirSync(directory)
  appendFileSync(join(directory, file), '{"at":1,"comma')
  await journal.add(told(2), BY)
  await journal.close()

  const next = new Journal(() => {}, new JournalFiles(directory, () => {}))
  await next.open(STORE, () => BY.slot)

  expect(whatOf(next)).toEqual([told(1), told(2)])
})

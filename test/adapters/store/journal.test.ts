import { readdirSync } from 'node:fs'
import { beforeEach, expect, test } from 'vitest'
import { Journal } from '../../../src/adapters/redis/journal/journal.ts'
import { JournalFiles } from '../../../src/adapters/redis/journal/journal-files.ts'
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

const kept = () => journal.from(0, 1_000_000).entries.map(entry => ('command' in entry ? entry.command[2] : '?'))

beforeEach(async () => {
  directory = await newDirectory()
  alarms = []
  journal = new Journal(message => alarms.push(message), new JournalFiles(directory, message => alarms.push(message)))
  journal.begin(primary(0, at(0)))
})

test('nothing is kept of a server that nobody follows, until a replica is seen', async () => {
  const lone = new Journal(() => {}, new JournalFiles(await newDirectory(), () => {}))
  lone.begin(primary(0))
  await lone.add(told(1))
  expect(lone.from(0, 10).entries).toEqual([])

  lone.look(primary(100, at(100)), lone.next)
  await lone.add(told(2))
  lone.look(primary(200), lone.next)
  await lone.add(told(3))

  expect(lone.from(0, 10).entries).toEqual([told(2), told(3)])
})

test('an entry is kept until every replica was seen behind it', async () => {
  await journal.add(told(1))
  journal.look(primary(100, at(90), at(100)), journal.next)
  await journal.add(told(2))
  journal.look(primary(200, at(99), at(200)), journal.next)
  expect(kept()).toEqual(['1', '2'])

  journal.look(primary(300, at(100), at(300)), journal.next)
  expect(kept()).toEqual(['2'])
  journal.look(primary(300, at(300), at(300)), journal.next)
  expect(kept()).toEqual([])
})

test('what came after the primary was asked is kept, whatever it says', async () => {
  await journal.add(told(1))
  const asked = journal.next
  await journal.add(told(2))

  journal.look(primary(100, at(100)), asked)

  expect(kept()).toEqual(['2'])
})

test('a replica that only begins to follow is not waited for, and does not stand for one that does', async () => {
  await journal.add(told(1))

  journal.look(primary(100, at(0, 'wait_bgsave')), journal.next)
  expect(kept()).toEqual(['1'])
  journal.look(primary(100, at(0, 'wait_bgsave'), at(100)), journal.next)

  expect(kept()).toEqual([])
})

test('offsets of one server say nothing of another', async () => {
  await journal.add(told(1))
  journal.look(primary(100, at(90)), journal.next)

  journal.moved()
  await journal.add(told(2))
  journal.look(primary(50, at(49)), journal.next)
  expect(kept()).toEqual(['1', '2'])

  journal.look(primary(60, at(50)), journal.next)
  expect(kept()).toEqual([])
})

test('the oldest half goes where replicas never catch up, and the operator hears of it once', async () => {
  const all = Array.from({ length: 100_001 }, (_, number) => journal.add(told(number)))
  await Promise.all(all)

  expect(kept()).toHaveLength(50_000)
  expect(kept().at(-1)).toBe('100000')
  expect(alarms).toEqual([expect.stringContaining('far behind')])
})

test('a successor of the process has what was kept, and files of what is forgotten go', async () => {
  await journal.add(told(1))
  await journal.add(told(2))
  await journal.close()

  const next = new Journal(() => {}, new JournalFiles(directory, () => {}))
  expect(await next.open()).toBe(true)
  expect(next.from(0, 10).entries).toEqual([told(1), told(2)])
  next.begin(primary(0, at(0)))
  await next.add(told(3))
  expect(readdirSync(directory)).toHaveLength(2)
  next.look(primary(100, at(100)), next.next)
  await next.close()

  expect(readdirSync(directory)).toHaveLength(1)
})

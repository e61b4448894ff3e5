import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import type { Repeater } from '../../../src/adapters/redis/access.ts'
import { Journal } from '../../../src/adapters/redis/journal/journal.ts'
import { JournalFiles } from '../../../src/adapters/redis/journal/journal-files.ts'
import { type Receivers, Repetition } from '../../../src/adapters/redis/journal/repetition.ts'
import { Layout } from '../../../src/adapters/redis/layout.ts'
import { newDirectory } from './directory.ts'

const SLOT = 7
const SLOTS = new Set([SLOT])

let journal: Journal
let repetition: Repetition
let alarms: string[]
let readReplication: Receivers['readReplication']

beforeEach(async () => {
  alarms = []
  const alarm = (message: string) => void alarms.push(message)
  journal = new Journal(alarm, new JournalFiles(await newDirectory(), alarm))
  readReplication = async () => []
  const repeater: Repeater = { call: async () => ['done'], command: async () => {}, own: async () => {} }
  const servers: Receivers = {
    layout: new Layout('svc'),
    slotOf: () => SLOT,
    servers: () => [{ server: 'one', slots: SLOTS }],
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

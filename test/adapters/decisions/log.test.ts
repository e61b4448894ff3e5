import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { DecisionFiles } from '../../../src/adapters/decisions/log.ts'
import type { DecisionSettings } from '../../../src/config/settings.ts'
import type { DecisionRecord } from '../../../src/policy/record.ts'
import { removeFolder } from '../../lanes/remove-folder.ts'
import { VirtualClock } from '../../support/clock.ts'
import { linesIn, recordIn } from './lines.ts'

let dir: string
let clock: VirtualClock
let alarms: string[]
let settings: DecisionSettings
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'svc-decisions-'))
  clock = new VirtualClock(0)
  alarms = []
  settings = { log: true, directory: join(dir, 'log'), maxBytes: 1_000_000, files: 3 }
})
afterEach(() => removeFolder(dir))

const open = () =>
  new DecisionFiles({
    settings: () => settings,
    clock,
    alarm: (message, details) => alarms.push(`${message} ${JSON.stringify(details)}`),
  })
const idsIn = async () => (await linesIn(settings.directory)).map(line => recordIn(line).id)
const numbered = (from: number, count: number) => Array.from({ length: count }, (_, n) => `req_${from + n}`)

/** A line of about as many bytes. */
const record = (id: string, bytes = 300): DecisionRecord => ({
  id,
  revision: 'r',
  facts: {
    at: 0,
    caller: { kind: 'developer', account: 'acct_1', keyPrefix: null, terms: { override: 'free' } },
    request: {
      kind: 'chat',
      model: 'm'.repeat(bytes),
      stream: false,
      messages: 1,
      images: 0,
      tools: 0,
      choices: 1,
      textBytes: 9,
    },
    health: { down: [] },
    signals: {},
  },
  outcome: { verdict: 'deny', plan: 'free', denial: { code: 'STORE_UNAVAILABLE' } },
})

it('lines are written within 50 ms, in the order in which they came', async () => {
  const log = open()
  for (const id of numbered(0, 100)) log.write(record(id))
  expect(() => statSync(settings.directory)).toThrow()

  clock.advance(50)
  await expect.poll(() => log.counts.written).toBe(100)
  expect(await idsIn()).toEqual(numbered(0, 100))

  for (const id of numbered(100, 10)) log.write(record(id))
  clock.advance(50)
  await expect.poll(() => log.counts.written).toBe(110)
  await log.close()
  expect(await idsIn()).toEqual(numbered(0, 110))
})

it('what waits at the end is written before the log is closed', async () => {
  const log = open()
  for (const id of numbered(0, 10)) log.write(record(id))

  await log.close()

  expect(await idsIn()).toEqual(numbered(0, 10))
  expect(statSync(settings.directory).mode & 0o077).toBe(0)
})

it('no file grows beyond its size, and only the newest are kept', async () => {
  settings = { ...settings, maxBytes: 10_000 }
  const log = open()
  for (const id of numbered(0, 200)) log.write(record(id))
  await log.close()

  const names = readdirSync(settings.directory).sort()
  const sizes = names.map(name => statSync(join(settings.directory, name)).size)
  expect(names).toHaveLength(3)
  for (const size of sizes) expect(size).toBeLessThanOrEqual(10_000)
  const ids = await idsIn()
  expect(ids).toEqual(numbered(200 - ids.length, ids.length))
  expect(ids.length).toBeGreaterThan(20)
})

it('goes on after a restart, whatever a crash left of the last line', async () => {
  const before = open()
  before.write(record('req_0'))
  await before.close()
  const [name = ''] = readdirSync(settings.directory)
  appendFileSync(join(settings.directory, name), '{"v":2,"id":"req_cut","at')

  const after = open()
  after.write(record('req_1'))
  await after.close()

  const lines = await linesIn(settings.directory)
  expect(readdirSync(settings.directory)).toEqual([name])
  expect(lines).toHaveLength(3)
  expect([recordIn(lines[0]).id, recordIn(lines[2]).id]).toEqual(['req_0', 'req_1'])
})

it('a disk that takes nothing is one alarm, and writing goes on once it does', async () => {
  // No directory can be made below a file.
  writeFileSync(join(dir, 'log'), 'in the way')
  const log = open()
  for (let batch = 0; batch < 5; batch++) {
    log.write(record(`req_${batch}`))
    clock.advance(50)
    await expect.poll(() => log.counts.dropped).toBe(batch + 1)
  }
  expect(alarms).toEqual([expect.stringContaining('the decision log cannot be written')])
  expect(readFileSync(join(dir, 'log'), 'utf8')).toBe('in the way')

  rmSync(join(dir, 'log'))
  log.write(record('req_later'))
  await log.close()

  expect(await idsIn()).toEqual(['req_later'])
  expect(alarms).toHaveLength(2)
  expect(alarms[1]).toContain('"dropped":5')
})

it('what waits for a slow disk is bounded: more is dropped, and counted', async () => {
  const log = open()
  for (let line = 0; line < 100; line++) log.write(record(`req_${line}`, 200_000))
  const { dropped } = log.counts
  await log.close()

  expect(dropped).toBeGreaterThan(40)
  expect(log.counts.written + dropped).toBe(100)
  expect(alarms[0]).toContain('the disk is too slow')
})

it('a line longer than any honest request is dropped', async () => {
  const log = open()
  log.write(record('req_long', 600_000))
  log.write(record('req_1'))
  await log.close()

  expect(await idsIn()).toEqual(['req_1'])
  expect(log.counts).toEqual({ written: 1, dropped: 1 })
})

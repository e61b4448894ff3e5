import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openRecords, type Records } from '../../../src/adapters/embedded/records.ts'
import { RuleCounters } from '../../../src/adapters/embedded/rule-counters.ts'
import { cellAt, type RuleCounter } from '../../../src/policy/limits/rule-counter.ts'
import { removeFolder } from '../../lanes/remove-folder.ts'
import { NOON } from './fixtures.ts'

const DAY = { group: 'account', field: 'tokens/day//' }
const HOUR = { group: 'account', field: 'requests/hour//' }
const today = cellAt('day', NOON)

const NO_KEYS = () => new Set<string>()

const used = (used: number, held = 0): RuleCounter => [{ index: today, used, held }]

describe('embedded: the counters of rules in memory', () => {
  let path: string
  let records: Records
  let rules: RuleCounters

  beforeEach(async () => {
    path = await mkdtemp(join(tmpdir(), 'rules-'))
    records = await openRecords(path)
    rules = new RuleCounters(records, 3)
  })

  afterEach(async () => {
    await records.close()
    await removeFolder(path)
  })

  async function write(): Promise<void> {
    await records.commit(rules.writes(records))
    rules.written()
  }

  it('are as they were written when they were forgotten and are read again, but for what was held', async () => {
    rules.put('acct_1', DAY, used(5, 3))
    rules.put('acct_1', HOUR, used(7))
    await write()
    rules.put('acct_1', DAY, used(6))
    await write()

    for (let other = 0; other < 50; other++) {
      rules.put(`acct_other_${other}`, DAY, used(1))
      await write()
    }

    expect(rules.of('acct_1', DAY)).toEqual(used(6))
    expect(rules.of('acct_1', HOUR)).toEqual(used(7))
  })

  it('stay while something is held in them, or they are to be written', async () => {
    rules.put('acct_held', DAY, used(0, 9))
    await write()
    for (let other = 0; other < 50; other++) rules.put(`acct_${other}`, DAY, used(other))

    expect(rules.of('acct_held', DAY)).toEqual(used(0, 9))
    expect(Array.from({ length: 50 }, (_, other) => rules.of(`acct_${other}`, DAY))).toEqual(
      Array.from({ length: 50 }, (_, other) => used(other)),
    )
  })

  it('of a failed commit are written by the next', async () => {
    rules.put('acct_1', DAY, used(5))
    rules.writes(records)
    rules.failed()
    await write()

    expect(new RuleCounters(records, 3).of('acct_1', DAY)).toEqual(used(5))
  })

  it('of one account are not those of another, and shared ones are of all', () => {
    rules.put('acct_1', DAY, used(5))
    rules.put('acct_1', { group: 'everybody', field: 'tokens/day//' }, used(8))

    expect(rules.find('acct_2', DAY)).toBeUndefined()
    expect(rules.of('acct_2', { group: 'everybody', field: 'tokens/day//' })).toEqual(used(8))
  })

  it('leave the disk once nothing of them counts any more', async () => {
    for (let account = 0; account < 5; account++) rules.put(`acct_${account}`, DAY, used(1))
    rules.put('acct_3', { group: 'account', field: 'tokens/month//' }, [
      { index: cellAt('month', NOON), used: 1, held: 0 },
    ])
    await write()
    const later = new RuleCounters(records, 3)

    const first = later.trims({ at: NOON + 86_400_000 }, '', 2, NO_KEYS)
    const rest = later.trims({ at: NOON + 86_400_000 }, first.last ?? '', 5, NO_KEYS)
    await records.commit([...first.writes, ...rest.writes])

    expect([first.writes.length, rest.writes.length, rest.last]).toEqual([2, 3, undefined])
    expect([...records.rules.getRange()]).toEqual([
      { key: 'acct_3 account', value: ['tokens/month//', cellAt('month', NOON), 1] },
    ])
  })

  it('of keys that ended leave the disk and memory, while those of others in their group stay', async () => {
    const [working, ended] = ['key_1', 'key_2'].map(key => ({ group: 'account', field: `tokens/month/${key}/` }))
    if (!working || !ended) throw new Error('two names')
    for (const account of ['acct_disk', 'acct_memory'])
      for (const name of [working, ended])
        rules.put(account, name, [{ index: cellAt('month', NOON), used: 1, held: 0 }])
    await write()
    const later = new RuleCounters(records, 3)
    later.of('acct_memory', working)

    await records.commit(later.trims({ at: NOON }, '', 9, () => new Set(['key_1'])).writes)
    await records.commit(later.writes(records))

    const again = new RuleCounters(records, 3)
    for (const account of ['acct_disk', 'acct_memory'])
      expect([later, again].map(each => [each.find(account, working)?.length, each.find(account, ended)])).toEqual([
        [1, undefined],
        [1, undefined],
      ])
  })

  it('of a window that slides stay until what the ledger knows of its first day is none of theirs', async () => {
    const name = { group: 'account', field: 'tokens/1d//' }
    const midnight = NOON - 43_200_000
    rules.put('acct_1', name, [{ index: cellAt('1d', midnight + 600_000), used: 5, held: 0 }])
    await write()
    const later = new RuleCounters(records, 3)

    expect(later.trims({ at: midnight + 86_400_000 + 2_400_000 }, '', 9, NO_KEYS).writes).toEqual([])
    expect(later.trims({ at: midnight + 2 * 86_400_000 + 2_400_000 }, '', 9, NO_KEYS).writes).toHaveLength(1)
  })

  it.each([
    // The 21st begins at 23:00Z in Berlin, and at 05:00Z in New York.
    {
      zone: 'Europe/Berlin',
      used: '2026-11-20T23:10:00Z',
      stays: '2026-11-22T00:30:00Z',
      leaves: '2026-11-22T23:30:00Z',
    },
    {
      zone: 'America/New_York',
      used: '2026-11-21T06:00:00Z',
      stays: '2026-11-23T03:00:00Z',
      leaves: '2026-11-23T06:00:00Z',
    },
  ])('of a window that slides outlive the first day that the ledger has of it in $zone', async times => {
    const calendar = { zone: times.zone, monthStarts: 1 }
    const name = { group: 'account', field: 'tokens/1d//' }
    rules.put('acct_1', name, [{ index: cellAt('1d', Date.parse(times.used)), used: 5, held: 0 }])
    await write()
    const later = new RuleCounters(records, 3)
    const trimmed = (at: string) => later.trims({ at: Date.parse(at), calendar }, '', 9, NO_KEYS).writes.length

    expect([trimmed(times.stays), trimmed(times.leaves)]).toEqual([0, 1])
  })
})

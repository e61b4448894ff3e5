import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { dumpRecords } from '../../../src/adapters/embedded/backup/dump.ts'
import {
  frameBytes,
  HEAD_BYTES,
  headBytes,
  readHead,
  scanSegment,
} from '../../../src/adapters/embedded/journal/frame.ts'
import { Journal } from '../../../src/adapters/embedded/journal/journal.ts'
import { Segment, segmentName } from '../../../src/adapters/embedded/journal/segment.ts'
import { journalOf, readTail } from '../../../src/adapters/embedded/journal/tail.ts'
import type { Write } from '../../../src/adapters/embedded/lmdb.ts'
import { isOpenIn } from '../../../src/adapters/embedded/record-writer.ts'
import { openRecords, type Records } from '../../../src/adapters/embedded/records.ts'
import { openOn } from '../../../src/adapters/embedded/store.ts'
import { lockDirectory } from '../../../src/adapters/embedded/store-directory.ts'
import { replayJournal } from '../../../src/adapters/embedded/store-journal.ts'
import { openStoreState } from '../../../src/adapters/embedded/store-state.ts'
import type { StoreRecord } from '../../../src/gateway/store/record.ts'
import { StoreUnavailable } from '../../../src/gateway/store/store.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import { watchesOf } from '../../../src/policy/notices.ts'
import { holdShared } from './aspects/limits/shared.ts'
import { copyOf, expectBalanced, newDirectory, openHere } from './directory.ts'
import { admission, admit, all, claimsOf, clockAt, ledgerOf, NOON, openShop, rowOf, settlement } from './fixtures.ts'
import { beginLife, type Crash, crashOf, expectKept, live, lives } from './random-life.ts'

/** A store with a journal, whose commits pass by the test. */
async function openJournaled(clock = clockAt(NOON).now) {
  const path = await newDirectory()
  const files = await openRecords(path)
  const disk = { commits: 0, commit: (writes: readonly Write[]) => files.commit(writes) }
  const records: Records = {
    ...files,
    commit: writes => {
      disk.commits++
      return disk.commit(writes)
    },
  }
  const journal = { directory: journalOf(path), isUsed: true }
  const store = await openOn(records, await lockDirectory(path), clock, undefined, journal)
  onTestFinished(() => store.close().catch(() => {}))
  return { path, store, disk, files, shop: await openShop(store) }
}

const segmentOf = (path: string): string => {
  const [name = ''] = readdirSync(journalOf(path)).filter(each => each.endsWith('.segment'))
  return join(journalOf(path), name)
}

describe('a journal of the embedded store', () => {
  it('has settlements before the files, and the next process has them all, once', async () => {
    const { path, store, disk, shop } = await openJournaled()
    const holds = await Promise.all([1, 2, 3].map(index => admit(store, shop, `req_${index}`)))
    disk.commits = 0
    for (const hold of holds) await store.holds.settle(settlement(hold))
    expect(disk.commits).toBe(0)

    const copy = await copyOf(path)
    const after = await openHere(copy)
    expect(await expectBalanced(after, shop.account)).toEqual(holds.map(hold => rowOf(settlement(hold))))
    expect(await after.holds.admit(admission(shop, 'req_9'))).toMatchObject({
      readings: { requests: 3, day: 3, concurrent: 0, used: 150 },
    })
    await after.close()
    expect(existsSync(journalOf(copy))).toBe(false)
    expect(await expectBalanced(await openHere(copy), shop.account)).toHaveLength(3)
  })

  it('has thresholds that settlements crossed, and the next process announces each once', async () => {
    const { path, store, disk, shop } = await openJournaled()
    const claims = claimsOf({ limit: 60 })
    const notices = [{ at: [50, 80], of: ['account'], to: ['ops'] }] as const
    const hold = await admit(store, shop, 'req_1', claims)
    const watches = watchesOf({ notices, claims, hold }) ?? []
    disk.commits = 0
    await store.holds.settle({ ...settlement(hold, { tokens: 30, cost: nanoUsd(50) }), watches })
    expect(disk.commits).toBe(0)

    const copy = await copyOf(path)
    const after = await openHere(copy)
    const crossed = await after.notices.readCrossings(9)
    expect(crossed.map(({ percent, used, at }) => [percent, used, at])).toEqual([[80, 50, NOON]])
    await after.close()
    expect(await (await openHere(copy)).notices.readCrossings(9)).toEqual(crossed)
  })

  it('reads see rows that only the journal has', async () => {
    const { store, shop } = await openJournaled()
    const hold = await admit(store, shop, 'req_1')
    await store.holds.settle(settlement(hold))

    expect(await ledgerOf(store)).toEqual([rowOf(settlement(hold))])
  })

  it('marks the files so that a build without a journal refuses them, until a stop that leaves nothing in it', async () => {
    const { path, store, shop } = await openJournaled()
    await store.holds.settle(settlement(await admit(store, shop, 'req_1')))
    const schemaOf = async (directory: string) => {
      const records = await openRecords(await copyOf(directory))
      const schema = records.meta.get('schema') ?? 0
      await records.close()
      return schema
    }
    const open = await schemaOf(path)
    expect(isOpenIn(open)).toBe(true)

    await store.close()

    expect(await schemaOf(path)).toBe(open % 1000)
  })

  it('that is damaged before its end, or lacks a segment, is refused as damage', async () => {
    const { path, store, shop } = await openJournaled()
    for (let index = 0; index < 3; index++)
      await store.holds.settle(settlement(await admit(store, shop, `req_${index}`)))

    const flipped = await copyOf(path)
    const segment = segmentOf(flipped)
    const bytes = readFileSync(segment)
    bytes[HEAD_BYTES + 40] = (bytes[HEAD_BYTES + 40] ?? 0) ^ 1
    writeFileSync(segment, bytes)
    const lacking = await copyOf(path)
    rmSync(segmentOf(lacking))

    for (const copy of [flipped, lacking])
      await expect(openHere(copy)).rejects.toMatchObject({ name: 'JournalDamaged' })
  })

  it('a record that was cut off, or flipped, at the end is left out, and those before it are kept', async () => {
    const { path, store, shop } = await openJournaled()
    for (let index = 0; index < 3; index++)
      await store.holds.settle(settlement(await admit(store, shop, `req_${index}`)))
    const copy = await copyOf(path)
    const segment = segmentOf(copy)
    const bytes = readFileSync(segment)
    const end = bytes.lastIndexOf('}')
    bytes.fill(0, end - 100)
    writeFileSync(segment, bytes)

    const after = await openHere(copy)

    expect((await expectBalanced(after, shop.account)).map(({ requestId }) => requestId)).toEqual(['req_0', 'req_1'])
  })

  it('that cannot be written has settlements go to the files, and admits on', async () => {
    const { path, store, disk, shop } = await openJournaled()
    const holds = await Promise.all([1, 2, 3].map(index => admit(store, shop, `req_${index}`)))
    failWrites()
    disk.commits = 0

    await Promise.all(holds.map(hold => store.holds.settle(settlement(hold))))
    await store.holds.settle(settlement(await admit(store, shop, 'req_4')))

    expect(disk.commits).toBeGreaterThan(0)
    const after = await openHere(await copyOf(path))
    expect(await expectBalanced(after, shop.account)).toHaveLength(4)
  })

  it('that fails while the files are written is not repeated on what it has, and reads see all of it', async () => {
    const { path, store, disk, files, shop } = await openJournaled()
    const [first, second, third] = await Promise.all([1, 2, 3].map(index => admit(store, shop, `req_${index}`)))
    if (!first || !second || !third) throw new Error('three were admitted')
    await store.holds.settle(settlement(first))
    let release = () => {}
    const released = new Promise<void>(resolve => {
      release = resolve
    })
    disk.commit = async writes => {
      await released
      await files.commit(writes)
    }
    const read = ledgerOf(store)
    await vi.waitUntil(() => disk.commits > 0)
    await store.holds.settle(settlement(second))
    failWrites()
    const last = store.holds.settle(settlement(third))
    disk.commit = files.commit

    release()
    await Promise.all([read, last])

    expect(await ledgerOf(store)).toHaveLength(3)
    const after = await openHere(await copyOf(path))
    expect(await expectBalanced(after, shop.account)).toHaveLength(3)
  })

  it('a settlement that neither the journal nor the files take rejects, and is charged once when it is written after all', async () => {
    const { path, store, disk, files, shop } = await openJournaled()
    const settled = settlement(await admit(store, shop, 'req_1'))
    failWrites()
    disk.commit = () => Promise.reject(new StoreUnavailable('no space left'))
    await expect(store.holds.settle(settled)).rejects.toThrow(StoreUnavailable)
    await expect(store.holds.admit(admission(shop, 'req_2'))).rejects.toThrow(StoreUnavailable)

    disk.commit = files.commit
    await store.holds.settle(settled)

    for (const one of [store, await openHere(await copyOf(path))])
      expect(await expectBalanced(one, shop.account)).toEqual([rowOf(settled)])
  })
})

it('a journal goes on in further segments, writes those anew of which the files have all, and gives back the rest', async () => {
  const directory = await newDirectory()
  const journal = await Journal.begin(directory, { journal: 7, ordinal: 1, number: 10, alarm: () => {} })
  const text = 'x'.repeat(2 ** 18)
  let folded = { number: 10, segment: 1 }
  for (let index = 0; index < 70; index++) {
    const { number, synced } = journal.append(text)
    await synced
    if (index < 50) journal.freeBefore(journal.ordinal)
    if (index === 49) folded = { number, segment: journal.ordinal }
  }
  const last = journal.ordinal
  await journal.close()

  const marks = { journal: 7, folded: folded.number, segment: folded.segment }
  expect(last).toBeGreaterThan(folded.segment)
  // Besides those in use, one that is prepared.
  expect(readdirSync(directory).length).toBeLessThanOrEqual(last - folded.segment + 4)
  expect(readTail(directory, marks)).toEqual({
    frames: Array.from({ length: 20 }, (_, index) => ({ number: folded.number + 1 + index, text })),
  })
  rmSync(join(directory, segmentName(last)))
  expect(readTail(directory, marks).damage).toContain('missing')
})

describe('a segment', () => {
  const head = { journal: 7, ordinal: 3, salt: 12345 }
  const texts = ['["first"]', '["sécond"]', '["third, which is a little longer"]']
  const frames = texts.map((text, index) => ({ number: index + 5, text }))
  const parts = frames.map(frame => frameBytes(frame, head.salt))
  const written = Buffer.concat([headBytes(head), ...parts, Buffer.alloc(100)])
  const lastAt = HEAD_BYTES + (parts[0]?.length ?? 0) + (parts[1]?.length ?? 0)
  const end = lastAt + (parts[2]?.length ?? 0)

  it('gives back its records', () => {
    expect(readHead(written)).toEqual(head)
    expect(scanSegment(written, head)).toEqual({ frames, isFull: false })
  })

  it.each(['zeros', 'an older file'])(
    'that was torn at any byte of its last record has those before it, over %s',
    under => {
      const old = under === 'zeros' ? Buffer.alloc(written.length) : Buffer.from(written)
      if (under !== 'zeros')
        Buffer.concat([
          headBytes(head),
          ...frames.map(frame => frameBytes({ ...frame, text: 'z'.repeat(Buffer.byteLength(frame.text)) }, 999)),
        ]).copy(old)
      for (let cut = lastAt; cut < end; cut++) {
        const torn = Buffer.concat([written.subarray(0, cut), old.subarray(cut)])
        expect(scanSegment(torn, head)).toEqual({ frames: frames.slice(0, 2), isFull: false })
      }
    },
  )

  it('in which any bit of a record before the last one flipped is damaged', () => {
    for (let at = HEAD_BYTES; at < lastAt; at++) {
      const flipped = Buffer.from(written)
      flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8))
      expect(scanSegment(flipped, head).damage).toBeDefined()
    }
  })
})

/** Has every further write of the journal fail, as a full disk does. */
function failWrites(): void {
  const failing = vi
    .spyOn(Segment.prototype, 'append')
    .mockRejectedValue(new Error('ENOSPC: no space left on device, write'))
  onTestFinished(() => failing.mockRestore())
}

/** Every record of files, but for what heartbeats change, which is written behind. */
async function contentOf(path: string): Promise<string[]> {
  const records = await openRecords(path)
  await replayJournal(journalOf(path), records)
  const lines = (await all(dumpRecords(openStoreState(records, () => 0)))).map(withoutHeartbeats)
  await records.close()
  return lines
}

function withoutHeartbeats([kind, record]: StoreRecord): string {
  if (kind !== 'hold') return JSON.stringify([kind, record])
  const { leaseUntil: _leaseUntil, soFar: _soFar, readings: _readings, ...held } = record
  return JSON.stringify([kind, held])
}

it('whenever it crashes, what is replayed is what the process had in memory, and nothing that resolved is lost', async () => {
  await fc.assert(
    fc.asyncProperty(lives, async steps => {
      const clock = clockAt(NOON)
      const { path, store, disk, files, shop } = await openJournaled(clock.now)
      const life = await beginLife(store, shop, clock)
      const crashes: Crash[] = []
      const crash = async () => {
        crashes.push(await crashOf(life, path))
      }
      disk.commit = async writes => {
        await crash()
        await files.commit(writes)
        await crash()
      }
      await live(life, steps)
      // Makes everything so far durable in the journal, and then in the files.
      await store.holds.settle(settlement(await holdShared(store, shop, 'req_999', clock.at)))
      const before = await copyOf(path)
      await crash()
      await store.flush()
      expect(await contentOf(before)).toEqual(await contentOf(await copyOf(path)))

      for (const crash of crashes) await expectKept(crash, life)
    }),
    { numRuns: 6 },
  )
})

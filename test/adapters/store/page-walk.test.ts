import { randomFillSync } from 'node:crypto'
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { type PageWalk, walkPages } from '../../../src/adapters/embedded/check/page-walk.ts'
import { damageText } from '../../../src/adapters/embedded/check/store.ts'
import { put } from '../../../src/adapters/embedded/lmdb.ts'
import { openRecords } from '../../../src/adapters/embedded/records.ts'
import { newDirectory } from './directory.ts'

const PAGE = 4096
/** A value on pages of its own: a first one, and two that are bytes of it and nothing else. */
const LONG = 9000
const TAILS = 2

let file: string
let damaged: string
/** How long the value of each record is. */
let lengths: Map<string, number>

/** Small and long values, in several commits, so that there are branches, overflow pages and free pages. */
beforeEach(async () => {
  const path = await newDirectory()
  const records = await openRecords(path)
  lengths = new Map()
  for (let commit = 0; commit < 5; commit++)
    await records.commit(
      Array.from({ length: 120 }, (_, index) => {
        const key = String((index * 7919 + commit) % 991).padStart(40, '0')
        const length = index % 40 === 0 ? LONG : 150
        lengths.set(key, length)
        return put(records.fleet, key, 'x'.repeat(length))
      }),
    )
  await records.close()
  file = join(path, 'data.mdb')
  damaged = join(path, 'damaged.mdb')
})

const rowsOf = ({ tables }: PageWalk, name: string) => tables.find(table => table.name === name)?.rows

/** How many pages are reported where they alone are changed. */
function countReported(harm: (page: Buffer) => void): number {
  const bytes = readFileSync(file)
  const last = Math.max(bytes.readUInt32LE(144), bytes.readUInt32LE(PAGE + 144))
  let reported = 0
  for (let number = 0; number <= last; number++) {
    const copy = Buffer.from(bytes)
    harm(copy.subarray(number * PAGE, (number + 1) * PAGE))
    writeFileSync(damaged, copy)
    if (damageText(walkPages(damaged))) reported++
  }
  return reported
}

describe('a walk over the pages of a store', () => {
  it('counts the rows of every table of a whole one', async () => {
    const walk = walkPages(file)

    expect(damageText(walk)).toBeUndefined()
    expect(walk).toMatchObject({ isDone: true, faults: [] })
    expect(rowsOf(walk, 'fleet')).toBe(lengths.size)
  })

  it.each([
    ['zeroed', 2, (page: Buffer) => page.fill(0)],
    ['filled with other bytes', 2, (page: Buffer) => randomFillSync(page)],
    // Those of the roots are where they are, whatever number they bear.
    ['numbered as another one', 0, (page: Buffer) => page.writeUInt32LE(page.readUInt32LE(0) + 1, 0)],
  ])('finds each page that can be reached and is %s', (_, roots, harm) => {
    const { pages } = walkPages(file)
    const longValues = [...lengths.values()].filter(length => length === LONG).length

    expect(countReported(harm)).toBe(roots + pages - TAILS * longValues)
  })

  it('finds that a file was cut off', () => {
    copyFileSync(file, damaged)
    truncateSync(damaged, 20 * PAGE)

    expect(damageText(walkPages(damaged))).toMatch(/^the file is cut off, \d+ pages? of /)
  })

  it('stops where its time is over, and says so', () => {
    expect(walkPages(file, () => true)).toMatchObject({ isDone: false, faults: [] })
  })

  // A read of its memory at 0 fails with EIO.
  it.skipIf(process.platform !== 'linux')('names the error of a disk that cannot be read', () => {
    const walk = walkPages('/proc/self/mem')

    expect(walk.diskError).toMatch(/^EIO\b/)
    expect(damageText(walk)).toBe('page 0, one of the two that have the roots')
  })
})

import { statSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { pagesFor } from '../../../src/adapters/embedded/disk/page-bound.ts'
import { put, remove, type Write } from '../../../src/adapters/embedded/lmdb.ts'
import { openRecords, type Records } from '../../../src/adapters/embedded/records.ts'
import { times } from '../../support/times.ts'
import { newDirectory } from './directory.ts'

/** Tables without a form of their own, as a commit of the gateway mixes them. */
const tables = ['ledger', 'holds', 'standings', 'rules', 'fleet'] as const

interface Change {
  readonly table: (typeof tables)[number]
  readonly key: number
  readonly bytes: number
  readonly isRemoved: boolean
}

const write: fc.Arbitrary<Change> = fc.record({
  table: fc.constantFrom(...tables),
  /** Rows of the ledger come in the order of time, counters in none. */
  key: fc.oneof(fc.nat(100_000), fc.nat(200)),
  bytes: fc.oneof({ weight: 8, arbitrary: fc.nat(600) }, { weight: 1, arbitrary: fc.nat(3900) }),
  isRemoved: fc.integer({ min: 0, max: 5 }).map(one => one === 0),
})
const commits = fc.array(fc.array(write, { minLength: 1, maxLength: 400 }), { minLength: 1, maxLength: 25 })

type Loose = Parameters<typeof put<string, string>>[0]

function writesOf(records: Records, commit: readonly Change[]): Write[] {
  return commit.map(({ table, key, bytes, isRemoved }) => {
    const database = records[table] as unknown as Loose
    const name = String((key * 7919) % 99_991).padStart(24, '0')
    return isRemoved ? remove(database, name) : put(database, name, 'x'.repeat(bytes))
  })
}

const readUse = ({ ledger }: Records) => {
  const { pageSize, lastPageNumber, free } = ledger.getStats() as {
    pageSize: number
    lastPageNumber: number
    free: { treeBranchPageCount: number; treeLeafPageCount: number; overflowPages: number }
  }
  return {
    pageBytes: pageSize,
    lastPage: lastPageNumber,
    freeListPages: free.treeBranchPageCount + free.treeLeafPageCount + free.overflowPages,
  }
}

it('no commit takes more pages than were allocated for it, whatever it writes', async () => {
  await fc.assert(
    fc.asyncProperty(commits, async commits => {
      const path = await newDirectory()
      const records = await openRecords(path)
      try {
        for (const commit of commits) {
          const before = readUse(records)
          await records.commit(writesOf(records, commit))

          const { lastPage } = readUse(records)
          expect(lastPage - before.lastPage).toBeLessThanOrEqual(pagesFor({ records: commit.length }, before))
          expect((lastPage + 1) * before.pageBytes).toBeLessThanOrEqual(statSync(join(path, 'data.mdb')).size)
        }
      } finally {
        await records.close()
      }
    }),
    { numRuns: times(60) },
  )
})

import { join } from 'node:path'
import { expect, it } from 'vitest'
import { loadRecords } from '../../../src/adapters/embedded/backup/load.ts'
import { openRecords } from '../../../src/adapters/embedded/records.ts'
import { openOn } from '../../../src/adapters/embedded/store.ts'
import { newDirectory, now } from './directory.ts'
import { RESTRICTING_WRITES } from './restricting-writes.ts'
import { restrictionsContract } from './restrictions.ts'

const FIRST = 4

const lock = { release: async () => {} }

async function schemaIn(path: string): Promise<number> {
  const records = await openRecords(path)
  const schema = records.meta.get('schema') ?? 0
  await records.close()
  return schema
}

restrictionsContract(
  async () => {
    const records = await openRecords(await newDirectory())
    const store = await openOn(records, lock, now)
    return {
      store,
      schema: async () => records.meta.get('schema') ?? 0,
      restored: async dumped => {
        const path = join(await newDirectory(), 'restored')
        await loadRecords(path, { records: dumped, replace: false })
        return schemaIn(path)
      },
      destroy: () => store.close(),
    }
  },
  FIRST,
  FIRST + 1,
)

it('a store in which a build before steps wrote a restriction is raised as it opens', async () => {
  const path = await newDirectory()
  const records = await openRecords(path)
  const store = await openOn(records, lock, now)
  await RESTRICTING_WRITES.terms.frozen?.(store)
  await records.transact(() => {
    records.meta.put('schema', FIRST)
    records.meta.remove('searched')
  })
  await store.close()

  expect(await schemaIn(path)).toBe(FIRST + 1)
})

import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { openRecords } from '../../../src/adapters/embedded/records.ts'
import { openEmbeddedStore } from '../../../src/adapters/embedded/store.ts'
import { openFilesIn } from '../../support/open-files.ts'
import { newDirectory } from './directory.ts'
import { NOON } from './fixtures.ts'

const openStore = (path: string) => openEmbeddedStore({ path, now: () => NOON })

it('a store whose data file cannot be examined is closed', async () => {
  const path = await newDirectory()
  await (await openStore(path)).close()
  const handle = await open(join(path, 'data.mdb'))
  const files: FileHandle = Object.getPrototypeOf(handle)
  await handle.close()
  const stat = files.stat
  vi.spyOn(files, 'stat').mockImplementation(function (this: FileHandle) {
    // The last of them is that of the room on the disk.
    return openFilesIn(path).filter(file => file.endsWith('data.mdb')).length > 1
      ? Promise.reject(new Error('an I/O error'))
      : stat.call(this)
  } as typeof stat)

  await expect(openStore(path)).rejects.toThrow('an I/O error')

  expect(openFilesIn(path)).toEqual([])
})

it('a store whose labels cannot be read is closed', async () => {
  const path = await newDirectory()
  await (await openStore(path)).close()
  const records = await openRecords(path)
  await records.change(() => {
    records.shapes.clearSync()
    records.labels.put(5 as never, 'acct_shop')
  })
  await records.close()

  await expect(openStore(path)).rejects.toThrow('the store could not be written')

  expect(openFilesIn(path)).toEqual([])
})

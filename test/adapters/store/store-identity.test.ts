import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { loadRecords } from '../../../src/adapters/embedded/backup/load.ts'
import { type EmbeddedStore, openEmbeddedStore } from '../../../src/adapters/embedded/store.ts'
import type { StoreRecord } from '../../../src/gateway/store/record.ts'
import { removeFolder } from '../../lanes/remove-folder.ts'
import { newDirectory, now } from './directory.ts'
import { openShop } from './fixtures.ts'

let directory: string
let path: string

beforeEach(async () => {
  directory = await newDirectory()
  path = join(directory, 'store')
})

interface As {
  readonly mayBegin?: boolean
  readonly remembers?: boolean
  readonly at?: string
}

const open = ({ mayBegin = false, remembers = true, at = path }: As = {}): Promise<EmbeddedStore> =>
  openEmbeddedStore({ path: at, now, memory: { stateDir: join(directory, 'state'), mayBegin, remembers } })

/** A gateway that minted a key, and stopped. */
async function served(as?: As): Promise<readonly StoreRecord[]> {
  const store = await open(as)
  await openShop(store)
  const records: StoreRecord[] = []
  for await (const record of store.dump()) records.push(record)
  await store.close()
  return records
}

async function* each(records: readonly StoreRecord[]): AsyncGenerator<StoreRecord, void, undefined> {
  yield* records
}

const remove = () => removeFolder(path)
const empty = () => truncateSync(join(path, 'data.mdb'), 0)
/** As svcctl does that is asked for something while no gateway runs. */
const begin = async () => {
  await remove()
  await (await openEmbeddedStore({ path, now })).close()
}

const memoryFile = () => join(directory, 'state/store-identity.json')

const GONE = 'store-identity.json remembers one with keys and rows'

describe('an embedded store that state_dir remembers', () => {
  it.each([
    ['is removed', remove],
    ['is emptied', empty],
    ['is removed and begun by another program', begin],
  ])('is refused once it %s, to gateways and tools, however often they ask', async (_, harm) => {
    await served()
    await harm()

    for (const remembers of [true, true, false]) await expect(open({ remembers })).rejects.toThrow(GONE)
  })

  it('is not begun by the start that is refused', async () => {
    await served()
    await remove()

    await expect(open()).rejects.toMatchObject({ name: 'StoreRefused' })

    expect(existsSync(path)).toBe(false)
  })

  it('is refused where another one lies in its place', async () => {
    await served()
    const memory = readFileSync(memoryFile(), 'utf8')
    await remove()
    await served({ mayBegin: true })

    writeFileSync(memoryFile(), memory)

    await expect(open()).rejects.toThrow('is not the store that')
    await (await open({ mayBegin: true })).close()
    await (await open()).close()
  })

  it('is served again and again, also by tools', async () => {
    await served()

    for (const remembers of [true, false, true]) {
      const store = await open({ remembers })
      expect(await store.keys.list()).toHaveLength(1)
      await store.close()
    }
  })

  it('begins anew where the operator says so, and is remembered from then on', async () => {
    await served()
    await remove()

    await (await open({ mayBegin: true })).close()
    await (await open()).close()
    await remove()

    await expect(open()).rejects.toThrow(GONE)
  })

  it('is taken from a backup that was restored, without a word of the operator', async () => {
    const records = await served()
    await remove()

    await loadRecords(path, { records: each(records), replace: false })

    const store = await open()
    expect(await store.keys.list()).toHaveLength(1)
    await store.close()
  })

  it('may lie elsewhere once the files say so', async () => {
    await served()
    await remove()

    await expect(open({ at: join(directory, 'elsewhere') }).then(store => store.close())).resolves.toBeUndefined()
  })

  it('of an older version, which gave it no identity, is remembered by its first start', async () => {
    const older = await openEmbeddedStore({ path, now })
    await openShop(older)
    await older.close()

    await (await open()).close()
    await remove()

    await expect(open()).rejects.toThrow(GONE)
  })
})

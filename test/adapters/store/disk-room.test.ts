import { type FileHandle, open, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { DiskLook } from '../../../src/adapters/embedded/disk/look.ts'
import { DiskRoom } from '../../../src/adapters/embedded/disk/room.ts'
import { fillHoles } from '../../../src/adapters/embedded/disk/whole-blocks.ts'
import { openEmbeddedStore } from '../../../src/adapters/embedded/store.ts'
import { StoreUnavailable } from '../../../src/gateway/store/store.ts'
import { newDirectory, now, openHere } from './directory.ts'
import { openShop } from './fixtures.ts'

const MIB = 2 ** 20
const PAGE = 4096
const ROOMY: DiskLook = { free: 1e9, margin: 16 * MIB, writesInPlace: true, isReadOnly: false }

let path: string
let look: DiskLook
let alarms: string[]

beforeEach(async () => {
  path = join(await newDirectory(), 'data.mdb')
  await writeFile(path, Buffer.alloc(2 * PAGE))
  look = ROOMY
  alarms = []
})

/** A room whose disk is as `look` says, and whose clock is the test's. */
async function openRoom(): Promise<DiskRoom> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  const use = () => ({ pageBytes: PAGE, lastPage: 1, freeListPages: 1 })
  const room = await DiskRoom.open({ path, use, look: () => look, alarm: message => alarms.push(message) })
  onTestFinished(async () => {
    await room.close()
    vi.useRealTimers()
  })
  await room.keepReserve()
  return room
}

const blocksOf = async () => (await stat(path)).blocks * 512

describe('the room of a store', () => {
  it('is allocated before it is promised, and what is held back beside it', async () => {
    const room = await openRoom()
    expect(await blocksOf()).toBeGreaterThanOrEqual(2 * MIB)

    const written = await room.promise({ records: 1000 })

    expect(await blocksOf()).toBeGreaterThanOrEqual(3000 * PAGE)
    written()
    expect([room.shortage, alarms]).toEqual([undefined, []])
  })

  it('is allocated for many commits that begin at once', async () => {
    const room = await openRoom()

    const all = await Promise.all(Array.from({ length: 20 }, () => room.promise({ records: 200 })))

    expect(await blocksOf()).toBeGreaterThanOrEqual(20 * 600 * PAGE)
    for (const written of all) written()
  })

  it('on a full disk is short, and alarms once; what runs is still written', async () => {
    const room = await openRoom()
    look = { ...ROOMY, free: 0 }
    vi.advanceTimersByTime(100)

    for (let commit = 0; commit < 3; commit++) (await room.promise({ records: 10 }))()

    expect(room.shortage).toBe('the disk of the store is full')
    expect(alarms).toEqual(['the disk of the store is full: requests get 503 until it has room again'])
  })

  it('on a full disk promises no more than is allocated', async () => {
    const room = await openRoom()
    look = { ...ROOMY, free: 0 }
    vi.advanceTimersByTime(100)

    await expect(room.promise({ records: 1000 })).rejects.toThrow(StoreUnavailable)

    expect(await blocksOf()).toBeLessThan(3000 * PAGE)
  })

  it('is not short any more once the disk has room, although nobody asks', async () => {
    const room = await openRoom()
    look = { ...ROOMY, free: 0 }
    vi.advanceTimersByTime(100)
    await room.keepReserve()

    look = ROOMY
    await vi.advanceTimersByTimeAsync(1000)

    expect(room.shortage).toBeUndefined()
    expect(alarms.at(-1)).toBe('the disk of the store has room again: requests are served')
  })

  it('promises nothing beyond free space where a write over a block takes another one', async () => {
    look = { ...ROOMY, writesInPlace: false }
    const room = await openRoom()
    look = { ...look, free: 256 * PAGE }
    vi.advanceTimersByTime(100)

    await expect(room.promise({ records: 10 })).rejects.toThrow('the disk of the store is full')
  })

  it('promises nothing on a disk that is read-only', async () => {
    const room = await openRoom()
    look = { ...ROOMY, isReadOnly: true }
    vi.advanceTimersByTime(100)

    await expect(room.promise({ records: 1 })).rejects.toThrow('the disk of the store is read-only')
  })
})

describe('the files of a store that is opened', () => {
  it('have no holes, in whatever copy of them there were some', async () => {
    const directory = await newDirectory()
    const store = await openEmbeddedStore({ path: directory, now })
    await openShop(store)
    await store.close()
    await stretch(join(directory, 'data.mdb'), 4 * MIB)

    const reopened = await openHere(directory)

    for (const name of ['data.mdb', 'lock.mdb']) {
      const { size, blocks } = await stat(join(directory, name))
      expect(blocks * 512, name).toBeGreaterThanOrEqual(size)
    }
    expect(await reopened.keys.list()).toHaveLength(1)
  })
})

describe('a disk that takes no more', () => {
  /** Writes fail, as the system says it. */
  async function failWrites(code: string): Promise<void> {
    const handle = await open(path, 'r')
    const files: FileHandle = Object.getPrototypeOf(handle)
    await handle.close()
    const error = Object.assign(new Error(`${code}: write`), { code, syscall: 'write' })
    vi.spyOn(files, 'write').mockRejectedValue(error)
  }

  it.each(['ENOSPC', 'EDQUOT', 'EFBIG'])('with %s promises no room, and says that it is full', async code => {
    await failWrites(code)
    const room = await openRoom()

    await expect(room.promise({ records: 1000 })).rejects.toThrow('the disk of the store is full')
    expect(room.shortage).toBe('the disk of the store is full')
  })

  it.each([
    ['ENOSPC', StoreUnavailable],
    ['EDQUOT', StoreUnavailable],
    ['EFBIG', StoreUnavailable],
    ['EIO', 'EIO: write'],
  ])('with %s does not fill the holes of a copy', async (code, expected) => {
    await stretch(path, 4 * MIB)
    await failWrites(code)

    await expect(fillHoles(path)).rejects.toThrow(expected)
  })
})

/** Adds a hole. */
async function stretch(file: string, bytes: number): Promise<void> {
  const handle = await open(file, 'r+')
  await handle.truncate((await handle.stat()).size + bytes)
  await handle.close()
}

import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { open } from 'lmdb'
import { describe, expect, it } from 'vitest'
import { lockDirectory, StoreLocked } from '../../src/adapters/embedded/lock.ts'
import { EmbeddedStore, openEmbeddedStore } from '../../src/adapters/embedded/store.ts'
import { storeContract } from './contract.ts'
import { newDirectory, now, openHere } from './directory.ts'

storeContract('embedded', async now => {
  const path = await mkdtemp(join(tmpdir(), 'store-'))
  let store = await openEmbeddedStore({ path, now })
  return {
    store,
    reopen: async () => {
      await store.close()
      store = await openEmbeddedStore({ path, now })
      return store
    },
    destroy: async () => {
      await store.close()
      await rm(path, { recursive: true })
    },
  }
})

describe('embedded: the directory', () => {
  it('is created for its owner only', async () => {
    const path = join(await newDirectory(), 'deep', 'v1.2')

    await openHere(path)

    expect((await stat(path)).mode & 0o777).toBe(0o700)
    expect((await stat(join(path, 'data.mdb'))).isFile()).toBe(true)
  })

  it.each([
    ['a short path', 'data'],
    ['a path too long for a socket', join('x'.repeat(100), 'y'.repeat(100))],
  ])('of one process is refused to a second one: %s', async (_what, name) => {
    const path = join(await newDirectory(), name)
    const first = await openHere(path)

    const second = openEmbeddedStore({ path, now })

    await expect(second).rejects.toEqual(new StoreLocked(path))
    await expect(second).rejects.toThrow(path)
    await first.close()
    await expect(openHere(path)).resolves.toBeInstanceOf(EmbeddedStore)
  })

  it('is opened by one of many that try at once', async () => {
    const path = await newDirectory()

    const tries = await Promise.allSettled(Array.from({ length: 8 }, () => openHere(path)))

    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('that a newer version wrote is refused, and let go of', async () => {
    const path = await newDirectory()
    const newer = open({ path, noSubdir: false, overlappingSync: false })
    await newer.openDB({ name: 'meta' }).put('schema', 2)
    await newer.close()

    await expect(openEmbeddedStore({ path, now })).rejects.toThrow('has schema 2, which a newer version wrote')

    const lock = await lockDirectory(path)
    await lock.release()
  })
})

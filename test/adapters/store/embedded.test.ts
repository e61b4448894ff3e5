import { mkdtemp, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { open } from 'lmdb'
import { describe, expect, it } from 'vitest'
import { openRecords } from '../../../src/adapters/embedded/records.ts'
import { EmbeddedStore, openEmbeddedStore } from '../../../src/adapters/embedded/store.ts'
import { lockDirectory, StoreLocked } from '../../../src/adapters/embedded/store-directory.ts'
import { removeFolder } from '../../lanes/remove-folder.ts'
import { storeContract } from './contract.ts'
import { newDirectory, now, openHere } from './directory.ts'
import { admit, mintOf, NOON, openShop, settlement, totalsOf } from './fixtures.ts'

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
    isApart: false,
    destroy: async () => {
      await store.close()
      await removeFolder(path)
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

  it('waits for a process that has it and ends, no longer than it is told to', async () => {
    const path = await newDirectory()
    const first = await openHere(path)
    await expect(openEmbeddedStore({ path, now, patience: 1 })).rejects.toThrow(StoreLocked)

    const next = openEmbeddedStore({ path, now, patience: 60_000 })
    await first.close()

    await expect(next).resolves.toBeInstanceOf(EmbeddedStore)
    await (await next).close()
  })

  it('is opened by one of many that try at once', async () => {
    const path = await newDirectory()

    const tries = await Promise.allSettled(Array.from({ length: 8 }, () => openHere(path)))

    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('that has a schema which no release wrote is refused, and let go of', async () => {
    const path = await newDirectory()
    const older = open({ path, noSubdir: false, overlappingSync: false })
    await older.openDB({ name: 'meta' }).put('schema', 3)
    await older.close()

    await expect(openEmbeddedStore({ path, now })).rejects.toThrow(
      'has schema 3, which no release wrote; this version reads 4 to 5',
    )

    const lock = await lockDirectory(path)
    await lock.release()
  })

  it('that a newer version wrote is refused, and let go of', async () => {
    const path = await newDirectory()
    const newer = open({ path, noSubdir: false, overlappingSync: false })
    await newer.openDB({ name: 'meta' }).put('schema', 6)
    await newer.close()

    await expect(openEmbeddedStore({ path, now })).rejects.toThrow('has schema 6, which a newer version wrote')

    const lock = await lockDirectory(path)
    await lock.release()
  })
})

describe('embedded: kept responses', () => {
  it('are gone from every record once they are deleted, pushed out or over', async () => {
    const path = await newDirectory()
    let at = NOON
    const store = await openEmbeddedStore({ path, now: () => at })
    const keep = (id: string) =>
      store.responses.keep(
        { account: 'acct_ada', id, items: [`msg_of_${id}`], sealed: Buffer.from('sealed'), keep: 1000 },
        { bytes: 10_000, responses: 2, total: 10_000 },
      )
    for (const id of ['resp_1', 'resp_2', 'resp_3']) await keep(id)
    await store.responses.remove('acct_ada', 'resp_2')
    await keep('resp_4')
    at += 1000
    expect(await store.responses.sweep()).toBe(2)
    await store.close()

    const records = await openRecords(path)
    const left = Object.values(records.responses).flatMap(database => [...database.getKeys()])
    await records.close()

    expect(left).toEqual([])
  })
})

describe('embedded: trimming the ledger', () => {
  it('keeps the row by which a request under way is known to be settled', async () => {
    const path = await newDirectory()
    const first = await openHere(path)
    const shop = await openShop(first)
    const settled = settlement(await admit(first, shop, 'req_1'))
    await first.holds.settle(settled)
    await first.close()
    const store = await openHere(path)
    await admit(store, shop, 'req_1')

    expect(await store.ledger.trim(NOON + 1)).toBe(0)
    await store.holds.settle(settled)

    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 50, held: 0 })
    expect(await store.ledger.trim(NOON + 1)).toBe(1)
    expect(await totalsOf(store)).toMatchObject([{ requests: 1, cost: 50 }])
  })
})

describe('embedded: files from before an account had several keys', () => {
  it('have their key as the first of its account, which can be joined, replaced and revoked', async () => {
    const path = await newDirectory()
    const old = open({ path, noSubdir: false, overlappingSync: false })
    const [meta, labels] = [old.openDB({ name: 'meta' }), old.openDB({ name: 'labels' })]
    const [accounts, keys] = [old.openDB({ name: 'accounts' }), old.openDB({ name: 'keys' })]
    const totals = old.openDB({ name: 'totals' })
    const hash = 'c'.repeat(64)
    const ended = 'd'.repeat(64)
    await old.transaction(() => {
      meta.put('schema', 4)
      meta.put('minted', 2)
      labels.put('ada', 'acct_ada')
      const account = { kind: 'developer', label: 'ada', terms: { override: 'pro' }, createdAt: NOON }
      accounts.put('acct_ada', { ...account, activeKey: hash, keys: [hash, ended] })
      const key = { account: 'acct_ada', createdAt: NOON }
      keys.put(hash, { ...key, keyPrefix: 'svc_c…', status: 'active', number: 2 })
      keys.put(ended, { ...key, keyPrefix: 'svc_d…', status: 'rotated', number: 1 })
      totals.put([20_000, 'acct_ada', 'pro', 'svc-core'], { requests: 3, inputTokens: 30, outputTokens: 60, cost: 150 })
    })
    await old.close()

    const store = await openHere(path)
    const id = `key_${'c'.repeat(16)}`
    expect(await store.keys.findCaller(hash)).toMatchObject({ account: 'acct_ada', key: { id } })
    expect(await store.keys.listOf('acct_ada')).toMatchObject([
      { id, status: 'active', keyPrefix: 'svc_c…' },
      { id: `key_${'d'.repeat(16)}`, status: 'rotated' },
    ])
    expect(await store.keys.mint(mintOf('ada', 'x'))).toMatchObject({ outcome: 'exists', key: { id } })
    expect(await store.keys.mint({ ...mintOf('ada', 'x'), name: 'ci' })).toMatchObject({ outcome: 'minted' })
    const next = { hash: 'hash-next', prefix: 'svc_n…', id: 'key_next' }
    const rotation = { account: 'acct_ada', current: hash, next, overlap: { grace: 1000, most: 9 }, by: 'operator' }
    expect(await store.keys.rotate(rotation)).toMatchObject({ id: 'key_next', origin: id })
    expect(await store.keys.findCaller(hash)).toMatchObject({ key: { id } })
    expect(await store.keys.revoke({ hash, by: 'operator' })).toMatchObject({
      status: 'revoked',
      replacedBy: 'key_next',
    })
    expect(await totalsOf(store)).toMatchObject([{ requests: 3, cost: 150 }])
    expect((await totalsOf(store))[0]).not.toHaveProperty('key')
    await store.close()
  })
})

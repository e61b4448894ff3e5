import { EventEmitter } from 'node:events'
import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import type { Write } from '../../../src/adapters/embedded/lmdb.ts'
import { openRecords, type Records } from '../../../src/adapters/embedded/records.ts'
import { type EmbeddedStore, openEmbeddedStore, openOn } from '../../../src/adapters/embedded/store.ts'
import { lockDirectory } from '../../../src/adapters/embedded/store-directory.ts'
import type { Store } from '../../../src/gateway/store/store.ts'
import type { LedgerRow } from '../../../src/records/ledger-row.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { charged, clockAt, ledgerOf, NOON, openShop, sumOf, totalsOf, wasted, wasteOf } from './fixtures.ts'

export const { now } = clockAt(NOON)

export async function newDirectory(): Promise<string> {
  return temporaryFolder('store')
}

export async function openHere(path: string, clock = now): Promise<EmbeddedStore> {
  const store = await openEmbeddedStore({ path, now: clock })
  onTestFinished(() => store.close())
  return store
}

/** A store whose commits pass by the test. */
export async function openWatched(clock = now) {
  const path = await newDirectory()
  const files = await openRecords(path)
  const disk = {
    commits: 0,
    written: new EventEmitter(),
    commit: (writes: readonly Write[]) => files.commit(writes),
  }
  const records: Records = {
    ...files,
    commit: async writes => {
      disk.commits++
      await disk.commit(writes)
      disk.written.emit('commit')
    },
  }
  const store = await openOn(records, await lockDirectory(path), clock)
  onTestFinished(() => store.close())
  return { path, store, disk, files, shop: await openShop(store) }
}

/** A directory with the files as a crash at this moment would leave them. */
export async function copyOf(path: string): Promise<string> {
  const copy = join(await newDirectory(), 'copy')
  await mkdir(copy)
  await cp(join(path, 'data.mdb'), join(copy, 'data.mdb'))
  await cp(join(path, 'journal'), join(copy, 'journal'), { recursive: true }).catch(() => {})
  return copy
}

/** The next process after a crash at this moment. */
export const crash = async (path: string): Promise<EmbeddedStore> => openHere(await copyOf(path))

/** Request ids of the holds in the files. */
export async function holdsIn(path: string): Promise<string[]> {
  const records = await openRecords(await copyOf(path))
  const holds = [...records.holds.getKeys()]
  await records.close()
  return holds
}

/** Checks that failed attempts sum up to their rows, each of which occurs once. Returns the rows. */
export async function expectWasteBalanced(store: Store): Promise<LedgerRow[]> {
  const [rows, totals] = [wasted(await ledgerOf(store)), await wasteOf(store)]

  expect({ cost: sumOf(totals), attempts: totals.reduce((sum, { attempts }) => sum + attempts, 0) }).toEqual({
    cost: sumOf(rows),
    attempts: new Set(rows.map(({ requestId, cause }) => `${requestId} ${cause}`)).size,
  })
  return rows
}

/** Nothing is held, and what was used is the sum of the rows of clients and that of the totals. The rows. */
export async function expectBalanced(store: Store, account: string): Promise<LedgerRow[]> {
  const [rows, totals] = [charged(await ledgerOf(store, account)), await totalsOf(store)]
  const own = totals.filter(total => total.account === account)
  const { used, held } = await store.accounts.readSpend(account)
  const requests = own.reduce((sum, total) => sum + total.requests, 0)

  expect({ used, held, total: sumOf(own), requests }).toEqual({
    used: sumOf(rows),
    held: 0,
    total: sumOf(rows),
    requests: new Set(rows.map(({ requestId }) => requestId)).size,
  })
  return rows
}

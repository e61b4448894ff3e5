import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { newRequestId } from '../../../../src/gateway/accounts/keys.ts'
import { checkBackup as check } from '../../../../src/gateway/backup/check.ts'
import { readBackup } from '../../../../src/gateway/backup/read.ts'
import { backupBytes } from '../../../../src/gateway/backup/write.ts'
import type { StoreRecord } from '../../../../src/gateway/store/record.ts'
import type { Store } from '../../../../src/gateway/store/store.ts'
import { windowOf } from '../../../../src/policy/decision.ts'
import { nanoUsd } from '../../../../src/policy/nano-usd.ts'
import { useCluster } from '../../../support/redis/cluster.ts'
import { describeRedis, useRedis } from '../../../support/redis/redis.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { admit, all, charged, claimsOf, ledgerOf, openShop, type Shop, settlement, sumOf, waste } from '../fixtures.ts'
import { fillCopy, headerAt, type Kind, openCopy, placeOf } from './copied-subject.ts'

const checkBackup = (file: string) => check(file, { unsigned: true })

const WORKERS = 4
const BACKUPS = 2
/** The fiscal months from 26 October and 26 November on, by which their spend is named. */
const [NOVEMBER, DECEMBER] = [Date.UTC(2026, 9, 26), Date.UTC(2026, 10, 26)]
/** Requests that are acknowledged before each backup. */
const BEFORE = 100

/** Requests without end on one store, each noted once it is acknowledged. */
class Load {
  readonly acknowledged: string[] = []
  readonly #store: Store
  readonly #shops: readonly Shop[]
  #running = true
  #workers: Promise<unknown> = Promise.resolve()
  readonly #waiting: { readonly count: number; readonly done: () => void }[] = []

  constructor(store: Store, shops: readonly Shop[]) {
    this.#store = store
    this.#shops = shops
  }

  start(): void {
    this.#workers = Promise.all(Array.from({ length: WORKERS }, (_, number) => this.#work(number)))
  }

  /** Resolves once so many more requests are acknowledged. */
  more(count: number): Promise<void> {
    return new Promise(done => {
      this.#waiting.push({ count: this.acknowledged.length + count, done })
    })
  }

  async stop(): Promise<void> {
    this.#running = false
    await this.#workers
  }

  async #work(number: number): Promise<void> {
    for (let turn = number; this.#running; turn++) {
      const shop = this.#shops[turn % this.#shops.length]
      if (!shop) return
      const at = Date.now()
      const id = newRequestId(at, size => Buffer.from(Array.from({ length: size }, () => Math.random() * 256)))
      const hold = await admit(this.#store, shop, id, claimsOf({ at, rpm: 1e6, tpm: 1e9, limit: 1e12 }))
      if (turn % 11 === 0) await this.#store.ledger.recordWaste([waste(hold)])
      if (turn % 7 === 0) await this.#store.holds.refund(hold)
      else {
        await this.#store.holds.settle(settlement(hold, { tokens: 30, cost: nanoUsd(50 + turn) }))
        this.#acknowledge(id)
      }
    }
  }

  #acknowledge(id: string): void {
    this.acknowledged.push(id)
    for (const [place, { count, done }] of [...this.#waiting.entries()].reverse()) {
      if (this.acknowledged.length < count) continue
      this.#waiting.splice(place, 1)
      done()
    }
  }
}

function underLoad(kind: Kind, url: () => string): void {
  it('a backup has all that was acknowledged before it began, and sums that are those of its rows', async () => {
    const directory = temporaryFolder('backup')
    const busy = await openCopy(await placeOf(kind, directory, url), Date.now)
    const shops = await Promise.all(Array.from({ length: 12 }, (_, number) => openShop(busy, `shop-${number}`)))
    const load = new Load(busy, shops)
    load.start()
    const files: { readonly file: string; readonly before: readonly string[] }[] = []
    for (let number = 0; number < BACKUPS; number++) {
      await load.more(BEFORE)
      const before = [...load.acknowledged]
      const file = join(directory, `backup-${number}`)
      await writeFile(file, backupBytes(headerAt(Date.now()), busy.dump()))
      files.push({ file, before })
      // It was made under load.
      expect(load.acknowledged.length).toBeGreaterThan(before.length)
    }
    await load.stop()
    await busy.close()

    for (const { file, before } of files) {
      expect((await checkBackup(file)).wrong).toEqual([])
      const place = await placeOf(kind, directory, url)
      await fillCopy(place, (await readBackup(file, { unsigned: true })).records, Date.now)
      const store = await openCopy(place, Date.now)
      const rows = await ledgerOf(store)
      const ids = new Set(rows.map(({ requestId }) => requestId))
      expect(before.filter(id => !ids.has(id))).toEqual([])
      await expectBalanced(store, shops)
      await store.close()
    }
  })
}

/** Checks that an account's spend equals the sum of its rows, and that no request is charged twice. */
async function expectBalanced(store: Store, shops: readonly Shop[]): Promise<void> {
  const rows = charged(await ledgerOf(store))
  expect(new Set(rows.map(({ requestId }) => requestId)).size).toBe(rows.length)
  for (const { account } of shops) {
    const { used } = await store.accounts.readSpend(account)
    expect(used).toBe(sumOf(rows.filter(row => row.account === account)))
    expect(used).toBe(sumOf(await all(store.ledger.readTotals({ account }))))
  }
}

describe('an embedded store under load', () =>
  underLoad('embedded', () => {
    throw new Error('no Redis is needed here')
  }))

describeRedis('under load', () => {
  const server = useRedis()
  const cluster = useCluster()
  it('a backup has the spend of fiscal months that end and begin while it runs', async () => {
    const calendar = { zone: 'Europe/Berlin', monthStarts: 26 }
    const clock = { at: Date.parse('2026-11-25T22:30:00Z') }
    const directory = temporaryFolder('backup')
    const store = await openCopy(await placeOf('redis', directory, () => server().url), () => clock.at)
    const shops = await Promise.all(Array.from({ length: 12 }, (_, number) => openShop(store, `shop-${number}`)))
    const spendAt = async (time: string) => {
      clock.at = Date.parse(time)
      const claims = claimsOf({ at: clock.at })
      const ofMonth = { ...claims, spend: { ...claims.spend, window: windowOf(clock.at, calendar) } }
      for (const [number, shop] of shops.entries()) {
        const id = newRequestId(clock.at + number, size => Buffer.alloc(size))
        await store.holds.settle(settlement(await admit(store, shop, id, ofMonth), { tokens: 30, cost: nanoUsd(50) }))
      }
    }

    const records: StoreRecord[] = []
    for await (const record of store.dump()) {
      if (record[0] === 'account' && !records.some(([kind]) => kind === 'account'))
        for (const time of ['2026-11-25T22:45:00Z', '2026-11-25T23:30:00Z']) await spendAt(time)
      records.push(record)
    }
    await store.close()

    const charges = records.flatMap(([kind, state]) =>
      kind === 'row' ? [[state.account, { [NOVEMBER]: 50, [DECEMBER]: 50 }]] : [],
    )
    const spends = records.flatMap(([kind, state]) => (kind === 'counters' ? [[state.account, state.used]] : []))
    expect(charges.length).toBeGreaterThan(0)
    expect(Object.fromEntries(spends)).toMatchObject(Object.fromEntries(charges))
  })

  describe('Redis', () => underLoad('redis', () => server().url))
  describe('a Redis Cluster', () => underLoad('redis', () => cluster().url))
})

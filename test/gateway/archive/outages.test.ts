import { randomBytes } from 'node:crypto'
import { expect, it, onTestFinished } from 'vitest'
import { PostgresArchive } from '../../../src/adapters/archives/postgres/archive.ts'
import { openRedisStore } from '../../../src/adapters/redis/store.ts'
import { newRequestId } from '../../../src/gateway/accounts/keys.ts'
import { Archiver } from '../../../src/gateway/archive/archiver.ts'
import type { ArchiveStore } from '../../../src/gateway/store/archive-store.ts'
import { newDirectory } from '../../adapters/store/directory.ts'
import { admit, ledgerOf, NOON, openShop, settlement, waste } from '../../adapters/store/fixtures.ts'
import { VirtualClock } from '../../support/clock.ts'
import { describePostgres, startPostgres } from '../../support/postgres.ts'
import { describeRedis, useRedis } from '../../support/redis/redis.ts'

const DAY_MS = 86_400_000
const REQUESTS = 60

describeRedis('archivers on one Redis', () => {
  const redis = useRedis()

  /** Two gateways, and the ids of the requests that they served. */
  async function start(prefix: string) {
    const clock = new VirtualClock(NOON)
    const options = { url: redis().url, prefix, alarm: () => {}, now: clock.now, answerMs: 15_000 }
    const open = async () => {
      const store = await openRedisStore({ ...options, stateDir: await newDirectory() })
      onTestFinished(() => store.close())
      return store
    }
    const [one, other] = [await open(), await open()]
    const ids: string[] = []
    for (let number = 0; number < REQUESTS; number++) {
      const shop = await openShop(one, `shop-${number % 7}`)
      const hold = await admit(one, shop, newRequestId(clock.now(), randomBytes))
      await one.holds.settle(settlement(hold))
      if (number % 5 === 0) await one.ledger.recordWaste([waste(hold, 1), waste(hold, 2)])
      ids.push(hold.requestId)
      clock.advance(1000)
    }
    clock.advance(3 * DAY_MS)
    return { clock, one, other, ids }
  }

  it('one has the lease at a time, and another one once it ended or was given back', async () => {
    const { clock, one, other } = await start('leases')
    expect(await one.archive.lease('a', 60_000)).toBe(true)
    expect(await other.archive.lease('b', 60_000)).toBe(false)
    expect(await one.archive.lease('a', 60_000)).toBe(true)
    // Who does not have it gives nothing back.
    await other.archive.release('b')
    expect(await other.archive.lease('b', 60_000)).toBe(false)
    await one.archive.release('a')
    expect(await other.archive.lease('b', 60_000)).toBe(true)
    expect(await one.archive.lease('a', 60_000)).toBe(false)
    clock.advance(1)
  })

  describePostgres('with PostgreSQL', () => {
    it('whatever dies and whoever wakes up late, each row is there once and leaves Redis', async () => {
      const server = await startPostgres()
      onTestFinished(() => server.stop())
      const { clock, one, other } = await start('outages')
      const rows = await ledgerOf(one)
      const archive = () => {
        const place = { host: '127.0.0.1', port: server.port, user: 'owner', database: 'postgres', shown: server.url }
        const opened = new PostgresArchive({ ...place, isTls: false, secrets: () => ({ password: 'secret' }) }, 'svc')
        onTestFinished(() => opened.close())
        return opened
      }
      /** A few rows at a time, of which the removal of some is lost with its process. */
      const dying = (store: ArchiveStore, deaths: number): ArchiveStore => {
        let left = deaths
        return {
          // It believes that it has the lease still.
          lease: async () => true,
          release: async () => {},
          readLeaving: age => store.readLeaving(age, 7),
          readWaiting: age => store.readWaiting(age),
          remove: async leaving => {
            if (left-- > 0) throw new Error('killed before the removal')
            return store.remove(leaving)
          },
        }
      }
      const archiverOn = (store: ArchiveStore, holder: string) => {
        const archiver = new Archiver({
          ...{ store, holder, clock, alarm: () => {}, keep: () => DAY_MS },
          archive: archive(),
        })
        onTestFinished(() => archiver.close())
        return archiver
      }
      const late = await one.archive.readLeaving(DAY_MS, 10)

      await archiverOn(dying(one.archive, 1), 'dies').turn()
      await server.kill()
      const cut = archiverOn(dying(one.archive, 0), 'cut off')
      await cut.turn()
      expect(cut.state.failures).toBe(1)
      expect(await ledgerOf(one)).toEqual(rows)
      await server.restart()
      const both = [archiverOn(dying(one.archive, 2), 'a'), archiverOn(dying(other.archive, 0), 'b')]
      for (let turn = 0; turn < 30; turn++) {
        await Promise.all(both.map(each => each.turn()))
        clock.advance(60_000)
        if (turn === 3) await server.restart()
      }
      // One that slept since the beginning writes what it had read.
      await archive().write(late)
      await one.archive.remove(late)

      expect(await ledgerOf(one)).toEqual([])
      const found = []
      for await (const row of archive().reader.readRows({}, {})) found.push(row)
      expect(found).toEqual(rows)
    }, 60_000)
  })
})

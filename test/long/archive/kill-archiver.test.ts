import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { PostgresArchive } from '../../../src/adapters/archives/postgres/archive.ts'
import { openRedisStore } from '../../../src/adapters/redis/store.ts'
import { newRequestId } from '../../../src/gateway/accounts/keys.ts'
import { newDirectory } from '../../adapters/store/directory.ts'
import { admit, claimsOf, ledgerOf, openShop, settlement } from '../../adapters/store/fixtures.ts'
import { compileProgram } from '../../cli/program.ts'
import { describePostgres, startPostgres } from '../../support/postgres.ts'
import { describeRedis, startRedis } from '../../support/redis/redis.ts'
import { between, scaled } from '../harness/size.ts'

const ROWS = scaled(5000, 300)
const DAY_MS = 86_400_000
const childFile = fileURLToPath(new URL('./archiver.child.js', import.meta.url))

/** Archivers as processes of their own, by name. */
class Archivers {
  readonly #children = new Map<string, ChildProcess>()
  readonly #args: readonly string[]

  constructor(...args: readonly string[]) {
    this.#args = [childFile, ...args]
  }

  start(name: string): void {
    this.#children.set(name, spawn(process.execPath, [...this.#args, name], { stdio: 'inherit' }))
  }

  async kill(): Promise<void> {
    for (const child of this.#children.values()) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      const exit = once(child, 'exit')
      child.kill('SIGKILL')
      await exit
    }
  }
}

/** A Redis with rows of two days ago. */
async function filled(url: string) {
  let now = Date.now() - 2 * DAY_MS
  const options = { url, prefix: 'svc', stateDir: await newDirectory(), alarm: () => {}, answerMs: 15_000 }
  const store = await openRedisStore({ ...options, now: () => now })
  onTestFinished(() => store.close())
  const shop = await openShop(store)
  for (let row = 0; row < ROWS; row++) {
    const hold = await admit(store, shop, newRequestId(now, randomBytes), claimsOf({ at: now }))
    await store.holds.settle(settlement(hold))
    now += 100
  }
  return { store, rows: await ledgerOf(store) }
}

describeRedis('two archivers on one Redis', () => {
  describePostgres('and PostgreSQL', () => {
    it('are killed at any moment, as PostgreSQL is, and each row is there once', async () => {
      const [redis, postgres] = [await startRedis({ durable: true }), await startPostgres()]
      const built = dirname(dirname(compileProgram().main))
      const archivers = new Archivers(built, redis.url, String(postgres.port))
      onTestFinished(async () => {
        await archivers.kill()
        await postgres.stop()
        await redis.stop()
      })
      const { store, rows } = await filled(redis.url)

      let kills = 0
      for (let left = rows.length; left > 0; left = (await ledgerOf(store)).length) {
        for (const name of ['one', 'other']) archivers.start(name)
        await sleep(between(800, 2500))
        await archivers.kill()
        if (kills++ % 3 === 2) await postgres.restart()
      }

      const place = { host: '127.0.0.1', port: postgres.port, user: 'owner', database: 'postgres', shown: 'archive' }
      const archive = new PostgresArchive({ ...place, isTls: false, secrets: () => ({ password: 'secret' }) }, 'svc')
      onTestFinished(() => archive.close())
      const found = []
      for await (const row of archive.reader.readRows({}, {})) found.push(row)
      expect(found).toEqual(rows)
      expect(kills).toBeGreaterThan(1)
    })
  })
})

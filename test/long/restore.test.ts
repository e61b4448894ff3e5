import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { describeRedis, startRedis } from '../support/redis/redis.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { faultsIn, kindsOf, NO_FAULTS, readBooks, readHeld } from './harness/books.ts'
import { ADMIN_TOKEN, Fleet } from './harness/fleet.ts'
import { Load } from './harness/load.ts'
import { program, site } from './harness/program-and-site.ts'
import { between, sizeOf } from './harness/size.ts'

const CYCLES = sizeOf('RESTORES', 10, 1)
const WORKERS = 16
const plans = {
  pro: 'rpm: 1M, tpm: 900M, monthly_usd: 500',
  busy: 'rpm: 1M, tpm: 900M, max_concurrent: 6, monthly_usd: 500',
}

/** Backs a gateway up under load, kills it with its store, and restores into an empty store, once after a restore that was killed. */
async function restoreAfterKill(
  stores: () => Promise<readonly [redis?: string, kill?: () => Promise<void>]>,
): Promise<string> {
  const directory = temporaryFolder('svc-restore')
  const visited = site.log.length
  const [redis, killStore] = await stores()
  const fleet = new Fleet({ program, site, plans, ...(redis && { redis }) })
  onTestFinished(() => fleet.close())
  await fleet.start()
  const accounts = [await fleet.mint('ada', 'pro'), await fleet.mint('bob', 'busy')]
  const load = new Load({ gateways: fleet.gateways, accounts, workers: WORKERS })
  load.start()
  await sleep(between(800, 2500))
  const before = [...load.outcomes]
  const file = join(directory, 'load.backup')
  const env = { SVCCTL_ADMIN: fleet.first.admin, SVCCTL_TOKEN: ADMIN_TOKEN }
  const backedUp = await program.run(['backup', file], { env })
  expect(backedUp).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^running requests +[1-9]/m) })
  await sleep(between(0, 500))
  await fleet.first.kill()
  await killStore?.()
  await load.stop()

  const [empty] = await stores()
  const next = new Fleet({ program, site, plans, ...(empty && { redis: empty }) })
  onTestFinished(() => next.close())
  const config = join(next.first.stateDir, 'config.yaml')
  const killed = program.start(['restore', file, '--unsigned', '-c', config])
  await killed.until('sums match the rows')
  await sleep(between(0, 60))
  await killed.end('SIGKILL')
  // Nothing, a half of it or all of it was written: only the half is refused, by its gateway and not by the next restore.
  const restored = await program.run(['restore', file, '--unsigned', '-c', config])
  if (restored.code !== 0) expect(restored.stderr).toContain('has data')

  await next.start()
  const books = await readBooks(next.first, accounts)
  expect(faultsIn(books, before, site.log.slice(visited))).toEqual(NO_FAULTS)
  if (!redis) expect(await readHeld(next.first, accounts)).toBe(0)
  expect(next.faults()).toEqual([])
  await next.close()
  return `${before.length} answers before, rows ${kindsOf(books)}`
}

it('a restore after a kill -9 under load has all that was answered before the backup began, on the embedded store', async () => {
  for (let cycle = 0; cycle < CYCLES; cycle++)
    console.log(`restore, embedded: ${await restoreAfterKill(async () => [])}`)
})

describeRedis('on Redis', () => {
  it('a restore after a kill -9 of gateway and Redis has all that was answered before the backup began', async () => {
    const stores = async () => {
      const redis = await startRedis()
      onTestFinished(() => redis.stop())
      return [redis.url, () => redis.kill()] as const
    }
    for (let cycle = 0; cycle < CYCLES; cycle++) console.log(`restore, Redis: ${await restoreAfterKill(stores)}`)
  })
})

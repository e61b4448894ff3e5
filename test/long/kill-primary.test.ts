import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { describeRedis } from '../support/redis/redis.ts'
import { type Books, faultsIn, kindsOf, NO_FAULTS, readBooks, readHeld } from './harness/books.ts'
import { type Account, ask } from './harness/client.ts'
import { Counted } from './harness/counted.ts'
import { patiently, repeatedBy, revoke } from './harness/failovers.ts'
import { Fleet } from './harness/fleet.ts'
import { Load, tallyOf } from './harness/load.ts'
import { type Mortal, Primaries } from './harness/primaries.ts'
import { program, site } from './harness/program-and-site.ts'
import { Watched } from './harness/sentinels.ts'
import { between, sizeOf, spread } from './harness/size.ts'
import { refusedIn, waits } from './harness/spool.ts'
import { served, until } from './harness/until.ts'

const KILLS = sizeOf('KILLS', 10, 2)
const WORKERS = 24
const REPEATED_WITHIN_MS = 20_000
const RELEASED_WITHIN_MS = 45_000
const plans = {
  pro: 'rpm: 1M, tpm: 900M, per_day: 10M, monthly_usd: 500, limits: [{ requests: 10M, per: hour }, { tokens: 900M, per: hour, of: key }]',
}

describeRedis('three gateways on a Redis that fails over', () => {
  it.each([
    [0, 'an address', Primaries],
    [100, 'an address', Primaries],
    [1000, 'an address', Primaries],
    [1000, 'sentinels', Watched],
  ])('lose nothing that was acknowledged at %i ms of lag, by %s', async (lagMs, by, { open }) => {
    const primaries: Mortal = await open(lagMs)
    onTestFinished(() => primaries.close())
    const fleet = new Fleet({ program, site, plans, redis: primaries.url, clocks: [0, 0, 0] })
    onTestFinished(() => fleet.close())
    await fleet.start()
    const labels = Array.from({ length: 6 }, (_, number) => `account-${number}`)
    const accounts: Account[] = []
    for (const label of labels) accounts.push(await fleet.mint(label, 'pro'))
    const [ada] = accounts
    if (!ada) throw new Error('there is an account')
    await sleep(lagMs + 500)
    const load = new Load({ gateways: fleet.gateways, accounts, workers: WORKERS })
    const backMs: number[] = []
    const counted = new Counted()
    let books: Books | undefined
    let ended = 0

    for (let kill = 0; kill < KILLS; kill++) {
      const mortal = fleet.gateways[kill % 3]
      load.start()
      await sleep(between(1000, 2000) + lagMs)
      const doomed = await patiently(tries => fleet.mint(`doomed-${kill}-${tries}`, 'pro'))
      await patiently(() => revoke(fleet.first, doomed))
      await primaries.failOver()
      // Every third time a gateway is killed as well, and comes back.
      if (kill % 3 === 2) await mortal?.kill()
      if (kill % 3 === 2) await mortal?.start()
      backMs.push(...(await Promise.all(fleet.gateways.map(gateway => served(gateway, ada)))))
      if ((await ask(fleet.first, { account: doomed })).status === 401) ended++
      await sleep(500)
      await load.stop()
      await until(REPEATED_WITHIN_MS, () => fleet.gateways.every(gateway => !waits(gateway)))
      const faults = async () => {
        books = await readBooks(fleet.first, accounts)
        return faultsIn(books, load.outcomes, site.log)
      }
      await until(REPEATED_WITHIN_MS, async () => JSON.stringify(await faults()) === JSON.stringify(NO_FAULTS)).catch(
        () => {},
      )
      expect(await faults()).toEqual(NO_FAULTS)
      await counted.look(await primaries.serving())
      await primaries.heal()
    }
    await until(RELEASED_WITHIN_MS, async () => (await readHeld(fleet.first, accounts)) === 0)

    books = await readBooks(fleet.first, accounts)
    const miscounts = await counted.faults(fleet.first, accounts, books)
    console.log(
      `${KILLS} kills at ${lagMs} ms of lag by ${by}: clients saw ${JSON.stringify(tallyOf(load.outcomes)).replaceAll('"', '')}, rows ${kindsOf(books)}; served again after ms ${spread(backMs)}; repeated ${repeatedBy(fleet.gateways)}; down ${fleet.downs()}`,
    )
    expect(faultsIn(books, load.outcomes, site.log)).toEqual(NO_FAULTS)
    expect(miscounts).toEqual([])
    expect(ended).toBe(KILLS)
    expect(fleet.gateways.flatMap(refusedIn)).toEqual([])
    expect(fleet.faults()).toEqual([])
  })
})

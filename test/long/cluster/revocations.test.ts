import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { describeRedis } from '../../support/redis/redis.ts'
import { type Account, ask } from '../harness/client.ts'
import { patiently } from '../harness/failovers.ts'
import { Fleet, type Gateway } from '../harness/fleet.ts'
import { Masters } from '../harness/masters.ts'
import { program, site } from '../harness/program-and-site.ts'
import { between, sizeOf, spread } from '../harness/size.ts'
import { served, until } from '../harness/until.ts'

const KILLS = sizeOf('KILLS', 10, 3)
const EACH_MS = 100
const ASKED_AGAIN_MS = 250
/** Keys that are there before a master is killed; those that are left serve the next kill. */
const AT_HAND = 80
const REFUSED_WITHIN_MS = 30_000
/** The warning for operators: the answer says that the key is revoked, but no replica knows it yet. */
const WARNING = 'no replica of Redis has the last change'
const plans = { pro: 'rpm: 1M, tpm: 900M, per_day: 10M, monthly_usd: 500' }

/** A key whose revocation was answered with a 200. */
interface Revoked {
  readonly account: Account
  readonly at: number
  readonly tookMs: number
  readonly isWarned: boolean
  /** When it was served after that, and by which gateway. */
  readonly served: string[]
  /** Gateways that answered 401. */
  readonly refusedBy: Set<Gateway>
}

describeRedis('keys that are revoked while masters of a cluster are killed', () => {
  it.each([100, 1000])('never work again, at %i ms of lag', async lagMs => {
    const masters = await Masters.open(lagMs)
    onTestFinished(() => masters.close())
    const fleet = new Fleet({ program, site, plans, redis: masters.url, clocks: [0, 0, 0] })
    onTestFinished(() => fleet.close())
    for (const gateway of fleet.gateways) await gateway.start()
    const probes = await Promise.all(Array.from({ length: 6 }, (_, number) => fleet.mint(`probe-${number}`, 'pro')))
    const revoked: Revoked[] = []
    const working: Account[] = []
    let isOver = false
    let minted = 0
    let unanswered = 0

    const refill = async () => {
      const mintOne = () => patiently(() => fleet.mint(`key-${minted++}`, 'pro'))
      const missing = Array.from({ length: AT_HAND - working.length }, mintOne)
      working.push(...(await Promise.all(missing)))
    }
    const revokeOne = async (account: Account, gateway: Gateway) => {
      const [startedAt, before] = [performance.now(), gateway.alarms.length]
      const { status } = await gateway.ask('POST', '/admin/keys/revoke', { key: account.key })
      const at = performance.now()
      if (status === 503) return void unanswered++
      expect(status).toBe(200)
      // Its lines come through a pipe of their own.
      await sleep(EACH_MS)
      const isWarned = gateway.alarms.slice(before).some(line => line.includes(WARNING))
      revoked.push({ account, at, tookMs: at - startedAt, isWarned, served: [], refusedBy: new Set() })
    }
    const askAgain = async () => {
      for (; !isOver; await sleep(ASKED_AGAIN_MS))
        await Promise.all(revoked.filter(({ refusedBy }) => refusedBy.size < fleet.gateways.length).map(askAll))
    }
    const askAll = async (key: Revoked) => {
      for (const gateway of fleet.gateways) {
        const { status, startedAt } = await ask(gateway, { account: key.account, maxTokens: 4 })
        if (status === 200) key.served.push(`${Math.round(startedAt - key.at)} ms after`)
        if (status === 401) key.refusedBy.add(gateway)
      }
    }
    const asking = askAgain()

    for (let kill = 0; kill < KILLS; kill++) {
      await refill()
      let isRevoking = true
      const revoking = (async () => {
        const under: Promise<void>[] = []
        for (let turn = 0; isRevoking && working.length > 0; turn++, await sleep(EACH_MS)) {
          const [account, gateway] = [working.pop(), fleet.gateways[turn % fleet.gateways.length]]
          if (account && gateway) under.push(revokeOne(account, gateway))
        }
        await Promise.all(under)
      })()
      await sleep(between(500, 1500) + lagMs)
      await masters.kill(kill % 3)
      await Promise.all(fleet.gateways.flatMap(gateway => probes.map(probe => served(gateway, probe))))
      isRevoking = false
      await revoking
      // A failover may forget revocations, so all are asked again.
      for (const { refusedBy } of revoked) refusedBy.clear()
      await until(REFUSED_WITHIN_MS, () => revoked.every(({ refusedBy }) => refusedBy.size === fleet.gateways.length))
      await masters.heal()
    }
    isOver = true
    await asking

    const unwarned = revoked.filter(({ isWarned }) => !isWarned)
    const worked = revoked.filter(each => each.isWarned && each.served.length > 0)
    console.log(
      `${revoked.length} keys revoked over ${KILLS} kills of masters at ${lagMs} ms of lag, answered after ms ${spread(revoked.map(({ tookMs }) => tookMs))}; ${unanswered} answered that the store is away; ${revoked.length - unwarned.length} with a warning, of which ${worked.length} worked for a while: ${worked.flatMap(each => each.served).slice(0, 10)}`,
    )
    expect(unwarned.flatMap(each => each.served)).toEqual([])
    expect(unwarned.length).toBeGreaterThan(KILLS * 5)
    expect(fleet.faults()).toEqual([])
  })
})

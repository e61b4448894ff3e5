import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { Access } from '../../../../src/adapters/redis/access.ts'
import { CrossSlotHolds } from '../../../../src/adapters/redis/cross-slot-holds.ts'
import { KEPT_MS } from '../../../../src/adapters/redis/journal/files.ts'
import { ClusterLayout } from '../../../../src/adapters/redis/layout.ts'
import { SharedHolds } from '../../../../src/adapters/redis/shared-holds.ts'
import { openRedisStore, type RedisStore } from '../../../../src/adapters/redis/store.ts'
import { StoreUnavailable } from '../../../../src/gateway/store/store.ts'
import type { Claims } from '../../../../src/policy/decision.ts'
import { claimsOfRules } from '../../../../src/policy/limits/rule-claim.ts'
import { NO_CELLS } from '../../../../src/policy/limits/rule-counter.ts'
import { nanoUsd } from '../../../../src/policy/nano-usd.ts'
import { type RedisCluster, startCluster, useCluster } from '../../../support/redis/cluster.ts'
import { redisCommand } from '../../../support/redis/command.ts'
import { describeRedis } from '../../../support/redis/redis.ts'
import { newDirectory } from '../directory.ts'
import {
  admission,
  admit,
  claimsOf,
  extension,
  type Limits,
  ledgerOf,
  NOON,
  openShop,
  settlement,
} from '../fixtures.ts'
import { PATIENCE } from './gateways.ts'

const LAYOUT = new ClusterLayout('svc')
const MODEL = { name: 'svc-core', tier: 'basic' }
// Keeps the rest of a cluster in service when one master is away.
const FLAGS = { 'cluster-require-full-coverage': 'no' }

// A busy machine may answer late, which is no outage here.
const optionsOf = ({ url }: RedisCluster, prefix = 'svc') => ({ url, prefix, alarm: () => {}, answerMs: 15_000 })

async function open(options: ReturnType<typeof optionsOf>, stateDir?: string): Promise<RedisStore> {
  const store = await openRedisStore({ ...options, stateDir: stateDir ?? (await newDirectory()) })
  onTestFinished(() => store.close())
  return store
}

/** A request that a limit counts which all accounts of its plan share. */
function claimsOfPlan({ measure = 'requests', ...limits }: Limits & { measure?: 'requests' | 'tokens' } = {}): Claims {
  const rule = { measure, most: 1000, per: 'hour', of: 'plan' } as const
  const rules = claimsOfRules([rule], { terms: {} }, { plan: 'pro', model: MODEL })
  return { ...claimsOf({ at: Date.now(), ...limits }), rules }
}

const beginCounters = (store: RedisStore, account: string, { rules = [] } = claimsOfPlan()) =>
  store.holds.beginCounters(
    account,
    rules.map(({ group, field }) => ({ name: { group, field }, counter: NO_CELLS })),
  )

async function countedBy(
  store: RedisStore,
  account: string,
  claims: Claims = claimsOfPlan(),
): Promise<readonly string[]> {
  return (await store.holds.readRules(account, claims)).map(({ used, held }) => `${used} ${held}`)
}

describeRedis('limits that accounts share in a cluster', { timeout: 60_000 }, () => {
  const whole = useCluster()

  it('count no request that was never admitted because the master of its org was away', async () => {
    const cluster = await startCluster({ flags: FLAGS })
    onTestFinished(() => cluster.stop())
    const store = await open(optionsOf(cluster))
    const orgs = ['acme', 'beta', 'initech', 'umbrella', 'hooli', 'globex']
    const places = await Promise.all(orgs.map(async org => ({ org, node: await cluster.nodeOf(LAYOUT.org(org)) })))
    const kept = await Promise.all([LAYOUT.guests.epoch, LAYOUT.meta].map(key => cluster.nodeOf(key)))
    const away = places.find(({ node }) => !kept.includes(node))
    if (!away) throw new Error('six orgs are on three masters')
    const shop = await openShop(store)
    await store.orgs.open(away.org)
    const { terms = {} } =
      (await store.accounts.changeTerms({ account: shop.account, change: { org: away.org }, by: 'operator' })) ?? {}
    await beginCounters(store, shop.account)
    const ask = (id: string) =>
      store.holds.admit({ ...admission({ ...shop, terms }, id, claimsOfPlan()), orgTerms: {} })
    expect(await ask('req_0')).toMatchObject({ outcome: 'admitted' })

    await away.node.kill()
    for (const id of ['req_1', 'req_2', 'req_3']) await expect(ask(id)).rejects.toThrow(StoreUnavailable)

    expect(await countedBy(store, shop.account)).toEqual(['1 0'])
  })

  it.each([
    ['and its request counts nowhere else', true, '0 0'],
    ['also where its share alone cannot be given back, and then counts once', false, '1 0'],
  ])('and its account are given back a request whose client hears of an outage, %s', async (_what, isThere, left) => {
    const options = optionsOf(whole(), `svc-${isThere}`)
    const store = await open(options)
    const shop = await openShop(store)
    await beginCounters(store, shop.account)
    const access = new Access(options, { back: () => {}, moved: async () => {} })
    onTestFinished(() => access.close())
    await access.open()
    const apart = new CrossSlotHolds(access, new Fading(access, isThere), {
      admit: each => store.holds.admit(each),
      refund: hold => store.holds.refund(hold),
      readRules: (account, claims) => store.holds.readRules(account, claims),
      extend: () => Promise.reject(new Error('nothing runs for another round')),
    })

    // Its account has room for less output than the limit of the plan.
    const claims = claimsOfPlan({ tpm: 25, min: 5 })
    await expect(apart.admit(admission(shop, 'req_1', claims))).rejects.toThrow(StoreUnavailable)

    expect(await countedBy(store, shop.account)).toEqual([left])
    expect(await store.accounts.readUsage(shop.account)).toMatchObject({ concurrent: 0, held: 0 })
  })

  it('are charged by the successor of a gateway that was killed once the account had settled, and once', async () => {
    const options = optionsOf(whole(), 'svc-killed')
    const stateDir = await newDirectory()
    const mortal = await open(options, stateDir)
    const shop = await openShop(mortal)
    const claims = claimsOfPlan({ measure: 'tokens' })
    await beginCounters(mortal, shop.account, claims)
    const admitted = await mortal.holds.admit(admission(shop, 'req_1', claims))
    if (!('hold' in admitted)) throw new Error(JSON.stringify(admitted))
    expect(await countedBy(mortal, shop.account, claims)).toEqual(['0 30'])
    const { end } = Access.prototype
    let kill = (_error: Error) => {}
    const killed = new Promise<never>((_, reject) => {
      kill = reject
    })
    // Its gateway closes behind this.
    onTestFinished(() => kill(new Error('killed')))
    const sent = vi.spyOn(Access.prototype, 'end').mockImplementation(function (this: Access, what, ...rest) {
      return 'call' in what ? killed : end.call(this, what, ...rest)
    })
    mortal.holds.settle(settlement(admitted.hold)).catch(() => {})
    await vi.waitFor(async () => expect(await ledgerOf(mortal)).toHaveLength(1), PATIENCE)
    expect(await countedBy(mortal, shop.account, claims)).toEqual(['0 30'])
    sent.mockRestore()

    // The settlement that the killed gateway would have written is in its files.
    const left = await newDirectory()
    cpSync(join(stateDir, 'journal'), join(left, 'journal'), { recursive: true })
    for (const _again of [1, 2]) {
      const successor = await open(options, left)
      expect(await countedBy(successor, shop.account, claims)).toEqual(['30 0'])
      await successor.close()
    }
  })

  it('end with the lease of a request whose account refused its last round', async () => {
    const clock = { at: NOON }
    const options = { ...optionsOf(whole(), 'svc-rounds'), now: () => clock.at }
    const store = await open(options)
    const shop = await openShop(store)
    const claims = claimsOfPlan({ measure: 'tokens', tpm: 100, at: NOON })
    await beginCounters(store, shop.account, claims)
    const hold = await admit(store, shop, 'req_1', claims)
    clock.at += 29_000
    const next = { tpm: 100, input: 90, at: clock.at }
    const round = extension(hold, { tokens: 5, cost: nanoUsd(5) }, next)
    const asked = { ...round, claims: claimsOfPlan({ measure: 'tokens', ...next }) }
    expect(await store.holds.extend(asked)).toMatchObject({ denial: { code: 'rate_limit_exceeded' } })
    expect(await countedBy(store, shop.account, claims)).toEqual(['0 30'])

    clock.at += 2000
    expect(await store.holds.sweep()).toBe(1)

    expect(await countedBy(store, shop.account, claims)).toEqual(['0 0'])
  })

  it('know a request that came to them while it ran for as long as a journal may repeat its end', async () => {
    const store = await open(optionsOf(whole(), 'svc-joins'))
    const shop = await openShop(store)
    await beginCounters(store, shop.account)
    const hold = await admit(store, shop, 'req_1', claimsOf({ at: Date.now() }))
    const joined = (claimsOfPlan().rules ?? []).map(({ group, field }) => ({ group, field, cell: 0, begins: false }))

    await store.holds.settle({ ...settlement(hold), joined })

    const name = new ClusterLayout('svc-joins').guests.sharedHold('req_1')
    const left = Number(await redisCommand(await whole().nodeOf(name), 'PTTL', name))
    expect(left).toBeGreaterThan(KEPT_MS)
  })
})

/** The master of what accounts share is lost once the account has admitted, and may be there again a moment later. */
class Fading extends SharedHolds {
  readonly #isThere: boolean

  constructor(access: Access, isThere: boolean) {
    super(access)
    this.#isThere = isThere
  }

  override async weigh(): Promise<void> {
    throw new StoreUnavailable('Redis cannot be used: it does not answer')
  }

  override async undo(...share: Parameters<SharedHolds['undo']>): Promise<void> {
    if (!this.#isThere) throw new StoreUnavailable('Redis cannot be used: it does not answer')
    await super.undo(...share)
  }
}

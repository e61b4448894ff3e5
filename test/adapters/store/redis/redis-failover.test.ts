import { readFileSync } from 'node:fs'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { openRedisStore, type RedisStore } from '../../../../src/adapters/redis/store.ts'
import type { Claims } from '../../../../src/policy/decision.ts'
import type { LimitRule } from '../../../../src/policy/limits/rule.ts'
import { claimsOfRules } from '../../../../src/policy/limits/rule-claim.ts'
import { NO_CELLS } from '../../../../src/policy/limits/rule-counter.ts'
import { redisCommand } from '../../../support/redis/command.ts'
import { describeRedis, startRedis } from '../../../support/redis/redis.ts'
import { type RedisPair, startRedisPair } from '../../../support/redis/redis-pair.ts'
import { newDirectory } from '../directory.ts'
import {
  admission,
  admit,
  auditOf,
  claimsOf,
  ledgerOf,
  openShop,
  type Shop,
  settlement,
  totalsOf,
} from '../fixtures.ts'

const PATIENCE = { timeout: 60_000, interval: 20 }
const claims = () => claimsOf({ at: Date.now() })

let pair: RedisPair
let store: RedisStore
let shop: Shop
let alarms: string[]

const open = async (stateDir?: string) => {
  const opened = await openRedisStore({
    url: pair.url,
    prefix: 'svc',
    stateDir: stateDir ?? (await newDirectory()),
    alarm: (message, details) => void alarms.push(`${message} ${JSON.stringify(details ?? {})}`),
    answerMs: 1000,
  })
  onTestFinished(() => opened.close())
  return opened
}

/** The replica takes over, and the store has found it. */
async function failOver(): Promise<void> {
  await pair.failOver()
  await vi.waitFor(() => store.accounts.readSpend(shop.account), PATIENCE)
}

const usage = async () => {
  const found = await store.accounts.readUsage(shop.account)
  if (!found) throw new Error('the account is gone')
  const { requests, tokens, day, concurrent, used, held } = found
  return { requests, tokens, day, running: concurrent, used, held }
}

describeRedis('a replica that takes over and lacks the last writes', { timeout: 60_000 }, () => {
  beforeEach(async () => {
    alarms = []
    pair = await startRedisPair()
    store = await open()
    shop = await openShop(store)
  }, 60_000)

  it('is given what ended, and counts all of it once', async () => {
    for (const id of ['req_1', 'req_2']) await store.holds.settle(settlement(await admit(store, shop, id, claims())))
    const half = await admit(store, shop, 'req_3', claims())
    await pair.replicated()
    pair.hold()
    await store.holds.settle(settlement(half))
    for (const id of ['req_4', 'req_5']) await store.holds.settle(settlement(await admit(store, shop, id, claims())))
    await store.holds.refund(await admit(store, shop, 'req_6', claims()))
    const before = await usage()

    await failOver()

    expect(await usage()).toEqual(before)
    expect(before).toMatchObject({ requests: 6, tokens: 150, day: 6, running: 0, used: 250, held: 0 })
    expect((await ledgerOf(store)).map(({ requestId, kind }) => `${requestId} ${kind}`)).toEqual(
      ['req_1', 'req_2', 'req_3', 'req_4', 'req_5'].map(id => `${id} settle`),
    )
    expect(await totalsOf(store)).toMatchObject([{ requests: 5, cost: 250 }])
    expect(alarms).toContainEqual(expect.stringMatching(/has it again {"count":4}/))
  })

  it('is given nothing that it had', async () => {
    await store.holds.settle(settlement(await admit(store, shop, 'req_1', claims())))
    await store.keys.revoke({ hash: shop.keyHash, by: 'operator' })
    await pair.replicated()
    const [before, audit] = [await usage(), await auditOf(store)]

    await failOver()

    expect(await usage()).toEqual(before)
    expect(await auditOf(store)).toEqual(audit)
    expect(await store.keys.findCaller(shop.keyHash)).toBeUndefined()
    expect(alarms.filter(each => each.includes('has it again'))).toEqual([])
  })

  it('settles a request of which it knows nothing, and counts its admission', async () => {
    await pair.replicated()
    pair.hold()
    const [one, two] = [await admit(store, shop, 'req_1', claims()), await admit(store, shop, 'req_2', claims())]

    await failOver()
    await store.holds.settle(settlement(one))
    await store.holds.refund(two)

    expect(await usage()).toMatchObject({ requests: 2, tokens: 30, day: 2, running: 0, used: 50, held: 0 })
    expect(await ledgerOf(store)).toMatchObject([{ requestId: 'req_1', kind: 'settle' }])
  })

  it('learns of running requests by their next heartbeat', async () => {
    await pair.replicated()
    pair.hold()
    const hold = await admit(store, shop, 'req_1', claims())
    const before = await usage()

    await failOver()
    await store.holds.heartbeat([{ hold }])

    expect(await usage()).toEqual(before)
    expect(before).toMatchObject({ requests: 1, running: 1, held: 50 })
    await store.holds.heartbeat([{ hold }])
    await store.holds.settle(settlement(hold))
    expect(await usage()).toMatchObject({ requests: 1, running: 0, used: 50, held: 0 })
  })

  it('counts by the rules of a plan as the primary did', async () => {
    const rules: readonly LimitRule[] = [
      { measure: 'requests', most: 9, per: 'hour', of: 'account' },
      { measure: 'requests', most: 9, per: 'day', of: 'account' },
      { measure: 'tokens', most: 9000, per: 'hour', of: 'account' },
      { measure: 'usd', most: 9000, per: 'day', of: 'account' },
      { measure: 'concurrent', most: 9, of: 'account' },
    ]
    const withRules = (): Claims => ({
      ...claims(),
      rules: claimsOfRules(rules, { key: { id: 'key_1' }, terms: {} }, { plan: 'pro', model: MODEL, user: '' }),
    })
    const asked = withRules()
    await store.holds.beginCounters(
      shop.account,
      (asked.rules ?? []).map(({ group, field }) => ({ name: { group, field }, counter: NO_CELLS })),
    )
    const admitted = async (id: string) => {
      const answer = await store.holds.admit(admission(shop, id, withRules()))
      if (!('hold' in answer)) throw new Error(JSON.stringify(answer))
      return answer.hold
    }
    const known = await admitted('req_1')
    await pair.replicated()
    pair.hold()
    await store.holds.settle(settlement(known))
    await store.holds.settle(settlement(await admitted('req_2')))
    const [three, four] = [await admitted('req_3'), await admitted('req_4')]
    const readings = async () =>
      (await store.holds.readRules(shop.account, asked)).map(({ used, held }) => `${used} ${held}`)
    const before = await readings()

    await failOver()
    await store.holds.heartbeat([{ hold: three }, { hold: four }])

    expect(await readings()).toEqual(before)
    await store.holds.settle(settlement(three))
    await store.holds.refund(four)
    expect(await readings()).toEqual(['4 0', '4 0', '90 0', '150 0', '0 0'])
  })

  it('refuses a key that was revoked, from its first answer on', async () => {
    const other = await openShop(store, 'bob')
    await pair.replicated()
    pair.hold()
    await store.keys.revoke({ hash: shop.keyHash, by: 'operator' })
    await store.accounts.changeTerms({ account: other.account, change: { override: 'free' }, by: 'operator' })

    await pair.failOver()
    const found = await vi.waitFor(() => store.keys.findCaller(shop.keyHash), PATIENCE)

    expect(found).toBeUndefined()
    expect(await store.accounts.find(other.account)).toMatchObject({ terms: { override: 'free' } })
    expect((await auditOf(store)).map(({ action }) => action)).toContain('revoke')
  })

  it('is given what a gateway had that is gone itself, by its successor', async () => {
    const stateDir = await newDirectory()
    const mortal = await open(stateDir)
    await pair.replicated()
    pair.hold()
    for (const id of ['req_1', 'req_2']) await mortal.holds.settle(settlement(await admit(mortal, shop, id, claims())))
    await mortal.keys.revoke({ hash: shop.keyHash, by: 'operator' })
    const before = await usage()
    await mortal.close()

    await failOver()
    expect(await usage()).toMatchObject({ used: 0 })
    await open(stateDir)

    expect(await usage()).toEqual(before)
    expect((await ledgerOf(store)).map(({ requestId }) => requestId)).toEqual(['req_1', 'req_2'])
    expect(await store.keys.findCaller(shop.keyHash)).toBeUndefined()
  })

  it('counts the admission of a request that a successor of its gateway settles from the disk', async () => {
    const stateDir = await newDirectory()
    const mortal = await open(stateDir)
    await pair.replicated()
    pair.hold()
    const hold = await admit(mortal, shop, 'req_1', claims())
    await pair.failOver()
    await mortal.holds.settle(settlement(hold))
    await mortal.close()

    await open(stateDir)

    await vi.waitFor(async () => expect(await ledgerOf(store)).toMatchObject([{ requestId: 'req_1' }]), PATIENCE)
    expect(await usage()).toMatchObject({ requests: 1, day: 1, used: 50, held: 0, running: 0 })
  })

  it('keeps a change that came after one of this gateway, also where that led back to the terms before it', async () => {
    const other = await open()
    const change = (of: RedisStore, override: string) =>
      of.accounts.changeTerms({ account: shop.account, change: { override }, by: 'operator' })
    await change(store, 'free')
    await change(other, 'pro')
    await pair.replicated()
    const audit = await auditOf(store)

    await failOver()

    expect(await store.accounts.find(shop.account)).toMatchObject({ terms: { override: 'pro' } })
    expect(await auditOf(store)).toEqual(audit)
  })

  it('has a revocation before it is answered, where it is not held up', async () => {
    await store.keys.revoke({ hash: shop.keyHash, by: 'operator' })
    // Nothing is repeated: the gateway that could is gone, and so is its disk.
    await store.close()

    await pair.failOver()
    const other = await vi.waitFor(() => open(), PATIENCE)

    expect(await other.keys.findCaller(shop.keyHash)).toBeUndefined()
  })

  it('is waited for a second, and the operator hears that it lacks a change', async () => {
    await pair.replicated()
    pair.hold()

    await Promise.all([openShop(store, 'bob'), openShop(store, 'eve')])

    expect(alarms.filter(each => each.includes('no replica of Redis has the last change'))).not.toEqual([])
    expect(await store.keys.findCaller(shop.keyHash)).toMatchObject({ account: shop.account })
  })

  it('says nothing of a change that the primary before it acknowledged, however many follow it', async () => {
    const follower = await startRedis({
      flags: { replicaof: `127.0.0.2 ${pair.replica.port}`, 'repl-diskless-sync-delay': '0' },
    })
    onTestFinished(() => follower.stop())
    await vi.waitFor(
      async () => expect(await redisCommand(follower, 'INFO', 'replication')).toContain('link_status:up'),
      PATIENCE,
    )
    await pair.part()

    await store.keys.revoke({ hash: shop.keyHash, by: 'operator' })

    expect(alarms).toContainEqual(expect.stringMatching(/no replica of Redis has the last change.*took over/))
  })

  it('revokes a key that it had not, also where it knows the script that revokes and not the one that mints', async () => {
    await pair.replicated()
    pair.hold()
    const eve = await openShop(store, 'eve')
    await store.keys.revoke({ hash: eve.keyHash, by: 'operator' })
    const files = ['common', 'accounts/audit', 'accounts/keys', 'accounts/revoke']
    const texts = files.map(name => readFileSync(`redis/${name}.lua`, 'utf8'))
    await redisCommand(pair.replica, 'SCRIPT', 'LOAD', texts.join('\n'))

    await failOver()

    expect(await store.keys.findCaller(eve.keyHash)).toBeUndefined()
    expect(await store.accounts.find(eve.account)).toMatchObject({ account: eve.account })
  })

  it('knows keys that were minted and rotated, and none that ended meanwhile works again', async () => {
    await pair.replicated()
    pair.hold()
    const bob = await openShop(store, 'bob')
    const next = { hash: 'hash-of-next', prefix: 'svc_next…' }
    await store.keys.rotate({ account: shop.account, current: shop.keyHash, next, by: 'operator' })
    const eve = await openShop(store, 'eve')
    await store.keys.revoke({ hash: eve.keyHash, by: 'operator' })

    await failOver()

    expect(await store.keys.findCaller(bob.keyHash)).toMatchObject({ account: bob.account })
    expect(await store.keys.findCaller(next.hash)).toMatchObject({ account: shop.account })
    expect(await store.keys.findCaller(shop.keyHash)).toBeUndefined()
    expect(await store.keys.findCaller(eve.keyHash)).toBeUndefined()
  })
})

const MODEL = { name: 'svc-core', tier: 'basic' }

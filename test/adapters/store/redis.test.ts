import { createClient } from '@keyv/redis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { loadRedis } from '../../../src/adapters/redis/backup/load.ts'
import { openRedisStore } from '../../../src/adapters/redis/store.ts'
import { idOfHash } from '../../../src/gateway/accounts/keys.ts'
import type { StoreRecord } from '../../../src/gateway/store/record.ts'
import { windowOf } from '../../../src/policy/decision.ts'
import type { LimitWindow, Measure } from '../../../src/policy/limits/rule.ts'
import type { RuleClaim } from '../../../src/policy/limits/rule-claim.ts'
import { nanoUsd, ZERO_USD } from '../../../src/policy/nano-usd.ts'
import { describeRedis, useRedis } from '../../support/redis/redis.ts'
import { deliveryLeaseContract } from './aspects/limits/notices.ts'
import { openRedisSubject } from './aspects/subjects.ts'
import { startOf, storeContract } from './contract.ts'
import { newDirectory } from './directory.ts'
import {
  admission,
  admit,
  charged,
  claimsOf,
  clockAt,
  extension,
  LAPSED,
  ledgerOf,
  mintOf,
  NOON,
  openShop,
  rowOf,
  settlement,
  totalsOf,
  waste,
  wasteOf,
  wasteRowOf,
} from './fixtures.ts'

describeRedis('a store in Redis', () => {
  const server = useRedis()

  storeContract('redis', now => openRedisSubject(server().url, now))
  deliveryLeaseContract(startOf(now => openRedisSubject(server().url, now)))

  it('gateways share the hour of a pool, and write down its waste once', async () => {
    const options = { url: server().url, prefix: 'shared', alarm: () => {}, now: () => NOON, answerMs: 15_000 }
    const open = async () => {
      const store = await openRedisStore({ ...options, stateDir: await newDirectory() })
      onTestFinished(() => store.close())
      return store
    }
    const [one, other] = [await open(), await open()]
    const hold = await admit(one, await openShop(one), 'req_1')

    const taken = await Promise.all(
      [one, other].flatMap(store =>
        Array.from({ length: 20 }, () =>
          store.budgets.take({ pool: 'cloud', amount: nanoUsd(10), limit: nanoUsd(109) }),
        ),
      ),
    )
    await Promise.all([one, other].map(store => store.ledger.recordWaste([waste(hold)])))

    expect(taken.filter(at => at === NOON)).toHaveLength(10)
    expect([await one.budgets.read('cloud'), await other.budgets.read('cloud')]).toEqual([100, 100])
    await other.budgets.amend({ pool: 'cloud', at: NOON, difference: nanoUsd(-95) })
    expect(await one.budgets.take({ pool: 'cloud', amount: nanoUsd(105), limit: nanoUsd(109) })).toBeUndefined()
    expect(await one.budgets.take({ pool: 'cloud', amount: nanoUsd(104), limit: nanoUsd(109) })).toBe(NOON)
    expect(await wasteOf(other)).toMatchObject([{ attempts: 1 }])
  })

  it('gateways share the counters of rules, and one ends what the other left', async () => {
    let now = NOON
    const options = { url: server().url, prefix: 'shared-rules', alarm: () => {}, now: () => now, answerMs: 15_000 }
    const open = async () => {
      const store = await openRedisStore({ ...options, stateDir: await newDirectory() })
      onTestFinished(() => store.close())
      return store
    }
    const [one, other] = [await open(), await open()]
    const [ada, bob] = [await openShop(one, 'ada'), await openShop(one, 'bob')]
    const claims = { ...claimsOf(), rules: [ruleOf('tokens', 300, 'plan:pro'), ruleOf('usd', 400, 'account')] }

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, place) =>
        [one, other][place % 2]?.holds.admit(admission(place % 4 < 2 ? ada : bob, `req_${place}`, claims)),
      ),
    )
    expect(answers.filter(answer => answer && 'hold' in answer)).toHaveLength(10)
    now += LAPSED
    await Promise.all([one.holds.sweep(), other.holds.sweep()])

    expect(await other.holds.readRules(ada.account, claims)).toMatchObject([
      { used: 0, held: 0 },
      { used: 0, held: 0 },
    ])
  })

  it('labels of an older build stay as they are, also where they look alike, and no third one joins them', async () => {
    const options = { url: server().url, prefix: 'alike', alarm: () => {}, now: () => NOON, answerMs: 15_000 }
    const stateDir = await newDirectory()
    const before = await openRedisStore({ ...options, stateDir })
    await openShop(before, 'ada')
    await openShop(before, 'bob')
    await before.accounts.signIn({ account: 'acct_eve', label: 'eve' })
    await before.close()
    // As a build that knows of no shapes leaves them.
    const client = createClient({ url: server().url })
    await client.connect()
    for await (const names of client.scanIterator({ MATCH: 'alike:shape:*' }))
      if (names.length > 0) await client.del(names)
    await client.hDel('alike:meta', 'shaped')
    await client.set('alike:opened:ADA', 'acct_bob')
    await client.close()

    const store = await openRedisStore({ ...options, stateDir })
    onTestFinished(() => store.close())

    expect((await store.keys.mint(mintOf('ADA', 'k'))).outcome).toBe('exists')
    expect((await store.keys.mint(mintOf('ada', 'k'))).outcome).toBe('exists')
    expect((await store.keys.mint(mintOf('Ada', 'k'))).outcome).toBe('alike')
    expect((await store.keys.mint(mintOf('EVE', 'k'))).outcome).toBe('alike')
  })

  it('labels that an older build writes during an upgrade are known a week later, once', async () => {
    const clock = clockAt(NOON)
    const options = { url: server().url, prefix: 'alike-late', alarm: () => {}, now: clock.now, answerMs: 15_000 }
    const store = await openRedisStore({ ...options, stateDir: await newDirectory() })
    onTestFinished(() => store.close())
    await openShop(store, 'ada')
    const client = createClient({ url: server().url })
    await client.connect()
    onTestFinished(() => client.destroy())
    // As a build that knows of no shapes opens accounts.
    const open = (label: string) => client.set(`alike-late:opened:${label}`, `acct_${label}`)
    await open('bob')

    expect((await store.keys.mint(mintOf('Bob', 'k1'))).outcome).toBe('minted')
    clock.at += 7 * 86_400_000
    await open('eve')
    expect((await store.keys.mint(mintOf('Eve', 'k2'))).outcome).toBe('alike')

    await open('zoe')
    clock.at += 7 * 86_400_000
    expect((await store.keys.mint(mintOf('Zoe', 'k3'))).outcome).toBe('minted')
  })

  it('a label that looks like one that was restored in the place of a store is refused', async () => {
    const options = { url: server().url, prefix: 'alike-restored', alarm: () => {}, now: () => NOON, answerMs: 15_000 }
    const before = await openRedisStore({ ...options, stateDir: await newDirectory() })
    await openShop(before, 'ada')
    const records: StoreRecord[] = []
    for await (const record of before.dump()) records.push(record)
    await before.close()
    const target = { server: { url: server().url }, prefix: options.prefix, shown: 'here', now: options.now }

    await loadRedis(target, {
      records: (async function* () {
        yield* records
      })(),
      replace: true,
    })

    const store = await openRedisStore({ ...options, stateDir: await newDirectory() })
    onTestFinished(() => store.close())
    expect((await store.keys.mint(mintOf('Ada', 'k'))).outcome).toBe('alike')
    expect((await store.keys.mint(mintOf('ada', 'k'))).outcome).toBe('exists')
  })

  it.each([
    ['in time', false],
    ['late', true],
  ])(
    'a request that settles %s is counted in its last round, of which its gateway got no answer',
    async (_how, isLate) => {
      const { store, clock } = await startOf(now => openRedisSubject(server().url, now))()
      const shop = await openShop(store, 'unanswered')
      const claims = { ...claimsOf(), rules: [ruleOf('tokens', 300, 'account', 'minute')] }
      const hold = await admit(store, shop, 'req_1', claims)
      clock.at += 90_000
      await store.holds.extend({ ...extension(hold, { tokens: 20, cost: nanoUsd(20) }), claims })
      clock.at += LAPSED
      if (isLate) await store.holds.sweep()

      await store.holds.settle(settlement(hold))

      expect(await store.holds.readRules(shop.account, claims)).toMatchObject([{ used: 30, held: 0 }])
    },
  )

  it('counters of keys that ended leave an account that makes others, unless a request holds of them', async () => {
    const { store } = await startOf(now => openRedisSubject(server().url, now))()
    const shop = await openShop(store, 'key-counters')
    const { account } = shop
    const id = idOfHash(shop.keyHash)
    const counted = (key: string): RuleClaim => ({
      rule: { measure: 'tokens', most: 1000, per: 'hour', of: 'key' },
      ...{ group: 'account', field: `tokens/hour/${key}/` },
    })
    const rules = [id, 'key_ended', 'key_held', 'sign-in'].map(counted)
    const claimed = (...keys: string[]) => ({
      ...claimsOf(),
      rules: rules.filter(({ field }) => keys.some(key => field.includes(key))),
    })
    await store.holds.settle(settlement(await admit(store, shop, 'req_1', claimed(id, 'key_ended', 'sign-in'))))
    await admit(store, shop, 'req_2', claimed('key_held'))
    const uses = async () =>
      (await store.holds.readRules(account, { rules })).map(({ used, held }) => `${used}+${held}`)
    expect(await uses()).toEqual(['30+0', '30+0', '0+30', '30+0'])

    const next = { hash: 'hash-of-next', prefix: 'svc_n…', id: 'key_next' }
    await store.keys.rotate({ account, current: shop.keyHash, next, by: 'operator' })

    // The first key's usage counts for its replacement.
    expect(await uses()).toEqual(['30+0', '0+0', '0+30', '30+0'])
  })

  it('the sums of an account are found by their names among those of very many others', async () => {
    const { store } = await startOf(now => openRedisSubject(server().url, now))()
    const shop = await openShop(store, 'many')
    const client = createClient({ url: server().url })
    await client.connect()
    onTestFinished(() => client.destroy())
    const key = idOfHash(shop.keyHash)
    const used = [{}, { key }, { model: 'svc-mini', key }, { plan: 'gone' }, { key: 'key_of_long_ago' }]
    for (const [place, of] of used.entries()) {
      const settled = settlement(await admit(store, shop, `req_${place}`))
      await store.holds.settle({ ...settled, bill: { ...settled.bill, ...of } })
    }
    const query = { account: shop.account, among: { plans: ['free', 'pro'], models: ['svc-core', 'svc-mini'] } }
    expect(await totalsOf(store, query)).toEqual(await totalsOf(store, { account: shop.account }))

    const every = await client.keys('*:totals:*')
    const isOurs = await Promise.all(every.map(name => client.hExists(name, `${shop.account} pro svc-core`)))
    const [totals = ''] = every.filter((_name, place) => isOurs[place])
    const names = Array.from({ length: 600 }, (_, index) => `acct_${index} pro svc-core`)
    const others = Object.fromEntries(names.map(name => [name, '1 2 3 4']))
    await client.hSet(totals, others)

    const found = await totalsOf(store, query)
    expect(found.map(({ plan, model, key }) => [plan, model, key])).toEqual([
      ['pro', 'svc-core', undefined],
      ['pro', 'svc-core', key],
      ['pro', 'svc-mini', key],
    ])
    expect(found.every(({ requests, cost }) => requests === 1 && cost === 50)).toBe(true)
  })

  it('counters of rules expire once none of their windows can count, and no sooner', async () => {
    const { store } = await startOf(now => openRedisSubject(server().url, now))()
    const shop = await openShop(store, 'rules')
    const client = createClient({ url: server().url })
    await client.connect()
    onTestFinished(() => client.destroy())
    const hoursOf = async (...rules: readonly RuleClaim[]) => {
      await admit(store, shop, `req_${rules.length}`, { ...claimsOf(), rules })
      const [key = ''] = await client.keys('*:rules:acct_rules:account')
      return (await client.ttl(key)) / 3600
    }

    expect(await hoursOf(ruleOf('images', 9, 'account', 'hour'))).toBeGreaterThan(2)
    const month = await hoursOf(ruleOf('images', 9, 'account', 'hour'), ruleOf('images', 9, 'account', 'month'))
    expect(month).toBeGreaterThan(31 * 24)
    const all = [ruleOf('images', 9, 'account', 'hour'), ruleOf('images', 9, 'account', 'second')]
    expect(await hoursOf(...all, ruleOf('images', 9, 'account', '7d'))).toBeGreaterThan(month - 1)
  })

  it('the spend of a month can expire only after the account spent in a later one', async () => {
    const { store, clock } = await startOf(now => openRedisSubject(server().url, now))()
    const { account, ...rest } = await openShop(store, 'expiry')
    const shop = { account, ...rest }
    const client = createClient({ url: server().url })
    await client.connect()
    onTestFinished(() => client.destroy())
    /** Days until the spend of each month expires, by month; -1 where it never does. */
    const days = async () => {
      const keys = (await client.keys(`*:spend:${account}:*`)).sort()
      const seconds = await Promise.all(keys.map(key => client.ttl(key)))
      return seconds.map(left => (left < 0 ? left : Math.round(left / 86_400)))
    }

    await store.holds.settle(settlement(await admit(store, shop, 'req_1')))
    expect(await days()).toEqual([-1])
    clock.at = windowOf(NOON).end
    await admit(store, shop, 'req_2', claimsOf({ at: clock.at }))

    expect(await days()).toEqual([100, -1])
  })

  it('what is left of a response ends by itself, and nothing is left of one that was deleted', async () => {
    const { store } = await startOf(now => openRedisSubject(server().url, now))()
    const client = createClient({ url: server().url })
    await client.connect()
    onTestFinished(() => client.destroy())
    const sealed = Buffer.from('what-was-sealed'.repeat(20_000))
    const keep = (id: string, hours: number) =>
      store.responses.keep(
        { account: 'acct_expiry', id, items: [`msg_of_${id}`], sealed, keep: hours * 3_600_000 },
        { bytes: 1_000_000, responses: 10, total: 1_000_000 },
      )
    const everythingOf = async (name: string) => {
      if (name.includes(':response:')) return client.get(name)
      return JSON.stringify(
        name.includes(':responses:') ? await client.hGetAll(name) : await client.zRange(name, 0, -1),
      )
    }
    const namesOf = () => client.keys('*:response*acct_expiry')
    await Promise.all([keep('resp_1', 2), keep('resp_2', 1)])

    const names = await namesOf()
    const hours = await Promise.all(names.map(async name => Math.ceil((await client.pTTL(name)) / 3_600_000)))
    expect(hours.sort()).toEqual([1, 2, 2, 2, 2])
    await store.responses.remove('acct_expiry', 'resp_1')

    const left = await Promise.all((await namesOf()).map(async name => `${name} ${await everythingOf(name)}`))
    expect(left.filter(text => text.includes('resp_1'))).toEqual([])
    expect(left.filter(text => text.includes('what-was-sealed'))).toHaveLength(1)
    await store.responses.remove('acct_expiry', 'resp_2')
    expect(await namesOf()).toEqual([])
  })

  describe('a request that Redis keeps no marker of any more', () => {
    // Scanning the keys of all earlier tests would take longer than the tests did.
    const server = useRedis()
    const start = startOf(now => openRedisSubject(server().url, now))

    /** Forgets what is kept for some hours at most. */
    async function letHoursPass(): Promise<void> {
      const client = createClient({ url: server().url })
      await client.connect()
      const short = []
      for (const key of await client.keys('*')) {
        const seconds = await client.ttl(key)
        if (seconds > 0 && seconds < 86_400) short.push(key)
      }
      expect(short).not.toEqual([])
      await client.del(short)
      client.destroy()
    }

    it('is not charged again by the same settlement', async () => {
      const { store } = await start()
      const shop = await openShop(store)
      const settled = settlement(await admit(store, shop, 'req_1'))
      await store.holds.settle(settled)
      await letHoursPass()

      await store.holds.settle(settled)
      await store.holds.refund(settled.hold)

      expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 50, held: 0 })
      expect(await ledgerOf(store)).toEqual([rowOf(settled)])
    })

    it('is not wasted again, nor taken for settled because it was wasted', async () => {
      const { store, clock } = await start()
      const shop = await openShop(store)
      const hold = await admit(store, shop, 'req_1')
      await store.ledger.recordWaste([waste(hold)])
      clock.at += LAPSED
      await store.holds.sweep()
      await letHoursPass()

      await store.ledger.recordWaste([waste(hold)])
      await store.holds.settle(settlement(hold))

      expect(await ledgerOf(store)).toEqual([rowOf(settlement(hold), clock.at), wasteRowOf(waste(hold))])
      expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 50, held: 0 })
      expect(await wasteOf(store)).toMatchObject([{ attempts: 1 }])
    })

    it.each([
      ['a settlement', { tokens: 30, cost: nanoUsd(50) }, 0],
      ['a settlement, of one that was wasted', { tokens: 30, cost: nanoUsd(50) }, 2],
      ['a refund', { tokens: 0, cost: ZERO_USD }, 0],
      ['a refund, of one that was wasted', { tokens: 0, cost: ZERO_USD }, 2],
    ])('pays the difference to its checkpoint by %s', async (what, charge, attempts) => {
      const { store, clock } = await start()
      const shop = await openShop(store)
      const hold = await admit(store, shop, 'req_1')
      const [soFar, late] = [settlement(hold, { tokens: 12, cost: nanoUsd(14) }), settlement(hold, charge)]
      await store.ledger.recordWaste(Array.from({ length: attempts }, (_, index) => waste(hold, 1 + index)))
      await store.holds.heartbeat([{ hold, soFar }])
      clock.at += LAPSED
      await store.holds.sweep()
      await letHoursPass()

      const end = () => (what.startsWith('a refund') ? store.holds.refund(hold) : store.holds.settle(late))
      await end()
      await end()

      const rows = await ledgerOf(store)
      expect(charged(rows)).toEqual([rowOf(soFar, clock.at, 'orphan'), rowOf(late, clock.at, 'late', soFar)])
      expect(rows).toHaveLength(2 + attempts)
      expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: charge.cost, held: 0 })
      expect(await totalsOf(store)).toMatchObject([{ requests: 1, cost: charge.cost }])
    })
  })
})

function ruleOf(measure: Measure, most: number, group: string, per: LimitWindow = 'hour'): RuleClaim {
  return { rule: { measure, most, per }, group, field: `${measure}/${per}//` }
}

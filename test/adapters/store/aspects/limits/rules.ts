import { expect, it } from 'vitest'
import { addedRules, beginAhead } from '../../../../../src/gateway/admission/begin-ahead.ts'
import { beginCounters } from '../../../../../src/gateway/store/begin-counters.ts'
import type { Admitted, Settlement } from '../../../../../src/gateway/store/hold-store.ts'
import type { Store } from '../../../../../src/gateway/store/store.ts'
import type { Config } from '../../../../../src/policy/config.ts'
import type { Hold } from '../../../../../src/policy/counters/account-counters.ts'
import type { Claims } from '../../../../../src/policy/decision.ts'
import type { CallerKey } from '../../../../../src/policy/facts.ts'
import type { LimitRule } from '../../../../../src/policy/limits/rule.ts'
import { claimsOfRules, type JoinedCell } from '../../../../../src/policy/limits/rule-claim.ts'
import { cellAt, NOTHING_READ } from '../../../../../src/policy/limits/rule-counter.ts'
import { MOST_SESSION_COUNTERS } from '../../../../../src/policy/limits/session-cell.ts'
import { nanoUsd } from '../../../../../src/policy/nano-usd.ts'
import type { Start } from '../../contract.ts'
import {
  admission,
  type Clock,
  claimsOf,
  extension,
  LAPSED,
  NOON,
  openShop,
  outcomeOf,
  outcomes,
  type Shop,
  settlement,
} from '../../fixtures.ts'
import { ZONED } from './rule-tables.ts'

/** A request weighs 10 tokens in, 20 out, 50 nano-USD, 2 images and 4 seconds. */
const WEIGHS = { requests: 1, tokens: 30, input_tokens: 10, output_tokens: 20, images: 2, seconds: 4, usd: 50 } as const

const ids = (count: number) => Array.from({ length: count }, (_, index) => `req_${String(index).padStart(4, '0')}`)

/** Whom a request comes from, beside its account. */
interface From {
  readonly key?: string
  readonly user?: string
  readonly org?: string
  readonly plan?: string
  readonly model?: string
  readonly session?: string
}

function rulesOf(rules: readonly LimitRule[], from: From = {}, at = NOON): Claims {
  const { key = 'key_1', user = 'ada', org = 'acme', plan = 'pro', model = 'svc-core' } = from
  const claimed = claimsOfRules(
    rules,
    { key: { id: key }, terms: { org } },
    { plan, model: { name: model, tier: 'basic' }, user, session: from.session },
  )
  return { ...claimsOf({ at }), pieces: { images: 2, seconds: 4 }, rules: claimed }
}

/** Admits as the gateway does: counters that are missing begin with what the ledger knows. */
async function ask(store: Store, shop: Shop, requestId: string, claims: Claims): Promise<Admitted> {
  const asked = admission(shop, requestId, claims)
  const answer = await store.holds.admit(asked)
  if ('denial' in answer || answer.outcome !== 'counters-missing') return answer
  await beginCounters(CONFIG, store, { ...answer, account: shop.account, claims: claims.rules ?? [] })
  return store.holds.admit(asked)
}

const CONFIG = { models: new Map(), plans: new Map() } as unknown as Config

const SUBJECT = { plan: 'pro', model: { name: 'svc-core', tier: 'basic' } }

const configOf = (rules: readonly LimitRule[]): Config => {
  const plan = { name: 'pro', rules: rules.map(rule => ({ rule })), counts: [] }
  return {
    models: new Map([['svc-core', { ...SUBJECT.model, kind: 'chat' }]]),
    plans: new Map([['pro', plan]]),
  } as unknown as Config
}

async function holdFor(store: Store, shop: Shop, requestId: string, claims: Claims): Promise<Hold> {
  const answer = await ask(store, shop, requestId, claims)
  if (!('hold' in answer)) throw new Error(`${requestId} was not admitted: ${JSON.stringify(answer)}`)
  return answer.hold
}

const whole = (hold: Hold): Settlement => ({ ...settlement(hold), pieces: { images: 2, seconds: 4 } })

/** Used and reserved amounts of each rule. */
async function usesOf(store: Store, shop: Shop, claims: Claims): Promise<string[]> {
  const readings = await store.holds.readRules(shop.account, claims)
  return (claims.rules ?? []).map(({ rule }, place) => {
    const { used, held } = readings[place] ?? NOTHING_READ
    return `${rule.measure} ${used}+${held}`
  })
}

const ALL: readonly LimitRule[] = [
  ...(Object.keys(WEIGHS) as (keyof typeof WEIGHS)[]).map(measure => ({ measure, most: 1e9, per: 'hour' as const })),
  { measure: 'concurrent', most: 1e9 },
]
const NOTHING_USED = ALL.map(({ measure }) => `${measure} 0+0`)
const WHOLE_USED = ALL.map(({ measure }) => `${measure} ${measure === 'concurrent' ? 0 : WEIGHS[measure]}+0`)

export function rulesContract(start: Start): void {
  it('a request holds of each measure what it may need, and is charged what it needed', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    const claims = rulesOf(ALL)
    const hold = await holdFor(store, shop, 'req_1', claims)

    expect(await usesOf(store, shop, claims)).toEqual([
      ...['requests 1+0', 'tokens 0+30', 'input_tokens 0+10', 'output_tokens 0+20', 'images 0+2', 'seconds 0+4'],
      ...['usd 0+50', 'concurrent 0+1'],
    ])
    const part = { ...settlement(hold, { tokens: 17, cost: nanoUsd(9) }), pieces: { images: 1, seconds: 3 } }
    await store.holds.settle(part)
    await store.holds.settle(part)

    expect(await usesOf(store, shop, claims)).toEqual([
      ...['requests 1+0', 'tokens 17+0', 'input_tokens 10+0', 'output_tokens 7+0', 'images 1+0', 'seconds 3+0'],
      ...['usd 9+0', 'concurrent 0+0'],
    ])
  })

  it('of requests that ask at once for the last turn of a session, one gets it, bounded, and none comes after it', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    const limit: LimitRule = { measure: 'tokens', most: 300, per: 'idle:24h', of: 'session', lastTurn: 15 }
    const claims = rulesOf([limit], { session: 'ses_1' })
    for (const id of ids(9)) await store.holds.settle(whole(await holdFor(store, shop, id, claims)))

    const answers = await Promise.all(ids(6).map(id => ask(store, shop, `last_${id}`, claims)))
    const [granted, ...others] = answers.flatMap(answer => ('hold' in answer ? [answer.hold] : []))
    expect([granted?.output, others]).toEqual([15, []])
    if (granted)
      await store.holds.settle({ ...whole(granted), tokens: 12, bill: { ...whole(granted).bill, outputTokens: 2 } })
    const after = await ask(store, shop, 'req_after', claims)
    expect(after).toMatchObject({ denial: { type: 'session_limit', limit: 300 } })
    expect(await usesOf(store, shop, claims)).toEqual(['tokens 282+0'])
    expect(await ask(store, shop, 'req_other', rulesOf([limit], { session: 'ses_2' }))).toMatchObject({ hold: {} })
  })

  it.each([
    ['tokens', 300],
    ['requests', 10],
  ] as const)(
    'a last turn of %s that was charged nothing may be granted again, and none beside it',
    async (measure, most) => {
      const { store } = await start()
      const shop = await openShop(store)
      const limit: LimitRule = { measure, most, per: 'idle:24h', of: 'session', lastTurn: 15 }
      const claims = { ...rulesOf([limit], { session: 'ses_1' }), limits: [] }
      for (const id of ids(9)) await store.holds.settle(whole(await holdFor(store, shop, id, claims)))
      const before = await usesOf(store, shop, claims)

      for (const id of ['last_1', 'last_2']) {
        const last = await holdFor(store, shop, id, claims)
        expect(await ask(store, shop, `beside_${id}`, claims)).toMatchObject({ denial: { type: 'session_limit' } })
        await store.holds.refund(last)
        await store.holds.refund(last)
        expect(await usesOf(store, shop, claims)).toEqual(before)
      }
      await store.holds.settle(whole(await holdFor(store, shop, 'last_3', claims)))
      expect(await ask(store, shop, 'req_after', claims)).toMatchObject({ denial: { type: 'session_limit' } })
    },
  )

  it.each([
    ['tokens', 60, 'runs on'],
    ['tokens', 60, 'is charged late'],
    ['requests', 2, 'runs on'],
    ['requests', 2, 'is charged late'],
  ] as const)(
    'a last turn of %s whose lease lapsed is taken again, of a limit of %i, if it %s',
    async (measure, most, how) => {
      const { store, clock } = await start()
      const shop = await openShop(store)
      const limit: LimitRule = { measure, most, per: 'idle:24h', of: 'session', lastTurn: 15 }
      const claims = { ...rulesOf([limit], { session: 'ses_1' }), limits: [] }
      await store.holds.settle(whole(await holdFor(store, shop, 'req_1', claims)))
      const last = await holdFor(store, shop, 'last', claims)
      clock.at += LAPSED
      await store.holds.sweep()

      if (how === 'runs on') await store.holds.heartbeat([{ hold: last }])
      else await store.holds.settle(whole(last))

      expect(await ask(store, shop, 'after', claims)).toMatchObject({ denial: { type: 'session_limit' } })
      await store.holds.refund(last)
      expect(outcomeOf(await ask(store, shop, 'again', claims))).toBe(how === 'runs on' ? 'admitted' : 'refused')
    },
  )

  it('an account that invents sessions loses the counts of its oldest, and no other account loses any', async () => {
    const { store } = await start()
    const [inventing, other] = [await openShop(store), await openShop(store, 'other')]
    const limit: LimitRule = { measure: 'requests', most: 1e9, per: 'idle:24h', of: 'session' }
    const of = (session: string) => ({ ...rulesOf([limit], { session }), limits: [] })
    await holdFor(store, other, 'req_other', of('ses_0000'))
    for (const id of ids(MOST_SESSION_COUNTERS + 1)) await holdFor(store, inventing, id, of(id.replace('req', 'ses')))

    const used = async (shop: Shop, session: string) => (await usesOf(store, shop, of(session)))[0]
    expect(await used(inventing, 'ses_0000')).toBe('requests 0+0')
    expect(await used(inventing, 'ses_0101')).toBe('requests 1+0')
    expect(await used(inventing, 'ses_1000')).toBe('requests 1+0')
    expect(await used(other, 'ses_0000')).toBe('requests 1+0')
  })

  it.each(ALL.map(({ measure }) => measure))('nothing is taken where a limit of %s refuses', async measure => {
    const { store } = await start()
    const shop = await openShop(store)
    const refusing = ALL.map(rule => (rule.measure === measure ? { ...rule, most: 0 } : rule))

    const answer = await ask(store, shop, 'req_1', rulesOf(refusing))

    expect(answer).toMatchObject({ denial: { code: 'rate_limit_exceeded', limit: 0, rule: { measure } } })
    expect(await usesOf(store, shop, rulesOf(ALL))).toEqual(NOTHING_USED)
    expect(await store.accounts.readSpend(shop.account)).toMatchObject({ used: 0, held: 0 })
  })

  it('nothing is taken of rules where the account’s own limit refuses', async () => {
    const { store } = await start()
    const shop = await openShop(store)

    const answer = await ask(store, shop, 'req_1', { ...rulesOf(ALL), ...pickLimits({ rpm: 0 }) })

    expect(answer).toMatchObject({ denial: { type: 'requests' } })
    expect(await usesOf(store, shop, rulesOf(ALL))).toEqual(NOTHING_USED)
  })

  it('a refund gives all back together, but for the request', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    await store.holds.refund(await holdFor(store, shop, 'req_1', rulesOf(ALL)))

    expect(await usesOf(store, shop, rulesOf(ALL))).toEqual(['requests 1+0', ...NOTHING_USED.slice(1)])
  })

  it.each(ALL.map(rule => [rule.measure, rule] as const))(
    'concurrent admissions never pass a limit of %s',
    async (measure, rule) => {
      const { store } = await start()
      const shop = await openShop(store)
      const most = 10 * (measure === 'concurrent' ? 1 : WEIGHS[measure])
      const claims = rulesOf([{ ...rule, most }, ...ALL.filter(other => other.measure !== measure)])

      const answers = await Promise.all(ids(30).map(id => ask(store, shop, id, claims)))

      expect(outcomes(answers)).toEqual({ admitted: 10, refused: 20 })
    },
  )

  it.each(['second', 'minute', 'hour', 'day', 'week', 'month', '1d', '30d', '90d', ...ZONED] as const)(
    'a retry after the wait for a %s is admitted, and one a millisecond earlier is not',
    async per => {
      const { store, clock } = await start(NOON + 250)
      const shop = await openShop(store)
      const rules: readonly LimitRule[] = [{ measure: 'requests', most: 1, per }]
      const claims = (at = NOON) => rulesOf(rules, {}, at)
      await store.holds.settle(whole(await holdFor(store, shop, 'req_1', claims())))
      const refused = await ask(store, shop, 'req_2', claims())
      if (!('denial' in refused && 'retryAfterMs' in refused.denial)) throw new Error(JSON.stringify(refused))

      clock.at += refused.denial.retryAfterMs - 1
      expect(outcomeOf(await ask(store, shop, 'req_3', claims(clock.at)))).toBe('refused')
      clock.at += 1
      expect(outcomeOf(await ask(store, shop, 'req_4', claims(clock.at)))).toBe('admitted')
    },
  )

  it('a refusal has what it was judged on, an admission what was used before', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    const rules: readonly LimitRule[] = [{ measure: 'tokens', most: 50, per: 'minute' }]
    const { account } = shop
    const first = await ask(store, shop, 'req_1', rulesOf(rules))
    const second = await ask(store, shop, 'req_2', rulesOf(rules))

    expect(first).toMatchObject({ rules: [{ index: NOON / 1000, used: 0, held: 0 }], hold: { account } })
    expect(second).toMatchObject({
      judged: { rules: [['account', 'tokens/minute//', NOON / 1000, NOON / 1000, 0, 30]] },
      denial: { type: 'tokens', limit: 50, retryAfterMs: 61_000 },
    })
  })

  it('limits of keys, users and models count theirs alone, and the account all', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    const one = (of: LimitRule['of'], model?: string): LimitRule => ({
      ...{ measure: 'requests', most: 1, per: 'hour' },
      ...(of && { of }),
      ...(model && { model }),
    })
    const rules = [one('key', 'svc-core'), one('user'), { ...one('account'), most: 3 }]
    const answers = []
    for (const [place, from] of [
      {},
      { user: 'bob' },
      { user: 'bob', key: 'key_2' },
      { user: 'carl', model: 'svc-mini' },
      { user: 'dora', key: 'key_3' },
    ].entries())
      answers.push(outcomeOf(await ask(store, shop, `req_${place}`, rulesOf(rules, from))))

    expect(answers).toEqual(['admitted', 'refused', 'admitted', 'admitted', 'refused'])
  })

  it.each(['plan', 'org', 'everybody'] as const)('a limit of a whole %s counts over accounts', async of => {
    const { store } = await start()
    const [ada, bob] = [await openShop(store, 'ada'), await openShop(store, 'bob')]
    const claims = rulesOf([{ measure: 'usd', most: 125, per: 'month', of }])
    await store.holds.settle(whole(await holdFor(store, ada, 'req_1', claims)))
    await holdFor(store, bob, 'req_2', claims)

    expect(await ask(store, ada, 'req_3', claims)).toMatchObject({ denial: { type: 'spend', isHeld: true } })
    const other = rulesOf([{ measure: 'usd', most: 125, per: 'month', of }], { plan: 'free', org: 'other' })
    expect(outcomeOf(await ask(store, bob, 'req_4', other))).toBe(of === 'everybody' ? 'refused' : 'admitted')
  })

  it('a number that is changed forgets nothing', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    const claims = (most: number) => rulesOf([{ measure: 'requests', most, per: 'day' }])
    for (const id of ids(3)) await store.holds.settle(whole(await holdFor(store, shop, id, claims(10))))

    expect(await ask(store, shop, 'req_4', claims(3))).toMatchObject({ denial: { limit: 3 } })
    expect(outcomeOf(await ask(store, shop, 'req_5', claims(4)))).toBe('admitted')
  })

  it('a limit that is new counts what the ledger knows of its window', async () => {
    const { store } = await start()
    const [shop, other] = [await openShop(store), await openShop(store, 'other')]
    for (const id of ids(2)) await store.holds.settle(settlement(await holdFor(store, shop, id, claimsOf())))
    await store.holds.settle(settlement(await holdFor(store, other, 'req_9', claimsOf())))
    const rules: readonly LimitRule[] = [
      { measure: 'requests', most: 1e9, per: 'day' },
      { measure: 'tokens', most: 1e9, per: '30d' },
      { measure: 'usd', most: 1e9, per: 'month', of: 'plan' },
      { measure: 'requests', most: 1e9, per: 'hour' },
    ]
    const claims = rulesOf(rules)

    expect(await store.holds.admit(admission(shop, 'req_a', claims))).toEqual({
      outcome: 'counters-missing',
      counters: claims.rules?.slice(0, 3).map(({ group, field }) => ({ group, field })),
      at: NOON,
    })
    await holdFor(store, shop, 'req_a', claims)
    expect(await usesOf(store, shop, claims)).toEqual(['requests 3+0', 'tokens 60+30', 'usd 150+50', 'requests 1+0'])
  })

  it('limits that a reload adds begin with the past hour of rows, and with the days of all that share them', async () => {
    const { store, clock } = await start(NOON - 1000)
    const [ada, bob] = [await openShop(store, 'ada'), await openShop(store, 'bob')]
    const inOrg = async (account: string) => {
      await store.orgs.open('acme')
      const changed = await store.accounts.changeTerms({ account, change: { org: 'acme' }, by: 'operator' })
      return changed?.terms ?? {}
    }
    // One a second before noon, two after it, of which one has no org.
    await store.holds.settle(settlement(await holdFor(store, ada, 'req_0', claimsOf({ at: NOON - 1000 }))))
    clock.at = NOON
    await store.holds.settle(settlement(await holdFor(store, ada, 'req_1', claimsOf())))
    await store.holds.settle(settlement(await holdFor(store, bob, 'req_2', claimsOf())))
    const rules: readonly LimitRule[] = [
      { measure: 'requests', most: 1e9, per: 'hour' },
      { measure: 'tokens', most: 1e9, per: 'minute', of: 'key' },
      { measure: 'output_tokens', most: 1e9, per: 'hour', of: 'everybody', model: 'svc-core' },
      { measure: 'usd', most: 1e9, per: 'day', of: 'org' },
      { measure: 'requests', most: 1e9, per: 'hour', of: 'org' },
      { measure: 'requests', most: 1e9, per: 'month', of: 'plan' },
      { measure: 'input_tokens', most: 1e9, per: '7d', of: 'everybody' },
      { measure: 'tokens', most: 1e9, per: 'day', of: 'everybody', model: 'svc-mini' },
      { measure: 'images', most: 1e9, per: 'hour' },
      { measure: 'requests', most: 1e9, per: 'hour', of: 'user' },
    ]
    const terms = await inOrg(ada.account)
    const config = configOf(rules)
    for (const _again of [1, 2]) await beginAhead(config, store, addedRules(config, configOf([])), NOON)
    await beginAhead(config, store, addedRules(config, config), NOON)

    const claims: Claims = { ...claimsOf(), rules: claimsOfRules(rules, { terms }, SUBJECT) }
    expect(await usesOf(store, ada, claims)).toEqual([
      ...['requests 1+0', 'tokens 60+0', 'output_tokens 40+0', 'usd 100+0', 'requests 1+0', 'requests 3+0'],
      ...['input_tokens 30+0', 'images 0+0', 'requests 0+0'],
    ])
    expect(outcomeOf(await store.holds.admit({ ...admission({ ...ada, terms }, 'req_3', claims), orgTerms: {} }))).toBe(
      'admitted',
    )
  })

  it('a limit of keys that is new counts what keys used before they were replaced, and sign-ins by themselves', async () => {
    const { store } = await start()
    const { account, keyHash, ...rest } = await openShop(store)
    const [{ id } = { id: '' }] = await store.keys.listOf(account)
    const next = { hash: 'hash-b', prefix: 'svc_b…', id: 'key_b' }
    await store.keys.rotate({ account, current: keyHash, next, by: account })
    const shop = { ...rest, account, keyHash: 'hash-b' }
    for (const [place, key] of [id, 'key_b', 'key_b', undefined].entries()) {
      const { bill, ...settled } = settlement(await holdFor(store, shop, `req_${place}`, claimsOf()))
      await store.holds.settle({ ...settled, bill: key === undefined ? bill : { ...bill, key } })
    }
    const rules: readonly LimitRule[] = [{ measure: 'requests', most: 9, per: 'day', of: 'key' }]
    const of = (key?: CallerKey): Claims => ({
      ...claimsOf(),
      rules: claimsOfRules(rules, { terms: {}, ...(key && { key }) }, { plan: 'pro' }),
    })
    const [byKey, bySign] = [of({ id: 'key_b', origin: id }), of()]

    await holdFor(store, shop, 'req_a', byKey)
    await holdFor(store, shop, 'req_b', bySign)

    expect(await usesOf(store, shop, byKey)).toEqual(['requests 4+0'])
    expect(await usesOf(store, shop, bySign)).toEqual(['requests 2+0'])
  })

  it('a request joins limits that came while it ran, unless they begin with its row', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    const cell = (per: 'hour' | 'day') => cellAt(per, NOON)
    const joined: readonly JoinedCell[] = [
      { group: 'account', field: 'requests/hour//', cell: cell('hour'), begins: false },
      { group: 'account', field: 'images/day//', cell: cell('day'), begins: false },
      { group: 'everybody', field: 'tokens/day//', cell: cell('day'), begins: true },
      { group: 'account', field: 'usd/day//', cell: cell('day'), begins: true },
    ]
    const claims: Claims = {
      ...claimsOf(),
      rules: joined.map(({ group, field }) => {
        const [measure, per] = field.split('/') as [LimitRule['measure'], 'hour' | 'day']
        return { rule: { measure, per, most: 1e9 }, group, field }
      }),
    }
    await store.holds.beginCounters('', [{ name: { group: 'everybody', field: 'tokens/day//' }, counter: [] }])
    for (const [id, rules] of [
      ['req_1', undefined],
      ['req_2', rulesOf([{ measure: 'tokens', most: 900, per: 'day' }]).rules],
    ] as const) {
      const hold = await holdFor(store, shop, id, { ...claimsOf(), ...(rules && { rules }) })
      const settled = { ...whole(hold), joined }
      await store.holds.settle(settled)
      await store.holds.settle(settled)
    }

    expect(await usesOf(store, shop, claims)).toEqual(['requests 2+0', 'images 4+0', 'tokens 60+0', 'usd 0+0'])
    const day = rulesOf([{ measure: 'tokens', most: 900, per: 'day' }])
    expect(await usesOf(store, shop, day)).toEqual(['tokens 60+0'])
  })

  it('a counter that has begun is not begun again', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    const claims = rulesOf([{ measure: 'requests', most: 9, per: 'day' }])
    await store.holds.settle(whole(await holdFor(store, shop, 'req_1', claims)))

    const [name] = claims.rules ?? []
    if (name) await store.holds.beginCounters(shop.account, [{ name, counter: [{ index: 1e5, used: 7, held: 0 }] }])

    expect(await usesOf(store, shop, claims)).toEqual(['requests 1+0'])
  })

  it('another round takes the place of what the rounds before held', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    const hold = await holdFor(store, shop, 'req_1', rulesOf(ALL))
    const spent = { tokens: 15, cost: nanoUsd(20) }
    const asked = { ...extension(hold, spent), claims: rulesOf(ALL) }
    const extended = await store.holds.extend(asked)

    expect(extended).toMatchObject({ outcome: 'extended', hold: { rules: { weight: { input: 20, output: 25 } } } })
    expect(await store.holds.extend(asked)).toEqual(extended)
    expect(await usesOf(store, shop, rulesOf(ALL))).toEqual([
      ...['requests 1+0', 'tokens 0+45', 'input_tokens 0+20', 'output_tokens 0+25', 'images 0+2', 'seconds 0+4'],
      ...['usd 0+70', 'concurrent 0+1'],
    ])
    const tight = rulesOf([{ measure: 'output_tokens', most: 24, per: 'hour' }])
    const more = { ...extension({ ...hold, round: 1 }, spent), claims: tight }
    expect(await store.holds.extend(more)).toMatchObject({ denial: { rule: { measure: 'output_tokens' } } })
    // The first hold: the store knows what it holds by now.
    await store.holds.settle(whole(hold))
    expect(await usesOf(store, shop, rulesOf(ALL))).toEqual(WHOLE_USED)
  })

  it('a round that is repeated keeps nothing for longer that its account gave up', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    const claims = rulesOf([{ measure: 'tokens', most: 1e9, per: 'day', of: 'plan' }])
    const hold = await holdFor(store, shop, 'req_1', claims)
    const asked = { ...extension(hold, { tokens: 15, cost: nanoUsd(20) }), claims }
    await store.holds.extend(asked)
    expect(await usesOf(store, shop, claims)).toEqual(['tokens 0+45'])
    clock.at += LAPSED

    await store.holds.extend(asked)
    await store.holds.sweep()

    expect(await usesOf(store, shop, claims)).toEqual(['tokens 15+0'])
  })

  it.each([
    ['settled', false],
    ['swept up, and settled late', true],
  ])('another round counts in the present of a window that slides, and is %s there', async (_how, isLate) => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    const claims = rulesOf([{ measure: 'tokens', most: 80, per: 'minute' }])
    const hold = await holdFor(store, shop, 'req_1', claims)
    clock.at += 90_000
    expect(await usesOf(store, shop, claims)).toEqual(['tokens 0+0'])
    const extended = await store.holds.extend({ ...extension(hold, { tokens: 20, cost: nanoUsd(20) }), claims })
    if (!('hold' in extended)) throw new Error(JSON.stringify(extended))

    expect(await usesOf(store, shop, claims)).toEqual(['tokens 0+50'])
    expect(outcomeOf(await ask(store, shop, 'req_2', rulesOf([{ measure: 'tokens', most: 79, per: 'minute' }])))).toBe(
      'refused',
    )
    if (isLate) {
      clock.at += LAPSED
      await store.holds.sweep()
      expect(await usesOf(store, shop, claims)).toEqual(['tokens 20+0'])
    }
    await store.holds.settle(whole(extended.hold))
    expect(await usesOf(store, shop, claims)).toEqual(['tokens 50+0'])
    clock.at += 61_000
    expect(await usesOf(store, shop, claims)).toEqual(['tokens 0+0'])
  })

  it.each(['plan', 'account'] as const)(
    'a round that the account refuses leaves what the request holds of a limit of the %s where it was',
    async of => {
      const { store, clock } = await start()
      const shop = await openShop(store)
      const claims = rulesOf([{ measure: 'tokens', most: 1e9, per: 'minute', of }])
      const hold = await holdFor(store, shop, 'req_1', claims)
      clock.at += 2000
      const asked = extension(hold, { tokens: 20, cost: nanoUsd(20) }, { tpm: 1 })
      for (const _again of [1, 2])
        expect(
          await store.holds.extend({ ...asked, claims: { ...claims, limits: asked.claims.limits } }),
        ).toMatchObject({ denial: { type: 'tokens', limit: 1 } })

      expect(await usesOf(store, shop, claims)).toEqual(['tokens 0+30'])
      await store.holds.settle(whole(hold))
      expect(await usesOf(store, shop, claims)).toEqual(['tokens 30+0'])
      // A second after the window of its admission, and a second before the one of the refused round.
      clock.at = NOON + 61_000
      expect(await usesOf(store, shop, claims)).toEqual(['tokens 0+0'])
    },
  )

  it.each([
    ['without a checkpoint', false],
    ['at its checkpoint', true],
  ])('an orphan is charged %s, and its settlement the difference', async (_how, isKnown) => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    const claims = rulesOf(ALL)
    const hold = await holdFor(store, shop, 'req_1', claims)
    const part = { ...settlement(hold, { tokens: 12, cost: nanoUsd(7) }), pieces: { images: 1, seconds: 2 } }
    if (isKnown) await store.holds.heartbeat([{ hold, soFar: part }])
    clock.at += LAPSED
    await store.holds.sweep()

    expect(await usesOf(store, shop, claims)).toEqual(
      isKnown
        ? [
            ...['requests 1+0', 'tokens 12+0', 'input_tokens 10+0', 'output_tokens 2+0', 'images 1+0'],
            ...['seconds 2+0', 'usd 7+0', 'concurrent 0+0'],
          ]
        : ['requests 1+0', ...NOTHING_USED.slice(1)],
    )
    await store.holds.settle(whole(hold))
    expect(await usesOf(store, shop, claims)).toEqual(WHOLE_USED)
  })

  it('a refund after the sweep takes back what the orphan was charged', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    const hold = await holdFor(store, shop, 'req_1', rulesOf(ALL))
    await store.holds.heartbeat([{ hold, soFar: whole(hold) }])
    clock.at += LAPSED
    await store.holds.sweep()

    await store.holds.refund(hold)

    expect(await usesOf(store, shop, rulesOf(ALL))).toEqual(['requests 1+0', ...NOTHING_USED.slice(1)])
  })

  it('the settlement of a hold that the store does not know is counted', async () => {
    const { store } = await start()
    const shop = await openShop(store)
    const hold = await holdFor(store, shop, 'req_1', rulesOf(ALL))
    await store.holds.refund(hold)

    await store.holds.settle(whole({ ...hold, requestId: 'req_lost' }))

    expect(await usesOf(store, shop, rulesOf(ALL))).toEqual(WHOLE_USED)
  })

  it('what was used survives a restart, and what was held is given back after it', async () => {
    const { store, clock, reopen } = await start()
    const shop = await openShop(store)
    const claims = rulesOf([...ALL, { measure: 'usd', most: 1e9, per: '30d', of: 'everybody' }])
    await store.holds.settle(whole(await holdFor(store, shop, 'req_1', claims)))
    await holdFor(store, shop, 'req_2', claims)

    const reopened = await reopen()
    clock.at += LAPSED
    await reopened.holds.sweep()

    expect(await usesOf(reopened, shop, claims)).toEqual(['requests 2+0', ...WHOLE_USED.slice(1), 'usd 50+0'])
  })

  it('a clock that steps back a little frees nothing', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    const claims = rulesOf([{ measure: 'requests', most: 1, per: 'second' }])
    await holdFor(store, shop, 'req_1', claims)

    stepBack(clock, 60_000)

    expect(outcomeOf(await ask(store, shop, 'req_2', claims))).toBe('refused')
  })

  it('another round drops nothing of what was counted in a second before, which a clock that steps back may come to again', async () => {
    const { store, clock } = await start()
    const shop = await openShop(store)
    const claims = rulesOf([{ measure: 'requests', most: 2, per: 'second' }])
    const hold = await holdFor(store, shop, 'req_1', claims)
    clock.at += 1000
    await store.holds.extend({ ...extension(hold, { tokens: 15, cost: nanoUsd(20) }), claims })

    stepBack(clock, 60_000)

    expect(await usesOf(store, shop, claims)).toEqual(['requests 1+0'])
  })
}

function stepBack(clock: Clock, ms: number): void {
  clock.at -= ms
}

const pickLimits = (limits: { readonly rpm: number }): Pick<Claims, 'limits'> => ({
  limits: claimsOf(limits).limits,
})

import { expect, test } from 'vitest'
import type { PlanRule } from '../../src/policy/config.ts'
import { judge } from '../../src/policy/counters/judge.ts'
import { readRules } from '../../src/policy/counters/rule-hold.ts'
import { decide } from '../../src/policy/decide.ts'
import type { Facts } from '../../src/policy/facts.ts'
import { limitsOf, mostOf } from '../../src/policy/limits/named-rules.ts'
import { type Remedy, remediesOf } from '../../src/simulate/flips.ts'
import { type Situation, scenarioOf } from '../../src/simulate/scenario.ts'
import { type Simulation, simulate } from '../../src/simulate/simulation.ts'
import { randomInt, seeded } from '../support/random.ts'
import { times } from '../support/times.ts'
import { example } from './example.ts'

/** The simulator's clock is that of no key and no user. */
const RULES: readonly PlanRule[] = [
  { measure: 'tokens', most: 200_000, per: 'day', model: 'svc-core' } as const,
  { measure: 'usd', most: 3_000_000_000, per: '30d', of: 'everybody' } as const,
  { measure: 'requests', most: 40, per: 'hour', of: 'plan' } as const,
  { measure: 'output_tokens', most: 20_000, per: 'minute' } as const,
].map(rule => ({ rule, at: { file: 'plans.yaml', line: 1, column: 1 } }))

const shipped = example()
/** Policies that ship, and limits which none of them has. */
const loaded = (() => {
  const pro = shipped.config.plans.get('pro')
  const team = shipped.config.plans.get('team')
  if (!pro || !team) throw new Error('there is no plan pro')
  const plans = new Map([
    ...shipped.config.plans,
    ['pro', { ...pro, limits: [...pro.limits, ...limitsOf({ max_concurrent: 3 })], rules: RULES }],
    ['team', { ...team, rules: RULES.slice(0, 2) }],
  ])
  return { ...shipped, config: { ...shipped.config, plans } }
})()
const { config } = loaded
const NOW = Date.UTC(2026, 10, 21, 10)

function admits(facts: Facts, { counters, ofRule }: Pick<Simulation, 'counters' | 'ofRule'>): boolean {
  const decision = decide(config, facts)
  if ('denial' in decision) return false
  const { claims } = decision
  return 'granted' in judge(counters, claims, facts.at, readRules(claims, ofRule, facts.at))
}

async function tried(situation: Situation): Promise<{ simulation: Simulation; remedies: readonly Remedy[] }> {
  const scenario = scenarioOf(config, { now: NOW, ...situation })
  if (!scenario) throw new Error('nobody asks')
  const simulation = await simulate(loaded, scenario)
  return { simulation, remedies: await remediesOf(loaded, scenario, simulation) }
}

const isServed = async (situation: Situation) => (await tried(situation)).simulation.denial === undefined

/** A request that is often refused: at the edges of what plans allow, for all reasons there are. */
function randomSituation(random: () => number): Situation {
  const pick = <T>(...values: readonly T[]): T => values[randomInt(random, 0, values.length - 1)] as T
  const plan = pick('guest-device', 'free', 'pro', 'team')
  const limits = config.plans.get(plan)
  if (!limits) throw new Error(plan)
  const perDay = mostOf(limits.limits, 'per_day')
  const near = (limit: number) => pick(0, 0, limit, limit - 1, randomInt(random, 0, limit))
  const month = near(limits.monthlyNanoUsd * 1.5) / 1e9
  const usd = (value: number) => Number(value.toFixed(9))
  return {
    now: NOW + randomInt(random, 0, 86_400_000 * 15),
    plan,
    model: pick('none', 'svc-auto', 'svc-core', 'svc-pro', 'svc-ultra-pro', 'svc-ultra-pro', 'nobody'),
    ...pick<Situation>(
      { chat: 'Hello' },
      { chat: 'What is the latest oil price?' },
      { chat_tokens: randomInt(random, 1, 20_000) },
    ),
    ...(random() < 0.7 && { max_tokens: pick(randomInt(random, 1, 3000), randomInt(random, 1, 140_000)) }),
    usage: {
      minute: {
        requests: near(mostOf(limits.limits, 'rpm')),
        tokens: near(mostOf(limits.limits, 'tpm')),
        oldest: `${randomInt(random, 0, 60)}s ago`,
      },
      day: { requests: Number.isFinite(perDay) ? near(perDay) : 0 },
      month_usd: usd(month),
      reserved_usd: usd(pick(0, near(limits.monthlyNanoUsd) / 1e9)),
      concurrent: randomInt(random, 0, 5),
      limits: RULES.filter(() => random() < 0.3).map(({ rule: { measure, most, ...rest } }) => {
        const used = near(most)
        return { [measure]: measure === 'usd' ? usd(used / 1e9) : used, ...rest }
      }),
    },
  }
}

/** The largest cap that a request may have. */
const HUGE = 10_000_000

/** Fails unless a remedy flips, and nothing short of it does. */
async function verify(situation: Situation, { facts, ...counters }: Simulation, remedy: Remedy): Promise<void> {
  if (!facts) throw new Error('a request without facts has no remedy')
  switch (remedy.change) {
    case 'time':
      expect(admits({ ...facts, at: remedy.at }, counters)).toBe(true)
      expect(admits({ ...facts, at: remedy.at - 1 }, counters)).toBe(false)
      return
    case 'max_tokens': {
      const { from, to = HUGE } = remedy
      for (const tokens of [from, to, Math.floor((from + to) / 2), from + Math.floor((to - from) / 7)])
        expect(await isServed({ ...situation, max_tokens: tokens }), `${tokens}`).toBe(true)
      if (from > 1) expect(await isServed({ ...situation, max_tokens: from - 1 })).toBe(false)
      if (to < HUGE) expect(await isServed({ ...situation, max_tokens: to + 1 })).toBe(false)
      return
    }
    case 'plan':
      for (const plan of ['free', 'pro', 'team'])
        expect(await isServed({ ...situation, plan }), plan).toBe(remedy.names.includes(plan))
      return
    case 'model':
      for (const model of ['svc-core', 'svc-pro', 'svc-ultra-pro'])
        expect(await isServed({ ...situation, model }), model).toBe(remedy.names.includes(model))
      return
    case 'thinking':
      if (facts.request.kind !== 'chat') throw new Error('only chats think')
      return expect(admits({ ...facts, request: { ...facts.request, thinking: false } }, counters)).toBe(true)
    case 'under_way':
      expect(await isServed({ ...situation, usage: { ...situation.usage, concurrent: remedy.to } })).toBe(true)
      return expect(await isServed({ ...situation, usage: { ...situation.usage, concurrent: remedy.to + 1 } })).toBe(
        false,
      )
    case 'held': {
      const held = (nano: number) => ({ ...situation.usage, reserved_usd: Number((nano / 1e9).toFixed(9)) })
      expect(await isServed({ ...situation, usage: held(remedy.to) })).toBe(true)
      return expect(await isServed({ ...situation, usage: held(remedy.to + 1) })).toBe(false)
    }
    case 'pool':
      throw new Error('all pools are well')
  }
}

test('whatever is said to flip a refusal flips it, and nothing short of it does', async () => {
  // With this seed, a few requests meet every kind of remedy.
  const random = seeded(2)
  const requests = times(1200, 300)
  const seen = new Map<string, number>()
  const count = (name: string) => seen.set(name, (seen.get(name) ?? 0) + 1)
  for (let i = 0; i < requests; i++) {
    const situation = randomSituation(random)
    const { simulation, remedies } = await tried(situation)
    count(simulation.denial ? 'refused' : 'served')
    if (!simulation.denial) expect(remedies).toEqual([])
    const { denial } = simulation
    if (denial?.code === 'rate_limit_exceeded' && ['requests', 'tokens', 'daily_limit'].includes(denial.type))
      count(remedies.some(({ change }) => change === 'time') ? 'waits' : 'waits for ever')
    for (const remedy of remedies) {
      count(remedy.change)
      await verify(situation, simulation, remedy)
    }
  }
  for (const name of ['served', 'time', 'max_tokens', 'plan', 'model', 'held', 'under_way', 'waits'])
    expect(seen.get(name) ?? 0, name).toBeGreaterThan(3)
  expect(seen.get('refused')).toBeGreaterThan((requests * 2) / 3)
  expect(seen.get('thinking')).toBeGreaterThan(0)
})

test('a refusal by a limit of tokens a day ends with the day, or with a model that it does not count', async () => {
  const situation = { plan: 'pro', model: 'svc-core', chat: 'Hello', max_tokens: 100 }
  const usage = { limits: [{ tokens: '200k', per: 'day', model: 'svc-core' }] }

  const { simulation, remedies } = await tried({ ...situation, usage })

  expect(simulation.denial).toMatchObject({ type: 'tokens', rule: RULES[0]?.rule })
  expect(remedies).toEqual([
    { change: 'time', at: Date.UTC(2026, 10, 22) },
    { change: 'plan', names: ['free'] },
    { change: 'model', names: ['svc-pro'] },
  ])
})

test('each limit has a step with its place, up to the one that refuses', async () => {
  const situation = { plan: 'pro', model: 'svc-core', chat: 'Hello', max_tokens: 100 }
  const usage = {
    limits: [
      { tokens: '1k', per: 'day', model: 'svc-core' },
      { usd: 3, per: '30d', of: 'everybody' as const },
    ],
  }
  const steps = async (situation: Situation) => {
    const { simulation } = await tried(situation)
    return simulation.steps
      .filter(({ stage }) => stage === 'rate')
      .slice(1)
      .map(({ outcome, text, at }) => `${outcome} ${text} ${at?.file}:${at?.line}`)
  }

  expect(await steps(situation)).toEqual([
    'pass 0 of 200000 tokens a day (UTC) for svc-core (this one: 125) plans.yaml:1',
    'pass $0 of $3 in any 30 days, of everybody together (this one: $0.0000425) plans.yaml:1',
    'pass 0 of 40 requests an hour, of the whole plan plans.yaml:1',
    'pass 0 of 20000 completion tokens a minute (this one: 100) plans.yaml:1',
  ])
  expect(await steps({ ...situation, usage })).toEqual([
    'pass 1000 of 200000 tokens a day (UTC) for svc-core (this one: 125) plans.yaml:1',
    'deny $3 of $3 in any 30 days, of everybody together (this one: $0.0000425) plans.yaml:1',
  ])
})

test('a refusal that no model and no time ends has no remedy', async () => {
  const { simulation, remedies } = await tried({
    plan: 'free',
    model: 'svc-core',
    chat_tokens: 1,
    max_tokens: 2_000_000,
  })

  expect(simulation.denial).toMatchObject({ code: 'VALIDATION_ERROR' })
  expect(remedies).toEqual([{ change: 'max_tokens', from: 1, to: 31_999 }])
})

test('when every pool fails, each one that would serve alone is named', async () => {
  const { remedies } = await tried({ plan: 'free', pools: { 'onprem-core': 'failing', 'cloud-core': 'down' } })

  expect(remedies).toEqual([{ change: 'pool', names: ['onprem-core', 'cloud-core'] }])
})

test('the limit that guests share clears at midnight, and not only for guests', async () => {
  const { simulation, remedies } = await tried({ plan: 'guest-device', usage: { guests_usd: 50 } })

  expect(simulation.denial).toMatchObject({ type: 'daily_limit', shared: true, retryAfterMs: 14 * 3_600_000 })
  expect(remedies).toEqual([
    { change: 'time', at: Date.UTC(2026, 10, 22) },
    { change: 'plan', names: ['free', 'pro', 'team'] },
  ])
})

test('who may not enter has no remedy, nor whoever sends what nobody can read', async () => {
  expect((await tried({ auth: 'none' })).remedies).toEqual([])
  expect((await tried({ plan: 'free', request: { body: '{' } })).remedies).toEqual([])
})

import { describe, expect, it } from 'vitest'
import type { Config, HostedTool, Plan } from '../../src/policy/config.ts'
import { NO_COUNTERS } from '../../src/policy/counters/account-counters.ts'
import { judge } from '../../src/policy/counters/judge.ts'
import { decide } from '../../src/policy/decide.ts'
import { explain } from '../../src/policy/explain.ts'
import { nanoUsd } from '../../src/policy/nano-usd.ts'
import { toolsCost, toolsWorst } from '../../src/policy/tools.ts'
import { callerOn, config, facts, NOON } from './fixture.ts'

const at = { file: 'policies/tools.yaml', line: 3, column: 3 }
const tool = (name: string, maxCalls: number, price: number): HostedTool => ({
  name,
  at,
  fields: {},
  maxCalls,
  price: nanoUsd(price),
})
const search = tool('search', 3, 5_000_000)
const calculator = tool('calculator', 2, 0)
const withTools = (names: readonly string[]): Config => {
  const free = config.plans.get('free') as Plan
  const included = new Map(names.map(name => [name, { by: name, at }]))
  const plan = { ...free, tools: included }
  return {
    ...config,
    tools: new Map([search, calculator].map(each => [each.name, each])),
    plans: new Map([...config.plans, ['free', plan]]),
    defaultPlan: plan,
  }
}
const asking = (...hosted: string[]) => {
  const { request, ...others } = facts()
  if (request.kind !== 'chat') throw new Error('the fixture asks for a chat')
  return { ...others, caller: callerOn({ override: 'free' }), request: { ...request, tools: hosted.length, hosted } }
}

describe('a request that lists hosted tools', () => {
  it('is allowed where the plan includes all of them, and holds all calls that may be made', () => {
    const decision = decide(withTools(['search', 'calculator']), asking('calculator', 'search'))

    if ('denial' in decision) throw new Error(JSON.stringify(decision.denial))
    expect(decision.tools).toEqual([calculator, search])
    const { spend, limits, input } = decision.claims
    expect(spend).toMatchObject({ items: 15_000_000, price: { item: 1 } })
    const plain = decide(withTools([]), asking())
    if ('denial' in plain) throw new Error('denied')
    const costOf = (claims: typeof decision.claims) => {
      const verdict = judge(NO_COUNTERS, claims, NOON)
      return 'granted' in verdict ? verdict.granted : undefined
    }
    expect(costOf(decision.claims)?.cost).toBe((costOf(plain.claims)?.cost ?? 0) + 15_000_000)
    expect({ limits, input }).toEqual({ limits: plain.claims.limits, input: plain.claims.input })
  })

  it('is refused by the first tool that the plan lacks, at the line of the plan', () => {
    const [files, given] = [withTools(['calculator']), asking('calculator', 'search')]
    const decision = decide(files, given)

    expect(decision).toMatchObject({
      denial: { code: 'rate_limit_exceeded', type: 'plan_limit', plan: 'free', tool: 'search' },
    })
    expect(explain(files, given, decision).at(-1)).toMatchObject({
      stage: 'gate',
      outcome: 'deny',
      text: 'plan free does not include the tool search',
      at: config.plans.get('free')?.at,
    })
  })

  it('is refused as a mistake where a tool is declared nowhere', () => {
    expect(decide(withTools(['search']), asking('serach'))).toMatchObject({
      denial: {
        code: 'VALIDATION_ERROR',
        field: 'tools',
        problem: expect.stringContaining('there are search, calculator'),
      },
    })
    expect(decide(config, asking('serach'))).toMatchObject({
      denial: { problem: expect.stringContaining('there are none') },
    })
  })

  it('hears of a model that the plan lacks before it hears of tools', () => {
    const { request, ...others } = asking('serach')

    expect(decide(withTools([]), { ...others, request: { ...request, model: 'svc-ultra-pro' } })).toMatchObject({
      denial: { type: 'plan_limit', model: 'svc-ultra-pro' },
    })
  })
})

describe('what calls of tools cost', () => {
  it('is the price of each call that was made', () => {
    expect(toolsCost([search, calculator], { search: 2, calculator: 9, other: 1 })).toBe(10_000_000)
  })

  it('is at most that of all that may still be made', () => {
    expect(toolsWorst([search, calculator], { search: 1 })).toBe(10_000_000)
    expect(toolsWorst([search], { search: 5 })).toBe(0)
  })
})

it('a tool that is named as what every object has costs its calls, and no more', () => {
  const odd = tool('constructor', 3, 5)

  expect(toolsWorst([odd])).toBe(15)
  expect(toolsWorst([odd], { constructor: 2 })).toBe(5)
  expect(toolsCost([odd], {})).toBe(0)
})

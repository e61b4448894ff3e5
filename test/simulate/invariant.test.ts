import { expect, test } from 'vitest'
import type { Loaded } from '../../src/config/settings.ts'
import type { Condition } from '../../src/policy/config.ts'
import { combinations, mayHold } from '../../src/simulate/invariant.ts'
import { example, ran } from './example.ts'

const loaded = example()

const rule = async (claim: string, changed = loaded) => {
  const { results } = await ran(`invariants:\n  - ${claim}\n`, changed)
  const [result] = results
  return result?.mismatches.map(({ path, got }) => `${path}: ${String(got)}`)
}

/** The routes that ship, with another condition for the first. */
function routed(when: Condition): Loaded {
  const [first, ...rest] = loaded.config.routes
  if (!first) throw new Error('no routes ship')
  return { ...loaded, config: { ...loaded.config, routes: [{ ...first, when }, ...rest] } }
}

const ultra: Loaded = (() => {
  const [first, ...rest] = loaded.config.routes
  const model = loaded.config.models.get('svc-ultra-pro')
  if (!first || !model) throw new Error('nothing ships')
  return { ...loaded, config: { ...loaded.config, routes: [{ ...first, model }, ...rest] } }
})()

test('every plan meets every model, alias and none, each with every set of its pools down', () => {
  const all = [...combinations(loaded.config)]
  const distinct = new Set(
    all.map(({ plan, asked, route, down }) => JSON.stringify([plan.name, asked, route?.name, down])),
  )

  expect(distinct.size).toBe(all.length)
  const asks = new Set(all.map(({ plan, asked }) => `${plan.name} ${asked}`))
  expect(asks.size).toBe(4 * (6 + 1 + 1))
  const core = all.filter(({ plan, asked, route }) => plan.name === 'free' && asked === 'svc-core' && !route)
  expect(core.map(({ down }) => down)).toEqual([[], ['cloud-core'], ['onprem-core'], ['onprem-core', 'cloud-core']])
})

test.each([
  [
    'a model that a plan includes',
    'never: { plan: team, reaches: svc-ultra-pro }',
    'plan team, model svc-ultra-pro: reaches svc-ultra-pro on onprem-ultra (on-premises), then cloud-pro (cloud)',
  ],
  [
    'a model that only a route leads to',
    'never: { plan: pro, model: generic, reaches: svc-pro }',
    'plan pro, model svc-auto, route time-sensitive: reaches svc-pro on onprem-pro (on-premises), then cloud-pro (cloud)',
  ],
  [
    'a pool that is only the second',
    'never: { plan: free, pool: cloud-core }',
    'plan free, model svc-core: reaches svc-core on onprem-core (on-premises), then cloud-core (cloud)',
  ],
  [
    'a site',
    'never: { plan: guest-device, site: cloud }',
    'plan guest-device, model svc-core: reaches svc-core on onprem-core (on-premises), then cloud-core (cloud)',
  ],
  [
    'a site that is not the only one',
    'always: { model: svc-core, site: on-premises }',
    'plan guest-device, model svc-core: reaches svc-core on onprem-core (on-premises), then cloud-core (cloud)',
  ],
  [
    'a refusal',
    'always: { plan: free, allowed: true }',
    'plan free, model svc-image: refused: plan free does not include svc-image, which is tier standard',
  ],
  [
    'a rewritten name',
    'always: { model: generic, rewritten: false }',
    'plan pro, model svc-auto, route time-sensitive: reaches svc-pro on onprem-pro (on-premises), then cloud-pro (cloud)',
  ],
])('%s breaks an invariant, and is its counterexample', async (_, claim, counterexample) => {
  expect(await rule(claim)).toEqual([counterexample])
})

test.each([
  'never: { plan: guest-device, reaches: svc-ultra-pro }',
  'never: { model: explicit, rewritten: true }',
  'always: { model: explicit, rewritten: false }',
  'always: { model: none, allowed: true }',
  'never: { plan: free, model: svc-pro, allowed: true }',
  'always: { model: svc-image, pool: onprem-image }',
])('%s holds', async claim => {
  expect(await rule(claim)).toEqual([])
})

test('a route that leads out of what a plan may use is no way round the gate', async () => {
  expect(await rule('never: { plan: pro, reaches: svc-ultra-pro }', ultra)).toEqual([])
  expect(await rule('never: { plan: team, model: none, reaches: svc-ultra-pro }', ultra)).toEqual([
    expect.stringContaining('plan team, no model named, route time-sensitive: reaches svc-ultra-pro'),
  ])
})

test('a route for other plans leads nobody else anywhere', async () => {
  const claim = 'never: { plan: pro, model: none, reaches: svc-pro }'
  const forTeam = routed({ is: 'plan', names: ['team'] })
  const only = { ...forTeam, config: { ...forTeam.config, routes: forTeam.config.routes.slice(0, 1) } }

  expect(await rule(claim, only)).toEqual([])
  expect(await rule(claim.replace('pro', 'team'), only)).toHaveLength(1)
})

const signal: Condition = { is: 'signal', matcher: { kind: 'mentions', name: 'm', phrases: ['m'] } }
const onFree: Condition = { is: 'plan', names: ['free'] }
const not = (of: Condition): Condition => ({ is: 'not', of })

test.each<[string, Condition, boolean | undefined]>([
  ['a text', signal, undefined],
  ['its opposite', not(signal), undefined],
  ['the plan', onFree, true],
  ['another plan', not(onFree), false],
  ['an alias', { is: 'alias', names: ['other'] }, false],
  ['a text on the plan', { is: 'all', of: [onFree, signal] }, undefined],
  ['a text on another plan', { is: 'all', of: [signal, not(onFree)] }, false],
  ['a text or the plan', { is: 'any', of: [signal, onFree] }, true],
  ['a text or another plan', { is: 'any', of: [signal, not(onFree)] }, undefined],
  ['nothing', { is: 'all', of: [] }, true],
  ['any of nothing', { is: 'any', of: [] }, false],
  ['the night', { is: 'hour', from: 22, to: 6, zone: 'UTC' }, undefined],
])('whether %s may hold is known as far as it can be', (_, condition, expected) => {
  expect(mayHold(condition, 'free', 'svc-auto')).toBe(expected)
})

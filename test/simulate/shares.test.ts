import { expect, it } from 'vitest'
import { holdAgainst } from '../../src/simulate/invariant.ts'
import { type Situation, scenarioOf } from '../../src/simulate/scenario.ts'
import { simulate } from '../../src/simulate/simulation.ts'
import { loadGood, small } from '../config/files.ts'

const loaded = () =>
  loadGood(
    small
      .replace('serve: [near]', 'serve: [{ pool: fresh, share: 5% }, near]')
      .replace('pools:', 'pools:\n  fresh: { site: lab, replicas: [https://fresh.example/v1], model: m }'),
  )

async function simulated(situation: Partial<Situation>) {
  const { config, ...rest } = loaded()
  const scenario = scenarioOf(config, { plan: 'free', ...situation })
  if (!scenario) throw new Error('there is no plan free')
  const { sent, steps, denial } = await simulate({ config, ...rest }, scenario)
  return { attempted: sent?.attempted, denial: denial?.code, texts: steps.map(({ text }) => text) }
}

it.each<[string, Partial<Situation>, readonly string[], string]>([
  ['in no share', {}, ['near'], 'fresh is left out: it gets 5% of small, by conversation, and the request names none'],
  ['in a share', { share: 'fresh' }, ['fresh'], 'the conversation is in the 5% of small that fresh gets'],
  [
    'in a share of another pool',
    { share: 'near' },
    ['near'],
    'fresh is left out: the conversation is not in the 5% of small that it gets',
  ],
  [
    'in a share whose pool fails',
    { share: 'fresh', pools: { fresh: 'failing' } },
    ['fresh', 'near'],
    'the conversation is in the 5% of small that fresh gets',
  ],
])('a conversation %s is tried where it belongs, and the stages say why', async (_name, situation, attempted, text) => {
  const trial = await simulated(situation)
  expect(trial.attempted).toEqual(attempted)
  expect(trial.texts).toContain(text)
})

it('a conversation in no share is refused while all pools without one fail', async () => {
  expect(await simulated({ pools: { near: 'failing' } })).toMatchObject({
    attempted: ['near'],
    denial: 'UPSTREAMS_EXHAUSTED',
  })
})

it('an invariant meets conversations in a share, and in none', () => {
  const { config } = loaded()
  const at = { file: 'tests.yaml', line: 1, column: 1 }
  const rule = (quantifier: 'never' | 'always', claim: object) => ({ name: '', at, quantifier, claim })
  expect(holdAgainst(config, rule('never', { site: 'lab' })).counterexample?.share).toBe('fresh')
  expect(holdAgainst(config, rule('always', { site: 'lab' })).counterexample?.share).toBeUndefined()
})

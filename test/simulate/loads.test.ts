import { expect, it } from 'vitest'
import { type Situation, scenarioOf } from '../../src/simulate/scenario.ts'
import { simulate } from '../../src/simulate/simulation.ts'
import { loadGood, small } from '../config/files.ts'

const load = () =>
  loadGood(
    small
      .replace('serve: [near]', 'serve: [near, far]')
      .replace('pools:', 'pools:\n  far: { site: cloud, replicas: [https://far.example/v1], model: m }')
      .replace('near: {', 'near: { load: { from: vllm }, spill: { waiting_over: 8, first_token_over: 5s },'),
  )

async function simulated(near: NonNullable<Situation['pools']>[string]) {
  const loaded = load()
  const scenario = scenarioOf(loaded.config, { plan: 'free', pools: { near } })
  if (!scenario) throw new Error('there is no plan free')
  const { sent, steps } = await simulate(loaded, scenario)
  return { sent, texts: steps.map(({ text }) => text) }
}

it.each([
  [{ waiting: 8 }, ['near']],
  [{ waiting: 9 }, ['far']],
  [{ first_token: '5s' }, ['near']],
  [{ first_token: '6s' }, ['far']],
  ['down', ['far']],
] as const)('a pool that is given %j has the request tried at %j', async (near, attempted) => {
  expect((await simulated(near)).sent?.attempted).toEqual(attempted)
})

it('the stages say why the pool is passed over', async () => {
  const { texts } = await simulated({ waiting: '1k' })
  expect(texts).toContain('near is passed over: 1000 requests wait at its least loaded replica, more than 8')
})

import { expect, test } from 'vitest'
import { AGENT_CONTEXT, agentModelsOf, type ModelFacts } from '../../console/src/public/keys/agent-models.ts'

const chat = (id: string, context: number, usd: number, cap = 64_000): ModelFacts => ({
  ...{ id, kind: 'chat', context_length: context, max_output_tokens: cap },
  pricing: { prompt: String(usd / 1e6), completion: String((usd * 4) / 1e6) },
})
const CATALOG: readonly ModelFacts[] = [
  chat('core', 32_000, 0.1),
  chat('tiny', 4000, 0.01),
  chat('pro', 128_000, 1),
  chat('pro-2', 128_000, 2, 8000),
  chat('huge', 1_000_000, 10),
  { id: 'auto', kind: 'chat', alias_of: 'pro-2', context_length: 128_000 },
  { id: 'embed', kind: 'embedding', context_length: 2_000_000 },
]

test('an agent works with the largest context of the plan, and runs errands on the cheapest model that takes them', () => {
  expect(agentModelsOf(CATALOG, undefined, 'auto')).toEqual({
    ...{ main: 'huge', small: 'core', context: 1_000_000, cap: 32_000, isLarge: true },
  })
  expect(agentModelsOf(CATALOG, ['core', 'pro', 'embed'], 'auto')).toMatchObject({ main: 'pro', small: 'core' })
})

test('of equally large models the default one is chosen, also where an alias names it', () => {
  const allowed = ['pro', 'pro-2']

  expect(agentModelsOf(CATALOG, allowed, 'auto')).toMatchObject({ main: 'pro-2', small: 'pro', cap: 8000 })
  expect(agentModelsOf(CATALOG, allowed, 'core')).toMatchObject({ main: 'pro' })
})

test('a key that may use an alias alone may use its model', () => {
  expect(agentModelsOf(CATALOG, ['auto'], 'auto')).toMatchObject({ main: 'pro-2', small: 'pro-2' })
})

test('an answer is capped so that the prompts of an agent fit beside it', () => {
  for (const context of [8000, 32_000, AGENT_CONTEXT, 200_000, 1_000_000]) {
    const found = agentModelsOf([chat('only', context, 1)], undefined, 'only')

    expect(found?.cap).toBeLessThanOrEqual(context / 8)
    expect(found?.isLarge).toBe(context >= AGENT_CONTEXT)
  }
})

test('where the key may use no chat model there is none', () => {
  expect(agentModelsOf(CATALOG, ['embed'], 'auto')).toBeUndefined()
  expect(agentModelsOf([], undefined, 'auto')).toBeUndefined()
})

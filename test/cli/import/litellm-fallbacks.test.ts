import { expect, it } from 'vitest'
import { above, entry, imported, openai } from './proxies.ts'

const near = entry('near', 'hosted_vllm/q', ', api_base: "http://10.0.0.1:8000/v1"')

it('a fallback for long prompts widens no failover, and a comment at its model says why', async () => {
  const { yaml, stdout, stderr } = await imported(`model_list:${near}${openai}
litellm_settings: { context_window_fallbacks: [{ near: [gpt-4o] }, { gone: [gpt-4o] }] }`)

  expect(yaml.models.near.serve).toEqual(['near'])
  const why =
    '`serve` is for every failure, and prompts of any length would go to `gpt-4o`: write a route by input_tokens'
  expect(above(stdout, 'near').join('\n')).toContain(
    `# Not imported: litellm_settings.context_window_fallbacks.near: ${why}`,
  )
  expect(stderr).toContain('▲ litellm_settings.context_window_fallbacks.gone: ')
})

it('fallbacks for all models serve those that have none of their own', async () => {
  const list = `${openai}${entry('big', 'openai/big')}${entry('last', 'groq/last')}`
  const { yaml } = await imported(`model_list:${list}
router_settings: { fallbacks: [{ gpt-4o: [big] }, { "*": [last] }, { big: [gpt-4o] }] }`)

  expect(yaml.models['gpt-4o'].serve).toEqual(['gpt-4o', 'big'])
  expect(yaml.models.last.serve).toEqual(['last'])
  const others = await imported(`model_list:${list}
router_settings: { fallbacks: [{ gpt-4o: [big] }], default_fallbacks: [last] }`)
  expect(others.yaml.models['gpt-4o'].serve).toEqual(['gpt-4o', 'big', 'last'])
  expect(others.yaml.models.big.serve).toEqual(['big', 'last'])
})

it('a fallback that fails has fallbacks of its own', async () => {
  const list = `${openai}${entry('big', 'openai/big')}${entry('last', 'groq/last')}`
  const { yaml } = await imported(`model_list:${list}
router_settings: { fallbacks: [{ gpt-4o: [big] }, { big: [last] }, { last: [gpt-4o] }] }`)

  expect(yaml.models['gpt-4o'].serve).toEqual(['gpt-4o', 'big', 'last'])
  expect(yaml.models.big.serve).toEqual(['big', 'last', 'gpt-4o'])
})

it('fallbacks of the router go before those of litellm_settings, and others are reported', async () => {
  const { yaml, stderr } = await imported(`model_list:${openai}${entry('big', 'openai/big')}
router_settings: { fallbacks: [{ gpt-4o: [big] }, gpt-4o] }
litellm_settings: { fallbacks: [{ big: [gpt-4o] }] }`)

  expect(yaml.models.big.serve).toEqual(['big'])
  expect(stderr).toContain('▲ litellm_settings.fallbacks: router_settings.fallbacks takes precedence')
  expect(stderr).toContain('▲ router_settings.fallbacks[1]: it is not a map from a model to others')
})

it('a fallback may name a backend by its id', async () => {
  const { yaml, stderr } = await imported(`model_list:${openai}${entry('own', 'openai/own')}
    model_info: { id: that-one }
litellm_settings: { fallbacks: [{ gpt-4o: [that-one] }] }`)

  expect(yaml.models['gpt-4o'].serve).toEqual(['gpt-4o', 'own'])
  expect(stderr).not.toContain('fallbacks')
})

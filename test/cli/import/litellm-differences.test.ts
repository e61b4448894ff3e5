import { expect, it } from 'vitest'
import { above, entry, imported, openai } from './proxies.ts'

/** An entry with what LiteLLM says of its model beside it. */
const said = (name: string, model: string, info: string, more = '') =>
  `${entry(name, model, more)}\n    model_info: { ${info} }`

const both = `model_list:${said(
  'm',
  'openai/a',
  'max_input_tokens: 128000, max_output_tokens: 16000, input_cost_per_token: 0.000002, output_cost_per_token: 0.000004, access_groups: [alpha]',
)}${said(
  'm',
  'openai/b',
  'max_input_tokens: 32000, max_output_tokens: 500, input_cost_per_token: 0.000001, output_cost_per_token: 0.000002, access_groups: [gamma], supports_vision: true',
)}`

it('a backend with a smaller context and other prices has them at its pool', async () => {
  const { code, yaml } = await imported(both)

  expect({ code, model: yaml.models.m }).toMatchObject({
    code: 0,
    model: { context: 128_000, tier: 'alpha', usd_per_1m: { input: 2, output: 4 } },
  })
  expect(yaml.pools.m).not.toHaveProperty('context')
  expect(yaml.pools.m).not.toHaveProperty('cost_usd_per_1m')
  expect(yaml.pools['m-2']).toMatchObject({ context: 32_000, cost_usd_per_1m: { input: 1, output: 2 } })
})

it('what a model has once is the least of its backends, and what they differ in is reported', async () => {
  const { yaml, stdout } = await imported(both)

  expect(yaml.models.m.max_output).toBe(500)
  expect(yaml.models.m).not.toHaveProperty('vision')
  const comments = above(stdout, 'm').join('\n')
  for (const field of ['max_output', 'supports_vision', 'prices', 'access_groups'])
    expect(comments).toContain(`# Not imported: model_list.m.${field}: `)
})

it('one backend that says something does not speak for the others without a remark', async () => {
  const info =
    'max_input_tokens: 32000, max_output_tokens: 500, input_cost_per_token: 0.000001, output_cost_per_token: 0'
  const { yaml, stdout } = await imported(`model_list:${entry('m', 'openai/a')}${said('m', 'openai/b', info)}`)

  expect(yaml.models.m).toMatchObject({ context: 32_000, max_output: 500 })
  const comments = above(stdout, 'm').join('\n')
  expect(comments).toContain('# LiteLLM has the context of some of its backends in its own list')
  expect(comments).toContain('# LiteLLM has the price of some of its backends in its own list')
  expect(comments).toContain('# Not imported: model_list.m.max_output: some of its backends have none')
})

it('replicas of a pool have one context', async () => {
  const at = (host: number, context: number) =>
    said('m', 'vllm/m', `max_input_tokens: ${context}`, `, api_base: "http://10.0.0.${host}/v1"`)
  const { yaml } = await imported(`model_list:${at(1, 32_000)}${at(2, 32_000)}${at(3, 8000)}`)

  expect(yaml.pools.m.replicas).toHaveLength(2)
  expect(yaml.pools['m-2']).toMatchObject({ replicas: ['http://10.0.0.3/v1'], context: 8000 })
})

it('a pool behind a model with a larger context has its own', async () => {
  const { code, yaml } = await imported(`model_list:${openai}${said('near', 'openai/q', 'max_input_tokens: 8000')}
router_settings: { fallbacks: [{ gpt-4o: [near] }] }`)

  expect({ code, serve: yaml.models['gpt-4o'].serve }).toEqual({ code: 0, serve: ['gpt-4o', 'near'] })
  expect(yaml.pools.near.context).toBe(8000)
  expect(yaml.pools['gpt-4o']).not.toHaveProperty('context')
})

it('a key that names any group of a model has the model', async () => {
  const list = `${both}${said('other', 'openai/c', 'access_groups: [alpha]')}`
  const keys = ['alpha', 'gamma', 'lost'].map(group => ({ key_alias: `of-${group}`, models: [group] }))
  const { yaml, stderr } = await imported(list, ['--keys', 'DIR/keys.json'], { 'keys.json': JSON.stringify(keys) })

  expect(yaml.plans['of-alpha'].models).toEqual(['tier:alpha'])
  expect(yaml.plans['of-gamma'].models).toEqual(['m'])
  expect(stderr).toContain('▲ keys[2].models: `lost` is not a model here')
})

it('a group whose name no tier may have is reported, and keys may name it', async () => {
  const list = `model_list:${said('m', 'openai/m', 'access_groups: [our models]')}${openai}`
  const keys = [{ key_alias: 'a', models: ['our models'] }]
  const { yaml, stderr } = await imported(list, ['--keys', 'DIR/keys.json'], { 'keys.json': JSON.stringify(keys) })

  expect(yaml.models.m.tier).toBe('standard')
  expect(yaml.plans.a.models).toEqual(['m'])
  expect(stderr).toContain('▲ model_list.m.access_groups: a model has one tier, here standard')
})

it('an answer that leaves no room for a prompt is cut, and the cut is reported', async () => {
  const { yaml, stderr } = await imported(
    `model_list:${said('m', 'openai/m', 'max_input_tokens: 8000, max_output_tokens: 8000')}`,
  )

  expect(yaml.models.m).toMatchObject({ context: 8000, usd_per_1m: { input: 0 } })
  expect(stderr).toContain('▲ model_list.m.max_output: 8000 leave no room for a prompt')
})

it('embeddings and images with other prices have what they cost at their pool', async () => {
  const embedding = (model: string, usd: string) => said('e', model, `mode: embedding, input_cost_per_token: ${usd}`)
  const image = (model: string, usd: number) =>
    said('i', model, `mode: image_generation, output_cost_per_image: ${usd}`)
  const { code, yaml, stderr } = await imported(
    `model_list:${openai}${embedding('openai/e', '1e-7')}${embedding('openai/f', '2e-7')}${image('openai/i', 0.1)}${image('openai/j', 0.2)}`,
  )

  expect(code).toBe(0)
  expect(yaml.pools).toMatchObject({ 'e-2': { cost_usd_per_1m: { input: 0.2 } }, 'i-2': { cost_usd_per_image: 0.2 } })
  expect(stderr).toContain('▲ model_list.e.prices: ')
  expect(stderr).toContain('▲ model_list.i.prices: ')
})

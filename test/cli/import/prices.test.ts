import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { LISTED, SOURCE } from '../../../importers/src/listed-prices.ts'
import { CATALOGUE, listedPrice } from '../../../importers/src/price-catalogue.ts'
import { importedFrom } from './imported.ts'

const litellm = (text: string) => importedFrom('litellm', { file: 'config.yaml', text })
const modelIn = ({ yaml }: Awaited<ReturnType<typeof litellm>>, name: string) => yaml.models[name]

const GPUS = (first: string, second: string) => `model_list:
  - model_name: llama-70b
    litellm_params: { model: openai/llama-3.3-70b, api_base: "http://10.0.0.1:8000/v1", api_key: none${first}
  - model_name: llama-70b
    litellm_params: { model: openai/llama-3.3-70b, api_base: "http://10.0.0.2:8000/v1", api_key: none${second}
`
const SAID = `, input_cost_per_token: 1e-7, output_cost_per_token: 4e-7 }
    model_info: { max_input_tokens: 65536, input_cost_per_token: 2e-7, output_cost_per_token: 8e-7 }`

it.each([
  ['the first', GPUS(SAID, ' }')],
  ['the second', GPUS(' }', SAID)],
  ['both', GPUS(SAID, SAID)],
])('equal backends are replicas of one pool where %s has prices and context', async (_, text) => {
  const { yaml, stdout } = await litellm(text)

  expect(yaml.pools).toEqual({
    'llama-70b': expect.objectContaining({
      replicas: ['http://10.0.0.1:8000/v1', 'http://10.0.0.2:8000/v1'],
      cost_usd_per_1m: { input: 0.1, output: 0.4 },
    }),
  })
  expect(yaml.models['llama-70b']).toMatchObject({
    ...{ serve: ['llama-70b'], context: 65_536, usd_per_1m: { input: 0.2, output: 0.8 } },
  })
  expect(stdout).not.toContain('spreads requests over')
})

it('backends of different prices stay pools of their own', async () => {
  const { yaml } = await litellm(GPUS(SAID, SAID.replace('2e-7', '3e-7')))

  expect(Object.keys(yaml.pools)).toHaveLength(2)
})

const KEYS = { anthropic: 'ANTHROPIC_API_KEY', openai: 'OPENAI_API_KEY' }
const SOURCES = [
  ['litellm', 'config.yaml', 'model_list: [{ model_name: gpt-4o, litellm_params: { model: openai/gpt-4o } }]', []],
  [
    'bifrost',
    'config.json',
    JSON.stringify({
      providers: { openai: { keys: [{ value: `env.${KEYS.openai}`, models: ['gpt-4o'], weight: 1 }] } },
    }),
    [],
  ],
  [
    'portkey',
    'config.json',
    JSON.stringify({ provider: 'openai', api_key: 'x', override_params: { model: 'gpt-4o' } }),
    [],
  ],
] as const

it.each(SOURCES)(
  'a price that the file of %s lacks is that of the catalogue, and marked for review',
  async (gateway, file, text, options) => {
    const { yaml, stdout, stderr } = await importedFrom(gateway, { file, text }, options)

    const [model] = Object.values<{ usd_per_1m: object }>(yaml.models)
    expect(model?.usd_per_1m).toEqual({ input: 2.5, output: 10, cached_input: 1.25 })
    expect(stdout).toContain(`# Review the price: the file has none, and ${CATALOGUE} lists this one for \`gpt-4o\`.`)
    expect(stderr).toContain('1 price from a catalogue, not from your file: review it')
  },
)

it('a price in the file is not the catalogue’s business', async () => {
  const imported = await litellm(
    'model_list: [{ model_name: m, litellm_params: { model: openai/gpt-4o }, model_info: { input_cost_per_token: 1e-6 } }]',
  )

  expect(modelIn(imported, 'm').usd_per_1m).toEqual({ input: 1, output: 0 })
  expect(imported.stdout).not.toContain('Review')
})

it('a server of one’s own has no price of a provider, whatever its model is called', async () => {
  const imported = await litellm(
    'model_list: [{ model_name: m, litellm_params: { model: openai/gpt-4o, api_base: "http://10.0.0.1:8000/v1" } }]',
  )

  expect(modelIn(imported, 'm').usd_per_1m).toEqual({ input: 0, output: 0 })
  expect(imported.stdout).toContain('add it, or budgets count nothing')
  expect(imported.stderr).toContain('1 model without a price')
})

it('a deployment of Azure costs what its base_model does', async () => {
  const imported = await litellm(
    'model_list: [{ model_name: m, litellm_params: { model: azure/ours, api_base: "https://x.openai.azure.com" }, model_info: { base_model: azure/gpt-4o } }]',
  )

  expect(modelIn(imported, 'm').usd_per_1m).toMatchObject({ input: 2.5, output: 10 })
})

it('the long prompts of a model with tiers are pointed out', async () => {
  const imported = await litellm('model_list: [{ model_name: m, litellm_params: { model: gemini/gemini-2.5-pro } }]')

  expect(imported.stdout).toContain('; long prompts cost more there.')
})

it('the catalogue is that of the package which is declared, with a price and a name on each line', () => {
  const { devDependencies } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
  expect(devDependencies[SOURCE.name]).toBe(SOURCE.version)

  const lines = LISTED.trim().split('\n')
  expect(lines.length).toBeGreaterThan(400)
  for (const line of lines) {
    expect(line).toMatch(/^[a-z-]+ [\d.]+( ([\d.]+|-)){3} [+-]( [=^$*/]\S+)+$/)
    for (const [, source = ''] of line.matchAll(/ \/(\S+)/g)) expect(() => new RegExp(source)).not.toThrow()
  }
})

it.each([
  ['openai', 'gpt-4o-2024-08-06'],
  ['anthropic', 'claude-sonnet-4-5-20250929'],
  ['gemini', 'gemini-2.5-flash'],
  ['mistral', 'mistral-large-latest'],
  ['groq', 'llama-3.3-70b-versatile'],
  ['deepseek', 'deepseek-chat'],
  ['xai', 'grok-4'],
  ['openai', 'text-embedding-3-small'],
])('%s/%s has a price', (provider, model) => {
  expect(listedPrice(provider, model)?.input).toBeGreaterThan(0)
})

it.each([
  ['openai', 'gpt-4o-of-ours'],
  ['nobody', 'gpt-4o'],
  ['constructor', 'gpt-4o'],
])('%s/%s has none', (provider, model) => {
  expect(listedPrice(provider, model)).toBeUndefined()
})

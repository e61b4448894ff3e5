import { describe, expect, it } from 'vitest'
import { importedFrom, itIsWhole, variable } from './imported.ts'

const source = (config: unknown) => ({ file: 'config.json', text: JSON.stringify(config) })
const imported = (config: unknown, options: readonly string[] = []) => importedFrom('bifrost', source(config), options)

const key = (value: string, models: readonly string[], more: object = {}) => ({
  name: value,
  value,
  models,
  weight: 1,
  ...more,
})
const openai = { keys: [key('env.OPENAI_API_KEY', ['gpt-4o', 'gpt-4o-mini'])] }
const anthropic = { keys: [key('env.ANTHROPIC_API_KEY', ['claude-x'])] }

/** One of each form that configurations take. */
const CONFIGS: Readonly<Record<string, unknown>> = {
  'one provider': {
    $schema: 's',
    providers: { openai },
    config_store: { enabled: false },
    client: { enable_logging: true },
  },
  'keys of their own, of which one is a text': {
    providers: { openai: { keys: [key('env.A', ['gpt-4o']), key('sk-1234', ['gpt-4o'], { unheard_of: 1 })] } },
  },
  'networks and providers that no pool can call': {
    encryption_key: 'secret-of-store',
    providers: {
      openai: {
        ...openai,
        network_config: {
          base_url: 'http://10.0.0.5:8000',
          default_request_timeout_in_seconds: 30,
          max_retries: 2,
          extra_headers: { 'x-a': 'secret-of-header' },
        },
        concurrency_and_buffer_size: { concurrency: 100, buffer_size: 500 },
      },
      bedrock: {
        keys: [{ name: 'b', models: ['*'], bedrock_key_config: { region: 'x', secret_key: 'secret-of-aws' } }],
      },
      elevenlabs: { keys: [key('env.E', ['*'])] },
    },
  },
  'Azure with deployments, aliases and a key without models': {
    providers: {
      azure: {
        keys: [
          {
            name: 'old',
            value: 'env.AZ',
            models: [],
            azure_key_config: {
              endpoint: 'https://r.openai.azure.com/',
              api_version: '2024-10-21',
              deployments: { 'gpt-4o': 'prod-4o' },
            },
          },
          key('env.AZ2', ['gpt-4o'], {
            aliases: { 'gpt-4o': { model_id: 'west-4o' } },
            azure_key_config: { endpoint: 'env.AZURE_ENDPOINT' },
          }),
        ],
      },
    },
  },
  'servers of their own': {
    providers: {
      ollama: {
        keys: [{ name: 'o', value: '', models: ['llama3'], ollama_key_config: { url: 'http://127.0.0.1:11434' } }],
      },
      mine: {
        keys: [key('env.MINE', ['q'])],
        network_config: { base_url: 'https://api.example.com/paas', allow_private_network: true },
        custom_provider_config: {
          base_provider_type: 'openai',
          allowed_requests: { list_models: false },
          request_path_overrides: { chat_completion: '/v4/chat/completions' },
        },
      },
    },
  },
  'all of governance': {
    providers: { openai, anthropic },
    governance: {
      auth_config: { admin_password: 'secret-of-admin' },
      budgets: [
        { id: 'b1', max_limit: 10, reset_duration: '1d', virtual_key_id: 'vk1', calendar_aligned: true },
        { id: 'b2', max_limit: 50, reset_duration: '1M' },
        { id: 'b3', max_limit: 5, reset_duration: '1Y', virtual_key_id: 'vk2' },
        { id: 'b4', max_limit: 5, reset_duration: '1M', team_id: 't' },
      ],
      rate_limits: [
        {
          id: 'r1',
          request_max_limit: 60,
          request_reset_duration: '1m',
          token_max_limit: 1000,
          token_reset_duration: '1h',
        },
      ],
      teams: [{ id: 't', name: 'T' }],
      routing_rules: [{ id: 'x', cel_expression: 'true' }],
      virtual_keys: [
        {
          id: 'vk1',
          name: 'ci',
          value: 'sk-1234',
          is_active: true,
          rate_limit_id: 'r1',
          budget_id: 'b2',
          provider_configs: [{ provider: 'openai', allowed_models: ['gpt-4o'], key_ids: ['*'], weight: 1 }],
        },
        { id: 'vk2', name: 'all of it', team_id: 't', provider_configs: [] },
        { id: 'vk3', name: 'old', is_active: false },
        { id: 'vk4', name: 'elsewhere', provider_configs: [{ provider: 'vertex', allowed_models: ['*'] }] },
      ],
    },
  },
}

describe.each(Object.entries(CONFIGS))('of %s', (_, config) => {
  itIsWhole('bifrost', source(config))
})

it('a model is called by its name, and by that with its provider', async () => {
  const both = {
    providers: { openai, azure: { keys: [key('env.AZ', ['gpt-4o'], { azure_key_config: { endpoint: 'env.E' } })] } },
  }
  const one = await imported(CONFIGS['one provider'])
  const two = await imported(both)

  expect(Object.keys(one.yaml.models)).toEqual(['gpt-4o', 'gpt-4o-mini'])
  expect(one.yaml.aliases).toEqual({ 'openai/gpt-4o': 'gpt-4o', 'openai/gpt-4o-mini': 'gpt-4o-mini' })
  expect(Object.keys(two.yaml.models)).toEqual(['openai-gpt-4o', 'gpt-4o-mini', 'azure-gpt-4o'])
})

it('each key of a provider is a pool of its own', async () => {
  const { yaml, stderr } = await imported(CONFIGS['keys of their own, of which one is a text'])

  expect(yaml.models['gpt-4o'].serve).toEqual(['openai-gpt-4o', 'openai-gpt-4o-2'])
  expect(Object.values(yaml.pools)).toMatchObject([{ key: variable('A') }, { key: variable('OPENAI_API_KEY') }])
  expect(stderr).toContain('▲ providers.openai.keys[1].unheard_of: the import does not know this setting')
})

it('addresses are those that Bifrost would ask, with its times and its room', async () => {
  const networks = await imported(CONFIGS['networks and providers that no pool can call'])
  const azure = await imported(CONFIGS['Azure with deployments, aliases and a key without models'])
  const own = await imported(CONFIGS['servers of their own'])

  expect(networks.yaml.pools['openai-gpt-4o']).toMatchObject({
    ...{ replicas: ['http://10.0.0.5:8000/v1'], answer_timeout: '30s', max_concurrent: 100 },
    headers: { 'x-a': variable('OPENAI_X_A') },
  })
  expect(Object.values(azure.yaml.pools)).toMatchObject([
    { replicas: ['https://r.openai.azure.com/openai/deployments/prod-4o'], query: { 'api-version': '2024-10-21' } },
    { replicas: [`${variable('AZURE_ENDPOINT')}/openai/v1`], model: 'west-4o', auth: 'api-key' },
  ])
  expect(Object.values(own.yaml.pools)).toMatchObject([
    { replicas: ['http://127.0.0.1:11434/v1'], model: 'llama3' },
    { replicas: ['https://api.example.com/paas/v4'], model: 'q' },
  ])
})

it('virtual keys become a plan for each set of limits, and commands that mint them', async () => {
  const { yaml, stdout, stderr } = await imported(CONFIGS['all of governance'])

  expect(yaml.plans.ci).toMatchObject({
    ...{ models: ['gpt-4o'], rpm: 60, monthly_usd: 50 },
    limits: [
      { usd: 10, per: '1d' },
      { tokens: 1000, per: 'hour' },
    ],
  })
  expect(Object.keys(yaml.plans)).toEqual(['default', 'ci'])
  expect(stdout).toContain('# svcctl keys mint --plan ci --account ci --name ci')
  expect(stdout).not.toContain("--name 'all of it'")
  expect(stderr).toContain('▲ governance.virtual_keys[2]: it is not active: do not mint it')
  expect(stderr).toContain('▲ governance.virtual_keys[3]: it has no model here: do not mint it')
  expect(stderr).toContain('▲ governance.budgets[2].max_limit: limits cannot have a window of 1Y')
  expect(stderr).toContain('▲ governance.virtual_keys[1]: it would lose some of its limits here: do not mint it')
  expect(stderr).toContain('▲ governance.budgets[3]: accounts belong to orgs')
})

it('a key that serves every model serves those that clients or virtual keys name', async () => {
  const config = {
    providers: { openai: { keys: [key('env.K', ['*'], { blacklisted_models: ['gpt-5'] })] } },
    governance: { virtual_keys: [{ name: 'a', provider_configs: [{ provider: 'openai', allowed_models: ['o3'] }] }] },
  }
  const { yaml } = await imported(config, ['--names', 'openai/gpt-4o,gpt-5,claude-x,gpt-4.1'])
  const none = await imported({ providers: { openai: { keys: [key('env.K', [])] } } })

  expect(Object.keys(yaml.models)).toEqual(['gpt-4o', 'gpt-4.1', 'o3'])
  expect(none).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('with --names') })
})

it('a virtual key with a limit that cannot be written, or of nothing, is not minted without it', async () => {
  const limits: readonly object[] = [
    { budgets: [{ max_limit: 5, reset_duration: '1Y' }] },
    { budgets: [{ max_limit: 0, reset_duration: '1M' }] },
    { rate_limit: { request_max_limit: 0, request_reset_duration: '1m' } },
    { rate_limit: { token_max_limit: 'env.MOST', token_reset_duration: '1m' } },
    { budget_id: 'gone' },
    { provider_configs: [{ provider: 'openai', allowed_models: ['*'], budgets: [{ max_limit: 1 }] }] },
  ]
  for (const limit of limits) {
    const { code, stdout, stderr } = await imported({
      providers: { openai },
      governance: { virtual_keys: [{ name: 'a', ...limit }] },
    })

    expect({ code, isMinted: stdout.includes('keys mint') }).toEqual({ code: 0, isMinted: false })
    expect(stderr).toContain('▲ governance.virtual_keys[0]: it would lose some of its limits here: do not mint it')
  }
})

it('a virtual key with several budgets of a month has all of them', async () => {
  const budgets = [50, 10].map(most => ({ max_limit: most, reset_duration: '1M', calendar_aligned: true }))
  const { yaml, stderr } = await imported({
    providers: { openai },
    governance: { virtual_keys: [{ name: 'a', budgets }] },
  })

  expect(yaml.plans.a).toMatchObject({ monthly_usd: 50, limits: [{ usd: 10, per: 'month' }] })
  expect(stderr).not.toContain('▲')
})

it('virtual keys of one team with other models have accounts of their own, which is reported', async () => {
  const { stdout, stderr } = await imported({
    providers: { openai, anthropic },
    governance: {
      virtual_keys: [
        { name: 'all', team_id: 't' },
        { name: 'few', team_id: 't', provider_configs: [{ provider: 'openai', allowed_models: ['gpt-4o'] }] },
      ],
    },
  })

  expect(stdout).toContain('# svcctl keys mint --plan default --account t --name all')
  expect(stdout).toContain('# svcctl keys mint --plan few --account t-few --name few')
  expect(stderr).toContain('▲ governance.virtual_keys[1]: `t` has the plan default, and an account has one')
})

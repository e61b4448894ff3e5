import { describe, expect, it } from 'vitest'
import { itIsWhole, variable } from './imported.ts'
import { imported } from './proxies.ts'

/** Configurations with the options of one page of LiteLLM's documentation each, as far as the pages differ. */
const PAGES: Readonly<Record<string, string>> = {
  'load balancing': `
model_list:
  - model_name: gpt-4o
    litellm_params: { model: azure/eu-one, api_base: "https://one.openai.azure.com/", api_key: os.environ/ONE, api_version: "2024-10-21", rpm: 6 }
    model_info: { max_input_tokens: 128000, base_model: azure/gpt-4o }
  - model_name: gpt-4o
    litellm_params: { model: azure/eu-two, api_base: "https://two.openai.azure.com/", api_key: os.environ/TWO, api_version: "2024-10-21", weight: 2 }
    model_info: { max_input_tokens: 32000 }
router_settings: { routing_strategy: simple-shuffle, num_retries: 2, timeout: 30, enable_pre_call_checks: true, redis_host: os.environ/REDIS }`,
  'reasoning models of Azure': `
model_list:
  - model_name: o-series
    litellm_params: { model: azure/o_series/ours, api_base: "https://r.openai.azure.com/openai/deployments/ours/chat/completions?api-version=2025-01-01-preview" }
  - model_name: five
    litellm_params: { model: azure/gpt5_series/five, api_base: "https://r.openai.azure.com", api_version: "2025-04-01-preview" }`,
  'Responses in place of chats': `
model_list:
  - model_name: o1-pro
    litellm_params: { model: openai/responses/o1-pro, api_key: os.environ/OPENAI_API_KEY }
  - model_name: ours
    litellm_params: { model: azure/responses/ours, api_base: "https://r.openai.azure.com", api_version: "2025-04-01-preview" }
  - model_name: deep
    litellm_params: { model: openai/o3-deep-research }
    model_info: { mode: responses }`,
  'prices and access groups': `
model_list:
  - model_name: chat
    litellm_params: { model: openai/gpt-4o, input_cost_per_token: 0.0000025, output_cost_per_token: 0.00001 }
    model_info: { access_groups: [beta-models], max_output_tokens: 16000, supports_vision: true }
  - model_name: chat
    litellm_params: { model: groq/llama }
    model_info: { access_groups: [cheap models], input_cost_per_token: 0.0000001, output_cost_per_token: 0.0000002, max_input_tokens: 8000, max_output_tokens: 500 }
litellm_settings: { default_key_generate_params: { models: [beta-models], max_budget: 1, budget_duration: 1d } }`,
  'reliability with a smaller model behind a larger one': `
model_list:
  - model_name: large
    litellm_params: { model: anthropic/claude-x, api_key: sk-1234, order: 1 }
    model_info: { max_input_tokens: 200000 }
  - model_name: small
    litellm_params: { model: hosted_vllm/q, api_base: http://10.0.0.1:8000/v1 }
    model_info: { id: small-one, max_input_tokens: 8192, max_output_tokens: 8192 }
litellm_settings: { fallbacks: [{ large: [small-one] }], context_window_fallbacks: [{ small: [large] }], allowed_fails: 3, cooldown_time: 300 }`,
  'teams, credentials and organizations': `
model_list:
  - model_name: team/*
    litellm_params: { model: openai/*, litellm_credential_name: shared, organization: [org-1, org-2] }
    model_info: { team_id: t }
credential_list:
  - { credential_name: shared, credential_values: { api_key: os.environ/SHARED }, credential_info: { custom_llm_provider: openai } }
router_settings: { model_group_alias: { usual: { model: team/gpt-x, hidden: true } } }
general_settings: { master_key: sk-1234, database_url: os.environ/DATABASE_URL }`,
  'budgets of a proxy': `
model_list: [{ model_name: m, litellm_params: { model: mistral/m } }]
litellm_settings: { max_budget: 10, budget_duration: 365d, default_key_generate_params: { rpm_limit: 0 } }
general_settings: { global_max_parallel_requests: 0 }`,
}

describe.each(Object.entries(PAGES))('of a configuration with %s', (_, text) => {
  itIsWhole('litellm', { file: 'litellm.yaml', text })
})

it('each page becomes pools that reach what it names', async () => {
  const poolsOf = async (page: string) => (await imported(PAGES[page] ?? '')).yaml.pools
  const azure = 'https://r.openai.azure.com/openai'

  expect(await poolsOf('load balancing')).toMatchObject({ 'gpt-4o-2': { key: variable('TWO'), context: 32_000 } })
  expect(await poolsOf('reasoning models of Azure')).toMatchObject({
    ...{ 'o-series': { replicas: [`${azure}/deployments/ours`], model: 'ours' }, five: { model: 'five' } },
  })
  expect(await poolsOf('Responses in place of chats')).toMatchObject({
    'o1-pro': { model: 'o1-pro', speaks: ['responses'] },
    ours: { replicas: [azure], model: 'ours', speaks: ['responses'] },
    deep: { speaks: ['responses'] },
  })
  expect(await poolsOf('prices and access groups')).toMatchObject({ 'chat-2': { cost_usd_per_1m: { input: 0.1 } } })
  expect(await poolsOf('reliability with a smaller model behind a larger one')).toMatchObject({
    ...{ large: { key: variable('LARGE_API_KEY') }, small: { context: 8192 } },
  })
  expect(Object.keys(await poolsOf('teams, credentials and organizations'))).toHaveLength(2)
})

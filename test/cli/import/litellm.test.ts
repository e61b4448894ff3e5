import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { itIsWhole, variable } from './imported.ts'
import { above, entry, imported, openai } from './proxies.ts'

/** One of each form that configurations of proxies take. */
const PROXIES: Readonly<Record<string, string>> = {
  'one model': `model_list:${openai}`,
  'a model without a provider or a key': `model_list:${entry('gpt-4o', 'gpt-4o')}${entry('c', 'claude-sonnet-4-5')}`,
  'a name without parameters': 'model_list: [{ model_name: gpt-4o }]',
  'Azure with and without a version': `model_list:
${entry('a', 'azure/dep', ', api_base: "https://r.openai.azure.com/", api_key: os.environ/AZ, api_version: "2024-10-21"')}
${entry('b', 'azure/dep', ', api_base: os.environ/AZURE_API_BASE')}`,
  Anthropic: `model_list:${entry('claude', 'anthropic/claude-x', ', api_key: os.environ/ANTHROPIC_API_KEY')}`,
  replicas: `model_list:${entry('q', 'hosted_vllm/q', ', api_base: "http://10.0.0.1:8000/v1"')}${entry('q', 'hosted_vllm/q', ', api_base: "http://10.0.0.2:8000/v1"')}`,
  Ollama: `model_list:${entry('gpt-4', 'ollama/llama3')}${entry('l', 'ollama_chat/llama3', ', api_base: "http://ollama:11434"')}`,
  'many providers': `model_list:${['groq/a', 'mistral/b', 'deepseek/c', 'openrouter/x/y', 'together_ai/d', 'xai/e', 'gemini/f', 'perplexity/g', 'fireworks_ai/h'].map(model => entry(model, model)).join('')}`,
  embeddings: `model_list:${openai}
  - { model_name: e, litellm_params: { model: azure/e, api_base: os.environ/B }, model_info: { mode: embedding, max_tokens: 8191, input_cost_per_token: 0.00000002 } }`,
  'images and sounds': `model_list:${openai}${entry('dall-e-3', 'dall-e-3')}${entry('whisper', 'openai/whisper-1')}${entry('rerank', 'cohere/rerank-v3')}`,
  'signed requests beside others': `model_list:${openai}${entry('b', 'bedrock/anthropic.claude', ', aws_region_name: us-east-1')}${entry('v', 'vertex_ai/gemini', ', vertex_project: p')}`,
  'prices and room': `model_list:
  - model_name: m
    litellm_params: { model: openai/m, input_cost_per_token: 1.5e-7, output_cost_per_token: 0.0000006, max_tokens: 20 }
    model_info: { max_input_tokens: 100000, max_output_tokens: 16000, supports_vision: true, access_groups: [beta, all-of-us] }`,
  'small room':
    'model_list: [{ model_name: s, litellm_params: { model: openai/s }, model_info: { max_tokens: 2048 } }]',
  fallbacks: `model_list:${openai}${entry('big', 'openai/big')}${entry('last', 'groq/last')}
litellm_settings:
  fallbacks: [{ gpt-4o: [big, gone] }]
  default_fallbacks: [last]
router_settings:
  context_window_fallbacks: [{ last: [big] }]`,
  aliases: `model_list:${openai}
router_settings: { model_group_alias: { gpt-4: gpt-4o, gpt-3: { model: gpt-4o, hidden: true }, lost: gone } }`,
  'names with slashes': `model_list:${entry('openai/gpt-4o', 'openai/gpt-4o')}${entry('openai:gpt-4o', 'openai/gpt-4o')}${entry('all', 'openai/x')}`,
  'a pattern for one model': `model_list:${openai}${entry('"*"', 'openai/*')}`,
  'a router': `model_list:${openai}
router_settings: { routing_strategy: least-busy, num_retries: 2, timeout: 30, stream_timeout: 2.5, allowed_fails: 3, cooldown_time: 30, redis_host: os.environ/R, redis_password: secret-of-redis }`,
  budgets: `model_list:${openai}
litellm_settings: { max_budget: 100, budget_duration: 30d, default_key_generate_params: { max_budget: 5, budget_duration: 1mo, rpm_limit: 60, tpm_limit: 10000, models: [gpt-4o] } }`,
  'anchors, sections of other things, and unset values': `defaults: &d { api_key: os.environ/K, timeout: 6 }
model_list:
  - { model_name: m, litellm_params: { <<: *d, model: openai/m, api_base: os.environ/B, extra_headers: { x-team: a } } }
general_settings:
  master_key: sk-1234
  pass_through_endpoints: [{ path: /x, target: https://t }]
guardrails: [{ guardrail_name: g }]
environment_variables: { REDIS_HOST: h, SECRET: secret-of-environment }
litellm_settings:
`,
}

describe.each(Object.entries(PROXIES))('of %s', (_, text) => {
  itIsWhole('litellm', { file: 'litellm.yaml', text })
})

it('a deployment of Azure is asked at its own path with its version, and by its key header', async () => {
  const { yaml } = await imported(PROXIES['Azure with and without a version'] ?? '')

  expect(yaml.pools).toMatchObject({
    a: {
      replicas: ['https://r.openai.azure.com/openai/deployments/dep'],
      query: { 'api-version': '2024-10-21' },
      key: variable('AZ'),
      auth: 'api-key',
    },
    b: { replicas: [`${variable('AZURE_API_BASE')}/openai/v1`], key: variable('AZURE_API_KEY') },
  })
})

it('entries that differ in their address are replicas, and those with keys of their own are pools', async () => {
  const replicas = await imported(PROXIES.replicas ?? '')
  const pools = await imported(
    `model_list:${entry('m', 'openai/m', ', api_key: sk-a')}${entry('m', 'openai/m', ', api_key: sk-b')}`,
  )

  expect(replicas.yaml.pools.q.replicas).toEqual(['http://10.0.0.1:8000/v1', 'http://10.0.0.2:8000/v1'])
  expect(pools.yaml.models.m.serve).toEqual(['m', 'm-2'])
  expect([pools.yaml.pools.m.key, pools.yaml.pools['m-2'].key]).toEqual([
    variable('M_API_KEY'),
    variable('M_API_KEY_2'),
  ])
  expect(pools.stderr).toContain('Export before it serves: M_API_KEY M_API_KEY_2')
  expect(`${pools.stdout}${pools.stderr}`).not.toContain('sk-')
})

it('the pools of fallbacks stand behind those of the model, and a fallback that is gone is reported', async () => {
  const { yaml, stdout } = await imported(PROXIES.fallbacks ?? '')

  expect(yaml.models['gpt-4o'].serve).toEqual(['gpt-4o', 'big', 'last'])
  expect(yaml.models.last.serve).toEqual(['last'])
  expect(above(stdout, 'gpt-4o')).toContain('# Not imported: fallbacks.gpt-4o: `gone` is no chat model here')
})

it('values that are the same are written out each time', async () => {
  const { stdout } = await imported(`model_list:${entry('a', 'anthropic/a')}${entry('b', 'anthropic/b')}`)

  expect(stdout).not.toMatch(/&\w|\*\w/)
})

it('prices are for a million tokens, and room and tiers are those of the file', async () => {
  const { yaml, stdout } = await imported(PROXIES['prices and room'] ?? '')

  expect(yaml.models.m).toEqual({
    ...{ kind: 'chat', tier: 'beta', context: 100_000, max_output: 20, vision: true },
    ...{ usd_per_1m: { input: 0.15, output: 0.6 }, serve: ['m'] },
  })
  expect(stdout).toContain('access_groups: a model has one tier, here beta')
})

it('names that may not be written here are aliases of those that may', async () => {
  const { yaml } = await imported(PROXIES['names with slashes'] ?? '')

  expect(yaml.aliases).toEqual({
    'openai/gpt-4o': 'openai-gpt-4o',
    'openai:gpt-4o': 'openai-gpt-4o-2',
    all: 'all-models',
  })
})

it('timeouts, failures and budgets are those of the file', async () => {
  const router = await imported(PROXIES['a router'] ?? '')
  const budgets = await imported(PROXIES.budgets ?? '')

  expect(router.yaml.failover).toEqual({
    answer_timeout: '30s',
    first_content_timeout: '2500ms',
    eject: { after: 4, for: '30s' },
  })
  expect(budgets.yaml.plans.default).toEqual({
    ...{ models: ['gpt-4o'], rpm: 60, tpm: 10_000, monthly_usd: 5 },
    limits: [{ usd: 100, per: '30d', of: 'everybody' }],
  })
})

it('where there is no model for chats, what is written needs one, and that is said', async () => {
  const { code, stderr } = await imported(`model_list:${entry('e', 'voyage/voyage-4')}`)

  expect(code).toBe(1)
  expect(stderr).toContain('✗ the converted configuration also needs a chat model, and default_model with its name')
  expect(stderr).toContain('default_model')
})

it('a file that is there stays, and one that is no YAML is not quoted', async () => {
  const there = await imported(PROXIES['one model'] ?? '', ['--out', 'DIR/litellm.yaml'])
  const bad = await imported('model_list: [{ api_key: sk-secret')

  expect(there.code).toBe(1)
  expect(readFileSync(join(there.dir, 'litellm.yaml'), 'utf8')).toBe(PROXIES['one model'])
  expect(bad).toMatchObject({ code: 1, stdout: '' })
  expect(bad.stderr).toMatch(/^✗ \S+ is not YAML\n$/)
  expect(existsSync(join(bad.dir, 'config.yaml'))).toBe(false)
})

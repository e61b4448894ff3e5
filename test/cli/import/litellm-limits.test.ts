import { expect, it } from 'vitest'
import { above, entry, imported, openai } from './proxies.ts'

const withKeys = (keys: readonly object[]) =>
  imported(`model_list:${openai}`, ['--keys', 'DIR/keys.json'], { 'keys.json': JSON.stringify({ keys }) })

it('keys of an export become a plan for each set of limits, and commands that mint them', async () => {
  const keys = JSON.stringify({
    keys: [
      {
        token: 'hash-of-a-key',
        key_alias: 'ci',
        user_id: 'ada@example.com',
        models: [],
        max_budget: 5,
        budget_duration: '7d',
      },
      {
        token: 'hash-of-a-key',
        key_alias: 'it; rm',
        user_id: 'bob',
        models: ['all-proxy-models'],
        max_budget: 5,
        budget_duration: '7d',
      },
      { token: 'hash-of-a-key', key_alias: 'old', blocked: true },
      { token: 'hash-of-a-key', team_id: 'ops', rpm_limit: 10, max_budget: 3, unheard_of: 1 },
    ],
  })

  const { yaml, stdout, stderr } = await imported(`model_list:${openai}`, ['--keys', 'DIR/keys.json'], {
    'keys.json': keys,
  })

  expect(yaml.plans.ci).toMatchObject({ models: 'all', limits: [{ usd: 5, per: '7d' }] })
  expect(yaml.plans.keys).toMatchObject({ rpm: 10, monthly_usd: 3 })
  expect(Object.keys(yaml.plans)).toEqual(['default', 'ci', 'keys'])
  expect(above(stdout, 'ci')).toEqual([
    '# LiteLLM had no limit for rpm, tpm, monthly_usd of these keys: add their limits.',
    '# svcctl keys mint --plan ci --account ada@example.com --name ci',
    "# svcctl keys mint --plan ci --account bob --name 'it- rm'",
  ])
  expect(stderr).toContain('▲ keys[3].unheard_of: the import does not know this setting')
  expect(stderr).toContain('▲ keys[2]: it is blocked: do not mint it')
  expect(`${stdout}${stderr}`).not.toContain('hash-of-a-key')
})

it('a plan says what was made up for it, also where it has a budget', async () => {
  const none = await imported(`model_list:${openai}`)
  const some = await imported(`model_list:${openai}
litellm_settings: { default_key_generate_params: { max_budget: 5, budget_duration: 1mo, rpm_limit: 10 } }`)
  const all = await imported(`model_list:${openai}
litellm_settings:
  default_key_generate_params: { max_budget: 5, budget_duration: 1mo, rpm_limit: 10, tpm_limit: 1000 }`)

  const made = (fields: string) => [`# LiteLLM had no limit for ${fields} of these keys: add their limits.`]
  expect(above(none.stdout, 'default')).toEqual(made('rpm, tpm, monthly_usd'))
  expect(above(some.stdout, 'default')).toEqual(made('tpm'))
  expect(above(all.stdout, 'default')).toEqual([])
})

it('a key that ends is minted for as long as it has left, and one that has ended is not', async () => {
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
  const { stdout, stderr } = await withKeys([
    { key_alias: 'month', expires: inDays(30.5), duration: '60d' },
    { key_alias: 'soon', expires: inDays(0.9).replace('T', ' ').replace('Z', '') },
    { key_alias: 'over', expires: inDays(-1) },
    { key_alias: 'ever', expires: null, permissions: {}, created_at: inDays(-9) },
  ])

  expect(stdout).toContain('keys mint --plan default --account month --name month --expires 30d\n')
  expect(stdout).toContain('keys mint --plan default --account soon --name soon --expires 22h\n')
  expect(stdout).toContain('keys mint --plan default --account ever --name ever\n')
  expect(stdout).not.toContain('--name over')
  expect(stderr).toContain('▲ keys[2]: it has expired: do not mint it')
  expect(stderr).not.toContain('does not know')
})

it('a key whose models are not here is not minted, and one with a pattern has those that match', async () => {
  const { yaml, stdout, stderr } = await withKeys([
    { key_alias: 'lost', models: ['bedrock-claude'] },
    { key_alias: 'stars', models: ['gpt-*'], user_id: 'ada', team_id: 'ops' },
    { key_alias: 'team', models: ['all-team-models'] },
  ])

  expect(stderr).toContain('▲ keys[0]: it has no model here: do not mint it')
  expect(stdout).not.toContain('--name lost')
  expect(yaml.plans.stars.models).toEqual(['gpt-4o'])
  expect(stderr).toContain('▲ keys[1].team_id: the account is that of the user')
  expect(stderr).toContain("▲ keys[2].models: the team's models are not in this file")
})

it('what the whole proxy may run at once is a limit of everybody', async () => {
  const { yaml, code } = await imported(`model_list:${openai}
general_settings: { global_max_parallel_requests: 40, max_parallel_requests: 10 }`)

  expect(code).toBe(0)
  expect(yaml.plans.default.limits).toEqual([{ concurrent: 40, of: 'everybody' }])
})

it('a time of the router goes before the same one of litellm_settings, which is named', async () => {
  const { yaml, stderr } = await imported(`model_list:${openai}
router_settings: { timeout: 30, cooldown_time: 10, allowed_fails: 2 }
litellm_settings: { request_timeout: 600, cooldown_time: 30, allowed_fails: 2 }`)

  expect(yaml.failover).toEqual({ answer_timeout: '30s', eject: { after: 3, for: '10s' } })
  expect([...stderr.matchAll(/^▲ (.*)$/gm)].map(([, told]) => told)).toEqual([
    'litellm_settings.cooldown_time: router_settings.cooldown_time takes precedence',
    'litellm_settings.request_timeout: router_settings.timeout takes precedence',
  ])
})

it('a time out that is longer than an ejection is cut, and the cut is told', async () => {
  const { yaml, stdout } = await imported(`model_list:${openai}
router_settings: { cooldown_time: 300, allowed_fails: 3 }`)
  const none = await imported(`model_list:${openai}
litellm_settings: { cooldown_time: 0 }`)

  expect(yaml.failover.eject).toEqual({ after: 4, for: '60s' })
  expect(above(stdout, 'failover')).toEqual([
    '# LiteLLM counts failures per minute; `after` counts failures in a row.',
    '# Not imported: router_settings.cooldown_time: a replica is ejected for at most 60s',
  ])
  expect(none.stderr).toContain('▲ litellm_settings.cooldown_time: a failing replica is ejected for a time')
})

it('every setting that the documentation of LiteLLM has is known', async () => {
  const { stderr } = await imported(`model_list:${entry('a', 'azure/a', ', api_base: "https://r.openai.azure.com"')}
    tpm: 10
  - model_name: b
    litellm_params:
      { model: openai/b, azure_ad_token: t, seed: 1, region_name: eu, max_tokens: 20, max_budget: 1, timeout: 5, request_timeout: 6 }
    model_info: { max_input_tokens: 1000, max_tokens: 500, max_output_tokens: 100, mode: chat, version: 2 }
router_settings: { provider_budget_config: { openai: { budget_limit: 1, time_period: 1d } }, disable_cooldowns: true }
litellm_settings:
  default_internal_user_params: { max_budget: 1 }
  max_internal_user_budget: 1
  max_end_user_budget: 1
  default_team_params: { max_budget: 1 }
general_settings: { max_parallel_requests: 1, alerting: [slack], alerting_threshold: 300, otel: true }`)

  expect(stderr).toContain('▲ litellm_settings.default_team_params: ')
  expect(stderr).not.toContain('does not know')
})

it('a request that names no model asks the one that the proxy says', async () => {
  const list = `model_list:${openai}${entry('own', 'openai/own')}`
  const { yaml } = await imported(`${list}\ngeneral_settings: { completion_model: own }`)
  const gone = await imported(`${list}\ngeneral_settings: { completion_model: gone }`)

  expect(yaml.default_model).toBe('own')
  expect(gone.stderr).toContain('▲ general_settings.completion_model: `gone` is not a model here')
})

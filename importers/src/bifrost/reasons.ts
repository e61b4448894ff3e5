const CLOCK = 'write `per: day`, `week` or `month`, which begin by the clock'
const SPENT = 'what was spent is counted from the first request here'

/** Why fields of keys have no place here. */
export const KEY: Readonly<Record<string, string>> = {
  weight: 'replicas share alike, and pools are tried in the order of `serve`',
  use_for_batch_api: 'write passthrough, which needs a price for each path',
  blacklisted_models: 'a model that is not written is not served',
  client_id: 'pools send a key: no sign-in for a token is made',
  client_secret: 'pools send a key: no sign-in for a token is made',
  tenant_id: 'pools send a key: no sign-in for a token is made',
  scopes: 'pools send a key: no sign-in for a token is made',
}

/** Why fields of `network_config` have no place here. */
export const NETWORK: Readonly<Record<string, string>> = {
  max_retries: 'another replica or pool is tried in place of the same one',
  retry_backoff_initial: 'the next replica is tried at once',
  retry_backoff_initial_ms: 'the next replica is tried at once',
  retry_backoff_max: 'the next replica is tried at once',
  retry_backoff_max_ms: 'the next replica is tried at once',
  max_conns_per_host: 'connections are opened as they are needed: max_concurrent bounds them',
  insecure_skip_verify: 'certificates are checked: NODE_EXTRA_CA_CERTS names those of your own authority',
  ca_cert_pem: 'certificates are checked: NODE_EXTRA_CA_CERTS names those of your own authority',
  allow_private_network: 'replicas may be on any network',
  beta_header_overrides: 'headers of clients are passed on as the dialect has them',
}

/** Why fields of a provider have no place here. */
export const PROVIDER: Readonly<Record<string, string>> = {
  buffer_size: 'write queue_timeout of the pool: how long a request waits for room',
  allowed_requests: 'a model has a kind: chat, embedding or image',
  proxy_config: 'pools are reached without a proxy',
  prompt_cache: 'no field is added to requests',
  send_back_raw_request: 'answers are passed on in the dialect of the client',
  send_back_raw_response: 'answers are passed on in the dialect of the client',
}

/** Why fields of virtual keys have no place here. */
export const VIRTUAL_KEY: Readonly<Record<string, string>> = {
  value: 'keys are made here: mint others',
  description: 'a key has a name',
  mcp_configs: 'write hosted_tools, and the plans that have each of them',
  calendar_aligned: CLOCK,
}

/** Why fields of budgets and rates have no place here. */
export const LIMIT: Readonly<Record<string, string>> = {
  calendar_aligned: CLOCK,
  current_usage: SPENT,
  request_current_usage: SPENT,
  token_current_usage: SPENT,
  last_reset: SPENT,
  request_last_reset: SPENT,
  token_last_reset: SPENT,
}

/** Why fields of what a virtual key may use have no place here. */
export const PROVIDER_CONFIG: Readonly<Record<string, string>> = {
  key_ids: 'a plan has models, and each model its pools: write a model for some pools alone',
  budgets: 'write a limit with `model`, which counts a model or a tier alone',
  budget_id: 'write a limit with `model`, which counts a model or a tier alone',
  rate_limit: 'write a limit with `model`, which counts a model or a tier alone',
  rate_limit_id: 'write a limit with `model`, which counts a model or a tier alone',
}

/** Why fields of `governance` have no place here. */
export const GOVERNANCE: Readonly<Record<string, string>> = {
  auth_config: 'operators have the token in data/admin.token, or sign in',
  customers: 'accounts belong to orgs: write limits `of: org`, and svcctl accounts set-org',
  teams: 'accounts belong to orgs: write limits `of: org`, and svcctl accounts set-org',
  model_configs: 'write a limit with `model`, which counts a model or a tier alone',
  routing_rules: 'write routes, at an alias, or the order of `serve`',
}

/** Why whole sections have no place here. */
export const SECTIONS: Readonly<Record<string, string>> = {
  encryption_key: 'the store has hashes of keys, and no text that is to be hidden',
  client: 'write log, limits and server',
  server: 'write limits and server',
  config_store: 'models are in the files: svcctl apply changes them',
  source_of_truth: 'models are in the files: svcctl apply changes them',
  logs_store: 'requests are in the ledger; ledger.archive has a PostgreSQL for it',
  vector_store: 'answers are not cached',
  plugins: 'limits, metrics, traces and the ledger are there without plugins',
  framework: 'prices are those of the models',
  mcp: 'write hosted_tools, with one entry for each tool',
  guardrails_config: 'texts are not looked at',
  auth_config: 'operators have the token in data/admin.token, or sign in',
}

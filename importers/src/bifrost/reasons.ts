const CLOCK = 'use `per: day`, `week` or `month`, which follow the clock'
const SPENT = 'spend counts from the first request here'

/** Why fields of keys have no place here. */
export const KEY: Readonly<Record<string, string>> = {
  weight: 'replicas share requests evenly, and pools are tried in the order of `serve`',
  use_for_batch_api: 'use passthrough, which needs a price per path',
  blacklisted_models: 'only models in the files are served',
  client_id: 'a pool sends a key and never signs in for a token',
  client_secret: 'a pool sends a key and never signs in for a token',
  tenant_id: 'a pool sends a key and never signs in for a token',
  scopes: 'a pool sends a key and never signs in for a token',
}

/** Why fields of `network_config` have no place here. */
export const NETWORK: Readonly<Record<string, string>> = {
  max_retries: 'a retry goes to another replica or pool, never to the same one',
  retry_backoff_initial: 'the next replica is tried at once',
  retry_backoff_initial_ms: 'the next replica is tried at once',
  retry_backoff_max: 'the next replica is tried at once',
  retry_backoff_max_ms: 'the next replica is tried at once',
  max_conns_per_host: 'connections are opened on demand; max_concurrent bounds them',
  insecure_skip_verify: 'certificates are always checked: add your own authority with NODE_EXTRA_CA_CERTS',
  ca_cert_pem: 'certificates are always checked: add your own authority with NODE_EXTRA_CA_CERTS',
  allow_private_network: 'replicas may be on any network',
  beta_header_overrides: 'client headers are passed on only if the dialect defines them',
}

/** Why fields of a provider have no place here. */
export const PROVIDER: Readonly<Record<string, string>> = {
  buffer_size: 'set queue_timeout of the pool, the time that a request waits for a slot',
  allowed_requests: 'a model has a kind: chat, embedding or image',
  proxy_config: 'the gateway connects to pools without a proxy',
  prompt_cache: 'the gateway adds no fields to requests',
  send_back_raw_request: "answers are passed on in the client's dialect",
  send_back_raw_response: "answers are passed on in the client's dialect",
}

/** Why fields of virtual keys have no place here. */
export const VIRTUAL_KEY: Readonly<Record<string, string>> = {
  value: 'this gateway generates keys itself: mint new ones',
  description: 'a key has a name',
  mcp_configs: 'declare hosted_tools, and list them in plans',
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
  key_ids: 'a plan has models, and each model its pools: declare a separate model for certain pools',
  budgets: 'add a limit with `model`, which counts one model or tier',
  budget_id: 'add a limit with `model`, which counts one model or tier',
  rate_limit: 'add a limit with `model`, which counts one model or tier',
  rate_limit_id: 'add a limit with `model`, which counts one model or tier',
}

/** Why fields of `governance` have no place here. */
export const GOVERNANCE: Readonly<Record<string, string>> = {
  auth_config: 'operators use the token in data/admin.token, or sign in',
  customers: 'accounts belong to orgs: use limits `of: org`, and svcctl accounts set-org',
  teams: 'accounts belong to orgs: use limits `of: org`, and svcctl accounts set-org',
  model_configs: 'add a limit with `model`, which counts one model or tier',
  routing_rules: 'use routes on an alias, or the order of `serve`',
}

/** Why whole sections have no place here. */
export const SECTIONS: Readonly<Record<string, string>> = {
  encryption_key: 'the store has only hashes of keys, and no secret texts',
  client: 'set log, limits and server',
  server: 'set limits and server',
  config_store: 'models are in the files: svcctl apply changes them',
  source_of_truth: 'models are in the files: svcctl apply changes them',
  logs_store: 'requests are in the ledger, which ledger.archive can copy to PostgreSQL',
  vector_store: 'answers are not cached',
  plugins: 'limits, metrics, traces and the ledger are built in',
  framework: 'models have the prices',
  mcp: 'declare hosted_tools, with one entry per tool',
  guardrails_config: 'guardrails are not imported: this gateway never inspects prompts',
  auth_config: 'operators use the token in data/admin.token, or sign in',
}

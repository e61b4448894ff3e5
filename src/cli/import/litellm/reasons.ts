/** Why fields of `litellm_params` have no place here. */
export const PARAMS: Readonly<Record<string, string>> = {
  rpm: 'pools have no limit of requests in a minute; plans do',
  tpm: 'pools have no limit of tokens in a minute; plans do',
  weight: 'replicas share alike, and pools are tried in the order of `serve`',
  tags: 'no tag of a request chooses a backend; a route by header does',
  max_retries: 'another replica or pool is tried in place of the same one',
  num_retries: 'another replica or pool is tried in place of the same one',
  temperature: 'what a request asks for is left to clients',
  top_p: 'what a request asks for is left to clients',
  drop_params: 'fields that a pool does not take are named in a header',
  merge_reasoning_content_in_choices: 'what a backend thinks is passed on as it is',
  mock_response: 'every answer comes from a backend',
  extra_body: 'no field is added to requests',
  cache_control_injection_points: 'no field is added to requests',
  budget_duration: 'a pool has max_usd_per_hour, with cost_usd_per_1m',
  max_budget: 'a pool has max_usd_per_hour, with cost_usd_per_1m',
}

/** Why fields of `model_info` have no place here. */
export const INFO: Readonly<Record<string, string>> = {
  id: 'a pool is known by its name',
  base_model: 'prices are those of the model',
  supports_function_calling: 'every chat model takes tools',
  supported_environments: 'a gateway has its own configuration in each environment',
}

/** Why fields of `router_settings` have no place here. */
export const ROUTER: Readonly<Record<string, string>> = {
  routing_strategy: 'replicas share alike, and pools are tried in the order of `serve`',
  routing_strategy_args: 'replicas share alike, and pools are tried in the order of `serve`',
  num_retries: 'each replica is tried once, then the next pool',
  retry_after: 'the next replica is tried at once; wait_for_retry_after is what may be waited for',
  enable_pre_call_checks: 'the context of a model is always checked',
  enable_tag_filtering: 'no tag of a request chooses a backend; a route by header does',
  redis_host: 'write store: redis://…, which several gateways share',
  redis_port: 'write store: redis://…, which several gateways share',
  redis_password: 'write store: redis://…, which several gateways share, and redis.password',
  redis_url: 'write store: redis://…, which several gateways share',
  retry_policy: 'what is tried again follows from the error',
  content_policy_fallbacks: 'what a backend refuses is no failure',
}

/** Why fields of `litellm_settings` have no place here. */
export const LITELLM: Readonly<Record<string, string>> = {
  drop_params: 'fields that a pool does not take are named in a header',
  set_verbose: 'write log.level',
  json_logs: 'write log.format: json',
  num_retries: 'each replica is tried once, then the next pool',
  cache: 'answers are not cached',
  cache_params: 'answers are not cached',
  callbacks: 'metrics, traces and the ledger are there without callbacks',
  success_callback: 'metrics, traces and the ledger are there without callbacks',
  failure_callback: 'metrics, traces and the ledger are there without callbacks',
  service_callback: 'metrics, traces and the ledger are there without callbacks',
  turn_off_message_logging: 'prompts are never logged',
  redact_user_api_key_info: 'keys are never logged',
  content_policy_fallbacks: 'what a backend refuses is no failure',
  guardrails: 'texts are not looked at',
  default_team_settings: 'metrics, traces and the ledger are there without callbacks',
  upperbound_key_generate_params: 'write what keys may have at most as limits of the plan, of: key',
}

/** Why fields of `general_settings` have no place here. */
export const GENERAL: Readonly<Record<string, string>> = {
  master_key: 'operators have the token in data/admin.token, or sign in',
  database_url: 'keys and the ledger are in the store',
  store_model_in_db: 'models are in the files: svcctl apply changes them',
  database_connection_pool_limit: 'keys and the ledger are in the store',
  coordination_redis: 'write store: redis://…, which several gateways share',
  use_redis_transaction_buffer: 'the store settles each request at once',
  alerting: 'Prometheus has the alarms',
  custom_auth: 'write identity, with an issuer of OIDC',
  enable_jwt_auth: 'write identity, with an issuer of OIDC',
  litellm_jwtauth: 'write identity, with an issuer of OIDC',
  pass_through_endpoints: 'write passthrough, which needs a price for each path',
  proxy_batch_write_at: 'the store settles each request at once',
  background_health_checks: 'write probe of a pool',
  health_check_interval: 'write probe of a pool',
}

/** Why whole sections have no place here. */
export const SECTIONS: Readonly<Record<string, string>> = {
  environment_variables: 'export them where the gateway is started',
  guardrails: 'texts are not looked at',
  policies: 'texts are not looked at',
  policy_attachments: 'texts are not looked at',
  prompts: 'requests are not rewritten',
  mcp_servers: 'write hosted_tools, with one entry for each tool',
  mcp_tools: 'write hosted_tools, with one entry for each tool',
  search_tools: 'write hosted_tools, with one entry for each tool',
  sandbox_tools: 'write hosted_tools, with one entry for each tool',
  files_settings: 'write passthrough, which needs a price for each path',
  finetune_settings: 'write passthrough, which needs a price for each path',
  vector_store_registry: 'write passthrough, which needs a price for each path',
  credential_list: 'write key of each pool',
  callback_settings: 'metrics, traces and the ledger are there without callbacks',
  include: 'import the file that it names as well',
}

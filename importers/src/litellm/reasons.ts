type Reasons = Readonly<Record<string, string>>

const CLIENTS_ASK = 'clients choose what a request asks for'
const NOTHING_ADDED = 'the gateway adds no fields to requests'
const ANOTHER_TRIED = 'a retry goes to another replica or pool, never to the same one'
const NO_TAG = 'tags cannot choose a backend; a route on a header can'
const IN_SERVE = 'replicas share requests evenly, and pools are tried in the order of `serve`'
const POOL_BUDGET = 'a pool has max_usd_per_hour, with cost_usd_per_1m'
const REDIS = 'use store: redis://…, which several gateways can share'
const NO_CALLBACKS = 'metrics, traces and the ledger are built in'
const NOT_CACHED = 'answers are not cached'
const NOT_LOOKED_AT = 'guardrails are not imported: this gateway never inspects prompts'
const PASSTHROUGH = 'use passthrough, which needs a price per path'
const TOOLS = 'declare hosted_tools, with one entry per tool'
const STORED = 'keys and the ledger are in the store'
const AT_ONCE = 'the store settles each request at once'
const IDENTITY = 'use identity, with an OIDC issuer'
const PROBE = 'set probe of a pool'
const OF_KEY = 'add limits to the plan with of: key'
const OF_ORG = 'a team is an organization here: add limits to the plan with of: org'
const OF_ACCOUNT = 'a user is an account here: set monthly_usd or limits of its plan'
const OF_USER = 'add a limit to the plan with of: user'
const SIGNED = 'requests are not signed: a pool has one key'
const NO_TOKEN = "the gateway sends the resource's key and never requests a Microsoft Entra ID token"
const OTHER_PRICE = 'a price is per token or per image: passthrough has other prices'
const REFUSAL = 'a refusal by a backend is not a failure'
const PROMPT_FORM = 'a backend knows the template of its model'
const DATABASE = "it concerns LiteLLM's database"
const LOGGED = 'prompts are never logged'

const reasons = (groups: readonly (readonly [why: string, ...names: readonly string[]])[]): Reasons =>
  Object.fromEntries(groups.flatMap(([why, ...names]) => names.map(name => [name, why])))

/** Why fields of `litellm_params` have no place here. */
export const PARAMS: Reasons = reasons([
  ['pools have no limit on requests per minute; plans do', 'rpm'],
  ['pools have no limit on tokens per minute; plans do', 'tpm'],
  [IN_SERVE, 'weight'],
  [`${NO_TAG}, and any request for the model may come here`, 'tags', 'tag_regex'],
  [ANOTHER_TRIED, 'max_retries', 'num_retries'],
  [CLIENTS_ASK, 'temperature', 'top_p', 'seed', 'reasoning_effort', 'thinking', 'stop', 'n', 'response_format'],
  [CLIENTS_ASK, 'frequency_penalty', 'presence_penalty', 'logit_bias', 'tools', 'tool_choice', 'stream', 'top_k'],
  ['a header names the fields that a pool does not accept', 'drop_params', 'additional_drop_params'],
  ['set accepts of the model', 'allowed_openai_params'],
  ['reasoning of a backend is passed on unchanged', 'merge_reasoning_content_in_choices'],
  ['every answer comes from a backend', 'mock_response', 'mock_timeout'],
  [NOTHING_ADDED, 'extra_body', 'extra_query', 'cache_control_injection_points', 'keep_alive', 'system', 'user'],
  [POOL_BUDGET, 'budget_duration', 'max_budget'],
  [OTHER_PRICE, 'input_cost_per_second', 'output_cost_per_second', 'input_cost_per_pixel', 'output_cost_per_pixel'],
  ['no credential_list in the file has it: set key of the pool', 'litellm_credential_name'],
  [NO_TOKEN, 'azure_ad_token', 'tenant_id', 'client_id', 'client_secret', 'azure_username', 'azure_password'],
  [NO_TOKEN, 'azure_scope', 'azure_ad_token_provider', 'enable_azure_ad_token_refresh'],
  [SIGNED, 'aws_access_key_id', 'aws_secret_access_key', 'aws_region_name', 'aws_role_name', 'aws_session_name'],
  [SIGNED, 'vertex_project', 'vertex_location', 'vertex_credentials'],
  [
    'requests are not bound to a region: leave pools in other regions out of `serve`',
    'region_name',
    'allowed_model_region',
  ],
  ['client keys are never passed on', 'configurable_clientside_auth_params', 'use_in_pass_through'],
  ['eject of a pool sets how long', 'cooldown_time'],
  [PROMPT_FORM, 'initial_prompt_value', 'roles', 'final_prompt_value', 'bos_token', 'eos_token', 'prompt_id'],
  ['certificates are always checked: add an authority with NODE_EXTRA_CA_CERTS', 'ssl_verify'],
  [NOT_LOOKED_AT, 'guardrails'],
  ['requests are not mirrored to another backend', 'silent_model'],
])

/** Why fields of `model_info` have no place here. */
export const INFO: Reasons = reasons([
  ['a pool is identified by its name', 'id', 'version', 'description', 'db_model'],
  ['models have the prices', 'base_model'],
  ['every chat model accepts tools', 'supports_function_calling', 'supports_tool_choice'],
  ['set accepts of the model', 'supports_response_schema', 'supports_reasoning', 'supports_audio_input'],
  ['each environment has its own gateway configuration', 'supported_environments'],
  ['prompt tokens are estimated from bytes until the backend counts them', 'custom_tokenizer'],
  [PROBE, 'health_check_model', 'health_check_timeout', 'disable_background_health_check'],
  ['list it in models of the plans that may use it', 'team_id', 'team_public_model_name'],
  [OTHER_PRICE, 'input_cost_per_second', 'output_cost_per_second', 'input_cost_per_pixel', 'output_cost_per_pixel'],
  ['set dimensions of the model', 'output_vector_size'],
  ['models are not chosen by past performance', 'adaptive_router_preferences'],
])

/** Why fields of `router_settings` have no place here. */
export const ROUTER: Reasons = reasons([
  [IN_SERVE, 'routing_strategy', 'routing_strategy_args', 'enable_weighted_failover', 'routing_groups'],
  ['each replica is tried once, then the next pool', 'num_retries', 'max_fallbacks', 'model_group_retry_policy'],
  ['the next replica is tried at once; wait_for_retry_after is the longest wait', 'retry_after'],
  ['the context of a model is always checked', 'enable_pre_call_checks', 'optional_pre_call_checks'],
  [NO_TAG, 'enable_tag_filtering', 'tag_filtering_match_any'],
  [REDIS, 'redis_host', 'redis_port', 'redis_url', 'cache_kwargs'],
  [`${REDIS}, and redis.password`, 'redis_password'],
  [NOT_CACHED, 'cache_params', 'cache_responses', 'caching_groups', 'client_ttl'],
  ['the kind of error decides what is retried', 'retry_policy'],
  ['the kind of error decides what counts as a failure', 'allowed_fails_policy'],
  ['a failing replica is always ejected for a time: eject sets when', 'disable_cooldowns'],
  [REFUSAL, 'content_policy_fallbacks'],
  [POOL_BUDGET, 'provider_budget_config'],
  ['set max_concurrent of each pool', 'default_max_parallel_requests'],
  ['requests wait for a slot in a pool in order of arrival: queue_timeout', 'default_priority', 'polling_interval'],
  ['set log.level', 'set_verbose', 'debug_level'],
  [PROBE, 'enable_health_check_routing', 'background_health_checks'],
])

/** Why fields of `litellm_settings` have no place here. */
export const LITELLM: Reasons = reasons([
  ['a header names the fields that a pool does not accept', 'drop_params', 'modify_params'],
  ['set log.level', 'set_verbose'],
  ['the gateway sends requests to backends and to nobody else', 'telemetry'],
  ["answers have this gateway's headers", 'return_response_headers'],
  ['set log.format: json', 'json_logs'],
  ['each replica is tried once, then the next pool', 'num_retries', 'num_retries_per_request'],
  [NOT_CACHED, 'cache', 'cache_params', 'enable_caching_on_provider_specific_optional_params'],
  [NO_CALLBACKS, 'callbacks', 'success_callback', 'failure_callback', 'service_callback', 'service_callbacks'],
  [NO_CALLBACKS, 'default_team_settings', 'langfuse_default_tags', 'audit_log_callbacks', 'store_audit_logs'],
  [NO_CALLBACKS, 'disable_end_user_cost_tracking', 'disable_end_user_cost_tracking_prometheus_only'],
  [NO_CALLBACKS, 'prometheus_metrics_config', 'custom_prometheus_metadata_labels', 's3_callback_params'],
  ['set metrics.token', 'require_auth_for_metrics_endpoint'],
  ['the usage at the end of a stream has no cost', 'include_cost_in_streaming_usage'],
  [LOGGED, 'turn_off_message_logging'],
  ['keys are never logged', 'redact_user_api_key_info'],
  [REFUSAL, 'content_policy_fallbacks'],
  [NOT_LOOKED_AT, 'guardrails', 'llamaguard_model_name', 'enable_json_schema_validation'],
  [OF_KEY, 'upperbound_key_generate_params'],
  [OF_ACCOUNT, 'max_internal_user_budget', 'internal_user_budget_duration', 'default_internal_user_params'],
  [OF_USER, 'max_end_user_budget', 'max_end_user_budget_id'],
  [OF_ORG, 'default_team_params', 'max_team_budget'],
  ['keys are minted by operators and by accounts that sign in', 'key_generation_settings'],
  ['each model has its tier', 'public_model_groups', 'public_model_groups_links'],
  [TOOLS, 'mcp_aliases', 'mcp_semantic_tool_filter', 'websearch_interception_params'],
  [TOOLS, 'code_interpreter_interception_params'],
  ['backend names are resolved by DNS', 'force_ipv4'],
  ['certificates are always checked: add an authority with NODE_EXTRA_CA_CERTS', 'ssl_verify'],
  [NO_TOKEN, 'enable_azure_ad_token_refresh'],
  [SIGNED, 'default_vertex_config'],
  [
    'limits are not divided among callers: each plan has its own',
    'priority_reservation',
    'priority_reservation_settings',
  ],
  ['client headers are not passed on', 'forward_traceparent_to_llm_provider'],
])

/** Why fields of `general_settings` have no place here. */
export const GENERAL: Reasons = reasons([
  [
    'operators use the token in data/admin.token, or sign in',
    'master_key',
    'ui_access_mode',
    'disable_master_key_return',
  ],
  [STORED, 'database_url', 'database_connection_pool_limit', 'database_connection_timeout', 'database_type'],
  [STORED, 'disable_prisma_schema_update', 'allow_requests_on_db_unavailable', 'disable_error_logs'],
  ['set ledger.keep', 'maximum_spend_logs_retention_period', 'maximum_spend_logs_retention_interval'],
  ['the ledger has every request', 'disable_spend_logs', 'disable_spend_updates', 'disable_reset_budget'],
  [LOGGED, 'store_prompts_in_spend_logs'],
  ['models are in the files: svcctl apply changes them', 'store_model_in_db'],
  [REDIS, 'coordination_redis'],
  [AT_ONCE, 'use_redis_transaction_buffer', 'proxy_batch_write_at', 'proxy_budget_rescheduler_min_time'],
  [AT_ONCE, 'proxy_budget_rescheduler_max_time'],
  [
    'Prometheus has the alarms',
    'alerting',
    'alerting_threshold',
    'alert_types',
    'alerting_args',
    'alert_to_webhook_url',
  ],
  ['Prometheus has the alarms', 'spend_report_frequency', 'health_check_details'],
  ['write traces', 'otel'],
  [IDENTITY, 'custom_auth', 'enable_jwt_auth', 'litellm_jwtauth', 'enable_oauth2_auth', 'custom_sso', 'allowed_routes'],
  ['plans and accounts decide who may do what', 'role_permissions', 'admin_only_routes', 'public_routes'],
  ['keys are minted by operators and by accounts that sign in', 'custom_key_generate', 'default_team_disabled'],
  ['set addresses of a key', 'allowed_ips', 'use_x_forwarded_for'],
  ['secrets come from variables, or from files: file:PATH', 'key_management_system', 'key_management_settings'],
  ['keys are sent in authorization or x-api-key', 'litellm_key_header_name'],
  ['client headers are not passed on', 'forward_client_headers_to_llm_api', 'forward_openai_org_id'],
  [PASSTHROUGH, 'pass_through_endpoints', 'use_client_credentials_pass_through_routes'],
  [PROBE, 'background_health_checks', 'health_check_interval', 'health_check_concurrency'],
  ['set max_concurrent of each pool', 'max_parallel_requests'],
  ['list the names that clients use with --names', 'infer_model_from_keys'],
  ['set limits.body', 'max_request_size_mb', 'max_response_size_mb'],
  [OF_USER, 'enforce_user_param', 'user_header_name', 'user_header_mappings'],
  ['tags of requests are not charged', 'reject_clientside_metadata_tags', 'reject_metadata_tags', 'enforced_params'],
  [OF_ORG, 'custom_team_metadata_validate', 'team_metadata_validation_timeout'],
  [OF_ORG, 'team_metadata_validation_error_message'],
  ['set server.listen', 'port', 'host'],
])

/** Why whole sections have no place here. */
export const SECTIONS: Reasons = reasons([
  ['export them where the gateway is started', 'environment_variables'],
  [NOT_LOOKED_AT, 'guardrails', 'policies', 'policy_attachments'],
  ['requests are not rewritten', 'prompts'],
  [TOOLS, 'mcp_servers', 'mcp_tools', 'search_tools', 'sandbox_tools'],
  [PASSTHROUGH, 'files_settings', 'finetune_settings', 'vector_store_registry', 'default_vertex_config'],
  [NO_CALLBACKS, 'callback_settings'],
  ['also import the file that it names', 'include'],
  ['agents are not models: use passthrough', 'agent_list'],
  ['requests are not signed, and no worker is called', 'worker_registry'],
])

/** Why fields of keys have no place here. */
export const KEY: Reasons = reasons([
  ['these are hashes of keys in another format: mint new keys', 'token', 'key', 'key_hash'],
  ['set it when you mint: --expires', 'duration'],
  ['spend counts from the first request here', 'spend', 'model_spend', 'budget_reset_at'],
  ['a key has a name', 'metadata', 'tags', 'team_alias', 'user_email', 'user_alias', 'organization_alias'],
  ['add a limit with model to the plan', 'model_max_budget', 'model_rpm_limit', 'model_tpm_limit'],
  ['put the account into an organization, with limits of: org', 'organization_id', 'org_id', 'project_id'],
  ['the budget is not in the file: add it', 'budget_id', 'litellm_budget_table', 'budget_limits'],
  ['limits are never exceeded', 'soft_budget', 'soft_budget_cooldown'],
  ['a key is for models, on any path', 'allowed_routes', 'permissions', 'key_type'],
  ['set addresses of the key', 'allowed_ips'],
  ["the gateway's names are used", 'aliases', 'config', 'router_settings'],
  [NOT_CACHED, 'allowed_cache_controls'],
  ['svcctl keys rotate does it', 'auto_rotate', 'rotation_interval', 'rotation_count', 'last_rotation_at'],
  ['svcctl keys rotate does it', 'key_rotation_at'],
  [DATABASE, 'created_at', 'created_by', 'updated_at', 'updated_by', 'last_active', 'object_permission_id'],
  [DATABASE, 'object_permission', 'access_group_ids', 'agent_id', 'created_by_user', 'user'],
])

import { fieldName } from './field-name.ts'
import type { JsonObject } from './json.ts'
import type { Invalid } from './validate.ts'

const dearer = 'is not accepted: it would change what the answer costs'
const cap = 'is not accepted: send max_tokens or max_completion_tokens'
const prompt = 'is not accepted: what reaches the model is sent in messages'
const routing = 'is not accepted: where a request goes, and with which key, is configured here'
const engine = 'is not accepted: it is for those who run the backend'

const named = (problem: string, fields: string): (readonly [string, string])[] =>
  fields
    .trim()
    .split(/\s+/)
    .map(field => [field, problem])

/** Fields that would reach past the configuration, and why each is refused. */
const refused: ReadonlyMap<string, string> = new Map([
  ...named(cap, 'n_predict max_new_tokens max_output_tokens'),
  ...named(dearer, 'best_of service_tier web_search_options prediction ignore_eos min_tokens prompt_logprobs'),
  ...named(prompt, 'chat_template documents prompt_id prompt_variables prompt_version'),
  // SDKs spell these in the body when they are given as options of a call.
  ...named(
    routing,
    'api_base base_url baseURL base_path api_key apiKey api_version api_type organization deployment_id',
  ),
  ...named(routing, 'headers extra_headers default_headers extra_query extra_body provider_specific_header'),
  // LiteLLM.
  ...named(
    routing,
    `user_config model_list fallbacks context_window_fallbacks context_window_fallback_dict
    content_policy_fallbacks default_fallbacks num_retries max_retries retry_policy retry_strategy custom_llm_provider
    litellm_credential_name litellm_params litellm_metadata litellm_settings model_info model_group_alias router_settings
    mock_response mock_timeout mock_tool_calls mock_testing_fallbacks timeout request_timeout stream_timeout force_timeout
    caching cache cache_key ttl no-log tags guardrails disable_fallbacks drop_params allowed_openai_params
    additional_drop_params rpm tpm max_parallel_requests use_in_pass_through hf_model_name base_model region_name
    proxy_server_request logger_fn success_callback failure_callback callbacks ssl_verify configurable_clientside_auth_params`,
  ),
  // Portkey and its like.
  ...named(
    routing,
    `config custom_host forward_headers override_params virtual_key virtualKey strategy targets on_status_codes weight
    retry portkey_config trace_id input_guardrails output_guardrails before_request_hooks after_request_hooks`,
  ),
  // OpenRouter and Vercel.
  ...named(routing, 'models route provider plugins transforms preset providerOptions provider_options gateway'),
  // vLLM and SGLang: hosts and paths that a backend would connect to or load, and code that it would run.
  ...named(
    engine,
    `kv_transfer_params bootstrap_host bootstrap_port bootstrap_room lora_path lora_request lora_name
    custom_logit_processor custom_params mm_processor_kwargs media_io_kwargs vllm_xargs guided_decoding_backend
    structured_outputs_backend data_parallel_rank priority request_id rid session_params
    return_hidden_states tokenizer trust_remote_code`,
  ),
])

/** The same by form: credentials, prices and callbacks of any provider. */
const forms: readonly (readonly [RegExp, string])[] = [
  [/_(?:api_key|api_base|base_url|api_url|host|secret|secret_key|access_key|access_token|credentials?)$/, routing],
  [/^(?:aws|azure|vertex|watsonx|sagemaker|bedrock|databricks|langfuse|langsmith|arize|gcs|humanloop)_/, routing],
  [/^x-|^litellm_/, routing],
  [/_cost_per_/, dearer],
]

/** The first field of a body that no request may carry. Null stands for absent. */
export function refusedField(body: JsonObject): Invalid | undefined {
  for (const field in body) {
    if (KNOWN.has(field) || body[field] === null) continue
    const problem = refused.get(field) ?? forms.find(([form]) => form.test(field))?.[1]
    if (problem !== undefined) return { field: fieldName([field]), problem }
  }
  return undefined
}

/** What nearly every body has: not to be looked for. */
const KNOWN: ReadonlySet<string> = new Set(
  'model messages max_tokens max_completion_tokens temperature stream stream_options tools tool_choice top_p stop seed user n response_format input prompt'.split(
    ' ',
  ),
)

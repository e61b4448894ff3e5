/** Kinds of requests whose body is made of fields that the gateway knows. */
export type FieldKind = 'chat' | 'embedding' | 'image'

const words = (text: string): readonly string[] => text.trim().split(/\s+/)

/**
 * The fields that every request of a kind may carry: those of the chat-completions wire that the gateway weighs,
 * prices or checks, or that change nothing but how an answer is sampled. A model may declare more of them in `accepts`.
 */
export const KNOWN_FIELDS: Readonly<Record<FieldKind, ReadonlySet<string>>> = {
  chat: new Set(
    words(`model messages max_tokens max_completion_tokens n stream stream_options temperature top_p top_k min_p top_a
    typical_p frequency_penalty presence_penalty repetition_penalty stop stop_token_ids include_stop_str_in_output
    skip_special_tokens spaces_between_special_tokens seed logprobs top_logprobs logit_bias tools tool_choice
    parallel_tool_calls functions function_call response_format chat_template_kwargs reasoning_effort verbosity user
    safety_identifier prompt_cache_key store`),
  ),
  embedding: new Set(words('model input encoding_format dimensions user')),
  image: new Set(words('model prompt n size response_format user')),
}

const changesCost = 'is not accepted: it would change what the answer costs'
const cap = 'is not accepted: send max_tokens or max_completion_tokens'
const prompt = 'is not accepted: send everything for the model in messages'
const routing = "is not accepted: the gateway's configuration decides where a request goes, and with which key"
const engine = "is not accepted: it is reserved for the backend's operator"

/**
 * Never a client's to say, whatever the files declare: whose place in the queue a request takes, whose cached prompt it
 * reads, which machine its blocks are fetched from, which code is run.
 */
const NEVER: ReadonlySet<string> = new Set(
  words(`priority cache_salt kv_transfer_params return_token_ids bootstrap_host bootstrap_port bootstrap_room
  data_parallel_rank request_id rid session_params custom_logit_processor logits_processors`),
)

const named = (problem: string, fields: string): (readonly [string, string])[] =>
  words(fields).map(field => [field, problem])

/** Fields whose refusal has a better reason than that no model declares them. */
const refused: ReadonlyMap<string, string> = new Map([
  ...named(cap, 'n_predict max_new_tokens max_output_tokens'),
  ...named(
    changesCost,
    `best_of service_tier web_search_options prediction ignore_eos min_tokens prompt_logprobs use_beam_search
    modalities audio prompt_cache_retention`,
  ),
  ...named(prompt, 'chat_template documents prompt_id prompt_variables prompt_version echo'),
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
    custom_logit_processor logits_processors custom_params mm_processor_kwargs media_io_kwargs vllm_xargs
    guided_decoding_backend structured_outputs_backend data_parallel_rank priority request_id rid session_params
    cache_salt return_token_ids return_hidden_states tokenizer trust_remote_code add_generation_prompt continue_final_message`,
  ),
])

/** Refused names by form: credentials, prices and callbacks of any provider. */
const forms: readonly (readonly [RegExp, string])[] = [
  [/_(?:api_key|api_base|base_url|api_url|host|secret|secret_key|access_key|access_token|credentials?)$/, routing],
  [/^(?:aws|azure|vertex|watsonx|sagemaker|bedrock|databricks|langfuse|langsmith|arize|gcs|humanloop)_/, routing],
  [/^x-|^litellm_/, routing],
  [/_cost_per_/, changesCost],
]

/** Whether a field is one of the wire, accepted or not, and no name that a client made up. */
export const isOfTheWire = (field: string): boolean =>
  refused.has(field) || Object.values(KNOWN_FIELDS).some(fields => fields.has(field))

/** The error text for a field that is neither known nor declared. */
export const whyRefused = (field: string): string => saidOf(field) ?? 'is not accepted: no model here declares it'

const saidOf = (field: string): string | undefined =>
  refused.get(field) ?? forms.find(([form]) => form.test(field))?.[1]

/** Why no model may declare a field: it is the gateway's own to weigh, or says where a request goes. */
export function whyUndeclarable(kind: FieldKind, field: string): string | undefined {
  if (NEVER.has(field)) return never
  if (KNOWN_FIELDS[kind].has(field)) return 'every request may have it, and the gateway checks it itself'
  const said = saidOf(field)
  if (said === cap) return 'the gateway bounds the output itself, by max_tokens'
  return said === routing ? 'it could redirect the request or replace its key' : undefined
}

const never = "clients may not set it, because only the backend's operator knows what it does"

/** Why no pool may pass a member on, by its name from the top: nothing bounds what it says. */
export function whyUnpassable(name: string): string | undefined {
  const steps = name.split('.')
  if (steps.some(step => NEVER.has(step))) return never
  const [field = ''] = steps
  if (steps.length > 1) return undefined
  const said = UNBOUNDED.has(field) ? cap : saidOf(field)
  if (said === cap || said === changesCost) return 'it would change what a request costs'
  return said === routing ? 'it could redirect the request or replace its key' : undefined
}

/** Fields of chats that multiply what an answer costs, and are weighed there alone. */
const UNBOUNDED: ReadonlySet<string> = new Set(words('n max_tokens max_completion_tokens num_return_sequences'))

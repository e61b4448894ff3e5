const GUARDRAILS = 'texts are not looked at'
const CACHE = 'answers are not cached'
const PROMPTS = 'requests are not rewritten'
const SIGNED = 'no pool signs its requests'

/** Why fields of a config or a target have no place here. */
export const CONFIG: Readonly<Record<string, string>> = {
  after_request_hooks: GUARDRAILS,
  before_request_hooks: GUARDRAILS,
  default_input_guardrails: GUARDRAILS,
  default_output_guardrails: GUARDRAILS,
  input_guardrails: GUARDRAILS,
  output_guardrails: GUARDRAILS,
  cache: CACHE,
  forward_headers: 'headers of clients are not passed on',
  metadata: 'requests are known by their account and key',
  passthrough: 'clients have no key of a provider',
  prompt_id: PROMPTS,
  retry: 'each replica is tried once, then the next pool',
  on_status_codes: 'what is tried again follows from the error',
  strict_open_ai_compliance: 'answers have the form of the dialect of the client',
  weight: 'replicas share alike, and pools are tried in the order of `serve`',
  aws_access_key_id: SIGNED,
  aws_region: SIGNED,
  aws_secret_access_key: SIGNED,
  vertex_project_id: SIGNED,
  vertex_region: SIGNED,
  vertex_service_account_json: SIGNED,
}

/** Why what a strategy says has no place here. */
export const STRATEGY: Readonly<Record<string, string>> = {
  loadbalance: 'replicas share alike, and pools are tried in the order of `serve`',
  conditions: 'write a route, at an alias',
  on_status_codes: 'what is tried again follows from the error',
  sticky: 'replicas are chosen by how many requests run at each',
  cb_config: 'write eject of the pool',
}

/** Why fields of `override_params` have no place here. */
export const OVERRIDES: Readonly<Record<string, string>> = Object.fromEntries(
  [
    'temperature',
    'top_p',
    'stop',
    'seed',
    'user',
    'frequency_penalty',
    'presence_penalty',
    'response_format',
    'tools',
    'messages',
  ].map(name => [name, 'what a request asks for is left to clients']),
)

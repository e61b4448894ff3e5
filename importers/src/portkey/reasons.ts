const GUARDRAILS = 'guardrails are not imported: this gateway never inspects prompts'
const CACHE = 'answers are not cached'
const PROMPTS = 'requests are not rewritten'
const SIGNED = 'pools do not sign requests'

/** Why fields of a config or a target have no place here. */
export const CONFIG: Readonly<Record<string, string>> = {
  after_request_hooks: GUARDRAILS,
  before_request_hooks: GUARDRAILS,
  default_input_guardrails: GUARDRAILS,
  default_output_guardrails: GUARDRAILS,
  input_guardrails: GUARDRAILS,
  output_guardrails: GUARDRAILS,
  cache: CACHE,
  forward_headers: 'client headers are not passed on',
  metadata: 'requests are identified by account and key',
  passthrough: 'clients have no provider keys',
  prompt_id: PROMPTS,
  retry: 'each replica is tried once, then the next pool',
  on_status_codes: 'the kind of error decides what is retried',
  strict_open_ai_compliance: "answers use the client's dialect",
  weight: 'replicas share requests evenly, and pools are tried in the order of `serve`',
  aws_access_key_id: SIGNED,
  aws_region: SIGNED,
  aws_secret_access_key: SIGNED,
  vertex_project_id: SIGNED,
  vertex_region: SIGNED,
  vertex_service_account_json: SIGNED,
}

/** Why what a strategy says has no place here. */
export const STRATEGY: Readonly<Record<string, string>> = {
  loadbalance: 'replicas share requests evenly, and pools are tried in the order of `serve`',
  conditions: 'use a route on an alias',
  on_status_codes: 'the kind of error decides what is retried',
  sticky: 'the replica with the fewest running requests is chosen',
  cb_config: 'set eject of the pool',
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
  ].map(name => [name, 'clients choose what a request asks for']),
)

import type { JsonObject } from './body.ts'
import type { Invalid } from './validate.ts'

const dearer = 'is not accepted: it would change what the answer costs'
const cap = 'is not accepted: send max_tokens or max_completion_tokens'
const prompt = 'is not accepted: what reaches the model is sent in messages'
const routing = 'is not accepted: where a request goes is configured here'

/** Fields that would reach past the configuration, and why each is refused. */
const refused: ReadonlyMap<string, string> = new Map([
  ...['n_predict', 'max_new_tokens', 'max_output_tokens'].map(field => [field, cap] as const),
  ...['best_of', 'service_tier', 'web_search_options', 'prediction', 'ignore_eos', 'min_tokens'].map(
    field => [field, dearer] as const,
  ),
  ...[
    'api_base',
    'base_url',
    'api_key',
    'custom_host',
    'extra_headers',
    'extra_body',
    'user_config',
    'models',
    'route',
    'provider',
    'plugins',
    'transforms',
  ].map(field => [field, routing] as const),
  ...['chat_template', 'documents'].map(field => [field, prompt] as const),
])

/** The first field of a body that no request may carry. Null stands for absent. */
export function refusedField(body: JsonObject): Invalid | undefined {
  for (const [field, value] of Object.entries(body)) {
    const problem = refused.get(field)
    if (problem !== undefined && value !== null) return { field, problem }
  }
  return undefined
}

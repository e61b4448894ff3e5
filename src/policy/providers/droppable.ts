const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Fields that a chat can do without. All others determine the answer, its cost or its form. */
export const DROPPABLE = words(`temperature top_p top_k min_p top_a typical_p frequency_penalty presence_penalty
  repetition_penalty stop stop_token_ids include_stop_str_in_output skip_special_tokens spaces_between_special_tokens seed
  logprobs top_logprobs logit_bias parallel_tool_calls chat_template_kwargs reasoning_effort verbosity user
  safety_identifier prompt_cache_key store`)

/** Fields of requests for vectors, which are then numbers: the client gets them in the form that it asked for. */
export const DROPPABLE_OF_VECTORS = words('encoding_format')

/** Their names in other dialects, where those differ. */
const CHAT_NAMES: Readonly<Record<string, string>> = {
  stop_sequences: 'stop',
  'reasoning.effort': 'reasoning_effort',
  'output_config.effort': 'reasoning_effort',
  'text.verbosity': 'verbosity',
}

/** The name that a field of any dialect has in a chat. */
export const chatNameOf = (field: string): string => CHAT_NAMES[field] ?? field

/** The droppable fields that no answer depends on: labels, and hints for a cache. */
export const LABELS = words('user safety_identifier prompt_cache_key store')

import { expect, it } from 'vitest'
import { unsupportedFieldIn } from '../../../src/wire/errors/unsupported-field.ts'

const fieldIn = (body: unknown): string | undefined =>
  unsupportedFieldIn(typeof body === 'string' ? body : JSON.stringify(body), body)

const openai = (message: string, param: string | null = null, code: string | null = null) => ({
  error: { message, type: 'invalid_request_error', param, code },
})

/** Refusals as users of providers saw them. */
const REFUSALS: readonly (readonly [string, unknown, string])[] = [
  [
    'OpenAI, of the cap',
    openai(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      'max_tokens',
      'unsupported_parameter',
    ),
    'max_tokens',
  ],
  ['OpenAI, without a code', openai("Unsupported parameter: 'stop' is not supported with this model."), 'stop'],
  ['OpenAI, of a name', openai('Unrecognized request argument supplied: top_k'), 'top_k'],
  ['OpenAI, of a name in Responses', openai("Unknown parameter: 'top_k'.", 'top_k', 'unknown_parameter'), 'top_k'],
  ['Groq', openai("property 'prompt_cache_key' is unsupported"), 'prompt_cache_key'],
  ['Groq, with a guess', openai("property 'store' is unsupported, did you mean 'stop'?"), 'store'],
  [
    'Anthropic',
    { type: 'error', error: { type: 'invalid_request_error', message: '`temperature` is deprecated for this model.' } },
    'temperature',
  ],
  [
    'Bedrock, of Claude',
    {
      message: 'The model returned the following errors: {"error":{"message":"`top_p` is deprecated for this model."}}',
    },
    'top_p',
  ],
  ['Bedrock, of open models', openai("The 'frequency_penalty' parameter is not supported"), 'frequency_penalty'],
  ['transformers serve', { detail: "Unsupported fields in the request: {'user', 'seed'}" }, 'user'],
  ['transformers serve, of a name', { detail: "Unexpected keys in the request: {'top_k'}" }, 'top_k'],
  ['transformers serve since 5.24', { detail: "Unexpected fields in the request: {'top_k', 'min_p'}" }, 'top_k'],
  [
    'Cerebras',
    {
      message: "body.prompt_cache_key: property 'body.prompt_cache_key' is unsupported",
      type: 'invalid_request_error',
      param: 'validation_error',
      code: 'wrong_api_format',
    },
    'prompt_cache_key',
  ],
  [
    'Google',
    [{ error: { code: 400, message: 'Invalid JSON payload received. Unknown name "seed": Cannot find field.' } }],
    'seed',
  ],
  [
    'Mistral',
    {
      object: 'error',
      message: {
        detail: [
          { type: 'extra_forbidden', loc: ['body', 'max_completion_tokens'], msg: 'Extra inputs are not permitted' },
        ],
      },
    },
    'max_completion_tokens',
  ],
  [
    'an older vLLM',
    {
      object: 'error',
      message:
        "[{'type': 'extra_forbidden', 'loc': ('body', 'max_completion_tokens'), 'msg': 'Extra inputs are not permitted'}]",
      code: 400,
    },
    'max_completion_tokens',
  ],
  ['NVIDIA', { error: 'Validation: Unsupported parameter(s): `prompt_cache_key`' }, 'prompt_cache_key'],
  ['xAI', { code: 'x', error: 'Model grok-4 does not support parameter presencePenalty.' }, 'presence_penalty'],
  [
    'Anthropic',
    { error: { type: 'invalid_request_error', message: 'top_k: Extra inputs are not permitted' } },
    'top_k',
  ],
  [
    'Fireworks',
    {
      error: {
        type: 'invalid_request_error',
        message: "Extra inputs are not permitted, field: 'store', value: True",
      },
    },
    'store',
  ],
  [
    'Pydantic 1',
    { error: "[{'loc': ('body', 'user'), 'msg': 'extra fields not permitted', 'type': 'value_error.extra'}]" },
    'user',
  ],
]

it.each(REFUSALS)('%s refuses a field', (_who, body, field) => {
  expect(fieldIn(body)).toBe(field)
})

it.each([
  openai(
    "Unsupported value: 'temperature' does not support 0.7 with this model. Only the default (1) value is supported.",
    'temperature',
    'unsupported_value',
  ),
  openai("Invalid value for 'temperature': must be at most 2", 'temperature', 'invalid_value'),
  openai('max_tokens is too large: 90000', 'max_tokens'),
  {
    message: { detail: [{ type: 'extra_forbidden', loc: ['body', 'messages', 1, 'assistant', 'reasoning_content'] }] },
  },
  openai('messages.0.content.1.text: Field required'),
  openai("Extra inputs are not permitted, field: 'messages[0].content.list[ChatMessageContent][0].cache_control'"),
  'upstream error',
])('a refusal of a value, or of what is in a field, names no field: %j', body => {
  expect(fieldIn(body)).toBeUndefined()
})

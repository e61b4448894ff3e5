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
  [
    'vLLM without priority scheduling',
    {
      error: { message: 'Got priority -7 but Priority scheduling is not enabled.', type: 'BadRequestError', code: 400 },
    },
    'priority',
  ],
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
  [
    'serde',
    { error: 'unknown field `store`, expected one of `model`, `messages`, `seed` at line 1 column 90' },
    'store',
  ],
  ['Go', { error: 'json: unknown field "store"' }, 'store'],
  ['Jackson', { message: 'Unrecognized field "store" (class a.b.ChatRequest), not marked as ignorable' }, 'store'],
  [
    '.NET',
    { error: "The JSON property 'store' could not be mapped to any .NET member contained in type 'A.Chat'." },
    'store',
  ],
  ['JSON Schema', openai("Additional properties are not allowed ('store' was unexpected)"), 'store'],
  ['JSON Schema, of two', openai("Additional properties are not allowed ('store', 'user' were unexpected)"), 'store'],
  [
    'Bedrock',
    { message: 'Malformed input request: #: extraneous key [top_k] is not permitted, please reformat your input' },
    'top_k',
  ],
  [
    "Azure's models",
    openai("Extra parameters ['logit_bias'] are not allowed when extra-parameters is not set or set to be 'error'."),
    'logit_bias',
  ],
  ['Groq, of an effort', openai('`reasoning_effort` is not supported with this model'), 'reasoning_effort'],
  ['Groq, in quotes', openai("'logprobs' is not supported with this model"), 'logprobs'],
  ['DashScope', openai("<400> InternalError: 'frequency_penalty' is not supported now"), 'frequency_penalty'],
  ['DashScope, of parameters', openai('The parameters `logprobs` are not supported for this model'), 'logprobs'],
  [
    'Volcengine',
    openai(
      'The parameter `logprobs` specified in the request are not valid: logprobs is not supported by this model. Request id: 1',
    ),
    'logprobs',
  ],
  ['llama.cpp', openai('logprobs is not supported with tools + stream'), 'logprobs'],
  ['llama.cpp, of a name', openai('Unsupported param: logit_bias'), 'logit_bias'],
  [
    'Anthropic, of two samplers',
    { error: { message: '`temperature` and `top_p` cannot both be specified for this model. Please use only one.' } },
    'top_p',
  ],
  [
    'Gemini, of likelihoods',
    [{ error: { code: 400, message: 'Logprobs is not enabled for models/gemini-3' } }],
    'logprobs',
  ],
  [
    'Vertex',
    [{ error: { code: 400, message: 'Invalid JSON payload received. Unknown name "topK": Cannot find field.' } }],
    'top_k',
  ],
  ['Databricks', { error_code: 'BAD_REQUEST', message: 'Model x does not support parameters: seed' }, 'seed'],
  ['Databricks, of extra inputs', { message: 'store: Extra inputs are not permitted' }, 'store'],
  ['LM Studio', { error: "'logit_bias' is not supported" }, 'logit_bias'],
  ['LM Studio, not yet', { error: "'logit_bias' is not supported yet." }, 'logit_bias'],
  ['Perplexity', openai('Unrecognized parameter: store'), 'store'],
  ['Portkey', { status: 'failure', message: 'Unknown parameter: user' }, 'user'],
  ['a proxy', openai('Unsupported parameter: seed'), 'seed'],
  ['a proxy, of a list', openai('Unsupported parameters: seed, user'), 'seed'],
  ['a proxy, with more words', openai('Unsupported parameters: seed.'), 'seed'],
  ['Azure', openai('Unrecognized request argument supplied: verbosity'), 'verbosity'],
  ['Azure, of two', openai('Unrecognized request arguments supplied: verbosity, store'), 'verbosity'],
  [
    'NVIDIA NIM',
    { error: "[{'type': 'extra_forbidden', 'loc': ('body', 'min_p'), 'msg': 'Extra inputs are not permitted'}]" },
    'min_p',
  ],
  [
    'FastAPI',
    { detail: [{ type: 'extra_forbidden', loc: ['body', 'top_a'], msg: 'Extra inputs are not permitted' }] },
    'top_a',
  ],
  [
    'AI21',
    { detail: [{ loc: ['body', 'seed'], msg: 'extra fields not permitted', type: 'value_error.extra' }] },
    'seed',
  ],
  ['a Python client', { error: "create() got an unexpected keyword argument 'verbosity'" }, 'verbosity'],
  ['a Python client with its class', { detail: "Chat.__init__() got an unexpected keyword argument 'min_p'" }, 'min_p'],
  [
    'LiteLLM',
    openai(
      "litellm.UnsupportedParamsError: groq does not support parameters: ['logit_bias'], for model=x. To drop these, set `litellm.drop_params=True`",
    ),
    'logit_bias',
  ],
  [
    'OpenAI, of parallel calls',
    openai("Unsupported parameter: 'parallel_tool_calls' is not supported with this model."),
    'parallel_tool_calls',
  ],
  [
    'OpenAI, of a verbosity',
    openai("Unsupported parameter: 'text.verbosity' is not supported with this model."),
    'text.verbosity',
  ],
  ['Cohere', { message: "invalid request: unknown field: 'store'" }, 'store'],
  ['Inception', openai("Unexpected parameter 'seed'"), 'seed'],
  ['Mistral, of a stop', { message: "property 'stop_token_ids' is unsupported" }, 'stop_token_ids'],
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
  openai("Additional properties are not allowed ('name' was unexpected) - 'messages.1'"),
  openai('image input is not supported for this model'),
  openai('The value of temperature is not supported'),
  openai("'temperature' must be at most 1 for this model"),
  openai("Invalid parameter: 'top_p' must be in (0, 1]"),
  'upstream error',
])('a refusal of a value, or of what is in a field, names no field: %j', body => {
  expect(fieldIn(body)).toBeUndefined()
})

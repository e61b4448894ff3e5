const optional = (type: string) => ({ type: [type, 'null'] })
const text = (maxLength: number) => ({ type: ['string', 'null'], maxLength })
/** Beyond these a double may stand for several integers. */
const safe = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }
const count = (minimum: number, maximum: number) => ({ type: ['integer', 'null'], minimum, maximum })

const part = {
  type: 'object',
  required: ['type'],
  properties: { type: { enum: ['text', 'image_url', 'refusal'] } },
  allOf: [
    {
      if: { required: ['type'], properties: { type: { const: 'text' } } },
      // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword.
      then: { required: ['text'], properties: { text: { type: 'string' } } },
    },
    {
      if: { required: ['type'], properties: { type: { const: 'image_url' } } },
      // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword.
      then: { required: ['image_url'], properties: { image_url: { $ref: '#/$defs/image' } } },
    },
    {
      // An earlier answer has it.
      if: { required: ['type'], properties: { type: { const: 'refusal' } } },
      // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword.
      then: { required: ['refusal'], properties: { refusal: { type: 'string' } } },
    },
  ],
}

/** The backend would fetch any other URL for any client: data URLs only. */
const image = {
  type: 'object',
  required: ['url'],
  properties: {
    url: {
      type: 'string',
      pattern: '^data:image/',
      description: 'must be a data: URL of an image; nothing is fetched',
    },
    detail: { enum: ['auto', 'low', 'high', 'original'] },
  },
}

const toolCall = {
  type: 'object',
  required: ['id', 'type'],
  properties: {
    id: { type: 'string', maxLength: 512 },
    type: { enum: ['function', 'custom'] },
    function: {
      type: 'object',
      required: ['name', 'arguments'],
      properties: { name: { type: 'string', maxLength: 256 }, arguments: { type: ['string', 'object'] } },
    },
    custom: {
      type: 'object',
      required: ['name', 'input'],
      properties: { name: { type: 'string', maxLength: 256 }, input: { type: 'string' } },
    },
  },
  if: { required: ['type'], properties: { type: { const: 'custom' } } },
  // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword.
  then: { required: ['custom'] },
  else: { required: ['function'] },
}

const message = {
  type: 'object',
  required: ['role'],
  properties: {
    role: { enum: ['system', 'developer', 'user', 'assistant', 'tool', 'function'] },
    content: { type: ['string', 'array', 'null'], maxItems: 2048, items: { $ref: '#/$defs/part' } },
    name: text(256),
    // A spoken answer from before comes back by its id, so its prompt tokens cannot be bounded.
    audio: { type: 'null' },
    tool_calls: { type: ['array', 'null'], maxItems: 1024, items: { $ref: '#/$defs/toolCall' } },
    tool_call_id: text(512),
  },
  // Only an assistant that called tools, and a tool, may have said nothing.
  if: { properties: { role: { enum: ['assistant', 'tool'] } } },
  // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword.
  then: {},
  else: { required: ['content'], properties: { content: { type: ['string', 'array'] } } },
}

const toolName = {
  type: 'string',
  // 64 at OpenAI; agents make longer ones of the names of MCP servers, and other backends take them.
  pattern: '^[A-Za-z0-9_-]{1,128}$',
  description: 'must be 1 to 128 letters, digits, _ and -',
}

/** Names of tools that a client runs itself. A name that a backend does not take is replaced on the way there and back. */
const clientToolName = {
  type: 'string',
  pattern: '^[A-Za-z0-9_.:/@-]{1,128}$',
  description: 'must be 1 to 128 letters, digits, _ - . : / and @',
}

const tool = {
  type: 'object',
  required: ['type'],
  properties: {
    type: { enum: ['function', 'hosted', 'custom'] },
    hosted: optional('boolean'),
    custom: {
      type: 'object',
      required: ['name'],
      properties: {
        name: clientToolName,
        description: optional('string'),
        format: {
          type: ['object', 'null'],
          required: ['type'],
          properties: {
            type: { enum: ['text', 'grammar'] },
            grammar: {
              type: ['object', 'null'],
              required: ['syntax', 'definition'],
              properties: { syntax: { type: 'string', maxLength: 64 }, definition: { type: 'string' } },
            },
          },
        },
      },
    },
    function: {
      type: 'object',
      required: ['name'],
      properties: {
        name: clientToolName,
        description: optional('string'),
        parameters: optional('object'),
        hosted: optional('boolean'),
      },
    },
  },
  allOf: [
    {
      if: { required: ['type'], properties: { type: { const: 'function' } } },
      // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword.
      then: { required: ['function'] },
    },
    {
      if: { required: ['type'], properties: { type: { const: 'custom' } } },
      // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword.
      then: { required: ['custom'] },
    },
    {
      // A hosted tool is named; what it takes is known here.
      if: { required: ['type'], properties: { type: { const: 'hosted' } } },
      // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword.
      then: { required: ['name'], properties: { name: toolName } },
    },
  ],
}

const declaredFunction = {
  type: 'object',
  required: ['name'],
  properties: { name: toolName, description: optional('string'), parameters: optional('object') },
}

const named = { name: { type: 'string', maxLength: 256 } }
/** One tool, or of `allowed_tools` some of them. */
const chosen = {
  type: { type: 'string', maxLength: 64 },
  ...named,
  function: { type: 'object', additionalProperties: false, properties: named },
  custom: { type: 'object', additionalProperties: false, properties: named },
  allowed_tools: {
    type: 'object',
    additionalProperties: false,
    properties: {
      mode: { type: 'string', maxLength: 64 },
      tools: {
        type: 'array',
        maxItems: 1024,
        items: {
          type: 'object',
          additionalProperties: false,
          properties: {
            type: { type: 'string', maxLength: 64 },
            function: { type: 'object', additionalProperties: false, properties: named },
            custom: { type: 'object', additionalProperties: false, properties: named },
          },
        },
      },
    },
  },
}

/** Known fields of the body of POST /v1/chat/completions, which are those of policy/fields.ts. */
export const chatSchema = {
  type: 'object',
  required: ['messages'],
  properties: {
    model: { type: ['string', 'null'], minLength: 1, maxLength: 256 },
    messages: { type: 'array', minItems: 1, maxItems: 10_000, items: { $ref: '#/$defs/message' } },
    max_tokens: count(1, 10_000_000),
    max_completion_tokens: count(1, 10_000_000),
    n: count(1, 4),
    stream: optional('boolean'),
    stream_options: {
      type: ['object', 'null'],
      additionalProperties: false,
      properties: {
        include_usage: optional('boolean'),
        include_obfuscation: optional('boolean'),
        continuous_usage_stats: optional('boolean'),
      },
    },
    temperature: optional('number'),
    top_p: optional('number'),
    // Not OpenAI's own, and of vLLM, SGLang and most others.
    top_k: optional('number'),
    min_p: optional('number'),
    top_a: optional('number'),
    typical_p: optional('number'),
    repetition_penalty: optional('number'),
    stop_token_ids: { type: ['array', 'null'], maxItems: 64, items: { type: 'integer', ...safe } },
    include_stop_str_in_output: optional('boolean'),
    skip_special_tokens: optional('boolean'),
    spaces_between_special_tokens: optional('boolean'),
    frequency_penalty: optional('number'),
    presence_penalty: optional('number'),
    stop: {
      type: ['string', 'array', 'null'],
      maxLength: 1024,
      maxItems: 64,
      items: { type: 'string', maxLength: 1024 },
    },
    seed: { type: ['integer', 'null'], ...safe },
    logprobs: optional('boolean'),
    top_logprobs: count(0, 20),
    logit_bias: { type: ['object', 'null'], maxProperties: 2048, additionalProperties: { type: 'number' } },
    user: text(512),
    safety_identifier: text(512),
    prompt_cache_key: text(512),
    reasoning_effort: text(32),
    verbosity: text(32),
    // It is sent to nobody: a backend that keeps answers would keep them for the operator.
    store: optional('boolean'),
    tools: { type: ['array', 'null'], maxItems: 1024, items: { $ref: '#/$defs/tool' } },
    tool_choice: { type: ['string', 'object', 'null'], maxLength: 64, additionalProperties: false, properties: chosen },
    parallel_tool_calls: optional('boolean'),
    functions: { type: ['array', 'null'], maxItems: 1024, items: { $ref: '#/$defs/function' } },
    function_call: {
      type: ['string', 'object', 'null'],
      maxLength: 64,
      additionalProperties: false,
      properties: named,
    },
    response_format: {
      type: ['object', 'null'],
      required: ['type'],
      additionalProperties: false,
      properties: {
        type: { enum: ['text', 'json_object', 'json_schema'] },
        json_schema: {
          type: ['object', 'null'],
          additionalProperties: false,
          properties: {
            name: text(256),
            description: optional('string'),
            schema: optional('object'),
            strict: optional('boolean'),
          },
        },
        // Some backends take a schema without a name.
        schema: optional('object'),
      },
    },
    chat_template_kwargs: {
      type: ['object', 'null'],
      // Template variables reach code on the backend: only what is known to be harmless.
      additionalProperties: false,
      properties: { enable_thinking: { type: 'boolean' }, thinking: { type: 'boolean' } },
    },
  },
  $defs: { part, image, toolCall, message, tool, function: declaredFunction },
}

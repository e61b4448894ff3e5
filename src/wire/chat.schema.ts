const optional = (type: string) => ({ type: [type, 'null'] })
const text = (maxLength: number) => ({ type: ['string', 'null'], maxLength })
/** Whether an integer is this one or its neighbour, no double beyond tells. */
const safe = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }
const count = (minimum: number, maximum: number) => ({ type: ['integer', 'null'], minimum, maximum })

const part = {
  type: 'object',
  required: ['type'],
  properties: { type: { enum: ['text', 'image_url'] } },
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
  ],
}

/** The backend would fetch any other URL for whoever asks: data URLs only. */
const image = {
  type: 'object',
  required: ['url'],
  properties: {
    url: {
      type: 'string',
      pattern: '^data:image/',
      description: 'must be a data: URL of an image; nothing is fetched',
    },
    detail: { enum: ['auto', 'low', 'high'] },
  },
}

const toolCall = {
  type: 'object',
  required: ['id', 'type', 'function'],
  properties: {
    id: { type: 'string', maxLength: 512 },
    type: { const: 'function' },
    function: {
      type: 'object',
      required: ['name', 'arguments'],
      properties: { name: { type: 'string', maxLength: 256 }, arguments: { type: 'string' } },
    },
  },
}

const message = {
  type: 'object',
  required: ['role'],
  properties: {
    role: { enum: ['system', 'developer', 'user', 'assistant', 'tool', 'function'] },
    content: { type: ['string', 'array', 'null'], maxItems: 2048, items: { $ref: '#/$defs/part' } },
    name: text(256),
    tool_calls: { type: ['array', 'null'], maxItems: 1024, items: { $ref: '#/$defs/toolCall' } },
    tool_call_id: text(512),
  },
  // Only an assistant that called tools may have said nothing.
  if: { properties: { role: { const: 'assistant' } } },
  // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword.
  then: {},
  else: { required: ['content'], properties: { content: { type: ['string', 'array'] } } },
}

const toolName = {
  type: 'string',
  pattern: '^[A-Za-z0-9_-]{1,64}$',
  description: 'must be 1 to 64 letters, digits, _ and -',
}

const tool = {
  type: 'object',
  required: ['type'],
  properties: {
    type: { enum: ['function', 'hosted'] },
    hosted: optional('boolean'),
    function: {
      type: 'object',
      required: ['name'],
      properties: {
        name: toolName,
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
      // A hosted tool is named; what it takes is known here.
      if: { required: ['type'], properties: { type: { const: 'hosted' } } },
      // biome-ignore lint/suspicious/noThenProperty: a JSON Schema keyword.
      then: { required: ['name'], properties: { name: toolName } },
    },
  ],
}

/** Body of POST /v1/chat/completions. Spec 4.2. What is not named here passes to the backend as it is. */
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
    stream_options: { type: ['object', 'null'], properties: { include_usage: optional('boolean') } },
    temperature: optional('number'),
    top_p: optional('number'),
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
    tools: { type: ['array', 'null'], maxItems: 1024, items: { $ref: '#/$defs/tool' } },
    tool_choice: { type: ['string', 'object', 'null'] },
    parallel_tool_calls: optional('boolean'),
    response_format: { type: ['object', 'null'], required: ['type'], properties: { type: { type: 'string' } } },
    chat_template_kwargs: {
      type: ['object', 'null'],
      // Template variables reach code on the backend: only what is known to be harmless.
      additionalProperties: false,
      properties: { enable_thinking: { type: 'boolean' } },
    },
  },
  $defs: { part, image, toolCall, message, tool },
}

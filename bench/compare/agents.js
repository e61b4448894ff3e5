// Prompts of agents in each dialect that clients speak, with tools and their results: one of about 32 KB, and one with as many
// tools as coding agents send.

const sentence = 'Explain in a few words what an "inference gateway" does, and why a ledger is kept of it.\n'
const words = length => sentence.repeat(Math.ceil(length / sentence.length)).slice(0, length)

const SYSTEM = `bench:whole You are a coding agent. ${words(9000)}`
const FEW_TOOLS = Array.from({ length: 14 }, (_, n) => ({
  name: `tool_${n}`,
  description: words(300),
  schema: {
    type: 'object',
    properties: { path: { type: 'string', description: words(60) }, content: { type: 'string' } },
    required: ['path'],
  },
}))
const property = n => ({ type: 'string', description: words(60 + (n % 40)) })
const parameter = (tool, n) =>
  n % 3 === 2
    ? {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            x: property(n),
            y: { type: 'number', minimum: 0 },
            mode: { enum: ['read', 'write', 'append'], type: 'string' },
          },
        },
      }
    : property(tool * n)
/** 54 KB. */
const MANY_TOOLS = Array.from({ length: 24 }, (_, tool) => ({
  name: `tool_${tool}`,
  description: words(840),
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['a_field', 'b_field'],
    properties: Object.fromEntries(Array.from('abcdefgh', (letter, n) => [`${letter}_field`, parameter(tool, n)])),
  },
}))
const TURNS = Array.from({ length: 8 }, (_, n) => ({
  id: `call_${n}`,
  said: words(200),
  input: { path: 'src/main.ts', content: words(300) },
  result: words(1000),
}))

const chat = tools => ({
  model: 'svc-core',
  max_tokens: 100,
  messages: [
    { role: 'system', content: SYSTEM },
    { role: 'user', content: words(300) },
    ...TURNS.flatMap(({ id, said, input, result }) => [
      {
        role: 'assistant',
        content: said,
        tool_calls: [{ id, type: 'function', function: { name: 'tool_1', arguments: JSON.stringify(input) } }],
      },
      { role: 'tool', tool_call_id: id, content: result },
    ]),
  ],
  tools: tools.map(({ name, description, schema }) => ({
    type: 'function',
    function: { name, description, parameters: schema },
  })),
})

const responses = tools => ({
  model: 'svc-core',
  max_output_tokens: 100,
  store: false,
  instructions: SYSTEM,
  input: [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: words(300) }] },
    ...TURNS.flatMap(({ id, said, input, result }) => [
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: said, annotations: [] }] },
      { type: 'function_call', call_id: id, name: 'tool_1', arguments: JSON.stringify(input) },
      { type: 'function_call_output', call_id: id, output: result },
    ]),
  ],
  tools: tools.map(({ name, description, schema }) => ({
    ...{ type: 'function', name, description, parameters: schema },
    strict: false,
  })),
})

const messages = tools => ({
  model: 'svc-core',
  max_tokens: 100,
  system: [{ type: 'text', text: SYSTEM, cache_control: { type: 'ephemeral' } }],
  messages: [
    { role: 'user', content: words(300) },
    ...TURNS.flatMap(({ id, said, input, result }) => [
      {
        role: 'assistant',
        content: [
          { type: 'text', text: said },
          { type: 'tool_use', id, name: 'tool_1', input },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: result }] },
    ]),
  ],
  tools: tools.map(({ name, description, schema }) => ({ name, description, input_schema: schema })),
})

const bodiesOf = (kind, tools) => ({
  [`${kind}-chat`]: { path: '/v1/chat/completions', body: JSON.stringify(chat(tools)) },
  [`${kind}-responses`]: { path: '/v1/responses', body: JSON.stringify(responses(tools)) },
  [`${kind}-messages`]: { path: '/v1/messages', body: JSON.stringify(messages(tools)) },
})

export const agentBodies = { ...bodiesOf('agent', FEW_TOOLS), ...bodiesOf('tools', MANY_TOOLS) }

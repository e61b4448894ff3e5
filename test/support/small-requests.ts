/** A small valid body for each endpoint that reads one for a model, without its model. */
export const SMALL_REQUESTS = {
  '/v1/chat/completions': {
    max_tokens: 16,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
    tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }],
  },
  '/v1/embeddings': { input: ['Hi'] },
  '/v1/images/generations': { prompt: 'Hi', size: '512x512' },
  '/v1/responses': {
    max_output_tokens: 16,
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }],
    tools: [{ type: 'function', name: 'look', parameters: { type: 'object' } }],
  },
  '/v1/responses/input_tokens': { input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }] },
  '/v1/messages': {
    max_tokens: 16,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
    tools: [{ name: 'look', input_schema: { type: 'object' } }],
  },
  '/v1/messages/count_tokens': { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] },
} as const satisfies Readonly<Record<string, object>>

/** Endpoints whose bodies reach no backend. */
export const WITHOUT_MODEL: ReadonlySet<string> = new Set([
  '/v1/responses/{id}/cancel',
  '/v1/keys/developer',
  '/v1/keys/developer/rotate',
  '/v1/keys/developer/revoke',
  '/v1/keys/guest',
  '/v1/account/join',
  '/v1/account/notices',
  '/v1/account/notices/confirm',
  '/v1/agent-tokens',
])

// The requests of each attack, by its name: `next` makes the request of a connection, `reads` tells whether its answer is
// read, and `prepare` runs first.

const json = (path, body) => ({ method: 'POST', path, body: JSON.stringify(body) })
const get = path => ({ method: 'GET', path })
const messages = [{ role: 'user', content: 'Hi' }]

/** The number of short texts that a guest may send per minute under the shipped limits. */
export const TEXTS = 1900
const embeddings = json('/v1/embeddings', { model: 'embed', input: Array(TEXTS).fill('a') })
const ignored = json('/v1/messages', {
  model: 'chat',
  max_tokens: 16,
  messages,
  tools: [
    ...Array.from({ length: 400 }, (_, n) => ({ type: `tool${n}_20250101`, name: `n${n}` })),
    { name: 'mine', input_schema: { type: 'object' } },
  ],
})
const picture = `data:image/png;base64,${'A'.repeat(9_600_000)}`
const kept = json('/v1/responses', {
  model: 'seeing',
  max_output_tokens: 16,
  input: [{ role: 'user', content: [{ type: 'input_image', image_url: picture }] }],
})
const count = json('/v1/messages/count_tokens', {
  model: 'chat',
  messages: [{ role: 'user', content: 'The quick brown fox jumps over the lazy dog. '.repeat(5600) }],
})
const reads = [get('/v1/requests?limit=100'), get('/openapi.json'), get('/billing/usage?days=90'), count]

export const ATTACKS = {
  'large answers': { connections: 12, reads: true, next: () => embeddings },
  'answers that nobody reads': { connections: 60, reads: false, next: () => embeddings },
  'ignored tools': { connections: 3, pauseMs: 300, reads: true, next: () => ignored },
  'kept responses': {
    connections: 100,
    reads: true,
    prepare: () => kept,
    next: (n, id) =>
      id === undefined
        ? kept
        : n % 2 === 0
          ? get(`/v1/responses/${id}/input_items?limit=1`)
          : json('/v1/responses', { model: 'seeing', max_output_tokens: 16, previous_response_id: id, input: 'Hi' }),
  },
  reads: { connections: 32, reads: true, next: n => reads[n % reads.length] },
}

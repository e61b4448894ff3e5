import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Embedder, sentenceEncoder } from '../../demo/src/embeddings/embedder.ts'
import { countTokens } from '../../demo/src/tokens.ts'
import { type Listening, listen, post } from './support.ts'

const MODELS = ['BAAI/bge-base-en-v1.5', 'nomic-ai/nomic-embed-text-v1.5']
let backend: Listening
beforeAll(async () => {
  backend = await listen({ embeddings: { models: MODELS, embedder: sentenceEncoder() } })
})
afterAll(() => backend.close())

test('texts that mean the same are nearer than texts that do not', async () => {
  const [cat, kitten, revenue, sales] = await vectors([
    'The cat sat on the mat.',
    'A kitten is resting on a rug.',
    'Quarterly revenue rose by ten percent.',
    'The company sold more goods between April and June.',
  ])

  expect(cosine(cat, kitten)).toBeGreaterThan(cosine(cat, revenue) + 0.3)
  expect(cosine(revenue, sales)).toBeGreaterThan(cosine(kitten, sales) + 0.3)
})

test('every vector has 768 numbers, the last 256 of them 0, and length 1', async () => {
  const given = await vectors(['one', 'a much longer text\n\twith  white space', '日本語 😀', ' '])

  expect(given.map(vector => vector.length)).toEqual([768, 768, 768, 768])
  for (const vector of given) {
    expect(vector.slice(512)).toEqual(Array(256).fill(0))
    expect(cosine(vector, vector)).toBeCloseTo(1, 5)
  }
})

test('vectors come in the order of their texts, also when there are more than one run of the model takes', async () => {
  const texts = Array.from({ length: 40 }, (_, i) => `${WORDS[i % WORDS.length]} number ${i}`)
  const { body } = await embed<List>({ input: texts })
  const alone = await Promise.all([0, 17, 39].map(async i => (await vectors(texts[i] ?? ''))[0]))

  expect(body.data.map(({ index, object }) => [index, object])).toEqual(texts.map((_, i) => [i, 'embedding']))
  for (const [at, i] of [0, 17, 39].entries()) {
    expect(cosine(body.data[i]?.embedding, alone[at])).toBeCloseTo(1, 5)
    expect(cosine(body.data[i]?.embedding, body.data[(i + 1) % 40]?.embedding)).toBeLessThan(0.99)
  }
})

test('base64 holds the very floats that the default form spells out', async () => {
  const input = ['the sea', 'the ship']
  const floats = await vectors(input)
  const { body } = await embed<List<string>>({ input, encoding_format: 'base64' })

  const decoded = body.data.map(({ embedding }) => {
    const bytes = Buffer.from(embedding, 'base64')
    return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4))
  })

  expect(decoded).toEqual(floats)
})

test('the answer is an embedding list with usage, and a header says which model really made it', async () => {
  const { response, body } = await embed<List>({ model: MODELS[1], input: 'the sea', encoding_format: null })

  expect(response.headers.get('x-demo-model')).toContain('Universal Sentence Encoder Lite')
  expect(body).toEqual({
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding: expect.any(Array) }],
    model: MODELS[1],
    usage: { prompt_tokens: countTokens('the sea'), total_tokens: countTokens('the sea') },
  })
})

test.each<[string, object | string, number, string | null]>([
  ['bad JSON', '{', 400, null],
  ['no input', {}, 400, 'input'],
  ['an empty batch', { input: [] }, 400, 'input'],
  ['an empty text', { input: ['a', ''] }, 400, 'input'],
  ['token ids', { input: [[1, 2, 3]] }, 400, 'input'],
  ['a batch of 2,049', { input: Array(2049).fill('a') }, 400, 'input'],
  ['a text of 2,049 tokens', { input: 'a '.repeat(2049) }, 400, 'input'],
  ['another encoding', { input: 'a', encoding_format: 'hex' }, 400, 'encoding_format'],
  ['another length', { input: 'a', dimensions: 256 }, 400, 'dimensions'],
  ['a foreign model', { input: 'a', model: 'Qwen/Qwen3-8B' }, 404, 'model'],
])('%s is refused in the form of OpenAI', async (_, request, status, param) => {
  const { response, body } = await embed(request)

  expect(response.status).toBe(status)
  expect(body).toEqual({
    error: { message: expect.any(String), type: 'invalid_request_error', param, code: expect.any(String) },
  })
})

test('health says what embeds and whether it is ready, which it is after the first request', async () => {
  const fresh = await listen({ embeddings: { models: MODELS, embedder: sentenceEncoder() } })
  const before = await healthOf(fresh)
  await post(`${fresh.url}/embeddings`, { model: MODELS[0], input: 'a' })
  const after = await healthOf(fresh)
  await fresh.close()

  const model = expect.stringContaining('Universal Sentence Encoder Lite')
  expect(before).toEqual({ status: 'ok', embeddings: { model, state: 'unloaded' } })
  expect(after).toEqual({ status: 'ok', embeddings: { model, state: 'ready' } })
})

test('a model that fails is a 503, and its reason goes to the log', async () => {
  const reason = new Error('no weights')
  const embedder: Embedder = { name: 'none', state: () => 'failed', embed: () => Promise.reject(reason) }
  const failing = await listen({ embeddings: { models: MODELS, embedder } })
  const logged = vi.spyOn(console, 'error').mockReturnValue()

  const { response, body } = await post(`${failing.url}/embeddings`, { model: MODELS[0], input: 'a' })
  await failing.close()

  expect(response.status).toBe(503)
  expect(body).toMatchObject({ error: { type: 'server_error', code: 'model_unavailable' } })
  expect(logged).toHaveBeenCalledWith(reason)
  logged.mockRestore()
})

const WORDS = ['whales', 'taxes', 'violins', 'bread', 'glaciers', 'chess', 'hospitals']

interface List<Form = number[]> {
  readonly object: string
  readonly data: readonly { object: string; index: number; embedding: Form }[]
  readonly model: string
  readonly usage: object
}

const embed = <Body>(body: object | string): Promise<{ response: Response; body: Body }> =>
  post(`${backend.url}/embeddings`, typeof body === 'string' ? body : { model: MODELS[0], ...body })

async function vectors(input: string | readonly string[]): Promise<readonly number[][]> {
  const { body } = await embed<List>({ input })
  return body.data.map(({ embedding }) => embedding)
}

async function healthOf({ url }: Listening): Promise<unknown> {
  return (await fetch(url.replace('/v1', '/health'))).json()
}

/** All vectors have length 1. */
function cosine(one: readonly number[] = [], other: readonly number[] = []): number {
  return one.reduce((sum, value, i) => sum + value * (other[i] ?? 0), 0)
}

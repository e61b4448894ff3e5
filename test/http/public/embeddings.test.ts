import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Backend, json, startBackend, status } from '../../support/backend.ts'
import { errorOf, startTestGateway, type TestGateway } from '../../support/gateway.ts'

let backend: Backend
let test: TestGateway
let key: string

beforeEach(async () => {
  backend = await startBackend()
  test = await startTestGateway({ onprem: [backend], yaml: 'limits: { embedding_batch: 3 }' })
  key = await test.key('pro')
})

afterEach(async () => {
  await test.close()
  await backend.close()
})

/** A vector whose numbers are exact in float32. */
const vector = (seed: number) => Array.from({ length: 768 }, (_, i) => ((i + seed) % 64) / 64)
const base64Of = (numbers: number[]) => Buffer.from(Float32Array.from(numbers).buffer).toString('base64')
const list = (vectors: unknown[], usage: unknown = { prompt_tokens: 7, total_tokens: 7 }) =>
  json({
    object: 'list',
    data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
    model: 'bge',
    usage,
  })

const embed = (body: object, token = key) =>
  fetch(`${test.url}/v1/embeddings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'svc-embed', input: 'Hello', ...body }),
  })

it('one text is one vector of 768 numbers, under the brand name', async () => {
  backend.next(list([vector(1)]))

  const response = await embed({})

  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding: vector(1) }],
    model: 'svc-embed',
    usage: { prompt_tokens: 7, total_tokens: 7 },
  })
  expect(response.headers.get('x-svc-upstream')).toBe('onprem')
})

it('a batch comes back in the order of its texts', async () => {
  backend.next(list([vector(1), vector(2), vector(3)]))

  const { data } = (await (await embed({ input: ['a', 'b', 'c'] })).json()) as {
    data: { index: number; embedding: number[] }[]
  }

  expect(data.map(({ index, embedding }) => [index, embedding[0]])).toEqual([1, 2, 3].map((n, i) => [i, n / 64]))
  expect(backend.requests[0]?.body).toEqual({ model: 'test-model', input: ['a', 'b', 'c'] })
})

it.each([
  ['float', vector(1), vector(1)],
  ['float', base64Of(vector(1)), vector(1)],
  ['base64', vector(1), base64Of(vector(1))],
  ['base64', base64Of(vector(1)), base64Of(vector(1))],
])('%s is answered as %s was asked for, whichever way the backend answers', async (encoding_format, sent, expected) => {
  backend.next(list([sent]))

  expect(await (await embed({ encoding_format })).json()).toMatchObject({ data: [{ embedding: expected }] })
})

it.each([
  [
    'pydantic',
    { detail: [{ type: 'literal_error', loc: ['body', 'encoding_format'], msg: "Input should be 'float'" }] },
  ],
  ['OpenAI', { error: { message: "Unsupported parameter: 'encoding_format'", param: 'encoding_format' } }],
  ['a text', { error: 'only encoding format float is supported' }],
])('base64 of a backend that knows numbers alone, and says so as %s, is converted here', async (_, refusal) => {
  backend.always(exchange => {
    const refuses = Object.hasOwn(exchange.seen.body, 'encoding_format')
    return (refuses ? status(422, refusal) : list([vector(1)]))(exchange)
  })
  const ask = async () => {
    const response = await embed({ encoding_format: 'base64' })
    expect(response.headers.get('x-svc-ignored-fields')).toBeNull()
    return response.json()
  }

  // The lesson applies from the second request on.
  for (const requests of [2, 3]) {
    expect(await ask()).toMatchObject({ data: [{ embedding: base64Of(vector(1)) }] })
    expect(backend.requests).toHaveLength(requests)
  }
  expect(backend.requests.at(-1)?.body).not.toHaveProperty('encoding_format')
})

it('a pool may say that its backends know numbers alone', async () => {
  await test.reload({ fields: { onprem: 'provider: { drops: [encoding_format] }' } })
  backend.always(list([vector(1)]))

  expect(await (await embed({ encoding_format: 'base64' })).json()).toMatchObject({
    data: [{ embedding: base64Of(vector(1)) }],
  })
  expect(backend.requests.map(({ body }) => Object.hasOwn(body, 'encoding_format'))).toEqual([false])
})

it('is paid by its input', async () => {
  backend.next(list([vector(1)], { prompt_tokens: 1000, total_tokens: 1000 }))

  await (await embed({})).text()

  // 1,000 tokens at 0.02 USD a million
  expect(await test.ledger()).toMatchObject([
    { model: 'svc-embed', inputTokens: 1000, outputTokens: 0, cost: 20_000, estimated: false },
  ])
})

it('without usage is paid by what was held, and shows it', async () => {
  backend.next(list([vector(1)], null))

  expect(await (await embed({})).json()).toMatchObject({ usage: { prompt_tokens: 9, total_tokens: 9 } })
  expect(await test.ledger()).toMatchObject([{ inputTokens: 9, cost: 180, estimated: true }])
})

it.each([
  ['vectors of another length', list([[1, 2, 3]])],
  ['too few vectors', list([])],
  ['an error in a 200', json({ error: { message: 'no', code: 529 } })],
  ['a 529', status(529)],
])('%s is never passed on', async (_name, behaviour) => {
  backend.always(behaviour)

  const response = await embed({})

  expect(response.status).toBe(503)
  expect(await response.json()).toMatchObject({ code: 'UPSTREAMS_EXHAUSTED' })
  expect(await test.ledger()).toEqual([])
})

it.each<[string, object, RegExp]>([
  ['no model', { model: undefined }, /^model: is required/],
  ['a chat model', { model: 'svc-core' }, /^model: svc-core is a model of kind chat/],
  ['an unknown model', { model: 'ada-002' }, /^model: no such model/],
  ['other dimensions', { dimensions: 256 }, /^dimensions: svc-embed has exactly 768/],
  ['token ids', { input: [[1, 2]] }, /^input: must be text.*check_embedding_ctx_length/],
  ['a batch over the limit', { input: ['a', 'b', 'c', 'd'] }, /^input: has 4 texts; at most 3/],
])('%s is a 400 that names the field', async (_name, body, error) => {
  const response = await embed(body)

  expect(response.status).toBe(400)
  expect(await response.json()).toEqual({ error: expect.stringMatching(error), code: 'VALIDATION_ERROR' })
  expect(backend.requests).toHaveLength(0)
})

describe('a model with vectors of any size, and the tokenizer of its clients', () => {
  const yaml = 'include: [more.yaml]'
  const more =
    'models: { svc-any: { kind: embedding, tier: guest, serve: [onprem], context: 512, dimensions: { any: true }, token_ids: true, usd_per_1m: { input: 1 } } }'
  const vectors = (size: number, count = 1) => list(Array.from({ length: count }, () => Array(size).fill(0.5)))
  beforeEach(async () => {
    await test.reload({ yaml: `limits: { embedding_batch: 3 }\n${yaml}`, files: { 'more.yaml': more } })
  })

  it('gets the size that a request asks for, and answers with as many numbers', async () => {
    backend.next(vectors(256))

    const response = await embed({ model: 'svc-any', dimensions: 256 })

    expect(response.status).toBe(200)
    expect(backend.requests[0]?.body).toMatchObject({ dimensions: 256 })
    const { data } = (await response.json()) as { data: readonly { embedding: readonly number[] }[] }
    expect(data[0]?.embedding).toHaveLength(256)
  })

  it('has 768 where none is asked for, and sends no field for that', async () => {
    backend.next(vectors(768))

    expect((await embed({ model: 'svc-any' })).status).toBe(200)
    expect(backend.requests[0]?.body).not.toHaveProperty('dimensions')
  })

  it('never answers with another size than it was asked for', async () => {
    backend.always(vectors(768))

    expect((await embed({ model: 'svc-any', dimensions: 256 })).status).toBe(503)
  })

  it.each([
    [[1, 2, 3], 1],
    [[[1, 2], [3]], 2],
  ])('takes the token ids %j, and passes them on', async (input, count) => {
    backend.next(vectors(768, count))

    const response = await embed({ model: 'svc-any', input })

    expect(response.status).toBe(200)
    expect(backend.requests[0]?.body).toMatchObject({ input })
  })

  it.each([[['a', [1]]], [['a', 1]], [[1.5]], [[-1]], [[[]]]])('refuses %j, which is neither', async input => {
    expect(await errorOf(await embed({ model: 'svc-any', input }))).toMatch(/^input/)
  })
})

it('outside the plan is a plan limit', async () => {
  expect((await embed({}, await test.key('free', 'bob'))).status).toBe(429)
})

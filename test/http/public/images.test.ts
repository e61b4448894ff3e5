import { expect } from 'vitest'
import { json, status } from '../../support/backend.ts'
import { errorOf } from '../../support/gateway.ts'
import { gatewayTest } from '../../support/gateway-test.ts'

const it = gatewayTest.extend(
  'draw',
  ({ gateway, key }) =>
    (body: object = {}) =>
      fetch(`${gateway.url}/v1/images/generations`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'svc-image', prompt: 'a cat', ...body }),
      }),
)

/** The smallest PNG: one transparent pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const usage = {
  input_tokens: 5,
  input_tokens_details: { text_tokens: 5, image_tokens: 0 },
  output_tokens: 4096,
  total_tokens: 4101,
}
const pictures = (n: number) => json({ created: 1_700_000_000, data: Array(n).fill({ b64_json: PNG }), usage })

it('is a PNG in base64 with its usage', async ({ backend, draw }) => {
  backend.next(pictures(1))

  const response = await draw()

  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({
    created: 1_700_000_000,
    data: [{ b64_json: PNG }],
    usage: { ...usage, input_tokens_details: { text_tokens: 5, image_tokens: 0 } },
  })
  expect(response.headers.get('x-svc-upstream')).toBe('onprem')
})

it("asks the backend for the model's first size when none was named", async ({ backend, draw }) => {
  backend.next(pictures(1))

  await draw()

  expect(backend.requests[0]).toMatchObject({
    path: '/v1/images/generations',
    body: { model: 'test-model', prompt: 'a cat', n: 1, size: '512x512', response_format: 'b64_json' },
  })
})

it('is the text of a URL for clients that ask for one', async ({ backend, draw }) => {
  backend.next(pictures(1))

  const response = await draw({ response_format: 'url' })

  expect(await response.json()).toMatchObject({ data: [{ url: `data:image/png;base64,${PNG}` }] })
  expect(backend.requests[0]?.body).toMatchObject({ response_format: 'b64_json' })
})

it.for([
  ['/', '\\/'],
  ['/', '\\u002f'],
  ['"iVBO', '"\\u0069VBO'],
] as const)('is the same picture where its backend writes %s as %s', async ([plain, escaped], { backend, draw }) => {
  const written = JSON.stringify({ created: 1, data: [{ b64_json: PNG }] }).replaceAll(plain, escaped)
  const answer = status(200, written, { 'content-type': 'application/json' })
  backend.next(answer, answer)

  expect(await (await draw()).json()).toMatchObject({ data: [{ b64_json: PNG }] })
  const asUrl = await draw({ response_format: 'url' })
  expect(await asUrl.json()).toMatchObject({ data: [{ url: `data:image/png;base64,${PNG}` }] })
})

it.for([{ size: 'auto' }, { model: null }, { model: undefined }])(
  '%j is what the one model for images makes first',
  async (body, { backend, draw }) => {
    backend.next(pictures(1))

    const response = await draw(body)

    expect(response.status).toBe(200)
    expect(backend.requests[0]?.body).toMatchObject({ model: 'test-model', size: '512x512' })
  },
)

it('needs a model where there are two', async ({ gateway, draw }) => {
  const more = 'models: { svc-art: { kind: image, tier: standard, serve: [onprem], usd_per_image: { 512x512: 0.01 } } }'
  await gateway.reload({ yaml: 'include: [more.yaml]', files: { 'more.yaml': more } })

  const response = await draw({ model: undefined })

  expect(await errorOf(response)).toMatch(/^model: is required/)
})

it('is paid by the image, at the price of its size', async ({ backend, gateway, draw }) => {
  backend.next(pictures(2))

  const response = await draw({ n: 2, size: '1024x1024' })

  expect(response.headers.get('x-svc-quota-used')).toBe('0.04')
  expect(await gateway.ledger()).toMatchObject([
    { model: 'svc-image', inputTokens: 5, outputTokens: 4096, cost: 40_000_000 },
  ])
  // Output of an image model is no part of the minute, so it passes no bound either.
  expect(gateway.alarms).toEqual([])
})

it('is never passed on with fewer pictures than were asked for, and costs nothing', async ({
  backend,
  gateway,
  draw,
}) => {
  backend.always(pictures(1))

  const response = await draw({ n: 2 })

  expect(response.status).toBe(503)
  expect(await gateway.ledger()).toEqual([])
})

const itOnThriftyPlan = it
  .extend('config', {
    yaml: 'include: [more.yaml]',
    files: { 'more.yaml': 'plans: { thrifty: { models: all, rpm: 5, tpm: 10k, monthly_usd: 0.015 } }' },
  })
  .extend('plan', 'thrifty')

itOnThriftyPlan('that the month cannot pay is a 402 that promises no max_tokens', async ({ backend, draw }) => {
  backend.always(pictures(1))

  expect((await draw()).status).toBe(200)
  const refused = await draw()

  expect(refused.status).toBe(402)
  expect((await errorOf(refused)).message).toBe(
    'The request may cost up to $0.01, but only $0.005 of the monthly quota remain until 2026-12-01.',
  )
})

it.for<[string, object, RegExp]>([
  ['no prompt', { prompt: undefined }, /^prompt: is required/],
  ['a size without a price', { size: '64x64' }, /^size: svc-image makes 512x512, 1024x1024, not 64x64/],
  ['five pictures', { n: 5 }, /^n: must be at most 4/],
  ['a chat model', { model: 'svc-core' }, /^model: svc-core is a model of kind chat/],
])('%s is a 400 that names the field', async ([_name, body, error], { draw }) => {
  const response = await draw(body)

  expect(response.status).toBe(400)
  expect(await response.json()).toEqual({ error: expect.stringMatching(error), code: 'VALIDATION_ERROR' })
})

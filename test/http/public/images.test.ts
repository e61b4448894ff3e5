import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Backend, json, startBackend } from '../../support/backend.ts'
import { errorOf, startTestGateway, type TestGateway } from '../../support/gateway.ts'

let backend: Backend
let test: TestGateway
let key: string

beforeEach(async () => {
  backend = await startBackend()
  test = await startTestGateway({ onprem: [backend] })
  key = await test.key('pro')
})

afterEach(async () => {
  await test.close()
  await backend.close()
})

/** The smallest PNG: one transparent pixel. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const usage = {
  input_tokens: 5,
  input_tokens_details: { text_tokens: 5, image_tokens: 0 },
  output_tokens: 4096,
  total_tokens: 4101,
}
const pictures = (n: number) => json({ created: 1_700_000_000, data: Array(n).fill({ b64_json: PNG }), usage })

const draw = (body: object = {}, token = key) =>
  fetch(`${test.url}/v1/images/generations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'svc-image', prompt: 'a cat', ...body }),
  })

it('is a PNG in base64 with its usage', async () => {
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

it("asks the backend for the model's first size when none was named", async () => {
  backend.next(pictures(1))

  await draw()

  expect(backend.requests[0]).toMatchObject({
    path: '/v1/images/generations',
    body: { model: 'test-model', prompt: 'a cat', n: 1, size: '512x512', response_format: 'b64_json' },
  })
})

it('is the text of a URL for clients that ask for one', async () => {
  backend.next(pictures(1))

  const response = await draw({ response_format: 'url' })

  expect(await response.json()).toMatchObject({ data: [{ url: `data:image/png;base64,${PNG}` }] })
  expect(backend.requests[0]?.body).toMatchObject({ response_format: 'b64_json' })
})

it.each([{ size: 'auto' }, { model: null }, { model: undefined }])(
  '%j is what the one model for images makes first',
  async body => {
    backend.next(pictures(1))

    const response = await draw(body)

    expect(response.status).toBe(200)
    expect(backend.requests[0]?.body).toMatchObject({ model: 'test-model', size: '512x512' })
  },
)

it('needs a model where there are two', async () => {
  const more = 'models: { svc-art: { kind: image, tier: standard, serve: [onprem], usd_per_image: { 512x512: 0.01 } } }'
  await test.reload({ yaml: 'include: [more.yaml]', files: { 'more.yaml': more } })

  const response = await draw({ model: undefined })

  expect(await errorOf(response)).toMatch(/^model: is required/)
})

it('is paid by the image, at the price of its size', async () => {
  backend.next(pictures(2))

  const response = await draw({ n: 2, size: '1024x1024' })

  expect(response.headers.get('x-svc-quota-used')).toBe('0.04')
  expect(await test.ledger()).toMatchObject([
    { model: 'svc-image', inputTokens: 5, outputTokens: 4096, cost: 40_000_000 },
  ])
  // Output of an image model is no part of the minute, so it passes no bound either.
  expect(test.alarms).toEqual([])
})

it('is never passed on with fewer pictures than were asked for, and costs nothing', async () => {
  backend.always(pictures(1))

  const response = await draw({ n: 2 })

  expect(response.status).toBe(503)
  expect(await test.ledger()).toEqual([])
})

it('that the month cannot pay is a 402 that promises no max_tokens', async () => {
  await test.close()
  const yaml = 'include: [more.yaml]'
  test = await startTestGateway({
    onprem: [backend],
    yaml,
    files: { 'more.yaml': 'plans: { thrifty: { models: all, rpm: 5, tpm: 10k, monthly_usd: 0.015 } }' },
  })
  const thrifty = await test.key('thrifty')
  backend.always(pictures(1))

  expect((await draw({}, thrifty)).status).toBe(200)
  const refused = await draw({}, thrifty)

  expect(refused.status).toBe(402)
  expect((await errorOf(refused)).message).toBe(
    'The request may cost up to $0.01, and $0.005 of the monthly quota remain until 2026-12-01.',
  )
})

it.each<[string, object, RegExp]>([
  ['no prompt', { prompt: undefined }, /^prompt: is required/],
  ['a size without a price', { size: '64x64' }, /^size: svc-image makes 512x512, 1024x1024, not 64x64/],
  ['five pictures', { n: 5 }, /^n: must be at most 4/],
  ['a chat model', { model: 'svc-core' }, /^model: svc-core is a model of kind chat/],
])('%s is a 400 that names the field', async (_name, body, error) => {
  const response = await draw(body)

  expect(response.status).toBe(400)
  expect(await response.json()).toEqual({ error: expect.stringMatching(error), code: 'VALIDATION_ERROR' })
})

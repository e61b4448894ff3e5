import { describe, expect, it } from 'vitest'
import type { Denial } from '../../../src/policy/denial.ts'
import { nanoUsd } from '../../../src/policy/nano-usd.ts'
import { renderDenial } from '../../../src/wire/errors/denial.ts'

const terms = {
  brand: 'svc',
  links: { docs: 'https://gw/docs/errors', topup: 'https://gw/topup', console: 'https://gw/console' },
}
const render = (denial: Denial) => renderDenial(denial, terms)
const flat = (status: number, code: string, error: string | RegExp) => ({ status, code, error })

describe('renderDenial', () => {
  it.each<[Denial, ReturnType<typeof flat>]>([
    [{ code: 'NO_AUTH' }, flat(401, 'NO_AUTH', /Authorization: Bearer svc_….*https:\/\/gw\/console/)],
    [{ code: 'INVALID_KEY' }, flat(401, 'INVALID_KEY', /unknown, revoked or rotated/)],
    [{ code: 'INVALID_TOKEN', problem: 'Not a key.' }, flat(401, 'INVALID_TOKEN', 'Not a key.')],
    [
      { code: 'VALIDATION_ERROR', field: 'messages', problem: 'is required' },
      flat(400, 'VALIDATION_ERROR', 'messages: is required'),
    ],
    [{ code: 'NOT_FOUND', problem: 'No such path.' }, flat(404, 'NOT_FOUND', 'No such path.')],
    [{ code: 'METHOD_NOT_ALLOWED', allow: ['GET'] }, flat(405, 'METHOD_NOT_ALLOWED', 'Use GET here.')],
    [{ code: 'PAYLOAD_TOO_LARGE', limitBytes: 9 }, flat(413, 'PAYLOAD_TOO_LARGE', /9 bytes/)],
    [{ code: 'UNSUPPORTED_MEDIA_TYPE' }, flat(415, 'UNSUPPORTED_MEDIA_TYPE', /application\/json/)],
    [{ code: 'STORE_UNAVAILABLE' }, flat(503, 'STORE_UNAVAILABLE', /Retry in 2 s/)],
    [{ code: 'DRAINING' }, flat(503, 'DRAINING', /Retry in 1 s/)],
    [{ code: 'INTERNAL' }, flat(500, 'INTERNAL', /x-request-id/)],
  ])('$code is flat: {error, code}', (denial, expected) => {
    const { status, body } = render(denial)

    expect({ status, ...body }).toEqual({
      ...expected,
      error: expected.error instanceof RegExp ? expect.stringMatching(expected.error) : expected.error,
    })
  })

  it('a burst tells the exact wait, in both headers that clients read', () => {
    const { status, headers, body } = render({
      code: 'rate_limit_exceeded',
      type: 'requests',
      limit: 20,
      retryAfterMs: 1500,
    })

    expect(status).toBe(429)
    expect(headers).toEqual({ 'x-svc-error-code': 'rate_limit_exceeded', 'retry-after-ms': '1500', 'retry-after': '2' })
    expect(body).toEqual({
      error: {
        code: 'rate_limit_exceeded',
        type: 'requests',
        message: 'The account may send 20 requests a minute. Retry in 2 s.',
        retry_after_ms: 1500,
        docs: 'https://gw/docs/errors',
      },
    })
  })

  it.each([
    [59_999, { 'retry-after-ms': '59999', 'retry-after': '60' }, '60 s'],
    [60_000, { 'retry-after-ms': '59999', 'retry-after': '60' }, '60 s'],
    [60_343, { 'retry-after-ms': '59999', 'retry-after': '60' }, '61 s'],
    [61_000, { 'retry-after-ms': '59999', 'retry-after': '60' }, '61 s'],
    [61_001, { 'x-should-retry': 'false' }, '62 s'],
    [3_600_000, { 'x-should-retry': 'false' }, '60 min'],
    [50_217_000, { 'x-should-retry': 'false' }, '14 h'],
  ])(
    'a wait of %d ms invites a retry only where it is one of the minute, never longer than SDKs wait',
    (ms, retry, text) => {
      const { headers, body } = render({ code: 'rate_limit_exceeded', type: 'requests', limit: 1, retryAfterMs: ms })

      expect(headers).toEqual({ 'x-svc-error-code': 'rate_limit_exceeded', ...retry })
      expect(body).toMatchObject({
        error: { message: `The account may send 1 request a minute. Retry in ${text}.`, retry_after_ms: ms },
      })
    },
  )

  it.each<Denial>([{ code: 'NO_AUTH' }, { code: 'INVALID_KEY' }])(
    'without a console $code links to the page of errors',
    denial => {
      const { body } = renderDenial(denial, { brand: 'svc', links: { docs: 'https://gw/docs/errors' } })

      expect(body).toMatchObject({ error: expect.stringMatching(`https://gw/docs/errors#${denial.code}$`) })
    },
  )

  it('a plan limit invites no retry and says what would help', () => {
    const { status, headers, body } = render({
      code: 'rate_limit_exceeded',
      type: 'plan_limit',
      model: 'svc-pro',
      plan: 'free',
    })

    expect(status).toBe(429)
    expect(headers).toEqual({ 'x-svc-error-code': 'rate_limit_exceeded', 'x-should-retry': 'false' })
    expect(body).toMatchObject({
      error: { type: 'plan_limit', message: expect.stringMatching(/free .* svc-pro.*change the plan or the model/) },
    })
  })

  it('a spent quota tells what the request may cost, what is left and what would fit', () => {
    const { status, headers, body } = render({
      code: 'quota_exceeded',
      resetAt: Date.UTC(2026, 11, 1),
      overageEnabled: false,
      worst: nanoUsd(4_000_000),
      left: nanoUsd(1_500),
      fits: 12,
    })

    expect(status).toBe(402)
    expect(headers).toEqual({ 'x-svc-error-code': 'quota_exceeded', 'x-should-retry': 'false' })
    expect(body).toEqual({
      error: {
        code: 'quota_exceeded',
        message:
          'The request may cost up to $0.004, but only $0.0000015 of the monthly quota remain until 2026-12-01. max_tokens up to 12 would fit.',
        resetDate: '2026-12-01',
        topupUrl: 'https://gw/topup',
        overageEnabled: false,
      },
    })
  })

  it('exhausted backends are told by pool, never by host', () => {
    const { status, body } = render({
      code: 'UPSTREAMS_EXHAUSTED',
      tier: 'cloud',
      attempted: ['onprem-core', 'cloud-core'],
    })

    expect(status).toBe(503)
    expect(body).toEqual({
      error: expect.any(String),
      code: 'UPSTREAMS_EXHAUSTED',
      tier: 'cloud',
      attempted: ['onprem-core', 'cloud-core'],
    })
  })

  it('every reason phrase is printable ASCII: it goes into the status line', () => {
    for (const denial of [{ code: 'NO_AUTH' }, { code: 'INVALID_KEY' }, { code: 'INTERNAL' }] satisfies Denial[]) {
      expect(render(denial).reason).toMatch(/^[ -~]+$/)
    }
  })
})

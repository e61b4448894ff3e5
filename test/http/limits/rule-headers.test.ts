import { describe, expect } from 'vitest'
import type { LimitRule } from '../../../src/policy/limits/rule.ts'
import { gatewayTest as it } from '../../support/gateway-test.ts'
import { limitPlan } from '../../support/limit-rules.ts'

describe('headers show the limit closest to exhaustion among those of a request', () => {
  it.for<[string, readonly LimitRule[], Shown]>([
    [
      'the minute, where a rule has more left',
      [{ measure: 'requests', most: 50, per: 'day' }],
      { requests: ['20', '19', '1m1s'], tokens: ['40000', expect.any(String), '1m1s'] },
    ],
    [
      'requests of a day',
      [{ measure: 'requests', most: 5, per: 'day' }],
      { requests: ['5', '4', '14h0m0s'], tokens: ['40000', expect.any(String), '1m1s'] },
    ],
    [
      'tokens of a key in an hour, among those of longer windows',
      [
        { measure: 'tokens', most: 900, per: 'month' },
        { measure: 'tokens', most: 800, per: 'hour', of: 'key' },
        { measure: 'tokens', most: 2000, per: '30d', of: 'user' },
      ],
      { requests: ['20', '19', '1m1s'], tokens: ['800', left(800), '1h0m0s'] },
    ],
    [
      'of two with as much left, the one that is renewed later',
      [
        { measure: 'requests', most: 5, per: 'hour' },
        { measure: 'requests', most: 5, per: 'week' },
      ],
      { requests: ['5', '4', '38h0m0s'], tokens: ['40000', expect.any(String), '1m1s'] },
    ],
    [
      'none of another model, and none that strangers share',
      [
        { measure: 'requests', most: 5, per: 'day', model: 'svc-ultra-pro' },
        { measure: 'requests', most: 6, per: 'day', of: 'plan' },
        { measure: 'requests', most: 7, per: 'day', of: 'everybody' },
      ],
      { requests: ['20', '19', '1m1s'], tokens: ['40000', expect.any(String), '1m1s'] },
    ],
  ])('%s', async ([_what, rules, shown], { gateway }) => {
    limitPlan(gateway, 'free', rules)

    expect(await rateOf(await gateway.chat(await gateway.key('free'), { max_tokens: 10 }))).toEqual(shown)
  })

  it('and so do those of a 429, whatever the limit that refuses', async ({ gateway }) => {
    limitPlan(gateway, 'free', [
      { measure: 'requests', most: 1, per: 'day' },
      { measure: 'tokens', most: 500, per: '30d' },
    ])
    const key = await gateway.key('free')
    await gateway.chat(key, { max_tokens: 10 })
    await gateway.clock.advance(60_000)
    const refused = await gateway.chat(key, { max_tokens: 10 })

    expect(refused.status).toBe(429)
    expect(await rateOf(refused)).toEqual({
      requests: ['1', '0', '13h59m0s'],
      tokens: ['500', '488', expect.stringMatching(/^7\d\dh/)],
    })
  })

  it('in the form of Anthropic also of prompts and of answers', async ({ gateway }) => {
    limitPlan(gateway, 'free', [
      { measure: 'input_tokens', most: 900, per: 'hour' },
      { measure: 'output_tokens', most: 700, per: 'day', of: 'key' },
    ])
    const response = await fetch(`${gateway.url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': await gateway.key('free'), 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'svc-core', max_tokens: 10, messages: [{ role: 'user', content: 'Hello' }] }),
    })
    await response.text()

    expect(response.status).toBe(200)
    expect(anthropicOf(response, 'input-tokens')).toEqual(['900', left(900), '2026-11-21T11:00:00Z'])
    expect(anthropicOf(response, 'output-tokens')).toEqual(['700', '690', '2026-11-22T00:00:00Z'])
    expect(anthropicOf(response, 'requests')).toEqual(['20', '19', '2026-11-21T10:01:01Z'])
  })
})

type Header = readonly [limit: string | null, remaining: string | null, reset: string | null]

interface Shown {
  readonly requests: Header
  readonly tokens: Header
}

/** The rest of a token limit after a short prompt. */
function left(limit: number): string {
  return expect.toSatisfy((text: string) => Number(text) < limit && Number(text) > limit - 200) as unknown as string
}

async function rateOf(response: Response): Promise<Shown> {
  await response.text()
  const of = (unit: string): Header => [
    response.headers.get(`x-ratelimit-limit-${unit}`),
    response.headers.get(`x-ratelimit-remaining-${unit}`),
    response.headers.get(`x-ratelimit-reset-${unit}`),
  ]
  return { requests: of('requests'), tokens: of('tokens') }
}

const anthropicOf = ({ headers }: Response, name: string): Header => [
  headers.get(`anthropic-ratelimit-${name}-limit`),
  headers.get(`anthropic-ratelimit-${name}-remaining`),
  headers.get(`anthropic-ratelimit-${name}-reset`),
]

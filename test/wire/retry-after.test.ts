import { expect, it } from 'vitest'
import { readRetryAfter, retryHeadersOf } from '../../src/wire/retry-after.ts'

const NOW = Date.UTC(2026, 10, 27, 12)
const soon = (ms: number) => new Date(NOW + ms).toISOString()

it.each<[string, Record<string, string>, number | undefined]>([
  ['seconds', { 'retry-after': '2' }, 2000],
  ['a part of a second', { 'retry-after': '0.25' }, 250],
  ['a date', { 'retry-after': new Date(NOW + 20_000).toUTCString() }, 20_000],
  ['a date that is over', { 'retry-after': new Date(NOW - 20_000).toUTCString() }, 0],
  ['milliseconds, before seconds', { 'retry-after': '2', 'retry-after-ms': '1500' }, 1500],
  ['rubbish', { 'retry-after': 'later' }, undefined],
  ['OpenAI, requests spent', reset('x-ratelimit-', 'requests', '1s', '0'), 1000],
  ['Groq, tokens spent', reset('x-ratelimit-', 'tokens', '2m59.56s', '0'), 179_560],
  ['milliseconds of OpenAI', reset('x-ratelimit-', 'tokens', '88ms', '0'), 88],
  ['a limit that is not spent', reset('x-ratelimit-', 'tokens', '6m0s', '7000'), undefined],
  ['a limit without what remains', { 'x-ratelimit-reset': '30' }, undefined],
  ['the IETF draft', { 'ratelimit-reset': '30', 'ratelimit-remaining': '0' }, 30_000],
  ['OpenRouter, in epoch ms', { 'x-ratelimit-reset': String(NOW + 5000), 'x-ratelimit-remaining': '0' }, 5000],
  ['epoch seconds', { 'x-ratelimit-reset': String(NOW / 1000 + 5), 'x-ratelimit-remaining': '0' }, 5000],
  [
    'Anthropic, the longest of those that are spent',
    {
      'anthropic-ratelimit-requests-reset': soon(9000),
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-input-tokens-reset': soon(12_000),
      'anthropic-ratelimit-input-tokens-remaining': '0',
      'anthropic-ratelimit-output-tokens-reset': soon(50_000),
      'anthropic-ratelimit-output-tokens-remaining': '1000',
    },
    12_000,
  ],
  ['Retry-After before the limits', { 'retry-after': '2', ...reset('x-ratelimit-', 'tokens', '6m0s', '0') }, 2000],
])('a backend says when to come again: %s', (_name, headers, wait) => {
  const picked = retryHeadersOf({ 'content-type': 'application/json', ...headers })
  expect(picked && readRetryAfter(picked, NOW)).toBe(wait)
})

function reset(prefix: string, of: string, time: string, remaining: string): Record<string, string> {
  return { [`${prefix}reset-${of}`]: time, [`${prefix}remaining-${of}`]: remaining }
}

it('other headers are left where they are', () => {
  expect(retryHeadersOf({ 'content-type': 'text/html', 'x-request-id': 'a' })).toBeUndefined()
})

import { expect, test } from 'vitest'
import { Secret } from '../../../src/config/settings.ts'
import { allowedBetas, poolHeaders, withQuery } from '../../../src/gateway/pools/headers.ts'

const BETAS = 'anthropic-beta'

test('a client gets only the beta features that the pool allows, in the order in which it sent them', () => {
  const betas = ['context-1m-2025-08-07', 'interleaved-thinking-*']

  expect(
    allowedBetas(BETAS, 'interleaved-thinking-2025-05-14, files-api-2025-04-14,context-1m-2025-08-07', { betas }),
  ).toBe('interleaved-thinking-2025-05-14,context-1m-2025-08-07')
  expect(allowedBetas(BETAS, 'files-api-2025-04-14', { betas })).toBeUndefined()
  expect(allowedBetas(BETAS, 'context-1m-2025-08-07-more', { betas })).toBeUndefined()
  expect(allowedBetas(BETAS, undefined, { betas })).toBeUndefined()
})

test('a pool without betas allows none, and one with * all', () => {
  expect(allowedBetas(BETAS, 'files-api-2025-04-14', {})).toBeUndefined()
  expect(allowedBetas(BETAS, 'a,b', { betas: ['*'] })).toBe('a,b')
})

test('what the pool is always sent stays beside what the client asks for, each once', () => {
  const headers = new Map<string, string | Secret>([['anthropic-beta', 'always, both']])

  expect(allowedBetas(BETAS, 'both,asked', { betas: ['*'], headers })).toBe('always,both,asked')
  expect(allowedBetas(BETAS, 'both,asked', { headers })).toBe('always,both')
  expect(allowedBetas(BETAS, 'x', { headers: new Map([['anthropic-beta', new Secret('covered')]]) })).toBe('covered')
})

test('nothing but names of features is passed on', () => {
  expect(allowedBetas(BETAS, 'a b,c\r\nx-evil: 1,,ok,é', { betas: ['*'] })).toBe('ok')
})

test('a pool without a key is sent its headers alone', () => {
  expect(poolHeaders({ auth: { header: 'x-api-key', prefix: '' }, headers: new Map([['x-a', 'b']]) })).toEqual({
    'x-a': 'b',
  })
  expect(poolHeaders({})).toEqual({})
})

test('a path without a query of its pool stays as it is', () => {
  expect(withQuery('/v1/models', {})).toBe('/v1/models')
  expect(withQuery('/v1/models', { query: 'a=b' })).toBe('/v1/models?a=b')
  expect(withQuery('/up?deep=1', { query: 'a=b' })).toBe('/up?deep=1&a=b')
})

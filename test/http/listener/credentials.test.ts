import { expect, it } from 'vitest'
import { credentialOf } from '../../../src/http/listener/credentials.ts'

const both = { authorization: 'Bearer a', 'x-api-key': 'b' }

it.each([
  ['/v1/chat/completions', 'Bearer a'],
  ['/v1/messages', 'Bearer b'],
  ['/v1/messages/count_tokens', 'Bearer b'],
  ['/v1/messagesx', 'Bearer a'],
])('of Authorization and x-api-key, %s takes %s', (path, authorization) => {
  expect(credentialOf(path, both).authorization).toBe(authorization)
})

it('x-api-key goes before api-key, and neither is none', () => {
  expect(credentialOf('/', { 'x-api-key': 'a', 'api-key': 'b' }).authorization).toBe('Bearer a')
  expect(credentialOf('/', { 'x-api-key': '', 'api-key': 'b' }).authorization).toBe('Bearer b')
  expect(credentialOf('/', {}).authorization).toBeUndefined()
})

import { expect, it } from 'vitest'
import { capsOf, fetchOf } from '../../../src/config/resolve/pool-manners.ts'

const BOTH = ['max_tokens', 'max_completion_tokens']
const OLDER = ['max_tokens']
const NEWER = ['max_completion_tokens']

it.each([
  ['http://10.0.0.11:8000/v1', BOTH],
  ['http://vllm.example.com/v1', BOTH],
  ['https://10.0.0.11/v1', BOTH],
  ['https://[fd00::1]/v1', BOTH],
  ['https://vllm/v1', BOTH],
  ['https://vllm.gpu.svc/v1', BOTH],
  ['https://vllm.corp.internal/v1', BOTH],
  ['https://api.openai.com/v1', NEWER],
  ['https://eu.api.openai.com/v1', NEWER],
  ['https://mine.openai.azure.com/openai/v1', NEWER],
  ['https://api.mistral.ai/v1', OLDER],
  ['https://notopenai.com.example.com/v1', OLDER],
])('the backends at %s are told the cap by %j', (replica, caps) => {
  expect(capsOf({ replicas: [replica] })).toEqual(caps)
})

it('a pool with a backend that refuses both names is told one', () => {
  expect(capsOf({ replicas: ['http://10.0.0.11:8000/v1', 'https://api.openai.com/v1'] })).toEqual(NEWER)
})

it.each([
  ['both', BOTH],
  ['max_tokens', OLDER],
  ['max_completion_tokens', NEWER],
] as const)('`cap: %s` holds wherever the backends are', (cap, caps) => {
  expect(capsOf({ cap, replicas: ['https://api.openai.com/v1'] })).toEqual(caps)
})

it.each([
  ['http://10.0.0.11:8000/v1', 'long'],
  ['https://api.openai.com/v1', 'whole'],
  ['https://api.mistral.ai/v1', 'whole'],
] as const)('long whole answers of %s are fetched `%s` unless the pool says otherwise', (replica, fetch) => {
  expect(fetchOf({ replicas: [replica] })).toBe(fetch)
  expect(fetchOf({ replicas: [replica], fetch: 'stream' })).toBe('stream')
})

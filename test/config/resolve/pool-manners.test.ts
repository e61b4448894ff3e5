import { describe, expect, it } from 'vitest'
import type { PoolSection } from '../../../src/config/file.ts'
import { mannersOf, patienceOf } from '../../../src/config/resolve/pool-manners.ts'

const BOTH = ['max_tokens', 'max_completion_tokens']
const OLDER = ['max_tokens']
const NEWER = ['max_completion_tokens']

const OWN = 'http://10.0.0.11:8000/v1'

const at = (replica: string | readonly string[], more: Partial<PoolSection> = {}) =>
  mannersOf({ model: 'm', replicas: [replica].flat(), ...more })

it.each([
  [OWN, BOTH],
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
  expect(at(replica).caps).toEqual(caps)
})

it.each(['gpt-5.2', 'openai/gpt-5-mini', 'o1', 'o3-mini', 'o4-mini'])('%s is told the cap by its newer name', model => {
  for (const replica of [OWN, 'https://llm.example.com/v1', 'https://api.openai.com/v1'])
    expect(at(replica, { model }).caps).toEqual(NEWER)
})

it('a pool with a backend that refuses both names is told one', () => {
  expect(at([OWN, 'https://api.openai.com/v1']).caps).toEqual(NEWER)
})

it.each([
  ['both', BOTH],
  ['max_tokens', OLDER],
  ['max_completion_tokens', NEWER],
] as const)('`cap: %s` holds wherever the backends are', (cap, caps) => {
  expect(at('https://api.openai.com/v1', { cap }).caps).toEqual(caps)
  expect(at('https://api.openai.com/v1', { provider: { cap } }).caps).toEqual(caps)
})

it.each([
  [OWN, 'long'],
  ['https://api.openai.com/v1', 'whole'],
  ['https://api.mistral.ai/v1', 'whole'],
] as const)('long whole answers of %s are fetched `%s` unless the pool says otherwise', (replica, fetch) => {
  expect(at(replica).fetch).toBe(fetch)
  expect(at(replica, { fetch: 'stream' }).fetch).toBe('stream')
})

describe('`unknown_fields` is', () => {
  it.each([
    [OWN, 'refuse'],
    ['https://llm.example.com/v1', 'refuse'],
    ['https://api.cohere.ai/v1', 'drop'],
    ['https://api.openai.com/v1', 'drop'],
    [[OWN, 'https://api.openai.com/v1'], 'refuse'],
  ] as const)('at %s: %s', (replicas, unknown) => {
    expect(at(replicas).unknownFields).toBe(unknown)
  })
})

describe('`provider`', () => {
  it('that is written holds wherever the backends are', () => {
    const { caps, fetch, provider, unknownFields } = at(OWN, { provider: 'openai' })

    expect({ caps, fetch, unknownFields }).toEqual({ caps: NEWER, fetch: 'whole', unknownFields: 'drop' })
    expect(provider).toMatchObject({ name: 'openai' })
    expect(provider.isImplied).toBeUndefined()
  })

  it('an engine in public is an engine', () => {
    const { caps, fetch, unknownFields } = at('https://llm.example.com/v1', { provider: 'vllm' })

    expect({ caps, fetch, unknownFields }).toEqual({ caps: BOTH, fetch: 'long', unknownFields: 'refuse' })
  })

  it('is implied by the address, which the pool may add to', () => {
    const { provider } = at('https://api.groq.com/openai/v1', { provider: { drops: ['seed'] } })

    expect(provider.name).toBe('groq')
    expect(provider.facts.drops).toEqual(expect.arrayContaining(['prompt_cache_key', 'seed']))
  })

  it('gives way to single facts of the pool', () => {
    const { facts } = at(OWN, { provider: { is: 'vllm', developer_role: true, finish_reason: 'optional' } }).provider

    expect(facts).toMatchObject({ developerRole: true, finishReason: 'optional', streamOptions: true })
  })

  it.each([
    [OWN, { provider: 'llamacpp' }],
    ['https://llm.example.com/v1', { provider: { choices_usage: 'one' } }],
  ] as const)('whose usage of choices counts one of them streams whole answers (%s)', (replicas, section) => {
    expect(at(replicas, section)).toMatchObject({ fetch: 'long', provider: { facts: { choicesUsage: 'one' } } })
    expect(at(replicas, { ...section, fetch: 'whole' }).fetch).toBe('whole')
  })

  it('that is unknown changes nothing', () => {
    expect(at(OWN).provider).toEqual({
      facts: {
        drops: [],
        developerRole: true,
        streamOptions: true,
        finishReason: 'required',
        callIds: 'any',
        cacheMarks: false,
        cacheSalt: false,
        priority: 'none',
        choicesUsage: 'all',
        thoughts: 'member',
      },
    })
  })
})

it('a model that thinks in silence has two minutes for its first content', () => {
  const patience = (model: string) => patienceOf({ model, replicas: ['https://api.openai.com/v1'] })

  expect(patience('gpt-5.2')).toEqual({ firstContentTimeout: 120_000 })
  expect(patience('gpt-4o')).toEqual({})
})

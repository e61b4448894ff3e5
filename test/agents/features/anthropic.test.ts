import { expect } from 'vitest'
import { streamThenReset } from '../../support/backend.ts'
import { type Feature, featureScenarios } from '../support/features.ts'
import { clientSuite } from '../support/installed.ts'
import { MODEL } from '../support/rig.ts'
import { PNG } from '../support/trouble.ts'

clientSuite({ registry: 'npm', name: '@anthropic-ai/sdk' }, () => {
  const program = 'test/agents/clients/node/features/anthropic.mjs'
  featureScenarios([process.execPath, program, PNG.toString('base64')], FEATURES)
})

const matches = (expected: unknown): Feature => ({ check: value => expect(value).toEqual(expected) })
const isRefused = (name: string, said: string): Feature =>
  matches(expect.objectContaining({ name, message: expect.stringContaining(said) }))

const thoughts = matches([
  { type: 'thinking', thinking: expect.stringContaining('I follow rules'), signature: expect.stringMatching(/./) },
  expect.objectContaining({ type: 'text', text: 'Paris' }),
])

const FEATURES: Readonly<Record<string, Feature>> = {
  'parses an answer by a schema': matches({ city: expect.any(String), population: expect.any(Number) }),
  'shows its thoughts': thoughts,
  'shows the thoughts of a stream': thoughts,
  'says at which text it stopped': matches({ text: 'alpha', stop_reason: 'stop_sequence', stop_sequence: 'beta' }),
  'says that it came to its cap': matches('max_tokens'),
  'shows an image': {
    check: (value, { backend }) => {
      expect(value).toBe('Paris')
      expect(backend.requests[0]?.rawBody).toContain('data:image/png;base64,')
    },
  },
  'counts tokens': matches(expect.any(Number)),
  'lists models': matches({ isListed: true, id: MODEL, type: 'model', display_name: expect.any(String) }),
  'fails where a stream is cut': {
    backend: streamThenReset({ chunks: ['Par', 'is'] }),
    check: value => expect(value).toMatchObject({ name: 'APIError', message: expect.stringContaining('api_error') }),
  },
  'is told that a key is wrong': isRefused('AuthenticationError', 'authentication_error'),
  'is told that a model is not there': isRefused('NotFoundError', 'no such model'),
  'is told which field is wrong': isRefused('BadRequestError', 'temperature: must be a number'),
  'is told that an answer is not continued': isRefused('BadRequestError', 'must end with a user message'),
  'is told that nothing is fetched': isRefused('BadRequestError', 'messages'),
  'is told that files are not kept': isRefused('BadRequestError', 'messages'),
}

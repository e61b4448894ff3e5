import { expect } from 'vitest'
import { type Feature, featureScenarios } from '../support/features.ts'
import { clientSuite } from '../support/installed.ts'
import { PNG } from '../support/trouble.ts'

clientSuite({ registry: 'npm', name: '@langchain/openai' }, () => {
  const program = 'test/agents/clients/node/features/langchain.mjs'
  featureScenarios([process.execPath, program, PNG.toString('base64')], FEATURES, ['chat', 'responses', 'anthropic'])
})

const FEATURES: Readonly<Record<string, Feature>> = {
  'gives an object': {
    check: value => expect(value).toEqual({ city: expect.any(String), population: expect.any(Number) }),
  },
  'shows an image': {
    check: (value, { backend }) => {
      expect(value).toBe('Paris')
      expect(backend.requests[0]?.rawBody).toContain('data:image/png;base64,')
    },
  },
  'shows what is wrong': {
    check: value => expect(value).toMatchObject({ message: expect.stringContaining('no such model') }),
  },
}

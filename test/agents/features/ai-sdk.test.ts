import { expect } from 'vitest'
import { type Feature, featureScenarios } from '../support/features.ts'
import { clientSuite } from '../support/installed.ts'
import { PNG } from '../support/trouble.ts'

const WAYS = ['compatible', 'openai.chat', 'openai', 'anthropic']

for (const name of ['ai-5', 'ai', 'ai-7'])
  clientSuite({ registry: 'npm', name }, () => {
    const program = 'test/agents/clients/node/features/ai-sdk.mjs'
    const command = [process.execPath, program, name, PNG.toString('base64')] as const
    featureScenarios(command, FEATURES, WAYS)
    // OpenAI's chats show no thoughts.
    featureScenarios(command, THOUGHTS, ['compatible', 'openai', 'anthropic'])
  })

const town: Feature = {
  check: value => expect(value).toEqual({ city: expect.any(String), population: expect.any(Number) }),
}
const thoughts: Feature = { check: value => expect(value).toContain('I follow rules') }

const THOUGHTS = { 'shows its thoughts': thoughts, 'shows the thoughts of a stream': thoughts }

const FEATURES: Readonly<Record<string, Feature>> = {
  'gives an object': town,
  'gives an object of a stream': town,
  'shows an image': {
    check: (value, { backend }) => {
      expect(value).toBe('Paris')
      expect(backend.requests[0]?.rawBody).toContain('data:image/png;base64,')
    },
  },
  'shows what is wrong': {
    check: value => expect(value).toMatchObject({ message: expect.stringContaining('no such model `no-such-model`') }),
  },
}

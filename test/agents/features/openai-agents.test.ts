import { expect } from 'vitest'
import { list, type Script, textOf } from '../model/conversation.ts'
import { ScriptedModel } from '../model/model.ts'
import { type Feature, featureScenarios } from '../support/features.ts'
import { clientSuite } from '../support/installed.ts'

clientSuite({ registry: 'npm', name: '@openai/agents' }, () =>
  featureScenarios([process.execPath, 'test/agents/clients/node/features/agents.mjs'], FEATURES, ['chat', 'responses']),
)

const town: Feature = {
  check: value => expect(value).toEqual({ city: expect.any(String), population: expect.any(Number) }),
}

/** The question of the second run. */
const second: Feature = {
  check: (value, { backend }) => {
    expect(value).toBe('Paris')
    const messages = backend.requests.map(({ body }) => list(body.messages))
    expect(messages.map(turns => turns.map(({ role }) => role))).toEqual([['user'], ['user', 'assistant', 'user']])
    expect(textOf(messages[1]?.[1]?.content)).toBe('Paris')
  },
}

const playHandover: Script = ({ tools }) => {
  const transfer = tools.find(({ name }) => name.startsWith('transfer_to'))
  return transfer ? { calls: [{ id: 'call_over', name: transfer.name, arguments: '{}' }] } : { text: 'Paris' }
}

const FEATURES: Readonly<Record<string, Feature>> = {
  'gives an object': town,
  'gives an object of a stream': town,
  'hands over to another agent': {
    backend: new ScriptedModel(playHandover).answer,
    check: value => expect(value).toEqual({ finalOutput: 'Paris', by: 'Geographer' }),
  },
  'goes on with its history': second,
  'thinks in its history': second,
}

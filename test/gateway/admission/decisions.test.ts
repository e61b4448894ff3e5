import { expect, test } from 'vitest'
import type { Settings } from '../../../src/config/settings.ts'
import { decisionNote } from '../../../src/gateway/admission/decisions.ts'
import { decide } from '../../../src/policy/decide.ts'
import type { DecisionRecord } from '../../../src/policy/record.ts'
import { config, facts } from '../../policy/fixture.ts'

const key = `svc_${'a1b2c3d4'.repeat(8)}`

test("a client's tool names are kept without keys, and decided again as kept", () => {
  const written: DecisionRecord[] = []
  const settings = { decisions: { log: true } } as Settings
  const ports = { config, settings, decisions: { write: (record: DecisionRecord) => written.push(record) }, alarm() {} }
  const onlyNative = { field: key, problem: `cannot be ${key}` }
  const given = facts({
    dialect: 'responses',
    losses: [key, 'web_search'],
    lostFields: { chat: [key] },
    providerTools: [key],
    unknown: [key],
    address: key,
    onlyNative,
  })
  const decision = decide(config, given)

  if (!('denial' in decision)) throw new Error('it is not refused')
  decisionNote(ports, 'req_1')?.(given, decision, decision, undefined)

  const [record] = written
  expect(JSON.stringify(record)).not.toContain(key)
  expect(record?.facts.request).toMatchObject({ dialect: 'responses', losses: [expect.any(String), 'web_search'] })
  expect(record?.outcome.denial).toMatchObject({
    code: 'VALIDATION_ERROR',
    problem: expect.stringMatching(/^cannot be /),
  })
})

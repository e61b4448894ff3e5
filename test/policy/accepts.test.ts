import { expect, test } from 'vitest'
import type { Bound, ChatModel } from '../../src/policy/config.ts'
import { decide } from '../../src/policy/decide.ts'
import { explain } from '../../src/policy/explain.ts'
import type { Extra } from '../../src/policy/facts.ts'
import { config, facts } from './fixture.ts'

const at = { file: 'policy.yaml', line: 99, column: 5 }

/** The configuration with fields that svc-pro declares, and a route to it for everybody who names no model. */
function declaring(accepts: Readonly<Record<string, Bound>>): typeof config {
  const pro = config.models.get('svc-pro')
  if (pro?.kind !== 'chat') throw new Error('there is no svc-pro')
  const model: ChatModel = { ...pro, accepts: new Map(Object.entries(accepts)) }
  const route = { name: 'all', at, fields: {}, when: { is: 'all', of: [] }, model } as const
  return { ...config, models: new Map(config.models).set('svc-pro', model), routes: [route] }
}

const asked = (extras: Readonly<Record<string, Extra>>, model?: string) =>
  facts({ extras, ...(model !== undefined && { model }) }, 'pro')

test('a field within its bound passes, and tells the line that declares it', () => {
  const within = asked({ top_k2: { value: 5, bytes: 1 } }, 'svc-pro')

  const policy = declaring({ top_k2: { at, is: 'number', min: 0, max: 5 } })
  const decision = decide(policy, within)

  expect(decision).toMatchObject({ model: { name: 'svc-pro' } })
  expect(explain(policy, within, decision)).toContainEqual({
    stage: 'body',
    outcome: 'pass',
    text: 'top_k2: up to 5',
    at,
  })
})

test('a field within its bound is a step of its own before what refuses the size of the request', () => {
  const policy = declaring({ top_k2: { at, is: 'number', min: 0, max: 5 } })
  const cap = { field: 'max_tokens', tokens: 1e9 } as const
  const given = facts({ model: 'svc-pro', extras: { top_k2: { value: 5, bytes: 1 } }, cap }, 'pro')
  const steps = explain(policy, given, decide(policy, given))

  expect(steps.slice(-2)).toMatchObject([
    { stage: 'body', outcome: 'pass', text: 'top_k2: up to 5' },
    { stage: 'body', outcome: 'deny' },
  ])
})

test('a route to a model that declares a field upgrades a request that has it', () => {
  const policy = declaring({ top_k2: { at, is: 'boolean' } })

  expect(decide(policy, asked({ top_k2: { value: true, bytes: 4 } }))).toMatchObject({ model: { name: 'svc-pro' } })
})

test('a route to a model that does not accept a field is skipped, and does not make a good request a bad one', () => {
  const policy = declaring({})
  const core = config.models.get('svc-core')
  if (core?.kind !== 'chat') throw new Error('there is no svc-core')
  const accepting: ChatModel = { ...core, accepts: new Map([['top_k2', { at, is: 'boolean' }]]) }
  const alias = { name: 'svc-auto', at, fields: {}, model: accepting }
  const files = { ...policy, defaultModel: alias, aliases: new Map([['svc-auto', alias]]) }

  const given = asked({ top_k2: { value: true, bytes: 4 } })
  const decision = decide(files, given)

  expect(decision).toMatchObject({ model: { name: 'svc-core' } })
  expect(explain(files, given, decision)).toContainEqual(
    expect.objectContaining({ stage: 'route', text: expect.stringContaining('top_k2') }),
  )
})

test('a value that says what is done anyway is no reason to refuse where the model does not declare its field', () => {
  const said = { quality: { value: 'standard', characters: 8, bytes: 10, isDefault: true } } as const

  expect(decide(declaring({}), asked(said, 'svc-pro'))).toMatchObject({ model: { name: 'svc-pro' } })
  expect(decide(declaring({}), asked({ quality: { value: 'hd', characters: 2, bytes: 4 } }, 'svc-pro'))).toMatchObject({
    denial: { code: 'VALIDATION_ERROR', field: 'quality', problem: 'is not accepted by svc-pro' },
  })
})

import { expect, test } from 'vitest'
import { combinations } from '../../src/simulate/invariant.ts'
import { coverageOf } from '../../src/simulate/run-tests.ts'
import { scenarioOf } from '../../src/simulate/scenario.ts'
import { sideOf } from '../config/diff/edited.ts'
import { uncommented } from '../config/diff/uncommented.ts'

const example = () => sideOf(uncommented()).loaded.config

test('every plan is combined with the models of pass-through routes, and allowed those that it includes', () => {
  const voice = [...combinations(example())].filter(({ asked, down }) => asked === 'svc-voice' && down.length === 0)

  expect(voice.map(({ plan, decision }) => [plan.name, 'denial' in decision ? 'deny' : 'allow'])).toEqual([
    ['guest-device', 'deny'],
    ['free', 'deny'],
    ['pro', 'allow'],
    ['team', 'allow'],
  ])
})

test('cases need not exercise them: none describes a request that is passed through', () => {
  const config = example()
  const [models] = coverageOf(config, []).filter(each => each.of === 'models')

  expect(models?.missed.map(({ name }) => name)).not.toContain('svc-voice')
  const exercised = [...config.models.values()].filter(({ kind }) => kind !== 'passthrough')
  expect(models?.declared).toBe(exercised.length)
})

test('a case or a command that asks for such a model is a chat, which it does not serve', () => {
  expect(scenarioOf(example(), { model: 'svc-voice', plan: 'pro' })?.path).toBe('/v1/chat/completions')
})

import { expect, test } from 'vitest'
import { configText } from '../../../src/cli/show/run.ts'
import { kinds, loadGood } from '../files.ts'

const bounds = [
  'steps: { min: 1, max: 50 }',
  'scale: { max: 7.5 }',
  'tone: { one_of: [warm, cold] }',
  'hint: { max_length: 1k }',
  'deep: { boolean: true }',
  'extra: { max_size: 16KB }',
]
const loaded = () =>
  loadGood(kinds.replace('usd_per_image: 0.02', `usd_per_image: 0.02, accepts: { ${bounds.join(', ')} }`))

test('the fields that a model declares have bounds, and are known to the readers of bodies of their kind', () => {
  const { models, declared } = loaded().config
  const model = models.get('pictures')

  expect(
    model?.kind === 'image' && [...(model.accepts ?? [])].map(([field, { at: _, ...bound }]) => [field, bound]),
  ).toEqual([
    ['steps', { is: 'number', min: 1, max: 50 }],
    ['scale', { is: 'number', min: 0, max: 7.5 }],
    ['tone', { is: 'one_of', words: ['warm', 'cold'] }],
    ['hint', { is: 'text', max: 1000 }],
    ['deep', { is: 'boolean' }],
    ['extra', { is: 'json', max: 16_000 }],
  ])
  expect([...declared.image]).toContainEqual(['tone', new Set(['warm', 'cold'])])
  expect([declared.chat.size, declared.embedding.size]).toEqual([0, 0])
})

test('svcctl show has them as they are enforced', () => {
  expect(configText(loaded())).toContain(`    accepts:
      steps: { min: 1, max: 50 }
      scale: { min: 0, max: 7.5 }
      tone:
        one_of: [warm, cold]
      hint: { max_length: 1000 }
      deep: { boolean: true }
      extra: { max_size: 16KB }
`)
})

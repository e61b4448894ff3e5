// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of YAML.

import { expect, test } from 'vitest'
import { interpolate } from '../../../src/config/model/variables.ts'
import { limitsOf } from '../../../src/policy/limits/named-rules.ts'
import { loadGood, small } from '../files.ts'

test.each([
  ['${A}', 'one'],
  ['x${A}y${A}', 'xoneyone'],
  ['${A:-two}', 'one'],
  ['${NO:-two}', 'two'],
  ['${NO:-}', ''],
  ['${EMPTY}', ''],
  ['${EMPTY:-two}', 'two'],
  ['${NO:-http://x:1/}/console', 'http://x:1//console'],
  ['$A $$ {A}', '$A $$ {A}'],
])('%s is filled in as %s', (text, expected) => {
  expect(interpolate(text, { A: 'one', EMPTY: '' })).toBe(expected)
})

test('the value of a variable is not expanded again', () => {
  expect(interpolate('${A}', { A: '${B}', B: 'x' })).toBe('${B}')
})

test.each(['${A', '${}', '${1}', '${A-b}', '${A:-${B}}', '${A:?b}'])('%s is not a variable', text => {
  expect(interpolate(text, { A: 'one', B: 'two' })).toMatchObject({ rule: 'bad-variable' })
})

test('an unquoted value gets its type after the variable was put in', () => {
  const config = small
    .replace('rpm: 20, ', '')
    .replace(
      '{ models: all, tpm: 40k, monthly_usd: 1 }',
      '\n    models: ${M:-all}\n    rpm: ${RPM:-20}\n    tpm: 40k\n    monthly_usd: ${USD}\n    overage: ${O:-true}',
    )
  const { plans } = loadGood(config, { USD: '0.25' }).config

  expect(plans.get('free')).toMatchObject({
    limits: limitsOf({ rpm: 20, tpm: 40_000 }),
    monthlyNanoUsd: 250_000_000,
    overage: true,
  })
})

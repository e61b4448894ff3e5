import { expect, test } from 'vitest'
import { acceptsRule } from '../../../src/config/diff/models.ts'
import type { Accepts, Bound } from '../../../src/policy/config.ts'

const at = { file: 'policy.yaml', line: 1, column: 1 }
const number = (min: number, max: number): Bound => ({ at, is: 'number', min, max })
const words = (...listed: string[]): Bound => ({ at, is: 'one_of', words: listed })
const text = (max: number): Bound => ({ at, is: 'text', max })
const json = (max: number): Bound => ({ at, is: 'json', max })
const boolean: Bound = { at, is: 'boolean' }

const told = (from?: Bound, to?: Bound) => {
  const accepts = (bound?: Bound): Accepts | undefined => bound && new Map([['x', bound]])
  return acceptsRule(accepts(from), accepts(to), 'svc-image').map(said => `${said.effect}: ${said.text}`)
}

test.each<[string, Bound | undefined, Bound | undefined, string[]]>([
  ['a field that is new', undefined, words('a', 'b'), ['more: svc-image accepts x as a or b']],
  ['a field that is gone', text(9), undefined, ['lost: svc-image no longer accepts x']],
  ['nothing', json(9), json(9), []],
  ['a wider bound', number(0, 50), number(0, 60), ['more: svc-image accepts x up to 60, no longer up to 50']],
  ['a narrower bound', number(0, 50), number(1, 50), ['less: svc-image accepts x from 1 to 50, no longer up to 50']],
  [
    'a text in place of words',
    words('a'),
    text(9),
    ['more: svc-image accepts x of up to 9 characters, no longer as a'],
  ],
  [
    'any value in place of a flag',
    boolean,
    json(9),
    ['more: svc-image accepts x of up to 9 bytes of JSON, no longer as true or false'],
  ],
  ['another kind', number(0, 1), boolean, ['other: svc-image accepts x as true or false, no longer up to 1']],
])('a plan tells of %s', (_what, from, to, expected) => {
  expect(told(from, to)).toEqual(expected)
})

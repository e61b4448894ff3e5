import { expect, test } from 'vitest'
import { mismatches } from '../../src/simulate/expectations.ts'

const matches = (expected: unknown, got: unknown): boolean => mismatches(expected, got, 'x').length === 0

test.each([
  ['a text', 'free', 'free', 'pro'],
  ['a number', 429, 429, 402],
  ['a boolean', false, false, true],
  ['a number and the text of it, as headers have it', 21, '21', '22'],
  ['a boolean and the text of it', false, 'false', 'true'],
  ['a text of digits, and no number', '21', '21', 21],
  ['absent', 'absent', undefined, 'absent'],
  ['none', 'none', undefined, 'time-sensitive'],
  ['a regular expression', '/max_tok/', 'the max_tokens', 'max'],
  ['one that ignores case', '/SIGN IN/i', 'Sign in again', 'sign out'],
  ['one of a number', '/^4/', 429, 500],
  ['one of nothing', '/./', 'a', undefined],
  ['at_most', { at_most: 3 }, 3, 4],
  ['at_least', { at_least: 3 }, 3, 2],
  ['both bounds', { at_least: 3, at_most: 5 }, 4, 6],
  ['a bound of a text of digits', { at_most: 60 }, '21', '61'],
  ['a bound of what is no number', { at_most: 60 }, 0, 'soon'],
  ['a bound of nothing', { at_most: 60 }, -1, undefined],
  ['a bound of an empty text', { at_most: 60 }, 1, ''],
  ['a list', ['a', 'b'], ['a', 'b'], ['b', 'a']],
  ['a list is all of it', ['a'], ['a'], ['a', 'b']],
  ['a list of matchers', ['/^a/', 'absent'], ['ab', undefined], ['b', undefined]],
  ['an empty list', [], [], undefined],
  ['a map is a part', { a: 1 }, { a: 1, b: 2 }, { b: 2 }],
  ['a map in a map', { a: { b: '/x/' } }, { a: { b: 'xy' } }, { a: 'xy' }],
  ['a map that says what is not there', { a: 'absent' }, {}, { a: 1 }],
  ['a field called at_most beside another', { at_most: 1, b: 2 }, { at_most: 1, b: 2 }, 1],
])('%s: matches what it says, and nothing else', (_, expected, right, wrong) => {
  expect(matches(expected, right)).toBe(true)
  expect(matches(expected, wrong)).toBe(false)
})

test('each thing that differs is named by the way to it', () => {
  expect(mismatches({ a: 1, b: { c: 2, d: 3 }, e: { at_most: 1 } }, { a: 2, b: { c: 2 }, e: 9 }, 'body')).toEqual([
    { path: 'body.a', expected: 1, got: 2 },
    { path: 'body.b.d', expected: 3, got: undefined },
    { path: 'body.e', expected: { at_most: 1 }, got: 9 },
  ])
})

test('a regular expression takes time that grows with the text alone', () => {
  expect(matches('/^(a+)+$/', `${'a'.repeat(50_000)}!`)).toBe(false)
})

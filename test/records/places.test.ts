import { expect, it } from 'vitest'
import { ACCOUNT_FIELDS } from '../../src/adapters/redis/account-hash.ts'
import { HOLD_TEXT, WEIGHT_TEXT } from '../../src/adapters/redis/hold-text.ts'
import { KEY_FIELDS } from '../../src/adapters/redis/key-hash.ts'
import { NumbersText } from '../../src/adapters/redis/places.ts'

it.each([
  ['hold', HOLD_TEXT],
  ['weight', WEIGHT_TEXT],
])('no two numbers of a %s share a place in its text, and no place is left open', (_, { places }) => {
  const taken = Object.values<number>(places)

  expect(taken.toSorted((a, b) => a - b)).toEqual([...taken.keys()])
})

it.each([
  ['key', KEY_FIELDS],
  ['account', ACCOUNT_FIELDS],
])('no two members of the record %s share a field of its hash', (_, names) => {
  expect(new Set<string>(names).size).toBe(names.length)
})

it('a text without a number that came later is as it was before there was one, and is read', () => {
  const before = new NumbersText({ a: 0, b: 1 })
  const after = new NumbersText({ a: 0, b: 1, c: 2, d: 3 }, ['c', 'd'])

  expect(after.textOf({ a: 1, b: -2, c: undefined, d: undefined })).toBe(before.textOf({ a: 1, b: -2 }))
  expect(after.read('1 -2')).toEqual({ a: 1, b: -2 })
  expect(after.textOf({ a: 1, b: -2, c: undefined, d: 4 })).toBe('1 -2 - 4')
  expect(after.read('1 -2 - 4')).toEqual({ a: 1, b: -2, d: 4 })
})

it('a text that lacks a number which every text has is refused', () => {
  expect(() => new NumbersText({ a: 0, b: 1 }).read('1')).toThrow('without a number')
})

import { expect, it } from 'vitest'
import { ACCOUNT_FIELDS } from '../../src/adapters/redis/account-hash.ts'
import { BUCKET_DIGITS, COUNTS_TEXT, countersTexts, SHARE_TEXT } from '../../src/adapters/redis/counter-texts.ts'
import { HOLD_TEXT, WEIGHT_TEXT } from '../../src/adapters/redis/hold-text.ts'
import { KEY_FIELDS } from '../../src/adapters/redis/key-hash.ts'
import { NumbersText } from '../../src/adapters/redis/places.ts'
import { HEAD_PLACES, PLACE_DIGITS, readHead } from '../../src/adapters/redis/response-head.ts'
import { readSums, SUM_ENDS, SUM_PLACES, sumsText } from '../../src/adapters/redis/total-texts.ts'
import { nanoUsd } from '../../src/policy/nano-usd.ts'

it.each([
  ['hold', HOLD_TEXT],
  ['weight', WEIGHT_TEXT],
  ['count', COUNTS_TEXT],
  ['share of guests', SHARE_TEXT],
  ['sum', { places: SUM_PLACES }],
  ['head of a response', { places: HEAD_PLACES }],
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

it('the text of sums ends where all sums behind are 0, and is read as they were', () => {
  const sums = { requests: 1, inputTokens: 2, outputTokens: 3, cost: nanoUsd(-4) }

  expect(SUM_ENDS.at(-1)).toBe(Object.keys(SUM_PLACES).length)
  for (const [later, text] of [
    [{}, '1 2 3 -4'],
    [{ cachedTokens: 5 }, '1 2 3 -4 5 0'],
    [{ cacheWriteTokens: -6 }, '1 2 3 -4 0 -6'],
    [{ saved: nanoUsd(7) }, '1 2 3 -4 0 0 7'],
  ] as const) {
    expect(sumsText({ ...sums, ...later })).toBe(text)
    expect(readSums(text)).toEqual({ ...sums, ...later })
  }
})

it('a script that finds no text reads 0 in place of each number', () => {
  expect(new NumbersText({ a: 0, b: 1 }).readOrZero('')).toEqual({ a: 0, b: 0 })
  expect(new NumbersText({ a: 0, b: 1 }).readOrZero('7')).toEqual({ a: 7, b: 0 })
})

it('every bucket of the minute is as wide as its place in the ring', () => {
  const minute = [0, 1, 2].map(second => ({ second: 1_750_000_000 + second, requests: 7, tokens: second - 1 }))
  const { head, ring } = countersTexts({ minute, calendar: [], concurrent: 0 })
  const width = Object.values(BUCKET_DIGITS).reduce((sum, digits) => sum + digits, 0)

  expect([head, ...ring.map(({ text }) => text)].map(text => text.length)).toEqual([width, width, width])
  expect(ring.map(({ at }) => at % width)).toEqual([0, 0])
})

it('the head of a response has its place with leading zeros, and any number of items behind its numbers', () => {
  const place = '7'.padStart(PLACE_DIGITS, '0')

  expect(readHead('id', `${place} 9 5`)).toEqual({ id: 'id', items: [], bytes: 5, expiresAt: 9, place: 7 })
  expect(readHead('id', `${place} 9 5 a b`)).toMatchObject({ items: ['a', 'b'], place: 7 })
})

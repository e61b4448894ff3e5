import { expect, it } from 'vitest'
import { isUneventful } from '../../../src/http/listener/quiet.ts'

it.each([
  ['GET', 200, 10_000, true],
  ['GET', 304, 0, true],
  ['GET', 499, 1000, true],
  ['GET', 499, 1001, false],
  ['POST', 201, 0, true],
  ['POST', 499, 0, false],
  ['GET', 401, 0, false],
  ['GET', 429, 0, false],
  ['GET', 503, 0, false],
])('a %s of an open page that ends with %i after %i ms is no news: %s', (method, status, ms, expected) => {
  expect(isUneventful({ method, status, ms })).toBe(expected)
})

import { expect, it } from 'vitest'
import { isUneventful } from '../../../src/http/listener/quiet.ts'

it.each([
  ['GET', 200, true],
  ['GET', 304, true],
  ['GET', 499, true],
  ['POST', 201, true],
  ['POST', 499, false],
  ['GET', 401, false],
  ['GET', 429, false],
  ['GET', 503, false],
])('a %s of an open page that ends with %i is no news: %s', (method, status, expected) => {
  expect(isUneventful({ method, status })).toBe(expected)
})

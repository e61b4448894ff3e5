import { expect, it } from 'vitest'
import { lengthOfTime } from '../../../src/server/log/terminal-text.ts'
import { dollars } from '../../../src/wire/money.ts'

it.each([
  [-5, '0 s'],
  [900, '1 s'],
  [41_000, '41 s'],
  [184_000, '3 min 4 s'],
  [3_600_000, '1 h'],
  [676_800_000, '7 d 20 h'],
])('%i ms are %s', (time, text) => {
  expect(lengthOfTime(time)).toBe(text)
})

it.each([
  ['20', '$20'],
  ['22.5', '$22.50'],
  ['0.1', '$0.10'],
  ['0.25', '$0.25'],
  ['0.000018', '$0.000018'],
])('%s US dollars are written %s', (usd, text) => {
  expect(dollars(usd)).toBe(text)
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isRefusal, typed } from '../../../src/config/model/scalar.ts'
import { readUnit, type Unit } from '../../../src/config/model/units.ts'

const read = (kind: Unit['kind'], written: string | number) => {
  const value = readUnit({ kind, min: 0, max: Number.MAX_SAFE_INTEGER }, written)
  return isRefusal(value) ? value.rule : value
}

test.each<[Unit['kind'], string | number, number | string]>([
  ['count', 40_000, 40_000],
  ['count', '40k', 40_000],
  ['count', '1.5k', 1500],
  ['count', '2M', 2_000_000],
  ['count', 1e4, 10_000],
  ['count', '1.0005k', 'not-a-number'],
  ['count', '1kk', 'not-a-number'],
  ['count', '', 'not-a-number'],
  ['count', '1e999', 'out-of-range'],
  ['count', '9'.repeat(10_000), 'not-a-number'],
  ['duration', '500ms', 500],
  ['duration', '1.5s', 1500],
  ['duration', '5m', 300_000],
  ['duration', '1h', 3_600_000],
  ['duration', '90d', 7_776_000_000],
  ['duration', '0.5ms', 'not-a-number'],
  ['size', '10MB', 10_000_000],
  ['size', '512KB', 512_000],
  ['size', '1GB', 1_000_000_000],
  ['size', 1024, 1024],
  ['usd', 0.1, 100_000_000],
  ['usd', 1e-9, 1],
  ['usd', 1e-10, 'too-precise'],
  ['usd', '9000000', 9_000_000_000_000_000],
  ['price', 0.1, 100_000],
  ['price', 0.000001, 1],
  ['price', 1e-7, 'too-precise'],
  ['price', -0.1, 'out-of-range'],
])('%s %s is read as %s', (kind, written, expected) => {
  expect(read(kind, written)).toBe(expected)
})

test('every price of up to 6 decimals is kept exactly, quoted or not', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 500_000_000 }), micro => {
      const text = `${Math.floor(micro / 1e6)}.${String(micro % 1e6).padStart(6, '0')}`
      expect(read('price', text)).toBe(micro)
      expect(read('price', Number(typed(text)))).toBe(micro)
    }),
  )
})

test('every amount of nano-USD with 15 digits is kept exactly', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 999_999_999_999_999 }), nano => {
      const text = `${Math.floor(nano / 1e9)}.${String(nano % 1e9).padStart(9, '0')}`
      expect(read('usd', Number(typed(text)))).toBe(nano)
    }),
  )
})

test.each([
  ['true', true],
  ['False', false],
  ['yes', 'yes'],
  ['', null],
  ['~', null],
  ['1.50', 1.5],
  ['1e3', 1000],
  ['0', 0],
  ['0.5', 0.5],
  ['-1', -1],
  ['0x10', '0x10'],
  ['.inf', '.inf'],
  ['127.0.0.1', '127.0.0.1'],
  ['2026-11-21', '2026-11-21'],
])('unquoted %s has the value %s', (text, value) => {
  expect(typed(text)).toBe(value)
})

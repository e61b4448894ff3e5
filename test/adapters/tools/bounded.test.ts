import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bounded, clean } from '../../../src/adapters/tools/limits.ts'

const anyText = fc.string({ unit: 'binary', maxLength: 400 })
const longText = fc.string({ unit: 'binary', minLength: 120, maxLength: 400 })

it('no text is longer than its bound, and what is not cut is as it was', () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 0, max: 500 }), (text, max) => {
      const cut = bounded(text, max)
      expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(max)
      if (Buffer.byteLength(text) <= max) expect(cut).toBe(text)
    }),
  )
})

it('what is kept of a cut text is its beginning, whole characters, and the mark says how much was left out', () => {
  fc.assert(
    fc.property(longText, fc.integer({ min: 40, max: 119 }), (text, max) => {
      const [, kept = '', left] = /^(.*)\n\[(\d+) bytes left out\]$/s.exec(bounded(text, max)) ?? []
      expect(text.startsWith(kept)).toBe(true)
      expect(kept.isWellFormed()).toBe(true)
      expect(Buffer.byteLength(kept) + Number(left)).toBe(Buffer.byteLength(text))
    }),
  )
})

it('a clean text has no control character but newlines and tabs, and no half character', () => {
  const halves = fc.array(fc.integer({ min: 0, max: 0xffff })).map(units => String.fromCharCode(...units))
  fc.assert(
    fc.property(fc.oneof(halves, anyText), text => {
      const cleaned = clean(text)
      expect(cleaned.isWellFormed()).toBe(true)
      expect([...cleaned].filter(char => /\p{Cc}/u.test(char) && char !== '\n' && char !== '\t')).toEqual([])
      expect(clean(cleaned)).toBe(cleaned)
    }),
  )
})

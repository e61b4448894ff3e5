import fc from 'fast-check'
import { expect, it } from 'vitest'
import { sealReasoning, unsealReasoning } from '../../src/wire/sealed-reasoning.ts'

it('marks what it seals', () => {
  expect(sealReasoning('A cat.')).toBe('svc1.QSBjYXQu')
})

it('has no U+0000, which would be a mark of a text that was left out', () => {
  expect(unsealReasoning(sealReasoning('a\0b\x000\0'))).toBe('ab0')
})

it('unseals what it sealed', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), text => {
      expect(unsealReasoning(sealReasoning(text))).toBe(text)
    }),
  )
})

it('reads nothing that another service sealed, and nothing that is no text', () => {
  for (const other of ['gAAAAABo', '', 'svc2.QQ', null, 7, {}]) expect(unsealReasoning(other)).toBeUndefined()
})

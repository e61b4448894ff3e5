import fc from 'fast-check'
import { expect, it } from 'vitest'
import { plainLabel } from '../../../src/gateway/accounts/accounts.ts'
import { looksLike, shapeHashes, shapesOf } from '../../../src/gateway/accounts/look-alikes.ts'

it.each([
  ['case', 'Ada@Example.com', 'ada@example.com'],
  ['width', '\uff41\uff44\uff41', 'ada'],
  ['a sharp s', 'Stra\u00dfe', 'STRASSE'],
  ['a Cyrillic letter', '\u0430da', 'ada'],
  ['a Cyrillic word', '\u0440\u0430\u0443', 'pay'],
  ['a Cyrillic capital', '\u0412OB', 'bob'],
  ['a Cyrillic small letter that is drawn like a capital', '\u0432ob', 'BOB'],
  ['a Cyrillic letter with an accent', 'zo\u0451', 'zo\u00eb'],
  ['a Greek letter', 'n\u03bfva', 'nova'],
  ['a Greek small letter that differs from its capital', 'no\u03bda', 'nova'],
  ['the Greek capital of it', '\u039dOVA', 'nova'],
  ['an Armenian letter', 'b\u0585b', 'bob'],
  ['a letter without its dot', 'pa\u0131d', 'paid'],
  ['another dash', 'team\u20131', 'team-1'],
  ['a minus', 'team\u22121', 'team-1'],
  ['two blanks', 'ada  lovelace', 'ada lovelace'],
  ['something invisible', 'a\u200dda', 'ada'],
])('a label with %s looks like the one without', (_, one, other) => {
  expect(looksLike(one, other)).toBe(true)
  expect(looksLike(other, one)).toBe(true)
})

it.each([
  ['ada', 'ada'],
  ['team-1', 'team-l'],
  ['node-0', 'node-o'],
  ['jos\u00e9', 'jose'],
  ['\u043c\u043e\u0434\u0435\u043b\u044c', 'model'],
  ['ada@example.com', 'ada@example.org'],
])('%s is not taken for %s', (one, other) => {
  expect(looksLike(one, other)).toBe(false)
})

const TEXT = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 })

it('a label looks like itself in any case and in its plain form, or is that', () => {
  fc.assert(
    fc.property(TEXT, text => {
      for (const other of [text.toLowerCase(), text.toUpperCase(), plainLabel(text)])
        if (other !== text && other !== '') expect(looksLike(text, other), JSON.stringify([text, other])).toBe(true)
    }),
  )
})

it('two labels share a hash exactly where they share a shape', () => {
  fc.assert(
    fc.property(TEXT, TEXT, (one, other) => {
      const shared = shapesOf(one).some(shape => shapesOf(other).includes(shape))
      expect(shapeHashes(one).some(shape => shapeHashes(other).includes(shape))).toBe(shared)
    }),
  )
})

import { assert, property, string } from 'fast-check'
import { expect, it } from 'vitest'
import { leastTokens } from '../../../src/wire/usage/usage.ts'

const WORDS = /\S+/g
const PIECES = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]{4}|\p{Nd}{3}|\p{L}{24}/gu
const countOf = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0
const LONG = 'a'.repeat(30)

it('a text in ASCII has as many tokens at the least as the rules for any text say', () => {
  const ascii = string({ unit: 'binary-ascii', minLength: 17, maxLength: 200 })
  assert(
    property(ascii, text => {
      expect(leastTokens(text)).toBe(Math.max(1, countOf(text, WORDS), countOf(text, PIECES)))
    }),
    {
      examples: [
        [LONG + LONG],
        ['1234567890'.repeat(4)],
        [`${LONG}1${LONG}`],
        ['a\tb\nc\u000bd\fe\rf g h i j'],
        [' '.repeat(20)],
      ],
    },
  )
})

it.each([
  ['', 0],
  ['short', 1],
  ['漢字'.repeat(20), 10],
  ['two words of an answer', 5],
])('%j has %i', (text, tokens) => {
  expect(leastTokens(text)).toBe(tokens)
})

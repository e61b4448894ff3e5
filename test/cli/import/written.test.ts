import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { writtenYaml } from '../../../src/cli/import/written.ts'
import { oneLine } from '../../../src/wire/printable.ts'

const CHARACTERS = [
  ...'ab :#-{}[]"\'\\,&*!|>%@`\n\t',
  '\u001b',
  '\u0007',
  '\u009b',
  '\u0085',
  '\u202e',
  '\u2028',
  '\u0000',
  '\ufeff',
  '€',
  '😀',
]
const foreign = fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength: 20 })

it('what is written is printable whatever the source says, means the same, and no comment leaves its line', () => {
  fc.assert(
    fc.property(foreign, foreign, foreign, (value, key, comment) => {
      const data = { models: { [`m${key}`]: { value, list: [value] } } }
      const text = writtenYaml({ data, comments: new Map([['models', [comment]]]) }, oneLine(comment))

      expect(parse(text)).toEqual(data)
      expect(text.split('\n').map(oneLine).join('\n')).toBe(text)
    }),
  )
})

import { assert, constantFrom, dictionary, jsonValue, property } from 'fast-check'
import { expect, it } from 'vitest'
import { readSomeMembers } from '../../../src/wire/fast/some-members.ts'
import { allAtOnce } from '../../../src/wire/steps.ts'

const NAMES = ['error', 'usage', 'meta']
const read = (text: string) => allAtOnce(readSomeMembers(Buffer.from(text), new Set(NAMES)))

it('the members that are asked for are those of a parser, and no others', () => {
  const object = dictionary(constantFrom(...NAMES, 'results', 'é', ''), jsonValue())
  assert(
    property(object, constantFrom(undefined, 1), (value, space) => {
      const text = JSON.stringify(value, undefined, space)
      const parsed = Object.entries(JSON.parse(text)).filter(([name]) => NAMES.includes(name))

      expect(read(text) ?? {}).toEqual(Object.fromEntries(parsed))
    }),
  )
})

it('a name may be written with escapes', () => {
  expect(read('{"us\\u0061ge":1}')).toEqual({ usage: 1 })
})

it('of a member that comes twice the second counts', () => {
  expect(read('{"usage":1,"usage":{"a":2}}')).toEqual({ usage: { a: 2 } })
})

it.each(['[]', '{', '{"usage":}', '{"usage":1}}', '"x"', ''])('what no parser takes has none: %j', text => {
  expect(read(text)).toBeUndefined()
})

import { expect, it } from 'vitest'
import { OpenCalls } from '../../src/wire/open-calls.ts'

interface Part {
  readonly index?: number
  readonly id?: string
  readonly name?: string
}

/** The call of each part, by its place. */
function placesOf(parts: readonly Part[]): readonly number[] {
  const calls = new OpenCalls(index => ({ index, id: '', name: '' }))
  return parts.map(({ name, ...part }) => {
    const call = calls.of({ ...part, function: { name, arguments: '{' } })
    if (call.id === '') call.id = part.id ?? ''
    if (call.name === '') call.name = name ?? ''
    return call.index
  })
}

it.each<[string, readonly Part[], readonly number[]]>([
  ['by their index', [{ index: 0, id: 'a', name: 'f' }, { index: 1, id: 'b', name: 'g' }, { index: 0 }], [0, 1, 0]],
  ['by their id, where none has an index', [{ id: 'a', name: 'f' }, { id: 'b', name: 'g' }, { id: 'a' }], [0, 1, 0]],
  ['with the last one, where they have neither', [{ name: 'f' }, {}, { name: 'g' }, {}], [0, 0, 1, 1]],
  [
    'whole, under one index',
    [
      { index: 0, id: 'a', name: 'f' },
      { index: 0, id: 'b', name: 'g' },
    ],
    [0, 1],
  ],
  [
    'with the id in another part than the name',
    [
      { index: 0, id: 'a' },
      { index: 0, name: 'f' },
    ],
    [0, 0],
  ],
  [
    'with the name in each part',
    [
      { index: 0, id: 'a', name: 'f' },
      { index: 0, id: 'a', name: 'f' },
    ],
    [0, 0],
  ],
])('parts of calls belong together %s', (_, parts, places) => {
  expect(placesOf(parts)).toEqual(places)
})

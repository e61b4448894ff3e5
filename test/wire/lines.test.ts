import fc from 'fast-check'
import { expect, it } from 'vitest'
import { inChunks, linesOf } from '../../src/wire/lines.ts'

async function* each<T>(items: Iterable<T>) {
  yield* items
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

it('lines are the same however their bytes are cut, also within a character', async () => {
  const line = fc.string({ unit: 'grapheme' }).filter(text => !text.includes('\n'))
  await fc.assert(
    fc.asyncProperty(fc.array(line), fc.integer({ min: 1, max: 7 }), async (lines, size) => {
      const bytes = new TextEncoder().encode(lines.map(text => `${text}\n`).join(''))
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      )

      expect(await all(linesOf(each(pieces)))).toEqual(lines)
    }),
  )
})

it('a last line without an end is a line', async () => {
  expect(await all(linesOf(each([new TextEncoder().encode('a\nb')])))).toEqual(['a', 'b'])
})

it('chunks are what the lines were, a few hundred together, and none is empty', async () => {
  const lines = Array.from({ length: 1000 }, (_, n) => `${'x'.repeat(100)}${n}\n`)

  const chunks = await all(inChunks(each(lines)))

  expect(chunks.join('')).toBe(lines.join(''))
  expect(chunks.length).toBeLessThan(10)
  expect(await all(inChunks(each([])))).toEqual([])
})

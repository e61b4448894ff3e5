import fc from 'fast-check'
import { expect, it } from 'vitest'
import { inChunks, LineTooLong, linesOf } from '../../src/wire/lines.ts'
import { workOf } from '../support/work.ts'

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

it('the work of a line grows with its length, however many pieces it comes in', async () => {
  const piece = new TextEncoder().encode('x'.repeat(100))
  const read = (pieces: number) => workOf(() => all(linesOf(each(Array.from({ length: pieces }, () => piece)))))

  const [work, twice] = [await read(1000), await read(2000)]

  expect(twice / work).toBeLessThan(2.2)
})

it('a line that is too long is refused before more of it is held, also where it ends in the same piece', async () => {
  const bytes = (text: string) => new TextEncoder().encode(text)
  const endless = function* () {
    for (;;) yield bytes('x'.repeat(10))
  }

  await expect(all(linesOf(each(endless()), 100))).rejects.toThrow(LineTooLong)
  await expect(all(linesOf(each([bytes('x'.repeat(101)), bytes('\ny\n')]), 100))).rejects.toThrow(LineTooLong)
  expect(await all(linesOf(each([bytes(`${'x'.repeat(100)}\n`)]), 100))).toHaveLength(1)
})

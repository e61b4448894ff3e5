import fc from 'fast-check'
import { expect, it } from 'vitest'
import { answers, corpus, cuts, eventsByTheBook, eventsIn, readingOf, split } from '../support/sse-corpus.ts'
import { sizeOf } from './harness/size.ts'

/** Cases of each kind. A failure prints its seed and path; SSE_SEED repeats it. */
const numRuns = sizeOf('SSE_CASES', 200_000, 20_000)
const seed = Number(process.env.SSE_SEED ?? Date.now() % 2 ** 31)

it(`any split of any event stream gives the events that the format says, ${numRuns} times`, () => {
  fc.assert(
    fc.property(corpus, cuts, (source, places) => {
      const book = eventsByTheBook(source)
      if (!same(eventsIn([source]), book)) expect(eventsIn([source])).toEqual(book)
      const pieces = eventsIn(split(source, places))
      if (!same(pieces, book)) expect(pieces).toEqual(book)
    }),
    { numRuns, seed },
  )
  console.log(`SSE: ${numRuns} event streams, each cut anywhere and compared with the reference; seed ${seed}`)
})

it(`any split of any answer reads the same, ${numRuns} times`, () => {
  fc.assert(
    fc.property(answers, cuts, (source, places) => {
      expect(readingOf(split(source, places))).toEqual(readingOf([source]))
    }),
    { numRuns, seed },
  )
  console.log(`SSE: ${numRuns} answers, each cut anywhere; seed ${seed}`)
})

/** Much faster than the comparison of a test. */
const same = (a: readonly string[], b: readonly string[]): boolean => JSON.stringify(a) === JSON.stringify(b)

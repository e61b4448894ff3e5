import fc from 'fast-check'
import { expect, it } from 'vitest'
import { answers, corpus, cuts, eventsByTheBook, eventsIn, readingOf, split } from '../support/sse-corpus.ts'
import { times } from '../support/times.ts'

// test/long/sse.test.ts has many more.
const numRuns = times(2500)

it('events are the same wherever the bytes are cut, and those that the format says', () => {
  fc.assert(
    fc.property(corpus, cuts, (source, places) => {
      const book = eventsByTheBook(source)

      expect(eventsIn([source])).toEqual(book)
      expect(eventsIn(split(source, places))).toEqual(book)
    }),
    { numRuns },
  )
})

it('an answer reads the same wherever its bytes are cut', () => {
  fc.assert(
    fc.property(answers, cuts, (source, places) => {
      expect(readingOf(split(source, places))).toEqual(readingOf([source]))
    }),
    { numRuns },
  )
})

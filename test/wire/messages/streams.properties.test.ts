import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { JsonObject } from '../../../src/wire/json-safety.ts'
import { chargedFor } from '../../support/charged.ts'
import { answers, chunksOf, completionOf, request } from './answers.ts'
import { messageOf } from './blocks-of-events.ts'
import { read, streamed, writerTerms } from './support.ts'

const joined = (content: readonly JsonObject[], field: string) => content.map(block => block[field] ?? '').join('')

/** The parts of two messages that a client can tell apart, ignoring where another block splits a text. */
const seen = ({ content, stop_reason, stop_sequence, usage }: JsonObject) => {
  const blocks = content as JsonObject[]
  const counts = Object.entries(usage as JsonObject).filter(([name]) => name.endsWith('_tokens'))
  return {
    text: joined(blocks, 'text'),
    thinking: joined(blocks, 'thinking'),
    calls: blocks.filter(({ type }) => type === 'tool_use'),
    stop_reason,
    stop_sequence,
    counts,
  }
}

const writer = () => read(request).writer(writerTerms())

it('a stream in any order and cut anywhere says what the whole answer says', () => {
  fc.assert(
    fc.property(answers, answer => {
      const whole = writer().whole(completionOf(answer), chargedFor(completionOf(answer)))
      const message = messageOf(streamed(writer(), chunksOf(answer)))
      expect(seen(message)).toEqual(seen(whole))
    }),
    { numRuns: 2000 },
  )
})

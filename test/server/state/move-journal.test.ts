import { expect, it } from 'vitest'
import type { Mark } from '../../../src/gateway/store/mark.ts'
import { type MoveNote, standingOf } from '../../../src/server/state/move-journal.ts'

const FROM = 'embedded:/data'
const TO = 'redis://there'
const note = (state: MoveNote['state']): MoveNote => ({ id: 'm1', state, from: FROM, to: TO })
const mark = (state: Mark['state']): Mark => ({ state, id: 'm1', other: state === 'moved' ? TO : FROM, at: 1 })

/** What a kill leaves, in the order in which a move writes: the note of the machine, the mark of the old store, that of the copy. */
const STEPS: readonly (readonly [MoveNote | undefined, Mark | undefined, Mark | undefined, serves: string])[] = [
  [undefined, undefined, undefined, FROM],
  [note('moving'), undefined, undefined, FROM],
  [note('moving'), undefined, mark('copy'), FROM],
  [note('moving'), mark('moved'), mark('copy'), FROM],
  [note('moved'), mark('moved'), mark('copy'), TO],
  [note('moved'), mark('moved'), undefined, TO],
  [undefined, mark('moved'), undefined, TO],
]

it('a kill at any step of a move leaves one store that serves', () => {
  for (const [noted, old, copy, serves] of STEPS.slice(1)) {
    expect(standingOf(FROM, old, noted).serves, JSON.stringify([noted, old])).toBe(serves === FROM)
    expect(standingOf(TO, copy, noted).serves, JSON.stringify([noted, copy])).toBe(serves === TO)
  }
})

it('what a kill left is cleared by the start on the store that serves, and only there', () => {
  for (const [noted, old, copy, serves] of STEPS.slice(1, -1))
    expect(standingOf(serves, serves === FROM ? old : copy, noted)).toEqual({ serves: true, clear: true })
  expect(standingOf('redis://another', undefined, note('moved'))).toEqual({ serves: true, clear: false })
})

it('another gateway starts neither on a store that moved nor on a copy that never took over', () => {
  expect(standingOf(FROM, mark('moved'), undefined)).toMatchObject({ reason: expect.stringContaining(TO) })
  expect(standingOf(TO, mark('copy'), undefined)).toMatchObject({ reason: expect.stringContaining(FROM) })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LimitWindow } from '../../../src/policy/limits/rule.ts'
import {
  addToCell,
  cellAt,
  cellEnd,
  cellStart,
  currentCell,
  NO_CELLS,
  type RuleCounter,
  readRule,
  slides,
  waitForCells,
} from '../../../src/policy/limits/rule-counter.ts'

const NOON = Date.UTC(2026, 1, 11, 12)
const DAY = 86_400_000
const windows: readonly LimitWindow[] = [
  'second',
  'minute',
  'hour',
  'day',
  'week',
  'month',
  'quarter',
  'day@Australia:Lord_Howe',
  'month@America:New_York@26',
  '1d',
  '30d',
  '90d',
]
const window = fc.constantFrom(...windows)
const moment = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2040, 0, 1) })

const counted = (counter: RuleCounter, per: LimitWindow, at: number, used: number, held = 0): RuleCounter => {
  const index = currentCell(counter, per, at)
  return addToCell(counter, per, { index, used, held }, index)
}

describe('the cells of windows', () => {
  it('hold every moment in one cell, from its start to before the next', () => {
    fc.assert(
      fc.property(window, moment, (per, at) => {
        const index = cellAt(per, at)
        expect(cellStart(per, index)).toBeLessThanOrEqual(at)
        expect(cellStart(per, index + 1)).toBeGreaterThan(at)
      }),
    )
  })

  it('begin weeks on Monday and months on the first, UTC', () => {
    expect(new Date(cellStart('week', cellAt('week', NOON))).toISOString()).toBe('2026-02-09T00:00:00.000Z')
    expect(new Date(cellStart('month', cellAt('month', NOON))).toISOString()).toBe('2026-02-01T00:00:00.000Z')
    expect(new Date(cellEnd('month', cellAt('month', NOON))).toISOString()).toBe('2026-03-01T00:00:00.000Z')
  })
})

describe('the counter of a session', () => {
  const per = 'idle:24h'

  it('counts on while a request comes within its idle time, and begins anew after that', () => {
    const first = counted(NO_CELLS, per, NOON, 5)
    const second = counted(first, per, NOON + DAY, 7)
    const third = counted(second, per, NOON + 2 * DAY + 1000, 1)

    expect(readRule(second, per, NOON + DAY).used).toBe(12)
    expect(readRule(second, per, NOON + 2 * DAY).used).toBe(12)
    expect(readRule(third, per, NOON + 2 * DAY + 1000).used).toBe(1)
  })

  it('counts what was used since the last gap that is longer than its idle time', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 200 }), fc.nat(9)), { maxLength: 40 }), uses => {
        let [at, sum, counter] = [NOON, 0, NO_CELLS]
        for (const [seconds, used] of uses) {
          at += seconds * 1000
          sum = seconds > 90 ? used : sum + used
          counter = counted(counter, 'idle:90s', at, used)
          expect(readRule(counter, 'idle:90s', at).used).toBe(sum)
        }
      }),
    )
  })

  it('goes on while a request runs, however long that is', () => {
    const held = counted(NO_CELLS, per, NOON, 5, 3)

    expect(readRule(held, per, NOON + 9 * DAY)).toMatchObject({ used: 5, held: 3 })
    expect(readRule(counted(held, per, NOON + 9 * DAY, 2, -3), per, NOON + 10 * DAY).used).toBe(7)
  })
})

describe('a counter', () => {
  it('counts in every span of a window that slides no less than was used in it', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<LimitWindow>('minute', '1d', '30d'),
        fc.array(fc.tuple(fc.nat(30), fc.nat(1000)), { maxLength: 60 }),
        (per, uses) => {
          const length = per === 'minute' ? 60_000 : Number.parseInt(per, 10) * DAY
          let at = NOON
          let counter = NO_CELLS
          const events: { at: number; used: number }[] = []
          for (const [steps, used] of uses) {
            at += Math.floor((steps * length) / 100)
            counter = counted(counter, per, at, used)
            events.push({ at, used })
            const span = events.filter(event => event.at > at - length).reduce((sum, event) => sum + event.used, 0)
            const cells = readRule(counter, per, at)
            expect(cells.used).toBeGreaterThanOrEqual(span)
            expect(cells.cells.length).toBeLessThanOrEqual(61)
          }
        },
      ),
    )
  })

  it('forgets a calendar window with its end, and what is held in it only once that is released', () => {
    const counter = counted(counted(NO_CELLS, 'day', NOON, 5, 3), 'day', NOON + DAY, 1)

    expect(readRule(counter, 'day', NOON + DAY)).toMatchObject({ used: 1, held: 0 })
    const [yesterday] = counter
    expect(yesterday).toEqual({ index: cellAt('day', NOON), used: 5, held: 3 })
    const released = addToCell(
      counter,
      'day',
      { index: cellAt('day', NOON), used: 2, held: -3 },
      cellAt('day', NOON + DAY),
    )
    expect(released).toEqual([{ index: cellAt('day', NOON + DAY), used: 1, held: 0 }])
  })

  it('stays where it is while the clock is two minutes back, and begins anew beyond', () => {
    const counter = counted(NO_CELLS, 'second', NOON, 5)

    expect(readRule(counter, 'second', NOON - 100_000).used).toBe(5)
    expect(readRule(counter, 'second', NOON - 121_000).used).toBe(0)
    expect(readRule(counted(NO_CELLS, 'day', NOON + 2 * DAY, 5), 'day', NOON).used).toBe(0)
  })

  it('has room after the wait that it says, and not before', () => {
    fc.assert(
      fc.property(
        window,
        fc.array(fc.tuple(fc.nat(20), fc.integer({ min: 1, max: 50 })), { minLength: 1, maxLength: 20 }),
        fc.nat(99),
        (per, uses, share) => {
          const length = cellEnd(per, cellAt(per, NOON)) - NOON
          let at = NOON
          let counter = NO_CELLS
          for (const [steps, used] of uses) {
            at += Math.floor((steps * length) / 40)
            counter = counted(counter, per, at, used)
          }
          const reading = readRule(counter, per, at)
          const over = 1 + Math.floor((share * Math.max(0, reading.used - 1)) / 100)
          if (reading.used < over) return
          const wait = waitForCells(reading, per, over, at)
          expect(reading.used - readRule(counter, per, at + wait).used).toBeGreaterThanOrEqual(over)
          if (slides(per) || wait > 1)
            expect(reading.used - readRule(counter, per, at + wait - 1).used).toBeLessThan(over)
        },
      ),
    )
  })
})

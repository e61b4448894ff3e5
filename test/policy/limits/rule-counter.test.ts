import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LimitWindow } from '../../../src/policy/limits/limit-rule.ts'
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
const windows: readonly LimitWindow[] = ['second', 'minute', 'hour', 'day', 'week', 'month', '1d', '30d', '90d']
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

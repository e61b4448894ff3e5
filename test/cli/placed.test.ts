import { describe, expect, it } from 'vitest'
import { foldedText, placedLines } from '../../src/cli/placed.ts'
import { widthOf } from '../../src/cli/table.ts'
import { painter } from '../../src/server/paint.ts'

const PLACED = [
  { head: '  ✗ ', text: 'plan free: svc-pro is refused from now on', place: 'policies/plans.yaml:12' },
  {
    head: '  ↓ ',
    text: 'plan pro: at most 60 requests of a minute, and no more than 100000 tokens of it; it was 120',
    place: 'policies/plans.yaml:21',
  },
  { head: '  ✓ ', text: '日本語 models go to another pool' },
]
const linesIn = (width: number) => placedLines(PLACED, 4, painter(false), width)
const wordsOf = (lines: readonly string[]) => lines.join(' ').split(/\s+/).filter(Boolean).sort()

describe('sentences with their places', () => {
  it('are never wider than the terminal, and are broken between words alone', () => {
    for (let width = 200; width >= 40; width--) {
      for (const line of linesIn(width)) expect(widthOf(line)).toBeLessThanOrEqual(width)
      expect(wordsOf(linesIn(width))).toEqual(wordsOf(linesIn(1000)))
    }
  })

  it('have the place beside the first line, in one column, at 80 columns', () => {
    const first = linesIn(80).filter(line => line.includes('.yaml'))
    expect(first.map(line => line.indexOf('policies/'))).toEqual([58, 58])
    expect(linesIn(80)[0]).toContain('plan free: svc-pro is refused from now on  ')
  })

  it('have the place below where it would leave them too little room', () => {
    expect(linesIn(50)[1]).toBe('    policies/plans.yaml:12')
  })

  it('stay on one line each in a pipe', () => {
    expect(linesIn(Number.POSITIVE_INFINITY)).toHaveLength(PLACED.length)
  })
})

it('a folded text goes on below where it began, and keeps its own lines', () => {
  expect(foldedText('  · in plan pro, or in plan team, or in plan guest\nend', 2, 36)).toBe(
    '  · in plan pro, or in plan team,\n    or in plan guest\nend',
  )
})

import { describe, expect, it } from 'vitest'
import { type Column, clip, foldedText, placedLines, tableText, widthOf, wrapped } from '../../../src/cli/kit/table.ts'
import { painter } from '../../../src/server/log/terminal-text.ts'

const COLUMNS: readonly Column[] = [
  { title: 'ACCOUNT', least: 8 },
  { title: 'ID', least: 6, gives: 1 },
  { title: 'PLAN', least: 5, gives: 2 },
  { title: 'TOKENS', number: true },
  { title: 'USD', number: true },
]
const ROWS = [
  ['ada.lovelace@analytical-engines.example', 'acct_kxgIaNeM5htO1yaBqhUd', 'a-long-plan', '123456789', '0.000012345'],
  ['bob', 'acct_1', 'pro', '1', '500'],
]
const linesIn = (width: number) => tableText(COLUMNS, ROWS, width).split('\n')

describe('a table', () => {
  it('is never wider than the terminal, down to where its numbers fill it', () => {
    for (let width = 200; width >= 32; width--)
      for (const line of linesIn(width)) expect(widthOf(line)).toBeLessThanOrEqual(width)
  })

  it('never cuts a number, however narrow the terminal is', () => {
    for (let width = 200; width >= 0; width--) {
      expect(linesIn(width)[1]).toMatch(/123456789 +0\.000012345$/)
      expect(linesIn(width)[2]).toMatch(/ +1 +500$/)
    }
  })

  it('cuts texts before it leaves out a column, and leaves out the least important one first', () => {
    const titles = (width: number) => linesIn(width)[0]?.split(/ +/)
    expect(titles(60)).toEqual(['ACCOUNT', 'ID', 'PLAN', 'TOKENS', 'USD'])
    expect(titles(44)).toEqual(['ACCOUNT', 'PLAN', 'TOKENS', 'USD'])
    expect(titles(36)).toEqual(['ACCOUNT', 'TOKENS', 'USD'])
  })

  it('spends room on texts: nothing is cut where all has room, nor anything in a pipe', () => {
    for (const width of [110, Number.POSITIVE_INFINITY]) {
      expect(linesIn(width)[1]).toBe(
        'ada.lovelace@analytical-engines.example  acct_kxgIaNeM5htO1yaBqhUd  a-long-plan  123456789  0.000012345',
      )
    }
  })

  it('keeps texts on their line', () => {
    expect(tableText([{ title: 'A' }], [['a\nb\u001b[2J']]).split('\n')).toHaveLength(2)
  })
})

describe('the width of a text', () => {
  it.each([
    ['ada', 3],
    ['日本語', 6],
    ['한글', 4],
    ['🦊', 2],
    ['é', 1],
    ['', 0],
  ])('%s takes %s columns', (text, width) => {
    expect(widthOf(text)).toBe(width)
  })

  it('is what a cut text has, and no character is cut in two', () => {
    for (const text of ['ada lovelace', '日本語のラベル', '🦊🦊🦊🦊', 'e\u0301e\u0301e\u0301e\u0301e\u0301'])
      for (let width = 1; width < 16; width++) expect(widthOf(clip(text, width))).toBe(width)
    expect([clip('ada', 5), clip('adalovelace', 5), clip('🦊🦊🦊', 3), clip('ab', 1)]).toEqual([
      'ada  ',
      'adal…',
      '🦊…',
      '…',
    ])
  })
})

const PLACED = [
  { head: '  ✗ ', text: 'plan free: svc-pro is refused from now on', place: 'policies/plans.yaml:12' },
  {
    head: '  ↓ ',
    text: 'plan pro: at most 60 requests of a minute, and no more than 100000 tokens of it; it was 120',
    place: 'policies/plans.yaml:21',
  },
  { head: '  ✓ ', text: '日本語 models go to another pool' },
]
const placedIn = (width: number) => placedLines(PLACED, 4, painter(false), width)
const wordsOf = (lines: readonly string[]) => lines.join(' ').split(/\s+/).filter(Boolean).sort()

describe('sentences with their places', () => {
  it('are never wider than the terminal, and are broken between words alone', () => {
    for (let width = 200; width >= 40; width--) {
      for (const line of placedIn(width)) expect(widthOf(line)).toBeLessThanOrEqual(width)
      expect(wordsOf(placedIn(width))).toEqual(wordsOf(placedIn(1000)))
    }
  })

  it('have the place beside the first line, in one column, at 80 columns', () => {
    const first = placedIn(80).filter(line => line.includes('.yaml'))
    expect(first.map(line => line.indexOf('policies/'))).toEqual([58, 58])
    expect(placedIn(80)[0]).toContain('plan free: svc-pro is refused from now on  ')
  })

  it('have the place below where it would leave them too little room', () => {
    expect(placedIn(50)[1]).toBe('    policies/plans.yaml:12')
  })

  it('stay on one line each in a pipe', () => {
    expect(placedIn(Number.POSITIVE_INFINITY)).toHaveLength(PLACED.length)
  })
})

it('a folded text goes on below where it began, and keeps its own lines', () => {
  expect(foldedText('  · in plan pro, or in plan team, or in plan guest\nend', 2, 36)).toBe(
    '  · in plan pro, or in plan team,\n    or in plan guest\nend',
  )
})

describe('a number stays with what it counts, wherever the line is broken', () => {
  it.each([
    ['the model answers in 932 ms', 24, ['the model answers in', '932 ms']],
    ['it is valid: 4 plans, 8 pools (188 ms)', 26, ['it is valid: 4 plans,', '8 pools (188 ms)']],
    ['$1 of $20 used, this one: 0.5 USD', 29, ['$1 of $20 used, this one:', '0.5 USD']],
    ['limit 20 → 5', 8, ['limit 20', '→ 5']],
  ])('%s', (text, width, lines) => {
    expect(wrapped(text, width)).toEqual(lines)
  })
})

it('columns that a terminal has no room for are named below the table, and none in a pipe', () => {
  for (let width = 20; width <= 120; width++) {
    const text = tableText(COLUMNS, ROWS, width)
    const [header = ''] = text.split('\n')
    const missing = COLUMNS.map(({ title }) => title).filter(title => !header.includes(title))
    if (missing.length > 0) expect(text.replaceAll('\n', ' ')).toContain(`Not shown: ${missing.join(', ')}.`)
    else expect(text).not.toContain('Not shown')
  }
  expect(tableText(COLUMNS, ROWS, Number.POSITIVE_INFINITY)).not.toContain('Not shown')
})

import { describe, expect, it } from 'vitest'
import { csv } from '../../console/src/shared/csv.ts'
import { csvRow } from '../../src/wire/csv.ts'

describe('comma-separated values', () => {
  it.each([
    ['=HYPERLINK("x")', `"'=HYPERLINK(""x"")"`],
    ['+1', "'+1"],
    ['-1+1', "'-1+1"],
    ['-1', '-1'],
    ['＝1', "'＝1"],
    ['＋1', "'＋1"],
    ['－1', "'－1"],
    ['＠SUM(A1)', "'＠SUM(A1)"],
    ['\n=1', `"'\n=1"`],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['a,b', '"a,b"'],
    ['two\nlines', '"two\nlines"'],
    ['plain', 'plain'],
    [-5, '-5'],
  ])('have no formula and no broken row for %j', (value, expected) => {
    expect(csv([[value]])).toBe(`${expected}\r\n`)
    // svcctl says no other.
    expect(csvRow([value])).toBe(`${expected}\r\n`)
  })
})

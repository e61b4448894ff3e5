import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonCursor } from '../../../src/wire/fast/json-cursor.ts'
import { findVectors } from '../../../src/wire/fast/vector-list.ts'
import { allAtOnce } from '../../../src/wire/steps.ts'

/** Whether the cursor passes all of a text, and where the value in it begins and ends. */
function passed(text: string): string | undefined {
  const bytes = Buffer.from(text)
  const cursor = new JsonCursor(bytes)
  const span = allAtOnce(cursor.value())
  return span && cursor.isAtEnd ? bytes.toString('utf8', span.start, span.end) : undefined
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('a cursor', () => {
  it('passes whatever a parser takes', () => {
    const blank = fc.constantFrom('', ' ', '\n\t ')
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), blank, fc.constantFrom(0, 1, 3), (json, before, indent) => {
        const text = JSON.stringify(JSON.parse(json), undefined, indent)
        expect(passed(`${before}${text}${before}`)).toBe(text)
      }),
    )
  })

  it('stops at whatever a parser refuses', () => {
    const json = fc.json({ maxDepth: 4 }).map(text => [...text])
    const broken = fc.tuple(
      json,
      fc.nat(),
      fc.constantFrom('', ',', '"', '0', '{', ']', '\\', '\u0001', 'e', '-', '.', ':'),
    )
    fc.assert(
      fc.property(broken, fc.boolean(), ([letters, at, letter], inserts) => {
        const text = letters.toSpliced(at % letters.length, inserts ? 0 : 1, letter).join('')
        if (!isJson(text)) expect(passed(text)).toBeUndefined()
      }),
      { numRuns: 2000 },
    )
  })

  it.each(['1e999', '-1e400', '1e999true', `1${'0'.repeat(400)}`])(
    'stops at %s, which is no number of a double',
    text => {
      expect(passed(text)).toBeUndefined()
    },
  )

  it.each(['1e-999', '-0', '0.5E+3', '1.7976931348623157e308', `0.${'1'.repeat(500)}`])('passes %s', text => {
    expect(passed(text)).toBe(text)
  })

  it('counts numbers as a parser does', () => {
    const spaced = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }))
    fc.assert(
      fc.property(spaced, fc.constantFrom(',', ' , ', ',\n'), (numbers, comma) => {
        const cursor = new JsonCursor(Buffer.from(`[${numbers.map(number => JSON.stringify(number)).join(comma)}]`))
        expect([allAtOnce(cursor.numbers()), cursor.isAtEnd]).toEqual([numbers.length, true])
      }),
    )
  })

  it.each(['[1,]', '[1 2]', '[,1]', '[1', '[null]', '["1"]', '[01]', '[1.]', '[.5]', '[+1]', '[1e]', '[-]', '[[1]]'])(
    'counts no numbers in %s',
    text => {
      expect(allAtOnce(new JsonCursor(Buffer.from(text)).numbers())).toBe(-1)
    },
  )

  it('lets others work after each megabyte', () => {
    const item = { object: 'embedding', index: 0, embedding: Array.from({ length: 700 }, (_, i) => Math.sin(i)) }
    const bytes = Buffer.from(JSON.stringify({ data: Array(600).fill(item), more: Array(300_000).fill('text') }))
    let rests = 0
    for (const steps = findVectors(bytes); steps.next().done !== true; ) rests++

    expect(bytes.length).toBeGreaterThan(10_000_000)
    expect(rests).toBeGreaterThanOrEqual(Math.floor(bytes.length / 1_100_000))
  })
})

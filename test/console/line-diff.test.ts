import fc from 'fast-check'
import { expect, it } from 'vitest'
import { partsOf } from '../../console/src/admin/revisions/line-diff.ts'

const texts = fc
  .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 })
  .map(lines => lines.map(line => `${line}\n`).join(''))
const linesOf = (text: string) => text.replace(/\n$/, '').split('\n')

it('all lines that differ are shown, each beside its number, in the order of the files', () => {
  fc.assert(
    fc.property(texts, texts, (from, to) => {
      const pairs = partsOf(from, to).flat()
      for (const [side, text] of [
        ['from', from],
        ['to', to],
      ] as const) {
        const shown = pairs.flatMap(pair => pair[side] ?? [])
        expect(shown.map(({ number }) => linesOf(text)[number - 1])).toEqual(shown.map(({ text: line }) => line))
        expect(shown.map(({ number }) => number)).toEqual(
          [...new Set(shown.map(({ number }) => number))].sort((a, b) => a - b),
        )
      }
      const without = (side: 'from' | 'to', text: string) => {
        const differ = new Set(
          pairs.flatMap(pair => (pair.from?.text === pair.to?.text ? [] : (pair[side]?.number ?? []))),
        )
        return linesOf(text).filter((_, at) => !differ.has(at + 1))
      }
      expect(without('from', from)).toEqual(without('to', to))
    }),
  )
})

it('a changed line stands beside what it became, with three lines around', () => {
  const text = (line: string) => `${['1', '2', '3', '4', '5', line, '7', '8', '9', '10'].join('\n')}\n`
  const [part, ...others] = partsOf(text('old'), text('new'))

  expect(others).toEqual([])
  expect(part?.map(({ from, to }) => `${from?.text} ${to?.text}`)).toEqual([
    '3 3',
    '4 4',
    '5 5',
    'old new',
    '7 7',
    '8 8',
    '9 9',
  ])
})

it('a file that is new or gone has its lines on one side alone', () => {
  expect(partsOf(null, 'a\n')).toEqual([[{ from: undefined, to: { number: 1, text: 'a' } }]])
  expect(partsOf('a\n', null)).toEqual([[{ from: { number: 1, text: 'a' }, to: undefined }]])
})

it('long texts that differ everywhere are shown without a search for what they share', () => {
  const long = (letter: string) => Array.from({ length: 5000 }, (_, at) => `${letter}${at}`).join('\n')

  expect(partsOf(long('a'), long('b')).flat()).toHaveLength(5000)
})

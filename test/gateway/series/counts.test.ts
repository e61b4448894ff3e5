import fc from 'fast-check'
import { expect, it } from 'vitest'
import { DURATIONS, quantileOf } from '../../../src/gateway/series/buckets.ts'
import {
  add,
  type Counts,
  countsText,
  MODEL_LENGTH,
  OTHERS,
  POOL_LENGTH,
  readCounts,
  since,
} from '../../../src/gateway/series/counts.ts'

const cells = (length: number) =>
  fc
    .array(
      fc.tuple(
        fc.string({ maxLength: 12 }),
        fc.array(fc.integer({ min: 1, max: 1e9 }), { minLength: length, maxLength: length }),
      ),
      {
        maxLength: 60,
      },
    )
    .map(entries => new Map(entries))
const counts: fc.Arbitrary<Counts> = fc.record({ models: cells(MODEL_LENGTH), pools: cells(POOL_LENGTH) })

const totals = ({ models, pools }: Counts) =>
  [models, pools].map(all =>
    [...all.values()].reduce<number[]>((sums, each) => each.map((count, at) => count + (sums[at] ?? 0)), []),
  )

it('the difference equals the counts since', () => {
  fc.assert(
    fc.property(counts, counts, (a, b) => {
      expect(since(add(a, b), a)).toEqual(b)
    }),
    { numRuns: 50 },
  )
})

it('a record fits into its bytes, and its sums are those of all models and pools', () => {
  fc.assert(
    fc.property(counts, each => {
      const text = countsText(each, 4096)
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4096)
      expect(totals(readCounts(text))).toEqual(totals(each))
    }),
    { numRuns: 100 },
  )
})

it('names without room are one name, and the busiest keep theirs', () => {
  const models = new Map(
    Array.from({ length: 100 }, (_, at) => [`model-${at}`, new Array<number>(MODEL_LENGTH).fill(at + 1)]),
  )
  const kept = [...readCounts(countsText({ models, pools: new Map() }, 4096)).models.keys()]
  expect(kept).toContain(OTHERS)
  expect(kept).toContain('model-99')
  expect(kept).not.toContain('model-0')
})

it('a record in another form counts for nothing', () => {
  const text = JSON.stringify({ models: { a: [1, 2], b: 'x' }, pools: null })
  expect(readCounts(text)).toEqual({ models: new Map(), pools: new Map() })
})

it.each([
  ['nothing was observed', [], 0.5, undefined],
  ['all are in one bucket', [0, 0, 0, 4], 0.5, 0.075],
  ['half of each', [10, 0, 0, 10], 0.5, 0.01],
  ['the rest lies in the next bucket', [10, 0, 0, 10], 0.75, 0.075],
  ['above the last bound', [...new Array<number>(DURATIONS.length).fill(0), 3], 0.95, 640],
])('a quantile lies where Prometheus puts it: %s', (_, observed, share, expected) => {
  const found = quantileOf(share, observed, DURATIONS)
  if (expected === undefined) expect(found).toBeUndefined()
  else expect(found).toBeCloseTo(expected, 10)
})

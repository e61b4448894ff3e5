import fc from 'fast-check'
import { Histogram, Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { HistogramSeries } from '../../../src/adapters/metrics/series.ts'

const BUCKETS = [0.01, 0.1, 1]
const value = fc.oneof(fc.constantFrom(0, 0.01, 0.1, 1, 2), fc.double({ min: 0, max: 3, noNaN: true }))
/** Values of one series, as many as wait and more, or a look at all. */
const told = fc.record({
  labels: fc.tuple(fc.constantFrom('a', 'b'), fc.constantFrom('x', 'y"\n')),
  values: fc.array(value, { maxLength: 400, size: 'max' }),
  isShown: fc.boolean(),
})

it.each([['model', 'pool'], ['model'], []])(
  'values are shown as a histogram that hears of each at once: %s, %s',
  (...names) => {
    return fc.assert(
      fc.asyncProperty(fc.array(told, { maxLength: 8 }), async all => {
        const [ours, theirs] = [new Registry(), new Registry()]
        const options = { name: 'spread', help: 'Of values.', buckets: BUCKETS }
        const series = new HistogramSeries(ours, { ...options, labels: names })
        const histogram = new Histogram({ ...options, labelNames: names, registers: [theirs] })
        for (const { labels, values, isShown } of all) {
          const own = labels.slice(0, names.length)
          for (const value of values) {
            series.add(value, ...own)
            histogram.labels(...own).observe(value)
          }
          if (isShown) await ours.metrics()
        }
        expect(await ours.metrics()).toBe(await theirs.metrics())
      }),
    )
  },
)

import { beforeEach, expect, it } from 'vitest'
import { type Counts, MODEL_LENGTH, NOTHING, readCounts } from '../../../src/gateway/series/counts.ts'
import { SeriesRecorder } from '../../../src/gateway/series/recorder.ts'
import { seriesOf } from '../../../src/gateway/series/series.ts'
import { inMinutes, type SeriesRecord } from '../../../src/gateway/store/series-store.ts'
import { StoreUnavailable } from '../../../src/gateway/store/store.ts'
import { VirtualClock } from '../../support/clock.ts'

const served = (count: number): Counts => ({
  models: new Map([['m', Array.from({ length: MODEL_LENGTH }, (_, at) => (at === 0 ? count : 0))]]),
  pools: new Map(),
})

let clock: VirtualClock
let counted: Counts
let kept: Map<string, SeriesRecord>
let isAway: boolean
let recorder: SeriesRecorder

beforeEach(() => {
  clock = new VirtualClock(Date.UTC(2026, 10, 28, 12, 0, 30))
  counted = NOTHING
  kept = new Map()
  isAway = false
  recorder = new SeriesRecorder({
    clock,
    gateway: () => 'a',
    count: async () => counted,
    store: {
      write: async record => {
        if (isAway) throw new StoreUnavailable('away')
        kept.set(`${record.minute} ${record.gateway}`, record)
      },
      read: async () => inMinutes([...kept.values()]),
    },
  })
})

/** Time goes by, with a turn of the loop for what is written meanwhile. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 10_000) {
    clock.advance(10_000)
    await new Promise(setImmediate)
  }
}

/** Requests by minute, from 12:00 on. */
const minutes = () => {
  const records = [...kept.values()]
  const first = Date.UTC(2026, 10, 28, 12) / 60_000
  return records.map(({ minute, counts }) => [minute - first, readCounts(counts).models.get('m')?.[0]])
}

it('counts until the end of a minute belong to it, and minutes without a request are not written', async () => {
  recorder.start()
  counted = served(2)
  await pass(10_000)
  expect(minutes()).toEqual([[0, 2]])
  counted = served(5)
  await pass(20_000)
  counted = served(6)
  await pass(180_000)
  expect(minutes()).toEqual([
    [0, 5],
    [1, 1],
  ])
  await recorder.stop()
})

it('minutes that the store did not take are written once it answers, those of the last hour', async () => {
  recorder.start()
  isAway = true
  for (let minute = 1; minute <= 100; minute++) {
    counted = served(minute)
    await pass(60_000)
  }
  expect(minutes()).toEqual([])
  isAway = false
  await recorder.record()
  const numbers = minutes().map(([minute]) => minute)
  expect([numbers[0], numbers.at(-1), numbers.length]).toEqual([41, 99, 59])
  await recorder.stop()
})

it('the last counts are written by the stop', async () => {
  counted = served(3)
  await recorder.stop()
  expect(minutes()).toEqual([[0, 3]])
})

it('a gateway that slept counts for the minute in which it woke', async () => {
  counted = served(1)
  clock.advance(3_600_000)
  await recorder.record()
  expect(minutes()).toEqual([[60, 1]])
})

it('gateways are added up, and a minute without records is a point with nothing in it', () => {
  const text = JSON.stringify({ models: Object.fromEntries(served(2).models), pools: {} })
  const record = (minute: number, gateway: string) => ({ minute, gateway, counts: text })
  const { points, total, models } = seriesOf([record(60, 'a'), record(60, 'b'), record(63, 'a')], {
    from: 60,
    until: 64,
    step: 2,
  })
  expect(points.map(({ at, served: count }) => [at, count])).toEqual([
    [60 * 60_000, 4],
    [62 * 60_000, 2],
  ])
  expect(total).toMatchObject({ requests: 6, p95: undefined })
  expect(models).toEqual([{ name: 'm', requests: 6, failed: 0 }])
})

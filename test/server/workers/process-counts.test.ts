import { expect, it } from 'vitest'
import type { Counted } from '../../../src/adapters/metrics/merged.ts'
import { ProcessCounts } from '../../../src/server/workers/process-counts.ts'
import type { ProcessMetrics } from '../../../src/server/workers/vitals.ts'

const MOST_MS = 60_000

/** A worker's report after so many requests and as many seconds of CPU time. */
const servedOf = (requests: number): ProcessMetrics => {
  const values = [{ value: requests, labels: {} }]
  const counted: unknown = [
    { name: 'svc_requests_total', help: 'Requests.', type: 'counter', aggregator: 'sum', values },
  ]
  const vitals = { cores: 1, lagSeconds: 0, cpuSeconds: requests, residentBytes: 1e8 }
  return { counted: counted as Counted, vitals, underWay: 1 }
}

/** A report that a worker sends later, and its trigger. */
function later() {
  let say = (_metrics: ProcessMetrics) => {}
  const said = new Promise<ProcessMetrics>(resolve => {
    say = resolve
  })
  return { said, say }
}

/** The sums of the counters. */
async function sumsOf(counts: ProcessCounts): Promise<Readonly<Record<string, number>>> {
  const texts = await Promise.all(counts.registries([]).map(registry => registry.metrics()))
  const lines = texts.join('\n').matchAll(/^(\w+_total)(?:\{.*\})? (\S+)$/gm)
  const sums: Record<string, number> = {}
  for (const [, name = '', value] of lines) sums[name] = (sums[name] ?? 0) + Number(value)
  return sums
}

it('a sum of fractions does not fall by a rounding when a worker ends, which changes their order', async () => {
  const counts = new ProcessCounts()
  for (const [slot, seconds] of [0.1, 0.3, 0.7].entries()) counts.know(slot, servedOf(seconds))
  const before = await sumsOf(counts)

  counts.end(2)

  expect((await sumsOf(counts)).svc_requests_total).toBe(before.svc_requests_total)
})

it('a worker that ends while another one is still asked is counted once', async () => {
  const counts = new ProcessCounts()
  const late = later()
  const counting = counts.recount(
    new Map([
      [0, Promise.resolve(servedOf(5))],
      [1, late.said],
    ]),
    MOST_MS,
  )
  // The answer of the first is there by then.
  await new Promise(setImmediate)

  counts.end(0)
  late.say(servedOf(7))
  await counting

  expect(await sumsOf(counts)).toEqual({ svc_requests_total: 12, svc_worker_cpu_seconds_total: 12 })
  expect(counts.underWay).toBe(1)
})

it('what a worker says that ended meanwhile is not of the one that took its place', async () => {
  const counts = new ProcessCounts()
  counts.know(0, servedOf(5))
  const late = later()
  const counting = counts.recount(new Map([[0, late.said]]), MOST_MS)

  counts.end(0)
  counts.know(0, servedOf(1))
  late.say(servedOf(6))
  await counting

  expect(await sumsOf(counts)).toEqual({ svc_requests_total: 6, svc_worker_cpu_seconds_total: 6 })
})

it('a worker that does not answer holds up nobody, and what it said last is known', async () => {
  const counts = new ProcessCounts()
  counts.know(0, servedOf(5))
  const never = new Promise<ProcessMetrics>(() => {})

  await counts.recount(
    new Map([
      [0, never],
      [1, Promise.resolve(servedOf(2))],
      [2, Promise.reject(new Error('it ended'))],
    ]),
    0,
  )

  expect(await sumsOf(counts)).toEqual({ svc_requests_total: 7, svc_worker_cpu_seconds_total: 7 })
})

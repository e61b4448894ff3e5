import { expect, it } from 'vitest'
import { type ClientCounts, CountsOfWorkers } from '../../../src/server/workers/client-counts.ts'

const WORKERS = 3
const CLIENT = '10.0.0.7'

/** The last message that each worker heard. */
function heardOf() {
  const heard = new Map<number, ClientCounts>()
  const sums = new CountsOfWorkers((slot, others) => heard.set(slot, others))
  return { heard, sums }
}

it('each worker hears what the others serve for a client, without its own', () => {
  const { heard, sums } = heardOf()

  sums.report(0, [[CLIENT, 5]], WORKERS)
  sums.report(1, [[CLIENT, 7]], WORKERS)

  expect([heard.get(0), heard.get(1), heard.get(2)]).toEqual([[[CLIENT, 7]], [[CLIENT, 5]], [[CLIENT, 12]]])
})

it("a worker's count for a client ends with it, even if no other worker has anything to report", () => {
  const { heard, sums } = heardOf()
  sums.report(0, [[CLIENT, 5]], WORKERS)

  sums.end(0, WORKERS)

  expect([heard.get(1), heard.get(2)]).toEqual([[], []])
})

import { expect, it } from 'vitest'
import { type ClientCounts, CountsOfWorkers } from '../../../src/server/workers/client-counts.ts'

it('each worker hears what the others serve for a client, without its own, and nothing of one that ended', () => {
  const heard = new Map<number, ClientCounts>()
  const sums = new CountsOfWorkers((slot, others) => heard.set(slot, others))

  sums.report(0, [['10.0.0.7', 5]], 3)
  sums.report(1, [['10.0.0.7', 7]], 3)
  expect([heard.get(0), heard.get(1), heard.get(2)]).toEqual([[['10.0.0.7', 7]], [['10.0.0.7', 5]], [['10.0.0.7', 12]]])

  sums.end(0)
  sums.report(2, [], 3)
  expect(heard.get(1)).toEqual([])
})

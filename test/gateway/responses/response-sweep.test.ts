import { expect, it } from 'vitest'
import { startResponseSweep } from '../../../src/gateway/responses/sweep.ts'
import { VirtualClock } from '../../support/clock.ts'

const NEARLY_FULL = expect.stringContaining('kept responses have nearly all of their room')

it('operators are told once that kept responses have four fifths of their room, and again once they had less', async () => {
  const clock = new VirtualClock(0)
  const alarms: unknown[] = []
  let bytes = 799
  const stop = startResponseSweep(
    { sweep: async () => 0, readTotal: async () => bytes },
    { clock, alarm: (...said) => alarms.push(said), maxBytes: () => 1000 },
  )
  const after = async (next: number) => {
    bytes = next
    clock.advance(50_000)
    await new Promise(setImmediate)
    return alarms.length
  }

  expect([await after(799), await after(800), await after(1000), await after(700), await after(900)]).toEqual([
    0, 1, 1, 1, 2,
  ])
  expect(alarms[0]).toEqual([NEARLY_FULL, { bytes: 800, max_bytes_total: 1000 }])
  stop()
})

it('nobody is told where no responses are kept, and a store that is away is told of', async () => {
  const clock = new VirtualClock(0)
  const alarms: unknown[] = []
  const stop = startResponseSweep(
    {
      sweep: async () => 0,
      readTotal: async () => {
        throw new Error('away')
      },
    },
    { clock, alarm: message => alarms.push(message), maxBytes: () => (clock.now() > 50_000 ? 1000 : undefined) },
  )
  clock.advance(50_000)
  await new Promise(setImmediate)
  expect(alarms).toEqual([])
  clock.advance(50_000)
  await new Promise(setImmediate)
  expect(alarms).toEqual(['responses whose time is over could not be deleted'])
  stop()
})

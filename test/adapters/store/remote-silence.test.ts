import { expect, it, onTestFinished } from 'vitest'
import { openRemoteStore } from '../../../src/adapters/remote/store.ts'
import { StoreUnavailable } from '../../../src/gateway/store/store.ts'
import { VirtualClock } from '../../support/clock.ts'
import { eventually } from '../../support/eventually.ts'
import { admission, granted, serveParts, VERSION } from './served-parts.ts'

const SILENCE = 2000
const TURN = SILENCE / 8

/** A worker whose store answers an admission when the test wants, and who waits by a clock that the test moves. */
async function open() {
  const clock = new VirtualClock(0)
  const refunded: string[] = []
  let answer = () => {}
  const admitted = new Promise(resolve => {
    answer = () => resolve(granted)
  })
  const { path, server } = await serveParts({
    holds: { admit: () => admitted, refund: async ({ requestId }: { requestId: string }) => refunded.push(requestId) },
    budgets: { left: async () => [] },
    keys: { findCaller: async () => undefined },
  })
  const store = await openRemoteStore({ path, version: VERSION, lost: () => {}, after: clock.after })
  onTestFinished(async () => {
    answer()
    await store.close()
    await server.close()
  })
  return { clock, store, answer: () => answer(), refunded }
}

it('a store process that is silent for less than 2 s is waited for', async () => {
  const { clock, store, answer } = await open()
  const admitting = store.holds.admit(admission)
  await clock.waits(TURN)

  clock.advance(SILENCE - 1)
  answer()

  expect(await admitting).toMatchObject({ outcome: 'admitted' })
})

it('a store process that is silent for 2 s has its calls given up, and what it admits late is refunded', async () => {
  const { clock, store, answer, refunded } = await open()
  const admitting = store.holds.admit(admission)
  await clock.waits(TURN)

  clock.advance(SILENCE)
  await expect(admitting).rejects.toThrow(StoreUnavailable)
  answer()

  await eventually(() => expect(refunded).toEqual(['req_1']))
})

it('a store process that answers other calls is waited for as long as it does', async () => {
  const { clock, store, answer } = await open()
  const admitting = store.holds.admit(admission)
  await clock.waits(TURN)

  for (let turn = 0; turn < 32; turn++) {
    await store.keys.findCaller('hash')
    clock.advance(TURN)
  }
  answer()

  expect(await admitting).toMatchObject({ outcome: 'admitted' })
})

import { expect, it } from 'vitest'
import { Feed, type FeedPorts, FeedReader } from '../../../src/http/admin/feed.ts'
import { VirtualClock } from '../../support/clock.ts'

it('an account is looked at for its minute, however the time of day is set meanwhile', async () => {
  const clock = new VirtualClock(0)
  let setBy = 0
  let reads = 0
  const readUsage = async () => {
    reads++
    return undefined
  }
  const config = () => {
    throw new Error('there is no account to show')
  }
  const store = { accounts: { readUsage } } as unknown as FeedPorts['store']
  const feed = new Feed({ store, clock: { ...clock, now: () => clock.now() + setBy }, config })
  feed.follow(new FeedReader(() => true), () => {})
  feed.began('acct_x')
  setBy = -3_600_000
  for (let second = 0; second < 70; second++) {
    await clock.waits(1000)
    clock.advance(1000)
  }
  expect(reads).toBe(62)
})

import { expect, it } from 'vitest'
import { Feed, type FeedPorts, FeedReader } from '../../../src/http/feed.ts'
import { VirtualClock } from '../../support/clock.ts'

it('an account is looked at for its minute, however the time of day is set meanwhile', async () => {
  const clock = new VirtualClock(0)
  let setBy = 0
  let reads = 0
  const readUsage = async () => {
    reads++
    return undefined
  }
  const config = () => ({}) as ReturnType<FeedPorts['config']>
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

it('alarms go to those alone who ask for them', () => {
  const unread = { readUsage: async () => undefined }
  const clock = new VirtualClock(0)
  const config = () => {
    throw new Error('there is no account to show')
  }
  const feed = new Feed({ store: { accounts: unread } as never, clock, config })
  const [usual, asking]: [string[], string[]] = [[], []]
  feed.follow(new FeedReader(text => usual.push(text) > 0), () => {})
  feed.follow(new FeedReader(text => asking.push(text) > 0, undefined, ['alarm']), () => {})

  feed.alarmed({ at: 0, message: 'the disk is full', fields: { path: '/x' }, count: 1 })

  expect(usual).toEqual([])
  expect(asking).toEqual([
    'data: {"event":"alarm","at":"1970-01-01T00:00:00.000Z","message":"the disk is full","fields":{"path":"/x"}}\n\n',
  ])
})

import { expect, it } from 'vitest'
import { FairQueue, type Queued } from '../../../src/policy/queue/fair-queue.ts'
import { AnswerLengths, countedWork, workOf } from '../../../src/policy/queue/work.ts'
import { asked, NO_BOUNDS } from './play.ts'

const names = (queue: FairQueue<Queued>, now = 0, aging = Number.POSITIVE_INFINITY) => {
  const started: string[] = []
  for (let next = queue.next(now, aging); next; next = queue.next(now, aging)) started.push(next.account)
  return started.join(' ')
}

it('an account that was idle gets no credit for it', () => {
  const queue = new FairQueue<Queued>()
  for (let n = 0; n < 4; n++) queue.start(asked('busy', 0))
  for (let n = 0; n < 3; n++) for (const name of ['busy', 'idle']) queue.enter(asked(name, 0), 0, NO_BOUNDS)

  expect(names(queue)).toBe('idle busy idle busy idle busy')
})

it('an account that was charged too much goes first until it has had as much as others', () => {
  const queue = new FairQueue<Queued>()
  const first = asked('short', 0, { tokens: 1000 })
  queue.start(first)
  for (const name of ['long', 'long', 'short', 'short', 'short'])
    queue.enter(asked(name, 0, { tokens: 300 }), 0, NO_BOUNDS)
  queue.end(first, 100)

  expect(names(queue)).toBe('long short long short short')
})

it('an account rises by a priority each time its next request has waited for aging, and by the next one anew', () => {
  const queue = new FairQueue<Queued>()
  for (const name of ['guest', 'guest']) queue.enter(asked(name, 0, { priority: 0 }), 0, NO_BOUNDS)
  for (const name of ['user', 'user', 'other']) queue.enter(asked(name, 0, { tokens: 500 }), 9, NO_BOUNDS)

  expect(queue.next(9, 10)?.account).toBe('user')
  expect(queue.next(10, 10)?.account).toBe('guest')
  expect(queue.next(11, 10)?.account).toBe('other')
  expect(queue.next(19, 10)?.account).toBe('user')
  expect(queue.next(19, 10)?.account).toBe('guest')
})

it('a request that leaves is not started, and the next one of its account begins to age', () => {
  const queue = new FairQueue<Queued>()
  const first = asked('guest', 0, { priority: 0 })
  queue.enter(first, 0, NO_BOUNDS)
  queue.enter(asked('guest', 0, { priority: 0 }), 0, NO_BOUNDS)
  queue.enter(asked('user', 0), 5, NO_BOUNDS)
  queue.leave(first, 8)

  expect([queue.size, queue.tokens, queue.byPriority.get(0)]).toEqual([2, 200, 1])
  expect(names(queue, 12, 10)).toBe('user guest')
})

it('the time until an account may wait again is that of its next request, by its weight', () => {
  const queue = new FairQueue<Queued>()
  for (let n = 0; n < 9; n++) queue.enter(asked('hog', 0), 0, NO_BOUNDS)
  queue.enter(asked('other', 0, { weight: 3 }), 0, NO_BOUNDS)

  expect([queue.tokensUntilNext('hog', 1), queue.tokensUntilNext('new', 1)]).toEqual([400, 1000])
})

it('accounts that come and go are forgotten', () => {
  const queue = new FairQueue<Queued>()
  const last = asked('last', 0)
  queue.start(last)
  for (let n = 0; n < 20_000; n++) {
    const each = asked(`acct_${n}`, 0)
    queue.start(each)
    queue.end(each, 100)
  }
  queue.end(last, 100)
  queue.enter(asked('acct_1', 0), 0, NO_BOUNDS)
  queue.enter(asked('new', 0), 0, NO_BOUNDS)

  expect(names(queue)).toBe('acct_1 new')
})

it('answers are expected to be as long as the account had them, or else as all have, and no longer than the cap', () => {
  const lengths = new AnswerLengths()
  expect(lengths.expected('a', 4096)).toBe(256)
  for (let n = 0; n < 50; n++) lengths.learn('a', 1000)
  expect([lengths.expected('a', 4096), lengths.expected('a', 10)]).toEqual([1000, 10])
  expect(lengths.expected('b', 4096)).toBe(1000)
})

it('work is the prompt that was not cached, and four times the answer', () => {
  expect(countedWork({ inputTokens: 1000, cachedTokens: 900, outputTokens: 50 })).toBe(300)
  expect([workOf(1000, 50), workOf(0, 0)]).toEqual([1200, 1])
})

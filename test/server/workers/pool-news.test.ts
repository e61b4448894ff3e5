import { expect, it } from 'vitest'
import { reportPool } from '../../../src/gateway/pools/alarms.ts'
import { Pools } from '../../../src/gateway/pools/pools.ts'
import { PoolNews, type ReplicaNews } from '../../../src/server/workers/pool-news.ts'

const URL = 'http://127.0.0.1:1/v1'
const EJECTION = { after: 1, for: 5000 }
const AT = 1_000_000

/** Processes of one gateway, each of which hears at once what another one finds. */
function processes(count: number) {
  const said: ReplicaNews[] = []
  const changes: string[] = []
  const all = Array.from({ length: count }, (_, index) => {
    const pools: Pools = new Pools((_pool, { breaker }) => {
      if (!news.isTakingIn) changes.push(`${index} ${breaker.state(AT)}`)
    })
    const news: PoolNews = new PoolNews(pools, found => {
      said.push(found)
      for (const other of all) if (other.news !== news) other.news.takeIn(found)
    })
    return { pools, news, replica: pools.of('onprem').replica(URL) }
  })
  return { all, said, changes }
}

const [one, two] = [0, 1]
const pair = () => {
  const { all, ...rest } = processes(2)
  const [a, b] = [all[one], all[two]]
  if (!a || !b) throw new Error('there are two')
  return { a: a.replica, b: b.replica, ofA: a, ofB: b, ...rest }
}

it('a replica ejected by one process is ejected in all, for as long, and one of them reports it', () => {
  const { a, b, changes } = pair()

  a.breaker.failed(AT, EJECTION)

  expect([b.breaker.state(AT), b.breaker.wait(AT + 1000)]).toEqual(['open', 4000])
  expect(changes).toEqual(['0 open'])
})

it('one request of all processes tries a replica whose time is over, and its answer brings it back in all', () => {
  const { a, b } = pair()
  a.breaker.failed(AT, EJECTION)
  const over = AT + 5001
  expect([a.breaker.admits(over), b.breaker.admits(over)]).toEqual([true, true])

  const trial = b.breaker.begin()
  expect([a.breaker.admits(over), b.breaker.admits(over)]).toEqual([false, false])

  b.breaker.succeeded(over + 10, trial)
  expect([a.breaker.state(over + 10), b.breaker.state(over + 10)]).toEqual(['closed', 'closed'])
})

it('a trial that fails ejects the replica for longer in all, and no other process tries it meanwhile', () => {
  const { a, b } = pair()
  a.breaker.failed(AT, EJECTION)
  const over = AT + 5001

  b.breaker.failed(over, EJECTION, b.breaker.begin())

  expect([a.breaker.wait(over), b.breaker.wait(over)]).toEqual([10_000, 10_000])
})

it('the trial of a process that ended is given up, so that another one may try', () => {
  const { a, b } = pair()
  a.breaker.failed(AT, EJECTION)
  b.breaker.begin()

  a.breaker.abandonTrial()

  expect(a.breaker.admits(AT + 5001)).toBe(true)
})

it('requests try a replica that is probed elsewhere only once the probe was answered there', () => {
  const { a, b } = pair()
  b.breaker.watched = true
  a.breaker.failed(AT, EJECTION)
  expect(b.breaker.admits(AT + 5001)).toBe(false)

  a.breaker.probeSucceeded(AT + 5001)

  expect(b.breaker.admits(AT + 5001)).toBe(true)
})

it('a pause holds in all processes, that of an account for this account alone', () => {
  const { a, b } = pair()

  a.cool(AT, { time: 3000, asked: true }, 'acct_a')
  expect([b.cooling(AT + 1000, 'acct_a'), b.cooling(AT + 1000)]).toEqual([2000, 0])

  a.cool(AT, { time: 9000, asked: true })
  expect([b.cooling(AT + 1000), b.askedForPause(AT + 1000)]).toEqual([8000, true])
})

it('a process that begins later gets to know what is ejected, paused and drained', () => {
  const { a, ofA, said } = pair()
  a.breaker.failed(AT, EJECTION)
  a.cool(AT, { time: 60_000, asked: true }, 'acct_a')
  ofA.pools.drain('onprem', undefined, true)
  const known = said.length

  const late = new Pools()
  const news = new PoolNews(late, found => said.push(found))
  for (const found of ofA.news.known(AT + 1)) news.takeIn(found)

  const replica = late.of('onprem').replica(URL)
  expect([replica.breaker.state(AT), late.of('onprem').drained]).toEqual(['open', true])
  expect(replica.cooling(AT + 1000, 'acct_a')).toBe(59_000)
  // Received news is not sent again.
  expect(said).toHaveLength(known)
})

it('a pool that cannot be used is an alarm of one process, also for those that begin later', () => {
  const { ofA, ofB } = pair()
  const alarms: string[] = []
  const report = (pools: Pools, who: string, cause: string | undefined) =>
    reportPool(message => alarms.push(`${who}: ${message}`), 'onprem', pools.of('onprem'), cause)

  report(ofA.pools, 'a', 'status 401')
  report(ofB.pools, 'b', 'status 401')
  const later = new Pools(() => {})
  const news = new PoolNews(later, () => {})
  for (const known of ofB.news.known(AT)) news.takeIn(known)
  report(later, 'later', 'status 401')
  report(ofB.pools, 'b', undefined)
  report(ofA.pools, 'a', undefined)

  expect(alarms).toEqual([
    'a: a pool cannot be used: are its address, key, model and account right?',
    'b: a pool can be used again',
  ])
})

it('a lesson of one process applies in all, and in one that starts later', () => {
  const { ofA, ofB } = pair()
  const lessons = [{ field: 'seed' }]

  ofA.pools.of('onprem').learn('acct_1', lessons, AT)

  expect(ofB.pools.of('onprem').lessons.known(AT)).toEqual([{ account: 'acct_1', lessons, at: AT }])
  expect(ofB.news.known(AT)).toContainEqual({ pool: 'onprem', what: 'learned', account: 'acct_1', lessons, at: AT })
})

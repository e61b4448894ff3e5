import { expect, it } from 'vitest'
import { StateTaken } from '../../../src/server/state/open-store.ts'
import { FakeWorker, settled, silence, workersOf } from './fake-worker.ts'

const away = () => {
  throw new Error('the store is away')
}

it('a worker that cannot begin is ended, and tried again until it can', async () => {
  let isAway = false
  const { workers, clock, forked, states } = workersOf(1, number => {
    return new FakeWorker(number, isAway ? { start: away } : {})
  })
  await workers.start()
  isAway = true
  forked[0]?.ends(null, 'SIGKILL')
  await settled()

  for (const wait of [100, 400, 1600]) {
    const before = forked.length
    await clock.goOn(wait - 1)
    expect(forked).toHaveLength(before)
    await clock.goOn(1)
    expect(forked).toHaveLength(before + 1)
    expect(forked.at(-1)?.signalCode).toBe('SIGKILL')
  }
  isAway = false
  await clock.goOn(5000)

  expect(states()).toEqual(['serving'])
  expect(workers.states[0]?.restarts).toBe(4)
})

it.each([
  ['has an error alone', () => endless()],
  [
    'is not there at all',
    () => {
      throw new Error('spawn ENOMEM')
    },
  ],
])('a process for which the machine has no room, and that %s, is tried again', async (_what, full) => {
  let isFull = false
  const { workers, clock, forked, states, alarms } = workersOf(1, number => (isFull ? full() : new FakeWorker(number)))
  await workers.start()
  isFull = true
  forked[0]?.ends(1, null)
  await settled()
  await clock.goOn(100)
  expect(states()).toEqual(['gone'])
  expect(alarms.at(-1)).toMatch(/^a worker could not begin, and is tried again: Error: spawn E/)

  isFull = false
  await clock.goOn(400)

  expect(states()).toEqual(['serving'])
})

/** As node has it where there are no more processes: an error, and no exit. */
function endless(): FakeWorker {
  const worker = new FakeWorker(undefined)
  worker.connected = false
  process.nextTick(() => {
    worker.exitCode = -11
    worker.emit('error', new Error('spawn EAGAIN'))
    worker.emit('disconnect')
  })
  return worker
}

it('operators hear of the first failure, and then once a minute, for as long as it lasts', async () => {
  let isAway = false
  const { workers, clock, forked, alarms } = workersOf(
    1,
    number => new FakeWorker(number, isAway ? { start: away } : {}),
  )
  await workers.start()
  isAway = true
  forked[0]?.ends(null, 'SIGKILL')
  await settled()
  for (let n = 0; n < 5 * 60; n++) await clock.goOn(1000)

  const told = alarms.filter(alarm => alarm.startsWith('a worker could not begin'))
  expect(told.length).toBeGreaterThanOrEqual(5)
  expect(told.length).toBeLessThanOrEqual(7)
})

it('a gateway of which one worker cannot begin does not start, and leaves no process', async () => {
  const { workers, forked, clock } = workersOf(2, number => new FakeWorker(number, number === 1 ? { start: away } : {}))

  await expect(workers.start()).rejects.toThrow('the store is away')

  await settled()
  await clock.goOn(10_000)
  expect(forked.map(({ signalCode }) => signalCode)).toEqual(['SIGKILL', 'SIGKILL'])
})

it('a slot that a hanging process still has is waited for, while the other workers serve', async () => {
  let isTaken = true
  const start = () => {
    if (isTaken) throw new StateTaken('workers/1')
  }
  const { workers, clock, alarms, states } = workersOf(
    2,
    number => new FakeWorker(number, number === 0 ? {} : { start }),
  )

  await workers.start()
  await settled()
  expect(states()).toEqual(['serving', 'gone'])
  expect(alarms).toEqual([expect.stringContaining('a worker could not begin, and is tried again')])

  isTaken = false
  await clock.goOn(50)
  await clock.goOn(5000)
  expect(states()).toEqual(['serving', 'serving'])
})

it('a gateway all of whose slots other processes have does not start', async () => {
  const start = () => {
    throw new StateTaken('workers')
  }
  const { workers, alarms } = workersOf(2, number => new FakeWorker(number, { start }))

  await expect(workers.start()).rejects.toThrow('another process uses workers')

  expect(alarms).toEqual([])
})

it('a gateway that has room for some of its workers alone does not start either', async () => {
  let hasRoom = false
  const { workers, forked } = workersOf(2, number => {
    if (hasRoom) return new FakeWorker(number)
    hasRoom = true
    throw new Error('spawn ENOMEM')
  })

  await expect(workers.start()).rejects.toThrow('spawn ENOMEM')

  workers.cut()
  expect(forked.map(({ signalCode }) => signalCode)).toEqual(['SIGKILL'])
})

it('a main that was stopped for a minute itself ends no worker that answers', async () => {
  const { workers, clock, forked, states } = workersOf(2, number => new FakeWorker(number))
  await workers.start()
  await clock.goOn(1000)

  await clock.goOn(64_000)
  await clock.goOn(1000)

  expect(states()).toEqual(['serving', 'serving'])
  expect(forked).toHaveLength(2)
})

it('a worker that answers nothing gets no connections after some seconds, and is ended after a minute', async () => {
  const { workers, clock, forked, states, alarms } = workersOf(
    2,
    number => new FakeWorker(number, number === 0 ? { ping: silence } : {}),
  )
  await workers.start()
  for (let n = 0; n < 5; n++) await clock.goOn(1000)
  expect(states()).toEqual(['silent', 'serving'])
  expect(workers.next(() => 0)?.slot).toBe(1)
  expect(workers.next(() => 0)?.slot).toBe(1)

  for (let n = 5; n < 60; n++) await clock.goOn(1000)
  expect(alarms).toEqual(['a worker does not answer: '])
  expect(forked[0]?.signalCode).toBe(null)
  await clock.goOn(1000)

  expect(forked[0]?.signalCode).toBe('SIGKILL')
})

it('a hanging worker that should have left is killed at once, and one that still writes a while later', async () => {
  const { workers, clock, forked } = workersOf(
    2,
    number => new FakeWorker(number, { drain: silence, ...(number === 0 && { ping: silence }) }),
  )
  await workers.start()
  for (let n = 0; n < 5; n++) await clock.goOn(1000)
  const drained = workers.drain({ delay: 0, timeout: 1000 })

  workers.end()
  expect(forked.map(({ signalCode }) => signalCode)).toEqual(['SIGKILL', null])
  for (let n = 0; n < 12; n++) await clock.goOn(1000)

  expect(forked.map(({ signalCode }) => signalCode)).toEqual(['SIGKILL', 'SIGKILL'])
  expect(await drained).toBe(false)
})

it('a worker that begins while the gateway is to leave tells balancers so', async () => {
  const { workers, clock, forked } = workersOf(1, number => new FakeWorker(number))
  await workers.start()
  workers.leave()
  forked[0]?.ends(1, null)
  await settled()
  await clock.goOn(100)

  expect(forked[1]?.told.map(({ name }) => name)).toContain('unready')
})

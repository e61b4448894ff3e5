import { expect, it } from 'vitest'
import type { Opened } from '../../../src/server/reloader.ts'
import { Attempts } from '../../../src/server/workers/attempts.ts'
import { FakeWorker, settled, silence, workersOf } from './fake-worker.ts'

const FILES = { main: {} } as never
const opens = { prepare: () => 'sha256-new' }
const prepare = (workers: ReturnType<typeof workersOf>['workers']) => workers.prepare(2, FILES, 'sha256-new')
const fails = () => {
  throw new Error('it cannot')
}

it('a worker that lives and cannot serve what the others serve is ended before the reload is answered', async () => {
  const { workers, forked, clock, states, alarms } = workersOf(
    2,
    number => new FakeWorker(number, { ...opens, ...(number === 1 && { commit: fails }) }),
  )
  await workers.start()

  await (await prepare(workers)).commit()

  expect(forked.map(({ signalCode }) => signalCode)).toEqual([null, 'SIGKILL'])
  expect(alarms[0]).toContain('a worker does not serve what the others do, and is ended: Error')
  await settled()
  await clock.goOn(100)
  expect(states()).toEqual(['serving', 'serving'])
})

it('so is one that began in between, and cannot follow', async () => {
  const { workers, forked, clock } = workersOf(
    1,
    number => new FakeWorker(number, number === 0 ? opens : { prepare: fails }),
  )
  await workers.start()
  const { commit } = await prepare(workers)
  forked[0]?.ends(1, null)
  await settled()
  await clock.goOn(100)

  await commit()

  expect(forked[1]?.signalCode).toBe('SIGKILL')
})

it('a worker that began in between serves the new files once the reload is answered', async () => {
  const { workers, forked, clock } = workersOf(1, number => new FakeWorker(number, opens))
  await workers.start()
  const { commit } = await prepare(workers)
  forked[0]?.ends(1, null)
  await settled()
  await clock.goOn(100)

  await commit()

  expect(forked[1]?.told.map(({ name }) => name)).toEqual(['start', 'prepare', 'commit'])
  expect(forked[1]?.signalCode).toBe(null)
})

it('an attempt that is given up has another number than the next one, in all workers', async () => {
  const { workers, forked } = workersOf(
    2,
    number => new FakeWorker(number, { prepare: number === 0 ? silence : fails }),
  )
  await workers.start()
  await expect(prepare(workers)).rejects.toThrow('it cannot')
  for (const worker of forked) worker.answers = opens

  await prepare(workers)

  const numbers = forked[0]?.told.filter(({ name }) => name !== 'start').map(({ name, args }) => [name, args[0]])
  expect(numbers).toEqual([
    ['prepare', 1],
    ['abort', 1],
    ['prepare', 2],
  ])
})

it('a configuration that opens after it was given up is let go, and never served', async () => {
  const done: string[] = []
  const opened = (name: string): Opened => ({
    serve: async () => void done.push(`serve ${name}`),
    drop: () => void done.push(`drop ${name}`),
  })
  const attempts = new Attempts()
  let open = (_opened: Opened) => {}
  const slow = attempts.open(1, () => new Promise<Opened>(resolve => (open = resolve)))
  attempts.drop(1)
  await attempts.open(2, async () => opened('second'))
  open(opened('first'))

  await expect(slow).rejects.toThrow('given up')
  await expect(attempts.serve(1)).rejects.toThrow('not open')
  await attempts.serve(2)

  expect(done).toEqual(['drop first', 'serve second'])
})

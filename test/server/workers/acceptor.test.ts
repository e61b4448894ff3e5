import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import type { ListenerSettings } from '../../../src/config/settings.ts'
import { clientAddresses } from '../../../src/http/listener/client-address.ts'
import { type Client, Door } from '../../../src/server/workers/door.ts'
import { FakeWorker } from './fake-worker.ts'

/** A door to two workers, which get connections in turn. */
async function doorOf() {
  const workers = [new FakeWorker(1), new FakeWorker(2)] as const
  let turn = 0
  const door = new Door({
    next: () => {
      const slot = turn++ % workers.length
      const worker = workers[slot]
      return worker && { slot, worker: worker.process }
    },
    limits: () => ({ connections: 10, connectionsPerAddress: 10 }) as ListenerSettings,
    addresses: () => clientAddresses([]),
    alarm: () => {},
  })
  const { port } = await door.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => door.close())
  /** Resolves with the number of the connection, once a worker was handed it. */
  const comes = async (slot: 0 | 1): Promise<{ readonly number: number; readonly client: Socket }> => {
    const handed = once(workers[slot], 'handed')
    const client = connect(port, '127.0.0.1')
    onTestFinished(() => void client.destroy())
    const [{ number }] = (await handed) as [Client]
    return { number, client }
  }
  const counts = () => [door.connectionsOf(0), door.connectionsOf(1)]
  return { door, workers, comes, counts }
}

it('a connection that its worker has no descriptor for goes to another one, once a later one has come', async () => {
  const { door, workers, comes, counts } = await doorOf()
  const lost = await comes(0)
  door.taken(1, [(await comes(1)).number])
  const later = await comes(0)
  const again = once(workers[1], 'handed')

  door.taken(0, [later.number])

  const [{ number }] = (await again) as [Client]
  expect(number).toBeGreaterThan(later.number)
  expect(counts()).toEqual([1, 2])
  door.taken(1, [number])
  door.closed(1, ['127.0.0.1'])
  expect(counts()).toEqual([1, 1])
  expect(lost.client.destroyed).toBe(false)
})

it('so does one behind which none comes, once its worker has answered, and the same worker counts it no more', async () => {
  const { door, workers, comes, counts } = await doorOf()
  const early = door.mark(0)
  await comes(0)
  early()
  expect(counts()).toEqual([1, 0])
  const again = once(workers[1], 'handed')

  door.mark(0)()

  await again
  expect(counts()).toEqual([0, 1])
})

it('a connection that its worker has said it has stays with it', async () => {
  const { door, comes, counts } = await doorOf()
  const { number } = await comes(0)
  door.taken(0, [number])

  door.mark(0)()

  expect(counts()).toEqual([1, 0])
})

it('idle connections of a worker are not in use, until it ends or says otherwise', async () => {
  const { door, comes, counts } = await doorOf()
  await comes(0)
  await comes(1)
  await comes(0)
  const inUse = () => [door.inUseOf(0), door.inUseOf(1)]
  expect(inUse()).toEqual([2, 1])

  door.idle(0, 2)
  expect([inUse(), counts()]).toEqual([
    [0, 1],
    [2, 1],
  ])
  door.idle(0, 1)
  expect(inUse()).toEqual([1, 1])
  door.end(0)
  expect(inUse()).toEqual([0, 1])
})

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import type { ListenerSettings } from '../../../src/config/settings.ts'
import { clientAddresses } from '../../../src/http/listener/client-address.ts'
import { Acceptor, type Client } from '../../../src/server/workers/acceptor.ts'
import { FakeWorker } from './fake-worker.ts'

/** An acceptor for two workers, which get connections in turn. */
async function acceptorOf() {
  const workers = [new FakeWorker(1), new FakeWorker(2)] as const
  let turn = 0
  const acceptor = new Acceptor({
    next: () => {
      const slot = turn++ % workers.length
      const worker = workers[slot]
      return worker && { slot, worker: worker.process }
    },
    limits: () => ({ connections: 10, connectionsPerAddress: 10 }) as ListenerSettings,
    addresses: () => clientAddresses([]),
    alarm: () => {},
  })
  const { port } = await acceptor.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(() => acceptor.close())
  /** Resolves with the number of the connection, once a worker was handed it. */
  const comes = async (slot: 0 | 1): Promise<{ readonly number: number; readonly client: Socket }> => {
    const handed = once(workers[slot], 'handed')
    const client = connect(port, '127.0.0.1')
    onTestFinished(() => void client.destroy())
    const [{ number }] = (await handed) as [Client]
    return { number, client }
  }
  const counts = () => [acceptor.connectionsOf(0), acceptor.connectionsOf(1)]
  return { acceptor, workers, comes, counts }
}

it('a connection that its worker has no descriptor for goes to another one, once a later one has come', async () => {
  const { acceptor, workers, comes, counts } = await acceptorOf()
  const lost = await comes(0)
  acceptor.taken(1, [(await comes(1)).number])
  const later = await comes(0)
  const again = once(workers[1], 'handed')

  acceptor.taken(0, [later.number])

  const [{ number }] = (await again) as [Client]
  expect(number).toBeGreaterThan(later.number)
  expect(counts()).toEqual([1, 2])
  acceptor.taken(1, [number])
  acceptor.closed(1, ['127.0.0.1'])
  expect(counts()).toEqual([1, 1])
  expect(lost.client.destroyed).toBe(false)
})

it('so does one behind which none comes, once its worker has answered, and the same worker counts it no more', async () => {
  const { acceptor, workers, comes, counts } = await acceptorOf()
  const early = acceptor.mark(0)
  await comes(0)
  early()
  expect(counts()).toEqual([1, 0])
  const again = once(workers[1], 'handed')

  acceptor.mark(0)()

  await again
  expect(counts()).toEqual([0, 1])
})

it('a connection that its worker has said it has stays with it', async () => {
  const { acceptor, comes, counts } = await acceptorOf()
  const { number } = await comes(0)
  acceptor.taken(0, [number])

  acceptor.mark(0)()

  expect(counts()).toEqual([1, 0])
})

it('idle connections of a worker are not in use, until it ends or says otherwise', async () => {
  const { acceptor, comes, counts } = await acceptorOf()
  await comes(0)
  await comes(1)
  await comes(0)
  const inUse = () => [acceptor.inUseOf(0), acceptor.inUseOf(1)]
  expect(inUse()).toEqual([2, 1])

  acceptor.idle(0, 2)
  expect([inUse(), counts()]).toEqual([
    [0, 1],
    [2, 1],
  ])
  acceptor.idle(0, 1)
  expect(inUse()).toEqual([1, 1])
  acceptor.end(0)
  expect(inUse()).toEqual([0, 1])
})

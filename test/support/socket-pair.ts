import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** Two sockets that are connected to each other. */
export async function socketPair(): Promise<readonly [Socket, Socket]> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('it listens on a port')
  const there = connect(address.port, '127.0.0.1')
  const [here] = (await once(server, 'connection')) as [Socket]
  if (there.connecting) await once(there, 'connect')
  onTestFinished(() => {
    here.destroy()
    there.destroy()
    server.close()
  })
  return [here, there]
}

/** Holds this process up, as one that gets no CPU: its timers become due, and what is sent to it waits in its sockets. */
export function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

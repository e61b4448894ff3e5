import { createServer } from 'node:net'

/** Below the ports that the system hands out by itself, so that no connection takes it before it is listened on. */
const PORT_MIN = 20_000
const PORT_MAX = 32_767

/** A port at which nothing listens, for what has to know its port before it starts, or after it has ended. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORT_MIN + Math.floor(Math.random() * (PORT_MAX - PORT_MIN + 1))
    const probe = createServer()
    const free = await new Promise<boolean>(resolve => {
      probe.once('error', () => resolve(false))
      probe.listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!free) continue
    await new Promise(resolve => probe.close(resolve))
    return port
  }
}

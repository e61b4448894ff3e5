import { createServer } from 'node:net'

/** Below the ports that the system hands out by itself, so that no connection takes it before it is listened on. */
const PORT_MIN = 20_000
const PORT_MAX = 32_767

/** Ports handed out by this process: two requested before either listens must differ. */
const given = new Set<number>()

/** A port at which nothing listens, for what has to know its port before it starts, or after it has ended. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORT_MIN + Math.floor(Math.random() * (PORT_MAX - PORT_MIN + 1))
    if (given.has(port)) continue
    const probe = createServer()
    const free = await new Promise<boolean>(resolve => {
      probe.once('error', () => resolve(false))
      probe.listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!free) continue
    await new Promise(resolve => probe.close(resolve))
    given.add(port)
    return port
  }
}

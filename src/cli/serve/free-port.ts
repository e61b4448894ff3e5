import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { CommandFailed } from '../../server/failure.ts'

/** A port of 127.0.0.1 that is held, so that no other process takes it before it is used. */
export interface HeldPort {
  readonly port: number
  /** The port that was preferred, where another process has it. */
  readonly taken?: number
  /** Lets it be listened on. */
  release(): Promise<void>
}

/** The preferred port where it is free, else any. */
export async function freePort(preferred: number): Promise<HeldPort> {
  const held = await hold(preferred)
  if (held) return held
  const other = await hold(0)
  if (other) return { ...other, taken: preferred }
  throw new CommandFailed('✗ no port of 127.0.0.1 is free')
}

/** The port that was asked for. Rejects with CommandFailed where it is taken. */
export async function wantedPort(port: number): Promise<HeldPort> {
  const held = await hold(port)
  if (held) return held
  throw new CommandFailed(
    `✗ port ${port} is taken by another process, or needs a privilege: choose another one with --port`,
  )
}

/** Undefined where it is taken, also on ::1, which `localhost` may mean. */
async function hold(wanted: number): Promise<HeldPort | undefined> {
  const server = await listening(wanted, '127.0.0.1')
  if (!server || server === 'no-address') return undefined
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  const six = await listening(port, '::1')
  const release = () =>
    Promise.all([server, six].map(each => (each && each !== 'no-address' ? closed(each) : undefined)))
  if (six) return { port, release: async () => void (await release()) }
  await release()
  return undefined
}

/** Undefined where the port cannot be had; `no-address` on a machine without that one. */
async function listening(port: number, host: string): Promise<Server | 'no-address' | undefined> {
  const server = createServer(socket => socket.destroy())
  server.listen(port, host)
  try {
    await once(server, 'listening')
    return server
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    return code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT' ? 'no-address' : undefined
  }
}

async function closed(server: Server): Promise<void> {
  server.close()
  await once(server, 'close')
}

import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { link, realpath, rename, rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closeToOthers } from './private.ts'

/** Another process, or this one, has the store open. */
export class StoreLocked extends Error {
  override readonly name = 'StoreLocked'
  readonly path: string

  constructor(path: string) {
    super(`the store in ${path} is in use by another process`)
    this.path = path
  }
}

export interface Lock {
  release(): Promise<void>
}

/** Unix socket addresses hold 103 bytes on macOS, 107 on Linux, and longer ones are cut. Some are left for `.pid`. */
const SOCKET_PATH_MAX = 92
/** One for the socket of a dead process, one more for a second process that started in the same moment. */
const ATTEMPTS = 3

/**
 * Locks a directory for as long as this process lives. The lock is a listening socket, not a file with a process id:
 * it ends with its process however that dies, and a number used again cannot be mistaken for the owner.
 * Rejects with StoreLocked when somebody listens.
 */
export async function lockDirectory(path: string): Promise<Lock> {
  const socket = await socketOf(path)
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const server = await listen(socket)
    if (server) return { release: () => close(server) }
    if (!(await removeDead(socket))) break
  }
  throw new StoreLocked(path)
}

/** Whether somebody holds the lock of a directory, which is left as it is. */
export async function isLocked(path: string): Promise<boolean> {
  return answers(await socketOf(path))
}

async function socketOf(path: string): Promise<string> {
  const real = await realpath(path)
  const socket = join(real, 'lock.sock')
  if (Buffer.byteLength(socket) <= SOCKET_PATH_MAX) return socket
  return join(tmpdir(), `store-${createHash('sha256').update(real).digest('hex').slice(0, 24)}.sock`)
}

/** Undefined when the address is taken, by a living process or by the remains of a dead one. */
async function listen(socket: string): Promise<Server | undefined> {
  const server = createServer(visitor => visitor.destroy())
  server.unref()
  try {
    server.listen(socket)
    await once(server, 'listening')
    // Where another process looks at it in this moment it has another name; who connects is told nothing anyway.
    await closeToOthers(socket).catch(() => {})
    return server
  } catch (error) {
    if (hasCode(error, 'EADDRINUSE')) return undefined
    throw error
  }
}

/**
 * Whether the address is free now. The socket is moved aside before it is judged: two processes that both saw
 * a dead one could otherwise each remove the other's new one and both believe they hold the lock.
 */
async function removeDead(socket: string): Promise<boolean> {
  if (await answers(socket)) return false
  const aside = `${socket}.${process.pid}`
  try {
    await rename(socket, aside)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return true
    throw error
  }
  const alive = await answers(aside)
  if (alive) await link(aside, socket)
  await rm(aside)
  return !alive
}

async function answers(socket: string): Promise<boolean> {
  const visitor = connect(socket)
  try {
    await once(visitor, 'connect')
    return true
  } catch (error) {
    if (hasCode(error, 'ECONNREFUSED') || hasCode(error, 'ENOENT')) return false
    throw error
  } finally {
    visitor.destroy()
  }
}

async function close(server: Server): Promise<void> {
  server.close()
  await once(server, 'close')
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

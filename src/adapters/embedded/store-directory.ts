import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmod, link, lstat, open, realpath, rename, rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Millis } from '../../policy/config.ts'

/** The store is open already, in another process or in this one. */
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

/**
 * Locks a directory for as long as this process lives. The lock is a listening socket, not a file with a process id:
 * it ends with its process however that dies, and a number used again cannot be mistaken for the owner.
 * Rejects with StoreLocked while a process listens, and for as long as `patience` waits for one that ends.
 */
export async function lockDirectory(path: string, patience: Millis = 0): Promise<Lock> {
  const socket = await socketOf(path)
  const until = performance.now() + patience
  for (;;) {
    const server = await take(socket)
    if (server) return { release: () => close(server) }
    if (performance.now() >= until) throw new StoreLocked(path)
    await sleep(LOOK_MS)
  }
}

/** Undefined while another process has it. */
async function take(socket: string): Promise<Server | undefined> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const server = await listen(socket)
    if (server) return server
    if (!(await removeDead(socket))) break
  }
  return undefined
}

/** Whether a process holds the lock of a directory. Changes nothing. */
export async function isLocked(path: string): Promise<boolean> {
  return answers(await socketOf(path))
}

/** Takes all rights to a file or a directory from other users. A link stays as it is: its target may belong to another user. Rejects where the file belongs to another user. */
export async function closeToOthers(path: string): Promise<void> {
  const stat = await lstat(path)
  if (!stat.isSymbolicLink() && (stat.mode & 0o077) !== 0) await chmod(path, stat.mode & 0o700)
}

/** Creates a file for its owner alone, or takes the rights to an existing one from other users. A writable file of another user stays as it is. */
export async function ensurePrivate(path: string): Promise<void> {
  await (await open(path, 'a', 0o600)).close()
  await closeToOthers(path).catch(() => {})
}

/** Unix socket addresses hold 103 bytes on macOS, 107 on Linux, and longer ones are cut. Some are left for `.pid`. */
const SOCKET_PATH_MAX = 92
/** Two attempts at a socket that a dead process left, and one more for a second process that started in the same moment. */
const ATTEMPTS = 3
/** How often one looks who waits for a process to end. */
const LOOK_MS: Millis = 100

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
    // The socket may have another name while another process examines it; a connection reveals nothing anyway.
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
    // It lives, and has not taken those in who looked before: it is stopped, or hangs.
    if (hasCode(error, 'EAGAIN')) return true
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

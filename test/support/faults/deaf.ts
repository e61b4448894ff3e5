import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'

/** A host whose name resolves nowhere (RFC 6761). */
export const UNKNOWN_HOST = 'http://nonexistent.invalid/v1'

/** A port on which no connection is ever made, nor refused. */
export interface Deaf {
  /** The base URL that clients are given, with /v1. */
  readonly url: string
  /** From now on connections are refused. */
  close(): Promise<void>
}

/** Listens, and then sleeps for ever: what comes waits in the queue of the kernel. */
const SLEEPER = `
const { parentPort } = require('node:worker_threads')
const server = require('node:net').createServer()
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  parentPort.postMessage(server.address().port)
  setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0))
})`
/** Loopback connects at once; whoever waits longer waits for ever. */
const CONNECTED_WITHIN_MS = 100

/** False once it is read what the kernel had to say by then: this process may have had no CPU meanwhile. */
async function isStillWaiting(): Promise<false> {
  await sleep(CONNECTED_WITHIN_MS)
  await new Promise(setImmediate)
  return new Promise(resolve => setImmediate(resolve, false))
}

/** Starts a listener whose queue is full, so that the kernel leaves every further SYN unanswered. */
export async function startDeaf(): Promise<Deaf> {
  const worker = new Worker(SLEEPER, { eval: true })
  const [port]: number[] = await once(worker, 'message')
  const queued: Socket[] = []
  let connected = true
  while (connected) {
    const socket = connect(port ?? 0, '127.0.0.1').on('error', () => {})
    queued.push(socket)
    connected = await Promise.race([once(socket, 'connect').then(() => true), isStillWaiting()])
  }
  return {
    url: `http://127.0.0.1:${port}/v1`,
    close: async () => {
      for (const socket of queued) socket.destroy()
      await worker.terminate()
    },
  }
}

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import type { ShownProcess } from '../../../src/wire/admin/process.ts'
import { type Backend, startBackend } from '../../support/backend.ts'
import { eventually } from '../../support/eventually.ts'
import { askTwice, KeepAliveClients } from './keep-alive-clients.ts'
import { startTree, type Tree } from './tree.ts'
import { yamlOf } from './tree-yaml.ts'

const WORKERS = 3
const CLIENTS = 18
/** 1.25 times a share. */
const MOST = 7

let backend: Backend
let tree: Tree
let key: string

beforeEach(async () => {
  backend = await startBackend()
  tree = await startTree(WORKERS, yamlOf(backend.url))
  key = await tree.mint('pro', 'ada')
})
afterEach(async () => {
  await tree.end()
  await backend.close()
})

const workers = async () => {
  const { body } = await tree.ask('GET', '/admin/workers')
  return (body as { data: readonly ShownProcess[] }).data.filter(({ process }) => process === 'worker')
}
const isEven = async (least = 1) => {
  const connections = (await workers()).map(each => each.connections)
  expect(connections.reduce((sum, each) => sum + each, 0)).toBeGreaterThanOrEqual(CLIENTS)
  expect(Math.max(...connections)).toBeLessThanOrEqual(MOST)
  expect(Math.min(...connections)).toBeGreaterThanOrEqual(least)
}

it.each([
  ['take whole answers', 0],
  ['only stream', 1],
])(
  'clients that %s are spread evenly again after a worker was killed, and none of the others sees an error',
  async (_name, streams) => {
    const clients = new KeepAliveClients({ url: () => tree.url, key: () => key, count: CLIENTS, streams })
    await eventually(() => isEven())
    const [victim] = await workers()
    const { connections = 0, pid = 0 } = victim ?? {}

    process.kill(pid, 'SIGKILL')
    await eventually(async () => expect((await workers()).map(each => each.pid)).not.toContain(pid))
    await eventually(() => isEven())
    const { answered } = clients
    await eventually(() => expect(clients.answered).toBeGreaterThan(answered + 2 * CLIENTS))
    await clients.end()

    expect(clients.errors.length).toBeLessThanOrEqual(connections)
  },
)

/** A client that asks once and keeps its connection. */
async function idleClient(): Promise<Socket> {
  const { hostname, port, host } = new URL(tree.url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {}).write(`GET /v1/models HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${key}\r\n\r\n`)
  await once(socket, 'data')
  return socket
}

it('connections in use are spread evenly after a worker was killed, beside those on which nothing is asked', async () => {
  const idle = (2 * CLIENTS) / WORKERS
  for (let n = 0; n < WORKERS * idle; n++) await idleClient()
  expect((await workers()).map(({ connections }) => connections)).toEqual(Array(WORKERS).fill(idle))
  const clients = new KeepAliveClients({ url: () => tree.url, key: () => key, count: CLIENTS, streams: 0 })
  const [victim] = await workers()
  process.kill(victim?.pid ?? 0, 'SIGKILL')
  await eventually(async () => expect((await workers()).filter(({ restarts }) => restarts > 0)).toHaveLength(1))
  // They are spread evenly at first: what moves them takes some looks.
  const { answered } = clients
  await eventually(() => expect(clients.answered).toBeGreaterThan(answered + 40 * CLIENTS))

  await eventually(async () => {
    const now = await workers()
    const inUse = now.map(({ connections, restarts }) => connections - (restarts > 0 ? 0 : idle))
    expect(inUse.reduce((sum, each) => sum + each, 0)).toBe(CLIENTS)
    expect(Math.max(...inUse)).toBeLessThanOrEqual(MOST)
  })
  await clients.end()
})

it('requests that wait behind another one on their connection are answered while connections end', async () => {
  const clients = new KeepAliveClients({ url: () => tree.url, key: () => key, count: CLIENTS, streams: 0 })
  await eventually(() => isEven())
  const [victim] = await workers()
  process.kill(victim?.pid ?? 0, 'SIGKILL')
  // The main process calls a killed worker serving until it learns of its end, and hands connections to it.
  await eventually(async () => {
    const now = await workers()
    expect(now.map(({ pid }) => pid)).not.toContain(victim?.pid)
    expect(now.map(({ state }) => state)).toEqual(['serving', 'serving', 'serving'])
  })

  const answers: number[] = []
  let isOver = false
  const asking = (async () => {
    while (!isOver) {
      answers.push(await askTwice(tree.url, key))
      await sleep(20)
    }
  })()
  await eventually(() => isEven())
  isOver = true
  await asking
  await clients.end()

  expect(answers.length).toBeGreaterThan(0)
  expect(answers.filter(each => each !== 2)).toEqual([])
})

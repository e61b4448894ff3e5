import { readFile, writeFile } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import type { ShownProcess } from '../../src/wire/admin/process.ts'
import { brief } from '../server/workers/kills-in-turn.ts'
import { startTree, type Tree } from '../server/workers/tree.ts'
import { yamlOf } from '../server/workers/tree-yaml.ts'
import { type Backend, startBackend } from '../support/backend.ts'
import { describeRedis, startRedis } from '../support/redis/redis.ts'
import { sizeOf } from './harness/size.ts'

const REVOCATIONS = sizeOf('REVOCATIONS', 1000)
const RELOADS = sizeOf('RELOADS', 200, 4)
const MINUTES = sizeOf('MINUTES', 10)
const WORKERS = 4
const CLIENTS = 8

let backend: Backend
beforeAll(async () => {
  backend = await startBackend()
  backend.always(brief)
})
afterAll(() => backend.close())

const embedded = (directory: string) => `embedded:${directory}/store`

async function start(store: (directory: string) => string): Promise<Tree> {
  const tree = await startTree(WORKERS, yamlOf(backend.url, store))
  onTestFinished(() => void tree.end())
  return tree
}

/** Keys that are revoked while all workers serve them: what was served that began after the revocation was answered. */
async function servedAfterRevocation(tree: Tree): Promise<readonly string[]> {
  const late: string[] = []
  for (let n = 0; n < REVOCATIONS; n++) {
    const key = await tree.mint('pro', `user-${n}`)
    const asked = { served: 0, isRevoked: false }
    const clients = Promise.all(Array.from({ length: CLIENTS }, () => askUntilRevoked(tree, key, asked)))
    await vi.waitFor(() => expect(asked.served).toBeGreaterThan(CLIENTS), { interval: 5, timeout: 20_000 })
    expect((await tree.ask('POST', '/admin/keys/revoke', { key })).status).toBe(200)
    asked.isRevoked = true
    const statuses = (await clients).flat()
    // On a busy machine a store may be held for down: that refuses as well.
    if (statuses.some(status => status !== 401 && status !== 503)) late.push(`revocation ${n}: ${statuses}`)
  }
  return late
}

/** The statuses of two requests that begin after the revocation. */
async function askUntilRevoked(tree: Tree, key: string, asked: { served: number; readonly isRevoked: boolean }) {
  const after: number[] = []
  while (after.length < 2) {
    const begunAfter = asked.isRevoked
    const response = await tree.chat(key)
    await response.text()
    if (begunAfter) after.push(response.status)
    if (response.status === 200) asked.served++
  }
  return after
}

it(`none of ${REVOCATIONS} keys is served by any worker after its revocation`, async () => {
  expect(await servedAfterRevocation(await start(embedded))).toEqual([])
})

describeRedis('on Redis', () => {
  it(`none of ${REVOCATIONS} keys is served by any worker after its revocation`, async () => {
    const redis = await startRedis()
    onTestFinished(() => redis.stop())
    expect(await servedAfterRevocation(await start(() => redis.url))).toEqual([])
  })
})

/** The context of the only model, which each reload raises, as whoever serves the connection knows it; undefined where it does not say. */
function contextBy(tree: Tree, agent: Agent | false, key?: string): Promise<number | undefined> {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
  return new Promise((resolve, reject) => {
    get(`${tree.url}/v1/models`, { agent, headers }, async response => {
      // Who asks without a pause is limited, and learns nothing.
      if (response.statusCode === 429) {
        response.resume()
        return resolve(undefined)
      }
      const { data } = JSON.parse(await text(response)) as { data: { context_length?: number }[] }
      resolve(data.find(({ context_length }) => context_length !== undefined)?.context_length ?? 0)
    }).on('error', reject)
  })
}

it(`${RELOADS} reloads under load, with a worker killed in a quarter of them, take effect in all workers or in none`, async () => {
  const tree = await start(embedded)
  const key = await tree.mint('pro', 'ada')
  const yaml = await readFile(tree.file, 'utf8')
  const [refused, fallen] = [new Set<number>(), [] as string[]]
  let isOver = false
  const chats = async () => {
    while (!isOver) {
      // Its worker may be killed.
      const status = await tree.chat(key).then(
        response => response.text().then(() => response.status),
        () => 200,
      )
      if (status !== 200) refused.add(status)
    }
  }
  const watch = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (let before = 0; !isOver; await sleep(2)) {
      const now = await contextBy(tree, agent).catch(() => 0)
      if (now === undefined) continue
      // A broken connection is replaced by another one, perhaps to another worker.
      if (now !== 0 && now < before) fallen.push(`${before} → ${now}`)
      before = now
    }
    agent.destroy()
  }
  const running = [...Array.from({ length: CLIENTS }, chats), ...Array.from({ length: WORKERS }, watch)]
  let [serving, taken] = [32_000, 0]
  for (let n = 1; n <= RELOADS; n++) {
    const next = 32_000 + n
    await writeFile(tree.file, yaml.replace('context: 32k', `context: ${next}`))
    if (n % 4 === 0) process.kill(tree.pids('worker')[n % WORKERS] ?? 0, 'SIGKILL')
    const { status } = await tree.ask('POST', '/admin/reload')
    if (status === 200) [serving, taken] = [next, taken + 1]
    // Each on a connection of its own, so that all workers are asked.
    const seen = await Promise.all(
      Array.from(
        { length: 2 * WORKERS },
        async () => (await contextBy(tree, false, key).catch(() => serving)) ?? serving,
      ),
    )
    expect([n, new Set(seen)]).toEqual([n, new Set([serving])])
    expect((await tree.ask('GET', '/metrics')).text.match(/^svc_config_info\{.*\} 1$/gm)).toHaveLength(1)
    await vi.waitFor(() => expect(tree.pids('worker')).toHaveLength(WORKERS), { timeout: 30_000 })
  }
  isOver = true
  await Promise.all(running)

  expect({ refused: [...refused], fallen }).toEqual({ refused: [], fallen: [] })
  expect(taken).toBeGreaterThanOrEqual(Math.floor((RELOADS * 3) / 4))
  console.log(
    `${RELOADS} reloads under load: ${taken} took effect, ${RELOADS - taken} were refused where a worker was killed`,
  )
})

it(`no process grows in ${MINUTES} minutes of load`, async () => {
  const tree = await start(embedded)
  const key = await tree.mint('pro', 'ada')
  let isOver = false
  const client = async () => {
    while (!isOver) await (await tree.chat(key)).text()
  }
  const residents = async () => {
    const { data } = (await tree.ask('GET', '/admin/workers')).body as { data: ShownProcess[] }
    return data.map(each => ({ process: each.process, bytes: each.resident_bytes ?? 0 }))
  }
  const clients = Array.from({ length: CLIENTS }, client)
  // Until code is compiled and buffers have their size.
  await sleep((MINUTES * 60_000) / 4)
  const before = await residents()
  await sleep((MINUTES * 60_000 * 3) / 4)
  const after = await residents()
  isOver = true
  await Promise.all(clients)

  const megabytes = (bytes: number) => Math.round(bytes / 1e6)
  console.log(
    `memory of ${WORKERS} workers after ${MINUTES} minutes, MB: ${after.map(({ process, bytes }, at) => `${process} ${megabytes(before[at]?.bytes ?? 0)} → ${megabytes(bytes)}`).join(', ')}`,
  )
  for (const [at, { bytes }] of after.entries()) expect(bytes).toBeLessThan((before[at]?.bytes ?? 0) * 1.25)
  expect(after.find(({ process }) => process === 'main')?.bytes).toBeLessThan(MAIN_MOST)
})

/** It has the code of a whole gateway, and nothing of requests. */
const MAIN_MOST = 200e6

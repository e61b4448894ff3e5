import { Agent, get } from 'node:http'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import type { ShownProcess } from '../../../src/wire/admin/process.ts'
import { answer, type Backend, startBackend } from '../../support/backend.ts'
import { eventually } from '../../support/eventually.ts'
import { startTree, type Tree } from './tree.ts'
import { yamlOf } from './tree-yaml.ts'

const WORKERS = 2
const CONNECTIONS = 40
const OF_ADDRESS = 12
let backend: Backend
let tree: Tree
let key: string

beforeAll(async () => {
  backend = await startBackend()
  backend.always(answer({ content: 'Hi' }))
  const yaml = yamlOf(backend.url, undefined, {
    server: 'trusted_proxies: [127.0.0.2]',
    limits: `connections: ${CONNECTIONS}, connections_per_ip: ${OF_ADDRESS}`,
    plans: 'tight: { models: all, rpm: 1, tpm: 900M, monthly_usd: 500 }',
  })
  tree = await startTree(WORKERS, yaml)
  key = await tree.mint('pro', 'ada')
})

afterAll(async () => {
  expect(await tree.end()).toBe(0)
  await backend.close()
})

interface Listed {
  readonly data: readonly { readonly request_id: string; readonly status: number }[]
}

it('an operator finds what any worker served: in the list, by its id, and why it went so', async () => {
  const served = await Promise.all(Array.from({ length: 8 }, () => tree.chat(key)))
  const ids = served.map(({ headers }) => headers.get('x-request-id') ?? '')

  await eventually(async () => {
    const { data } = (await tree.ask('GET', '/admin/requests?limit=100')).body as Listed
    expect(data.map(each => each.request_id)).toEqual(expect.arrayContaining(ids))
  })
  for (const id of ids) {
    await eventually(async () => {
      const { body } = await tree.ask('GET', `/admin/requests/${id}`)
      expect(body).toMatchObject({ request: { request_id: id }, decision: {} })
      expect((body as { decision: unknown }).decision).not.toBeNull()
    })
  }
})

it('an account sees its refusals by all workers, whichever answers', async () => {
  const own = await tree.mint('tight', 'bob')
  await Promise.all(Array.from({ length: 6 }, () => tree.chat(own)))

  for (let n = 0; n < 4; n++) {
    const response = await fetch(`${tree.url}/v1/requests`, {
      headers: { authorization: `Bearer ${own}`, connection: 'close' },
    })
    const { data } = (await response.json()) as { data: { status: number }[] }
    expect(data.filter(({ status }) => status === 429)).toHaveLength(5)
  }
})

it('an operator follows the requests of all workers in one feed', async () => {
  const gone = new AbortController()
  onTestFinished(() => gone.abort())
  const feed = await fetch(`${tree.admin}/admin/events`, {
    headers: { authorization: 'Bearer test-admin-token' },
    signal: gone.signal,
  })
  let text = ''
  const reading = (async () => {
    for await (const chunk of feed.body as unknown as AsyncIterable<Uint8Array>) text += Buffer.from(chunk).toString()
  })().catch(() => {})
  // Workers hear of the reader a moment later.
  await eventually(async () => {
    await tree.chat(key)
    expect(text).toContain('"event":"request"')
  })

  const served = await Promise.all(Array.from({ length: 8 }, () => tree.chat(key)))

  const ids = served.map(({ headers }) => headers.get('x-request-id') ?? '')
  await eventually(() => expect(ids.filter(id => !text.includes(id))).toEqual([]))
  gone.abort()
  await reading
})

it('an operator sees how many requests each worker has in flight', async () => {
  let answerAll = () => {}
  const mayAnswer = new Promise<void>(resolve => {
    answerAll = resolve
  })
  backend.always(async context => {
    await mayAnswer
    return answer({ content: 'Hi' })(context)
  })
  const running = Array.from({ length: 6 }, () => tree.chat(key))
  const inFlight = async () => {
    const { data } = (await tree.ask('GET', '/admin/workers')).body as { data: ShownProcess[] }
    return data.filter(each => each.process === 'worker').map(({ in_flight }) => in_flight)
  }

  await eventually(async () => expect(await inFlight()).toEqual([3, 3]))
  const ready = (await tree.ask('GET', '/readyz')).body as { workers: { in_flight: number }[] }
  expect(ready.workers.map(({ in_flight }) => in_flight)).toEqual([3, 3])

  answerAll()
  await Promise.all(running)
  await eventually(async () => expect(await inFlight()).toEqual([0, 0]))
  backend.always(answer({ content: 'Hi' }))
})

it('a line of the log says which worker wrote it', async () => {
  await Promise.all(Array.from({ length: 8 }, () => tree.chat(key)))
  await eventually(() => {
    const written = tree.logged.map(line => JSON.parse(line) as { msg: string; worker?: number })
    const requests = written.filter(({ msg }) => msg === 'request')
    expect(new Set(requests.map(({ worker }) => worker))).toEqual(new Set([0, 1]))
  })
})

it('an operator sees each worker: its process, its connections, and how it does', async () => {
  const { body } = await tree.ask('GET', '/readyz')
  const { workers } = body as { workers: { worker: number; pid: number; state: string; restarts: number }[] }
  expect(workers.map(({ pid }) => pid).sort()).toEqual([...tree.pids('worker')].sort())
  expect(workers.map(({ worker, state, restarts }) => [worker, state, restarts])).toEqual([
    [0, 'serving', 0],
    [1, 'serving', 0],
  ])
  const { data } = (await tree.ask('GET', '/admin/workers')).body as { data: ShownProcess[] }
  expect(data.map(each => [each.process, each.worker, each.pid, each.state, each.restarts])).toEqual([
    ['main', null, tree.process.pid, 'serving', 0],
    ...workers.map(({ worker, pid }) => ['worker', worker, pid, 'serving', 0]),
    ['store', null, tree.pids('store')[0], 'serving', 0],
  ])
  for (const { cores, resident_bytes, lag_ms } of data) {
    expect(cores).toBeGreaterThanOrEqual(0)
    expect(resident_bytes).toBeGreaterThan(10_000_000)
    expect(lag_ms).toBeGreaterThanOrEqual(0)
  }
  const { text } = await tree.ask('GET', '/metrics')
  for (const name of ['0', '1', 'store']) {
    expect(text).toMatch(new RegExp(`^svc_worker_cpu_seconds_total\\{worker="${name}"\\} 0?\\.?[1-9]`, 'm'))
    expect(text).toMatch(new RegExp(`^svc_worker_resident_bytes\\{worker="${name}"\\} \\d{8,}$`, 'm'))
  }
})

/** Requests on connections that stay: the status of each, or 0 where its connection was closed unserved. */
async function onConnections(count: number, localAddress: string): Promise<readonly number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  onTestFinished(() => agent.destroy())
  return Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<number>(resolve => {
          get(`${tree.url}/readyz`, { agent, localAddress }, response => {
            response.resume().on('end', () => resolve(response.statusCode ?? 0))
          }).on('error', () => resolve(0))
        }),
    ),
  )
}

it('an address has as many connections as it may, by all workers together, and again once they are closed', async () => {
  const statuses = await onConnections(OF_ADDRESS + 6, '127.0.0.9')
  expect([statuses.filter(status => status === 200), statuses.filter(status => status === 0)]).toMatchObject([
    { length: OF_ADDRESS },
    { length: 6 },
  ])
})

it('the gateway has as many connections as it may, by all workers together', async () => {
  await eventually(async () => {
    const { body } = await tree.ask('GET', '/readyz')
    const { workers } = body as { workers: { connections: number }[] }
    expect(workers.reduce((sum, { connections }) => sum + connections, 0)).toBe(0)
  })
  const statuses = (
    await Promise.all(['127.0.0.10', '127.0.0.11', '127.0.0.12', '127.0.0.13'].map(each => onConnections(11, each)))
  ).flat()

  expect(statuses.filter(status => status === 200)).toHaveLength(CONNECTIONS)
  expect(statuses.filter(status => status === 0)).toHaveLength(4)
})

it('a worker that hangs keeps no client waiting for ever: those that it did not get go to another one when it ends', async () => {
  const [hung = 0] = tree.pids('worker')
  process.kill(hung, 'SIGSTOP')
  const asked = Array.from({ length: 8 }, () =>
    tree.chat(key, {}, AbortSignal.timeout(60_000)).then(
      ({ status }) => status,
      (error: Error) => error.name,
    ),
  )
  // Those of the other worker are answered, the rest wait at the one that hangs.
  await Promise.race(asked)

  process.kill(hung, 'SIGKILL')

  const statuses = await Promise.all(asked)
  expect(statuses).not.toContain('TimeoutError')
  // At most the connection that was on its way is lost.
  expect(statuses.filter(status => status === 200).length).toBeGreaterThanOrEqual(7)
  await eventually(() => expect(tree.pids('worker')).toHaveLength(WORKERS))
})

import { readFile, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answer, type Backend, startBackend, status } from '../../support/backend.ts'
import { eventually } from '../../support/eventually.ts'
import { startTree, type Tree } from './tree.ts'
import { yamlOf } from './tree-yaml.ts'

const WORKERS = 2
const AT_ONCE = 8
let backend: Backend
let tree: Tree
let key: string

const yamlFor = (url: string) =>
  yamlOf(url, undefined, {
    plans: 'tight: { models: all, rpm: 5, tpm: 900M, monthly_usd: 500 }',
    pool: 'eject: { after: 3, for: 60s }, max_concurrent: 5, queue_timeout: 20s',
  })

beforeAll(async () => {
  backend = await startBackend()
  backend.always(answer({ content: 'Hi' }))
  tree = await startTree(WORKERS, yamlFor(backend.url))
  key = await tree.mint('pro', 'ada')
})

afterAll(async () => {
  expect(await tree.end()).toBe(0)
  await backend.close()
})

/** Some at a time: as many may wait for a pool as may run there. */
async function many(count: number, of = key): Promise<readonly Response[]> {
  const all: Response[] = []
  let left = count
  const run = async () => {
    while (left-- > 0) {
      const response = await tree.chat(of)
      all.push(response)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, run))
  return all
}
const statuses = async (count: number, of = key) => (await many(count, of)).map(({ status }) => status)
const metric = (text: string, name: string) =>
  text
    .split('\n')
    .filter(line => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)

describe('a gateway of several processes', () => {
  it('serves a key by all of its workers, and their lines are in one log', async () => {
    expect(tree.pids('worker')).toHaveLength(WORKERS)
    expect(tree.pids('store')).toHaveLength(1)
    const before = tree.logged.length

    const refused = (await many(20)).filter(({ status }) => status !== 200)
    expect([await Promise.all(refused.map(each => each.text())), refused.length > 0 && tree.said]).toEqual([[], false])

    await eventually(() => expect(tree.logged.length).toBe(before + 20))
  })

  it('passes no limit, although each request may come to another worker', async () => {
    const tight = await tree.mint('tight', 'bob')

    const all = await statuses(20, tight)

    expect(all.filter(status => status === 200)).toHaveLength(5)
    expect(all.filter(status => status === 429)).toHaveLength(15)
  })

  it('refuses a revoked key by its next request, whatever worker that meets', async () => {
    const short = await tree.mint('pro', 'carol')
    expect(new Set(await statuses(10, short))).toEqual(new Set([200]))

    expect((await tree.ask('POST', '/admin/keys/revoke', { key: short })).status).toBe(200)

    expect(new Set(await statuses(10, short))).toEqual(new Set([401]))
  })

  it('waits for a store that is late by 0.3 s, as on a machine that is busy', async () => {
    const [store = 0] = tree.pids('store')
    process.kill(store, 'SIGSTOP')
    const answers = statuses(6)
    await sleep(300)
    process.kill(store, 'SIGCONT')

    expect(await answers).toEqual(Array(6).fill(200))
  })

  it('counts what all processes did, and no counter falls when a worker is killed', async () => {
    const read = async () => {
      const { text } = await tree.ask('GET', '/metrics')
      return {
        requests: metric(text, 'svc_requests_total'),
        charged: metric(text, 'svc_charged_requests_total'),
        rows: metric(text, 'svc_ledger_rows_total'),
      }
    }
    const before = await read()
    expect(await statuses(20)).toEqual(Array(20).fill(200))
    await eventually(async () => expect(await read()).toEqual(plus(before, 20)))

    const [victim = 0] = tree.pids('worker')
    process.kill(victim, 'SIGKILL')
    await eventually(() => expect(tree.pids('worker').includes(victim)).toBe(false))
    const after = await read()
    expect(after.requests).toBeGreaterThanOrEqual(before.requests + 20)
    await eventually(() => expect(tree.pids('worker')).toHaveLength(WORKERS))
    await eventually(async () => expect(await statuses(8)).toEqual(Array(8).fill(200)))
    await eventually(async () => expect((await read()).rows).toBeGreaterThanOrEqual(before.rows + 28))
  })

  it('has all workers serve new files once the reload is answered, and none of them where they are refused', async () => {
    const text = await readFile(tree.file, 'utf8')
    await writeFile(tree.file, text.replace('context: 32k', 'context: 16k'))
    const reloaded = await tree.ask('POST', '/admin/reload')
    expect(reloaded).toMatchObject({ status: 200, body: { generation: 2 } })

    const listed = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const response = await fetch(`${tree.url}/v1/models`, { headers: { connection: 'close' } })
        return ((await response.json()) as { data: { context_length?: number }[] }).data
      }),
    )
    expect(new Set(listed.map(each => JSON.stringify(each).includes('16000'))).size).toBe(1)

    await writeFile(tree.file, text.replace('context: 32k', 'context: -1'))
    expect((await tree.ask('POST', '/admin/reload')).status).not.toBe(200)
    expect(new Set(await statuses(6))).toEqual(new Set([200]))
  })

  it('sends no more requests at once to a pool than it may have, by all workers together', async () => {
    let [running, most] = [0, 0]
    backend.always(async context => {
      running++
      most = Math.max(most, running)
      await sleep(5)
      running--
      return answer({ content: 'Hi' })(context)
    })

    const all = await statuses(60)

    expect(new Set(all)).toEqual(new Set([200]))
    expect(most).toBeLessThanOrEqual(5)
    expect(most).toBeGreaterThan(1)
    backend.always(answer({ content: 'Hi' }))
  })

  it('drains a pool in all workers, and sends requests again where that is taken back', async () => {
    expect((await tree.ask('POST', '/admin/pools/drain', { pool: 'onprem' })).status).toBe(200)
    await eventually(async () => expect(new Set(await statuses(6))).toEqual(new Set([503])))

    expect((await tree.ask('POST', '/admin/pools/undrain', { pool: 'onprem' })).status).toBe(200)
    await eventually(async () => expect(new Set(await statuses(6))).toEqual(new Set([200])))
  })

  it('tells operators of requests and alarms of all workers', async () => {
    await many(6)

    await eventually(async () => {
      const { body } = await tree.ask('GET', '/admin/requests?limit=20')
      expect((body as { data: unknown[] }).data.length).toBeGreaterThanOrEqual(6)
    })
  })
})

function plus<T extends Record<string, number>>(counts: T, more: number): T {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, count + more])) as T
}

describe('replicas', () => {
  it('that one worker ejects are ejected in all, with one alarm of each that found it itself', async () => {
    backend.always(status(500, { error: { message: 'broken' } }))
    const before = backend.requests.length

    await statuses(12)
    await eventually(async () => {
      const { body } = await tree.ask('GET', '/admin/pools')
      expect(JSON.stringify(body)).toContain('"state":"open"')
    })
    const asked = backend.requests.length
    await statuses(12)

    // If all replicas of a pool are ejected, each request tries one as a last resort, and no other.
    expect(backend.requests.length - asked).toBeLessThanOrEqual(12)
    expect(asked).toBeGreaterThan(before)
    // Two may find it in the same moment.
    const alarms = tree.said.filter(line => line.includes('a replica is ejected'))
    expect(alarms.length).toBeGreaterThan(0)
    expect(alarms.length).toBeLessThanOrEqual(WORKERS)
  })
})

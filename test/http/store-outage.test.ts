import { randomBytes } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { load } from '../../src/config/load.ts'
import { mintKey } from '../../src/gateway/accounts/accounts.ts'
import type { LedgerRow } from '../../src/records/ledger-row.ts'
import type { RunningGateway } from '../../src/server/compose/gateway.ts'
import { startSingle } from '../../src/server/compose/single.ts'
import { world } from '../../src/server/world.ts'
import { removeFolder } from '../lanes/remove-folder.ts'
import { type Backend, chunk, SSE_HEADERS, startBackend, write } from '../support/backend.ts'
import { eventsOf } from '../support/gateway.ts'
import { describeRedis, type RedisServer, startRedis } from '../support/redis/redis.ts'

interface Outage {
  readonly begin: (redis: RedisServer) => unknown
  readonly heal: (redis: RedisServer) => unknown
}

// With its data out of sight it is as empty as after FLUSHALL, and can be restored.
const swap = (redis: RedisServer) => tell(redis, 'SWAPDB 0 1')
const outages: Readonly<Record<string, Outage>> = {
  killed: { begin: redis => redis.kill(), heal: redis => redis.restart() },
  stopped: { begin: redis => redis.pause(), heal: redis => redis.resume() },
  emptied: { begin: swap, heal: swap },
  'read-only': {
    begin: redis => tell(redis, 'REPLICAOF 127.0.0.1 1'),
    heal: redis => tell(redis, 'REPLICAOF NO ONE'),
  },
}
const UNAVAILABLE = { status: 503, code: 'STORE_UNAVAILABLE' }
/** Waits end when it holds; this is only against hanging. */
const PATIENCE = { timeout: 60_000, interval: 20 }

let redis: RedisServer
let backend: Backend
let gateway: RunningGateway
let key: string
let alarms: string[]

describeRedis('on Redis', () => {
  beforeEach(async () => {
    redis = await startRedis({ durable: true })
    backend = await startBackend()
    const dir = mkdtempSync(join(tmpdir(), 'svc-outage-'))
    alarms = []
    gateway = await start(dir)
    const minted = await mintKey(gateway.store.keys, randomBytes, {
      brand: 'svc',
      label: 'ada',
      plan: 'pro',
      most: 1,
      by: 'test',
    })
    key = minted.value ?? ''
    return () => removeFolder(dir)
  })

  afterEach(async () => {
    await gateway.close(0)
    await backend.close()
    await redis.stop()
    expect(alarms.filter(alarm => alarm.startsWith('unexpected error'))).toEqual([])
  })

  it.each(Object.entries(outages))(
    'while the store is %s, nobody is let in or told that a key is wrong; afterwards all is as it was',
    async (_name, { begin, heal }) => {
      expect(await chat()).toMatchObject({ status: 200 })

      await begin(redis)

      expect(await Promise.all([chat(), chat({ stream: true }), chat(), chat()])).toEqual(Array(4).fill(UNAVAILABLE))
      expect(await mint()).toEqual(UNAVAILABLE)
      expect(await chat()).toEqual(UNAVAILABLE)
      expect((await fetch(`${url()}/v1/models`)).status).toBe(200)
      expect(backend.requests).toHaveLength(1)

      await heal(redis)

      await vi.waitFor(async () => expect(await chat()).toEqual({ status: 200, code: '' }), PATIENCE)
      await expectBalanced()
    },
  )

  it.each(Object.entries(outages))(
    'a stream that is under way when the store is %s ends well, and is in the ledger once',
    async (_name, { begin, heal }) => {
      const finish = streamOnDemand()
      const response = await ask({ stream: true })
      const requestId = response.headers.get('x-request-id')

      await begin(redis)
      expect(await chat()).toEqual(UNAVAILABLE)
      finish()
      const events = await eventsOf(response)
      // The gateway has tried to reach the store in vain.
      expect(await chat()).toEqual(UNAVAILABLE)
      await heal(redis)

      expect(events.at(-1)).toBe('[DONE]')
      const rowsOf = async () => (await ledger()).filter(row => row.requestId === requestId)
      await vi.waitFor(async () => expect(await rowsOf()).toMatchObject([{ kind: 'settle', cost: 39_000 }]), PATIENCE)
      await expectBalanced()
    },
  )

  it('answers that come whole while the store is killed and restarted are in the ledger once each', async () => {
    const answers: { status: number; code: string; requestId: string | null }[] = []
    let working = true
    const work = async () => {
      while (working) {
        const response = await ask({ stream: answers.length % 2 === 0 })
        await response.text()
        const requestId = response.headers.get('x-request-id')
        answers.push({ status: response.status, code: response.headers.get('x-svc-error-code') ?? '', requestId })
        if (response.status !== 200) await sleep(20)
      }
    }
    const served = () => answers.filter(({ status }) => status === 200)
    const workers = Array.from({ length: 8 }, work)

    for (let round = 1; round <= 3; round++) {
      const before = served().length
      await vi.waitFor(() => expect(served().length).toBeGreaterThan(before + 20), PATIENCE)
      await redis.kill()
      await vi.waitFor(() => expect(answers.at(-1)?.status).toBe(503), PATIENCE)
      await redis.restart()
    }
    await vi.waitFor(() => expect(answers.at(-1)?.status).toBe(200), PATIENCE)
    working = false
    await Promise.all(workers)

    expect(new Set(answers.map(({ code }) => code))).toEqual(new Set(['', 'STORE_UNAVAILABLE']))
    const ids = served().map(({ requestId }) => requestId)
    await vi.waitFor(async () => {
      const settled = (await ledger()).map(({ requestId }) => requestId)
      expect(ids.filter(id => settled.filter(other => other === id).length !== 1)).toEqual([])
    }, PATIENCE)
    await expectBalanced()
  })

  it('a Redis that is silent for redis.answer_timeout is no longer waited for', async () => {
    redis.pause()

    await expect(gateway.store.keys.list()).rejects.toThrow('no answer within 200 ms')

    redis.resume()
  })
})

async function start(dir: string): Promise<RunningGateway> {
  const file = join(dir, 'config.yaml')
  writeFileSync(file, yamlOf(dir))
  const result = load(file, {}, dir)
  if (!result.ok) throw new Error(JSON.stringify(result.problems, null, 2))
  const alarm = (message: string, details?: object) => alarms.push(`${message} ${JSON.stringify(details)}`)
  return startSingle(result.loaded, world, { adminToken: 'token', log: () => {}, alarm })
}

const yamlOf = (dir: string): string => `
version: 1
server: { listen: "127.0.0.1:0", admin: "127.0.0.1:0", public_url: http://localhost, state_dir: ${dir} }
store: ${redis.url}
redis: { answer_timeout: 200ms }
plans: { pro: { models: all, rpm: 100k, tpm: 100M, monthly_usd: 20 } }
models:
  svc-core: { kind: chat, tier: guest, serve: [onprem], context: 32k, usd_per_1m: { input: 1, output: 10 } }
default_model: svc-core
pools: { onprem: { site: on-premises, model: test-model, replicas: ["${backend.url}"] } }
`

const url = () => `http://127.0.0.1:${gateway.listen.port}`

const ask = (body: object = {}): Promise<Response> =>
  fetch(`${url()}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }], max_tokens: 10, ...body }),
  })

async function answerOf(response: Response): Promise<typeof UNAVAILABLE> {
  await response.text()
  return { status: response.status, code: response.headers.get('x-svc-error-code') ?? '' }
}

const chat = async (body: object = {}) => answerOf(await ask(body))

const mint = async () =>
  answerOf(
    await fetch(`http://127.0.0.1:${gateway.admin.port}/admin/keys`, {
      method: 'POST',
      headers: { authorization: 'Bearer token', 'content-type': 'application/json' },
      body: JSON.stringify({ account: 'bob', plan: 'pro' }),
    }),
  )

/** Has the backend stream, and wait before its end until the returned function is called. */
function streamOnDemand(): () => void {
  const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 }
  let finish = () => {}
  const finished = new Promise<void>(resolve => {
    finish = resolve
  })
  backend.next(async ({ response }) => {
    response.writeHead(200, SSE_HEADERS)
    await write(response, chunk('test-model', { content: 'Hello' }, null))
    await finished
    await write(response, chunk('test-model', {}, 'stop'))
    await write(
      response,
      `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'test-model', choices: [], usage })}\n\n`,
    )
    response.end('data: [DONE]\n\n')
  })
  return finish
}

async function ledger(): Promise<LedgerRow[]> {
  const rows: LedgerRow[] = []
  for await (const row of gateway.store.ledger.readRows()) rows.push(row)
  return rows
}

async function expectBalanced(): Promise<void> {
  const [{ account } = { account: '' }] = await gateway.store.keys.list()
  const sum = (await ledger()).reduce((total, { cost }) => total + cost, 0)
  expect((await gateway.store.accounts.readSpend(account)).used).toBe(sum)
}

/** Sends one command over a connection of its own. Rejects when Redis refuses it. */
function tell({ port }: RedisServer, command: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${command}\r\n`))
    socket.once('error', reject)
    socket.once('data', answer => {
      socket.destroy()
      if (answer.toString().startsWith('+')) resolve()
      else reject(new Error(answer.toString()))
    })
  })
}

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Sums } from '../../../src/gateway/backup/sums.ts'
import type { Store } from '../../../src/gateway/store/store.ts'
import { answer, type Backend, startBackend, stream } from '../../support/backend.ts'
import { ADMIN_TOKEN, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { heldStream } from '../../support/held.ts'
import { describeRedis, useRedis } from '../../support/redis/redis.ts'

describeRedis('a gateway whose store is moved while it serves', () => {
  const redis = useRedis()
  let backend: Backend
  let gateway: TestGateway
  let key: string

  beforeEach(async () => {
    backend = await startBackend()
    backend.always(exchange =>
      exchange.seen.body.stream === true
        ? stream({ chunks: ['Hi', ' there'], gapMs: 20 })(exchange)
        : answer({ content: 'Hi' })(exchange),
    )
    gateway = await startTestGateway({ onprem: [backend], now: true })
    key = await gateway.key('pro')
  })

  afterEach(async () => {
    await gateway.close()
    await backend.close()
  })

  async function migrate(body: object): Promise<readonly Record<string, unknown>[]> {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }
    const response = await fetch(`${gateway.admin}/admin/store/migrate`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    const text = await response.text()
    expect(response.status, text).toBe(200)
    return text
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
  }

  /** Clients that ask one request after the other. What `end` resolves to is the status of each. */
  function load(keys: readonly string[]) {
    let isOver = false
    const statuses: number[] = []
    const client = async (own: string, number: number) => {
      while (!isOver) {
        const response = await gateway.chat(own, { max_tokens: 5, stream: number % 2 === 0 })
        await response.text()
        statuses.push(response.status)
      }
    }
    const running = Promise.all(keys.map(client))
    return {
      end: async () => {
        isOver = true
        await running
        return statuses
      },
    }
  }

  async function expectRight(store: Store, requests: number): Promise<void> {
    const now = Date.now()
    const sums = new Sums(now, 0)
    const rows: string[] = []
    for await (const record of store.dump()) {
      sums.add(record)
      if (record[0] === 'row') rows.push(record[1].requestId)
    }
    expect(sums.wrong()).toEqual([])
    expect(new Set(rows).size).toBe(rows.length)
    expect(rows.length).toBe(requests)
  }

  it('loses no request under load, there and back, and goes on with keys, sums and limits', async () => {
    const { gateway: running, dir } = gateway
    // Each has its own limits: the clock stands still, and so does the minute.
    const names = Array.from({ length: 4 }, (_, number) => `client-${number}`)
    const keys = await Promise.all(names.map(name => gateway.key('pro', name)))
    const there = load(keys)
    await gateway.logged(12)
    expect((await migrate({ to: redis().url })).at(-1)).toMatchObject({ moved: { paused_ms: expect.any(Number) } })
    const later = await gateway.key('pro', 'bob')
    expect((await gateway.chat(later, { max_tokens: 5 })).status).toBe(200)
    const first = await there.end()
    expect(new Set(first)).toEqual(new Set([200]))
    await expectRight(running.store, first.length + 1)
    expect(running.app.settings.store.kind).toBe('redis')

    const back = load(keys)
    await gateway.logged(first.length + 12)
    expect(await migrate({ to: `embedded:${dir}/back` })).toContainEqual({
      moved: { rows: expect.any(Number), paused_ms: expect.any(Number) },
    })
    const second = await back.end()
    expect(new Set(second)).toEqual(new Set([200]))
    for (const each of [key, later]) expect((await gateway.chat(each, { max_tokens: 5 })).status).toBe(200)
    await expectRight(running.store, first.length + second.length + 3)
    expect(existsSync(join(dir, 'store-move.json'))).toBe(false)
    const audit = []
    for await (const row of running.store.accounts.readAudit()) audit.push(row)
    expect(audit.filter(({ action }) => action === 'migrate').map(({ after }) => after)).toEqual([
      expect.stringContaining('redis://'),
      `embedded:${dir}/back`,
    ])
  }, 60_000)
  it('settles a request in the new store that ran through the move, with what it holds of limits', async () => {
    const held = heldStream()
    backend.next(held.behaviour)
    const running = await gateway.chat(key, { max_tokens: 5, stream: true })
    expect((await migrate({ to: redis().url, replace: true })).at(-1)).toHaveProperty('moved')
    const { store } = gateway.gateway
    const [account] = await store.accounts.findByLabel('ada')
    expect((await store.accounts.readUsage(account?.account ?? ''))?.concurrent).toBe(1)
    held.letGo()
    expect(await running.text()).toContain('[DONE]')
    await gateway.logged(1)
    expect((await store.accounts.readUsage(account?.account ?? ''))?.concurrent).toBe(0)
    await expectRight(store, 1)
  })

  it('goes on with its store where the other one cannot be reached, has data, or is of its own kind', async () => {
    const failed = (reason: string) => [{ failed: expect.stringContaining(reason) }]
    expect(await migrate({ to: 'redis://127.0.0.1:9' })).toEqual(failed('one of both stores cannot be reached'))
    expect(await migrate({ to: `embedded:${gateway.dir}/other` })).toEqual(failed('from embedded to Redis'))
    expect((await migrate({ to: redis().url, replace: true })).at(-1)).toHaveProperty('moved')
    expect(await migrate({ to: `embedded:${gateway.dir}/store` })).toEqual(failed('has data'))
    expect((await gateway.chat(key, { max_tokens: 5 })).status).toBe(200)
    expect((await migrate({ to: `embedded:${gateway.dir}/store`, replace: true })).at(-1)).toHaveProperty('moved')
    expect((await gateway.chat(key, { max_tokens: 5 })).status).toBe(200)
    await expectRight(gateway.gateway.store, 2)
  })
})

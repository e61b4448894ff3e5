import { describe, expect } from 'vitest'
import type { Backend } from '../../support/backend.ts'
import { startBackend, status } from '../../support/backend.ts'
import { gatewayTest } from '../../support/gateway-test.ts'
import { fine } from './fixture.ts'

/** A third pool, `new`, that gets a share of the conversations of every model. */
const it = gatewayTest
  .extend('fresh', async ({ onTestFinished }): Promise<Backend> => {
    const fresh = await startBackend()
    onTestFinished(() => fresh.close())
    return fresh
  })
  .extend('config', ({ cloud, fresh }) => ({
    cloud: [cloud],
    yaml: `  new: { site: on-premises, model: new-model, replicas: ["${fresh.url}"] }`,
    fields: { pro: 'max_concurrent: 100' },
  }))
  .extend('sharing', async ({ gateway, backend, cloud, fresh }) => {
    for (const each of [backend, cloud, fresh]) each.always(fine)
    const reload = (share: string) =>
      gateway.reload({}, yaml => yaml.replaceAll(/serve: \[onprem/g, `serve: [{ pool: new, share: ${share} }, onprem`))
    expect(await reload('50%')).toMatchObject({ changed: true })
    return { reload }
  })

const SESSIONS = 32
type Ask = (session: string) => Promise<string | null>

const poolsOf = async (ask: Ask): Promise<ReadonlyMap<string, string | null>> => {
  const names = Array.from({ length: SESSIONS }, (_, index) => `session-${index}`)
  const pools: [string, string | null][] = []
  for (const name of names) pools.push([name, await ask(name)])
  return new Map(pools)
}

describe('a pool with a share of 50%', () => {
  const asking =
    (url: string, key: string, body: object = { messages: [{ role: 'user', content: 'Hello' }] }): Ask =>
    async session => {
      const headers = {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'x-session-affinity': session,
      }
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      expect(response.status).toBe(200)
      await response.text()
      return response.headers.get('x-svc-upstream')
    }

  it('gets about half of the conversations, each with all of its requests, also after a restart', async ({
    sharing: _,
    gateway,
    key,
    restart,
  }) => {
    const first = await poolsOf(asking(gateway.url, key))
    const chosen = [...first.values()].filter(pool => pool === 'new').length
    // 16 of 32, within five standard deviations.
    expect(chosen).toBeGreaterThan(1)
    expect(chosen).toBeLessThan(31)
    const stream = { stream: true, messages: [{ role: 'user', content: 'And again' }] }
    expect(await poolsOf(asking(gateway.url, key, stream))).toEqual(first)
    const again = await restart()
    expect(await poolsOf(asking(again.url, key))).toEqual(first)
  })

  it('gets no failover traffic, and loses its conversations to the others while it fails', async ({
    sharing: _,
    gateway,
    key,
    fresh,
  }) => {
    const ask = asking(gateway.url, key)
    const first = await poolsOf(ask)
    fresh.always(status(401))
    expect(new Set((await poolsOf(ask)).values())).toEqual(new Set(['onprem']))

    fresh.always(fine)
    for (const pool of ['onprem', 'cloud']) gateway.gateway.app.pools.drain(pool, undefined, true)
    const asked = fresh.requests.length
    for (const [session, pool] of [...first].filter(([, pool]) => pool !== 'new').slice(0, 4)) {
      const response = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-session-affinity': session },
        body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }] }),
      })
      expect([pool, response.status]).toEqual(['onprem', 503])
    }
    expect(fresh.requests).toHaveLength(asked)
  })

  it('gets a conversation by its first question where nothing names it, and embeddings by account', async ({
    sharing,
    gateway,
    key,
    fresh,
  }) => {
    await sharing.reload('99.99%')
    const response = await gateway.chat(key, { messages: [{ role: 'user', content: 'What is a quota?' }] })
    await response.text()
    expect(response.headers.get('x-svc-upstream')).toBe('new')
    expect(fresh.requests).toHaveLength(1)
  })
})

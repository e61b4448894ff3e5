import { afterEach, describe, expect, it } from 'vitest'
import { Failover, fine } from './fixture.ts'

let site: Failover
afterEach(() => site.close())

async function start(cloud = 'stay: 5m'): Promise<void> {
  site = await Failover.start({ fields: { cloud } })
  site.everyOnprem(fine)
  site.cloud.always(fine)
}

const state = (pool: string) => site.test.gateway.app.pools.of(pool)
/** An operator keeps new requests from a pool, or no longer. */
const drain = (pool: string, drained: boolean) => site.test.gateway.app.pools.drain(pool, undefined, drained)

/** The pool that serves the next turn of a conversation. */
async function poolOf(session: string, key = site.key): Promise<string | null> {
  const response = await fetch(`${site.test.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-session-affinity': session },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }] }),
  })
  await response.text()
  return response.headers.get('x-svc-upstream')
}

/** A conversation that the cloud served, since the pool before it could not. */
async function begunInCloud(session: string): Promise<void> {
  drain('onprem', true)
  expect(await poolOf(session)).toBe('cloud')
  drain('onprem', false)
}

describe('a conversation that a later pool served', () => {
  it('goes back with its next turn, where that pool has no `stay`', async () => {
    await start('connect_timeout: 2s')
    await begunInCloud('one')
    expect(await poolOf('one')).toBe('onprem')
  })

  it('stays for 5 minutes after its last turn, and then goes back', async () => {
    await start()
    await begunInCloud('one')
    for (let turn = 0; turn < 3; turn++) {
      site.test.clock.advance(299_000)
      expect(await poolOf('one')).toBe('cloud')
    }
    site.test.clock.advance(300_000)
    expect(await poolOf('one')).toBe('onprem')
  })

  it('stays alone: others of its account, and the same name of another account, begin at the first pool', async () => {
    await start()
    await begunInCloud('one')
    expect(await poolOf('two')).toBe('onprem')
    expect(await poolOf('one', await site.test.key('pro', 'bob'))).toBe('onprem')
  })

  it('is known by its first question, where nothing names it', async () => {
    await start()
    const ask = async (content: string) => {
      const response = await site.test.chat(site.key, { messages: [{ role: 'user', content }] })
      expect(await response.text()).not.toContain('error')
      return response.headers.get('x-svc-upstream')
    }
    drain('onprem', true)
    expect(await ask('What is a quota?')).toBe('cloud')
    drain('onprem', false)
    expect([await ask('What is a quota?'), await ask('What is a ledger?')]).toEqual(['cloud', 'onprem'])
  })

  it('goes back while the later pool is down, and remains there', async () => {
    await start()
    await begunInCloud('one')
    drain('cloud', true)
    expect(await poolOf('one')).toBe('onprem')
    drain('cloud', false)
    expect(state('cloud').drained).toBe(false)
    expect(await poolOf('one')).toBe('onprem')
  })
})

import { afterEach, beforeEach, expect, it } from 'vitest'
import { answer, type Backend, startBackend } from '../../support/backend.ts'
import { ADMIN_TOKEN, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { describeRedis, useRedis } from '../../support/redis/redis.ts'

describeRedis('with two gateways on one Redis', () => {
  const redis = useRedis()
  let backend: Backend
  let gateways: readonly [TestGateway, TestGateway]

  beforeEach(async () => {
    backend = await startBackend()
    backend.always(answer({ content: 'Hi', usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } }))
    const start = () => startTestGateway({ onprem: [backend], redis: redis() })
    gateways = [await start(), await start()]
  })

  afterEach(async () => {
    for (const gateway of gateways) await gateway.close()
    await backend.close()
  })

  /** Calls the first gateway. */
  async function did(path: string, body: object): Promise<Record<string, unknown>> {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }
    const [{ admin }] = gateways
    const response = await fetch(`${admin}/admin/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    const answered = (await response.json()) as Record<string, unknown>
    expect(response.status, JSON.stringify(answered)).toBe(200)
    return answered
  }
  const member = async (account: string, org = 'org:acme') => {
    const { value } = await did('keys', { account, plan: 'pro' })
    await did('accounts/org', { account, org })
    return String(value)
  }
  /** At each gateway, one after the other. */
  async function statusesOf(key: string): Promise<readonly number[]> {
    const statuses: number[] = []
    for (const gateway of gateways) statuses.push((await gateway.chat(key, { max_tokens: 10 })).status)
    return statuses
  }

  it('a freeze of an account, and of an org, holds for the next request on both', async () => {
    const [ada, bob] = [await member('ada'), await member('bob')]
    expect([await statusesOf(ada), await statusesOf(bob)]).toEqual(Array(2).fill([200, 200]))

    await did('accounts/freeze', { account: 'ada' })
    expect([await statusesOf(ada), await statusesOf(bob)]).toEqual([
      [403, 403],
      [200, 200],
    ])
    await did('accounts/freeze', { account: 'org:acme' })
    expect(await statusesOf(bob)).toEqual([403, 403])
    for (const account of ['org:acme', 'ada']) await did('accounts/thaw', { account })
    expect([await statusesOf(ada), await statusesOf(bob)]).toEqual(Array(2).fill([200, 200]))
  })

  it('a limit of an account, and of an org, counts what both serve', async () => {
    const [cy, dan] = [await member('cy', 'org:beta'), await member('dan', 'org:beta')]
    const limit = { measure: 'requests', most: 3, per: 'day' }

    await did('accounts/limit', { account: 'org:beta', limit })
    expect([await statusesOf(cy), await statusesOf(dan)]).toEqual([
      [200, 200],
      [200, 429],
    ])
    await did('accounts/unlimit', { account: 'org:beta', limit: { measure: 'requests', per: 'day' } })
    await did('accounts/limit', { account: 'dan', limit: { ...limit, most: 2 } })
    expect([await statusesOf(cy), await statusesOf(dan)]).toEqual([
      [200, 200],
      [200, 429],
    ])
  })
})

import { afterEach, beforeEach, expect, it } from 'vitest'
import { FOUND, type Found } from '../../../src/wire/admin/search.ts'
import { readAs } from '../../../src/wire/schema/read.ts'
import { inNpmTest } from '../../lanes/lane.ts'
import { answer, type Backend, startBackend } from '../../support/backend.ts'
import { ADMIN_TOKEN, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { describeRedis, type RedisServer, startRedis } from '../../support/redis/redis.ts'

const ask = async ({ admin }: TestGateway, path: string, body: object): Promise<unknown> => {
  const response = await fetch(`${admin}/admin/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  expect(response.status, text).toBe(200)
  return JSON.parse(text)
}

interface Minted {
  readonly value: string
  readonly id: string
  readonly key: string
  readonly account: string
}

function contract(start: (backend: Backend) => Promise<TestGateway>): void {
  let backend: Backend
  let test: TestGateway
  let ada: Minted
  let bob: Minted
  beforeEach(async () => {
    backend = await startBackend()
    backend.always(answer({ content: 'Hi' }))
    test = await start(backend)
    ada = (await ask(test, 'keys', { account: 'ada@example.com', plan: 'pro', name: 'CI runner' })) as Minted
    bob = (await ask(test, 'keys', { account: 'bob@example.com', plan: 'pro' })) as Minted
  })
  afterEach(async () => {
    await test.close()
    await backend.close()
  })

  const search = async (text: string, more = {}): Promise<Found> =>
    readAs(FOUND, await ask(test, 'search', { text, ...more }))
  /** The names of what was found, by kind; kinds without any are left out. */
  const brief = async (text: string, more = {}) => {
    const { accounts, keys, requests, models, pools, partial } = await search(text, more)
    const kinds = {
      accounts: accounts.map(({ label }) => label).sort(),
      keys: keys.map(({ id }) => id).sort(),
      requests: requests.map(({ request_id }) => request_id),
      models: models.map(({ model, alias_of }) => (alias_of === null ? model : `${model} → ${alias_of}`)),
      pools,
    }
    expect(partial).toBe(false)
    return Object.fromEntries(Object.entries(kinds).filter(([, names]) => names.length > 0))
  }

  it('an account is found by its id, its label, and a part of it in whatever case', async () => {
    const found = { accounts: ['ada@example.com'] }
    expect(await brief(ada.account)).toEqual(found)
    expect(await brief('ada@example.com')).toEqual(found)
    expect(await brief('ADA@')).toEqual(found)
    expect(await brief('example.com')).toEqual({ accounts: ['ada@example.com', 'bob@example.com'] })
    expect(await brief('nobody')).toEqual({})
  })

  it('a key is found by its value, its mask, its id, the beginning of that, and its name', async () => {
    const found = { keys: [ada.id] }
    for (const text of [ada.value, ada.key, ada.key.replace('…', '...'), ada.id, ada.id.slice(0, 12), 'ci run'])
      expect(await brief(text), text).toEqual(found)
    const { keys } = await search(ada.id)
    expect(keys).toEqual([
      { id: ada.id, name: 'CI runner', key: ada.key, status: 'active', account: ada.account, label: 'ada@example.com' },
    ])
    expect(JSON.stringify(await search(ada.value))).not.toContain(ada.value)
  })

  it('a request is found by its id, served or refused, and what is remembered also by the beginning of it', async () => {
    const served = await test.chat(ada.value, { model: 'svc-core', max_tokens: 10 })
    const refused = await test.chat(bob.value, { model: 'none' })
    await Promise.all([served.text(), refused.text()])
    const ids = [served, refused].map(({ headers }) => headers.get('x-request-id') ?? '')
    for (const id of ids) expect(await brief(id)).toEqual({ requests: [id] })
    const { requests } = await search(ids[0] ?? '')
    expect(requests).toMatchObject([{ status: 200, model: 'svc-core', label: 'ada@example.com' }])
    expect((await search((ids[0] ?? '').slice(0, 10))).requests).toHaveLength(2)
    expect(await brief(`req_${'0'.repeat(26)}`)).toEqual({})
  })

  it('models, aliases and pools are found by a part of their name', async () => {
    expect(await brief('ultra')).toEqual({ models: ['svc-ultra-pro'] })
    expect(await brief('auto')).toEqual({ models: ['svc-auto → svc-core'] })
    expect(await brief('prem')).toEqual({ pools: ['onprem'] })
  })

  it('each kind has no more than the limit, and the answer says that there may be more', async () => {
    for (const label of ['shop-1', 'shop-2', 'shop-3']) await ask(test, 'keys', { account: label, plan: 'pro' })
    const { accounts, partial } = await search('shop', { limit: 2 })
    expect([accounts.length, partial]).toEqual([2, true])
  })
}

inNpmTest.describe('POST /admin/search, on the embedded store', () =>
  contract(backend => startTestGateway({ onprem: [backend] })),
)

describeRedis('POST /admin/search, on Redis', () => {
  let redis: RedisServer
  beforeEach(async () => {
    redis = await startRedis()
  })
  afterEach(() => redis.stop())
  contract(backend => startTestGateway({ onprem: [backend], redis }))
})

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { KEYS_KEPT } from '../../../src/gateway/store/key-store.ts'
import { answer, type Backend, startBackend } from '../../support/backend.ts'
import { ADMIN_TOKEN, startTestGateway, type TestGateway } from '../../support/gateway.ts'

let backend: Backend
let test: TestGateway

beforeEach(async () => {
  backend = await startBackend()
  backend.always(answer({ content: 'Hi', usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } }))
  test = await startTestGateway({ onprem: [backend], guests: 'usd_per_day_total: 50, mint_per_ip_hour: 1' })
})

afterEach(async () => {
  await test.close()
  await backend.close()
})

type Answer = Readonly<Record<string, unknown>>

async function send(path: string, body?: object, token = ADMIN_TOKEN): Promise<{ status: number; body: Answer }> {
  const response = await fetch(`${test.admin}/admin/${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Answer }
}

async function did(path: string, body?: object): Promise<Answer> {
  const answered = await send(path, body)
  expect(answered).toMatchObject({ status: 200 })
  return answered.body
}

const mint = (account = 'ada', plan = 'free') => did('keys', { account, plan })
const served = async (key: unknown) => (await test.chat(String(key), { max_tokens: 10 })).status
const maskOf = (value: unknown) => `${String(value).slice(0, 8)}…`
/** An account that signed in, as its first request would make it. */
async function signIn(account: string, label: string, claimed?: string) {
  await test.gateway.store.accounts.signIn({ account, label, ...(claimed && { claimed }) })
  return account
}
const SIGNED_IN = `acct_${'5a'.repeat(20)}`

async function audit(query = ''): Promise<Answer[]> {
  const response = await fetch(`${test.admin}/admin/audit${query}`, {
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
  })
  expect(response.status).toBe(200)
  const lines = (await response.text()).split('\n').slice(0, -1)
  return lines.map(line => JSON.parse(line))
}

it.each([
  ['GET', 'keys'],
  ['POST', 'keys'],
  ['POST', 'keys/guest'],
  ['POST', 'accounts/list'],
  ['POST', 'keys/show'],
  ['POST', 'keys/rotate'],
  ['POST', 'keys/revoke'],
  ['POST', 'accounts/show'],
  ['POST', 'accounts/plan'],
  ['POST', 'accounts/overage'],
  ['POST', 'accounts/grant'],
  ['POST', 'accounts/freeze'],
  ['POST', 'accounts/thaw'],
  ['POST', 'accounts/org'],
  ['GET', 'orgs'],
  ['GET', 'audit'],
  ['GET', 'usage'],
  ['GET', 'ledger'],
  ['GET', 'accounts'],
  ['GET', 'events'],
])('%s /admin/%s is for operators, on the admin listener alone', async (method, path) => {
  const { value } = await mint()
  const body = method === 'POST' ? {} : undefined

  expect(await send(path, body, String(value))).toMatchObject({ status: 401, body: { code: 'INVALID_TOKEN' } })
  const elsewhere = await fetch(`${test.url}/admin/${path}`, {
    method,
    headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
  })
  expect(elsewhere.status).toBe(404)
})

describe('POST /admin/keys', () => {
  it('makes a key once, and shows a mask from then on', async () => {
    const first = await mint()
    const second = await mint()

    expect(await served(first.value)).toBe(200)
    expect(first).toMatchObject({ label: 'ada', plan: 'free', plan_source: 'operator', existing: false })
    expect(second).toMatchObject({ key: maskOf(first.value), existing: true })
    expect(second).not.toHaveProperty('value')
  })

  it('exactly one of eight concurrent calls gets the value', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => mint()))

    expect(all.filter(({ value }) => value !== undefined)).toHaveLength(1)
  })

  it('for an account by its id keeps the plan that its token claims', async () => {
    await signIn(SIGNED_IN, 'ada@example.com')

    expect(await did('keys', { account: SIGNED_IN, plan: 'pro' })).toMatchObject({ account: SIGNED_IN, plan: 'pro' })

    const other = await signIn(`acct_${'6b'.repeat(20)}`, 'bob@example.com', 'pro')
    expect(await did('keys', { account: other })).toMatchObject({ plan: 'pro', plan_source: 'token' })
  })

  it('changes nothing of an account that has a key already', async () => {
    const { account } = await mint('ada', 'free')

    expect(await did('keys', { account, plan: 'pro' })).toMatchObject({ existing: true, plan: 'free' })
    expect(await did('accounts/show', { account })).toMatchObject({ plan: 'free' })
  })

  it('a label that a token gave itself leads to no key: whoever signed in may call themselves anything', async () => {
    await signIn(SIGNED_IN, 'boss')

    const { status, body } = await send('keys', { account: 'boss', plan: 'pro' })

    expect(status).toBe(400)
    expect(body.error).toContain(SIGNED_IN)
    expect(await did('accounts/show', { account: SIGNED_IN })).toMatchObject({ keys: [], plan_source: 'default' })
  })

  it('a label that has the form of an id is never taken for the account it names', async () => {
    const victim = `acct_${'7c'.repeat(20)}`
    const eve = await signIn(SIGNED_IN, victim)
    for (const [path, body] of [
      ['keys', { account: victim, plan: 'pro' }],
      ['accounts/plan', { account: victim, plan: 'pro' }],
      ['accounts/grant', { account: victim, usd: '5' }],
    ] as const)
      expect(await send(path, body)).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining('no account') },
      })

    expect(await did('accounts/show', { account: eve })).toMatchObject({ keys: [], granted_usd: '0', plan: null })
    const guest = `dev_${'7c'.repeat(20)}`
    await signIn(SIGNED_IN, guest)
    expect(await send('accounts/show', { account: guest })).toMatchObject({ status: 400 })
  })

  it('a full key of another brand is not repeated in the answer', async () => {
    const { body } = await send('accounts/show', { account: `old_${'A1b2'.repeat(10)}zz` })

    expect(body.error).toBe('account: there is no account `old_A1b2…`')
  })

  it.each([
    [{ account: 'dev_5a5a', plan: 'free' }, 'account: there is no account `dev_5a5a`'],
    [{ account: 'a\u200bda', plan: 'free' }, 'account: must be one line of text'],
    [{ account: 'ada\u202e', plan: 'free' }, 'account: must be one line of text'],
    [{ account: 'ada\u{e0041}', plan: 'free' }, 'account: must be one line of text'],
    [{ account: ' ada', plan: 'free' }, 'account: must be one line of text'],
    [{ account: 'ada\u00a0', plan: 'free' }, 'account: must be one line of text'],
    [{ plan: 'free' }, 'account: is required'],
    [{ account: 'ada' }, 'plan: is required for a new account'],
    [{ account: 'ada', plan: 'gold' }, 'plan: no such plan `gold`'],
    [{ account: 'a\nb', plan: 'free' }, 'account: must be one line of text'],
    [{ account: 'acct_nobody', plan: 'free' }, 'account: there is no account `acct_nobody`'],
    [{ account: 'ada', plan: 'free', note: 'x' }, 'note: is not accepted'],
  ])('refuses %o', async (body, error) => {
    expect(await send('keys', body)).toMatchObject({ status: 400, body: { error: expect.stringContaining(error) } })
  })
})

describe('a key by its full value', () => {
  it('is found without reading all keys, unless it ended', async () => {
    const { value } = await mint()
    await mint('bob')
    const guest = await did('keys/guest', { device_id: 'device-1' })
    const list = vi.spyOn(test.gateway.store.keys, 'list')

    expect(await did('keys/show', { key: value })).toMatchObject({ label: 'ada', status: 'active' })
    expect(await did('accounts/show', { account: guest.value })).toMatchObject({ account: guest.account })
    const { value: next } = await did('keys/rotate', { key: value })
    await did('keys/revoke', { key: next })
    expect(list).not.toHaveBeenCalled()
    expect(await did('keys/show', { key: value })).toMatchObject({ label: 'ada', status: 'rotated' })
  })
})

it('no cache may keep an answer that holds a full key', async () => {
  const post = async (path: string, body: object) => {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }
    const response = await fetch(`${test.admin}/admin/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(await response.json()).toHaveProperty('value')
    return response.headers.get('cache-control')
  }

  expect(await post('keys', { account: 'ada', plan: 'free' })).toBe('no-store')
  expect(await post('keys/rotate', { key: 'ada' })).toBe('no-store')
  expect(await post('keys/guest', { device_id: 'device-1' })).toBe('no-store')
})

describe('POST /admin/keys/guest', () => {
  it('gives the same key for the same device, which counts against no address', async () => {
    const first = await did('keys/guest', { device_id: 'device-1' })
    const again = await did('keys/guest', { device_id: 'device-1' })
    const other = await did('keys/guest', { device_id: 'device-2' })

    expect(again.value).toBe(first.value)
    expect(other.value).not.toBe(first.value)
    expect(first).toMatchObject({ kind: 'guest', plan: 'guest-device', plan_source: 'guests', rate_limit_per_day: 5 })
    expect(await served(first.value)).toBe(200)
  })

  it('is the key that the device itself is given', async () => {
    const { value } = await did('keys/guest', { device_id: 'device-1' })

    const response = await fetch(`${test.url}/v1/keys/guest`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ device_id: 'device-1' }),
    })

    expect(await response.json()).toMatchObject({ key: value })
  })

  it('a device whose key was revoked gets no other, and no key of a device is rotated', async () => {
    const { value } = await did('keys/guest', { device_id: 'device-1' })

    expect(await send('keys/rotate', { key: value })).toMatchObject({ status: 400 })
    await did('keys/revoke', { key: value })

    expect(await served(value)).toBe(401)
    expect(await send('keys/guest', { device_id: 'device-1' })).toMatchObject({ status: 400 })
  })
})

describe('a key', () => {
  it('that was revoked is revoked in the store again, where a first answer may have been lost, by one row of the audit', async () => {
    const { value } = await mint()
    const revoke = vi.spyOn(test.gateway.store.keys, 'revoke')
    await did('keys/revoke', { key: value })

    expect(await send('keys/revoke', { key: value })).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND', error: expect.stringContaining('was revoked') },
    })

    expect(revoke).toHaveBeenCalledTimes(2)
    expect((await audit()).filter(({ action }) => action === 'revoke')).toHaveLength(1)
  })

  it.each(['its value', 'its mask', 'its mask without the ellipsis', 'its account', 'its label'])(
    'is found by %s',
    async by => {
      const { value, account } = await mint()
      const names: Record<string, unknown> = {
        'its value': value,
        'its mask': maskOf(value),
        'its mask without the ellipsis': String(value).slice(0, 8),
        'its account': account,
        'its label': 'ada',
      }

      const shown = await did('keys/show', { key: names[by] })

      expect(shown).toMatchObject({ key: maskOf(value), status: 'active', owner: { account, label: 'ada' } })
      expect(JSON.stringify(shown)).not.toContain(value)
    },
  )

  it('that is rotated is dead at once, and the next one has its plan and standing', async () => {
    const { value, account } = await mint()
    expect(await served(value)).toBe(200)
    const { used_usd } = await did('accounts/show', { account })

    const rotated = await did('keys/rotate', { key: value })

    expect(rotated).toMatchObject({ account, plan: 'free', rotated: true })
    expect(await served(value)).toBe(401)
    expect(await did('accounts/show', { account })).toMatchObject({
      used_usd,
      keys: [
        { key: maskOf(rotated.value), status: 'active' },
        { key: maskOf(value), status: 'rotated' },
      ],
    })
    expect(await served(rotated.value)).toBe(200)
  })

  it('one of two concurrent rotations wins, and the loser learns no value', async () => {
    const { value } = await mint()

    const both = await Promise.all([send('keys/rotate', { key: value }), send('keys/rotate', { key: value })])

    expect(both.map(({ status }) => status).sort()).toEqual([200, 404])
    expect(both.filter(({ body }) => body.value !== undefined)).toHaveLength(1)
  })

  it('that is revoked is refused by the next request, and not revoked again', async () => {
    const { value } = await mint()

    expect(await did('keys/revoke', { key: 'ada' })).toMatchObject({ key: maskOf(value), revoked: true })

    expect(await served(value)).toBe(401)
    for (const path of ['keys/revoke', 'keys/rotate'])
      expect(await send(path, { key: value })).toMatchObject({
        status: 404,
        body: { error: expect.stringContaining('No active key') },
      })
  })

  it('that nobody has is not repeated', async () => {
    const { value } = await mint()
    const unknown = `${String(value).slice(0, -1)}${String(value).endsWith('0') ? '1' : '0'}`

    for (const [path, field] of [
      ['keys/show', 'key'],
      ['keys/revoke', 'key'],
      ['accounts/show', 'account'],
    ] as const) {
      const { status, body } = await send(path, { [field]: unknown })
      expect(status).toBe(404)
      expect(JSON.stringify(body)).not.toContain(unknown.slice(8))
    }
  })

  it('is shown among those kept of its account, newest first', async () => {
    const { account } = await mint()
    for (let n = 0; n < KEYS_KEPT + 2; n++) await did('keys/rotate', { key: account })

    const { keys } = (await did('accounts/show', { account })) as { keys: { status: string }[] }

    expect(keys.map(({ status }) => status)).toEqual(['active', ...Array(KEYS_KEPT).fill('rotated')])
  })
})

describe('an account', () => {
  it('is on the plan that its token claims, until an operator decides, and again once that is taken back', async () => {
    const account = await signIn(SIGNED_IN, 'ada@example.com', 'pro')
    const plan = async () => {
      const { plan, plan_source } = await did('accounts/show', { account })
      return [plan, plan_source]
    }

    expect(await plan()).toEqual(['pro', 'token'])
    expect(await did('accounts/plan', { account, plan: 'tight' })).toMatchObject({ plan: 'tight' })
    expect(await plan()).toEqual(['tight', 'operator'])
    await did('accounts/plan', { account, plan: null })
    expect(await plan()).toEqual(['pro', 'token'])
  })

  it('that has a new plan has it for the next request', async () => {
    const { value } = await mint('ada', 'free')
    const ultra = () => test.chat(String(value), { model: 'svc-ultra-pro', max_tokens: 2000 })
    expect((await ultra()).status).toBe(429)

    await did('accounts/plan', { account: 'ada', plan: 'pro' })

    expect((await ultra()).status).toBe(200)
  })

  it('is not taken back where nothing else gives the account one', async () => {
    await mint()

    const { status, body } = await send('accounts/plan', { account: 'ada', plan: null })

    expect(status).toBe(400)
    expect(body.error).toContain('ada has no plan to fall back to')
    expect(await did('accounts/show', { account: 'ada' })).toMatchObject({ plan: 'free' })
  })

  it('cannot be put on a plan that is not declared', async () => {
    await mint()

    const { status, body } = await send('accounts/plan', { account: 'ada', plan: 'gold' })

    expect({ status, error: body.error }).toEqual({
      status: 400,
      error: expect.stringMatching(/^plan: no such plan `gold`; there are .*free/),
    })
  })

  it('spends past its limit by the word of an operator, up to a cap that is exact', async () => {
    await mint()
    const shown = async (overage: unknown) => {
      const { overage: is, overage_source } = await did('accounts/overage', { account: 'ada', overage })
      return [is, overage_source]
    }

    expect(await shown(true)).toEqual(['on', 'operator'])
    expect(await shown({ cap_usd: '0.000000001' })).toEqual([{ cap_usd: '0.000000001' }, 'operator'])
    expect(await shown(false)).toEqual(['off', 'operator'])
    expect(await shown(null)).toEqual(['off', 'plan'])
  })

  it('is granted exact dollars in this window, down to none in sum', async () => {
    await mint()
    const granted = async (usd: string) => {
      const { granted_usd, limit_usd } = await did('accounts/grant', { account: 'ada', usd })
      return [granted_usd, limit_usd]
    }

    expect(await granted('0.1')).toEqual(['0.1', '1.1'])
    expect(await granted('0.2')).toEqual(['0.3', '1.3'])
    expect(await granted('-0.000000001')).toEqual(['0.299999999', '1.299999999'])
    expect(await granted('-5')).toEqual(['0', '1'])
  })

  it('whose grants were spent has none in the next window', async () => {
    await mint()
    await did('accounts/grant', { account: 'ada', usd: '5' })

    test.clock.advance(31 * 86_400_000)

    expect(await did('accounts/show', { account: 'ada' })).toMatchObject({ granted_usd: '0', limit_usd: '1' })
  })

  it.each([
    ['accounts/grant', { usd: '1e3' }, 'usd: must be US dollars'],
    ['accounts/grant', { usd: '0.0000000001' }, 'usd: must be US dollars'],
    ['accounts/grant', { usd: 5 }, 'usd: must be a string'],
    ['accounts/overage', { overage: { cap_usd: '-1' } }, 'overage.cap_usd: must not be negative'],
    ['accounts/overage', { overage: 'on' }, 'overage: must be'],
    ['accounts/overage', { overage: {} }, 'overage.cap_usd: is required'],
    ['accounts/plan', {}, 'plan: is required'],
  ])('%s refuses %o', async (path, body, error) => {
    await mint()

    const refused = await send(path, { account: 'ada', ...body })

    expect(refused).toMatchObject({ status: 400, body: { error: expect.stringContaining(error) } })
  })

  it('of a device has the plan of guests, and no operator another for it', async () => {
    const { account } = await did('keys/guest', { device_id: 'device-1' })

    expect(await send('accounts/plan', { account, plan: 'pro' })).toMatchObject({ status: 400 })
  })

  it('with a label of several is named by its id', async () => {
    await signIn(SIGNED_IN, 'ada')
    const other = await signIn(`acct_${'6b'.repeat(20)}`, 'ada')

    const { status, body } = await send('accounts/show', { account: 'ada' })

    expect(status).toBe(400)
    expect(body.error).toContain(SIGNED_IN)
    expect(body.error).toContain(other)
  })

  it('that nobody has is a mistake of the one who asks', async () => {
    expect(await send('accounts/show', { account: 'nobody' })).toMatchObject({
      status: 400,
      body: { error: 'account: there is no account `nobody`' },
    })
  })
})

describe('POST /admin/accounts/freeze', () => {
  it('nothing is served for the account by any key, old or new, until it is thawed', async () => {
    const { value } = await mint('ada', 'pro')
    const other = await mint('bob', 'pro')

    expect(await did('accounts/freeze', { account: 'ada' })).toMatchObject({ label: 'ada', frozen: true, plan: 'pro' })
    const refused = await test.chat(String(value), { max_tokens: 10 })
    expect([refused.status, await refused.json()]).toEqual([
      403,
      expect.objectContaining({ code: 'ACCOUNT_FROZEN', error: expect.stringContaining('Ask the operator') }),
    ])
    const { value: next } = await did('keys/rotate', { key: 'ada' })
    expect([await served(next), await served(other.value)]).toEqual([403, 200])

    expect(await did('accounts/thaw', { account: 'ada' })).toMatchObject({ frozen: false })
    expect(await served(next)).toBe(200)
  })

  it('a frozen account is shown what it used', async () => {
    const { value } = await mint('ada', 'pro')
    await did('accounts/freeze', { account: 'ada' })

    const quota = await fetch(`${test.url}/billing/quota`, { headers: { authorization: `Bearer ${value}` } })

    expect([quota.status, await quota.json()]).toEqual([200, expect.objectContaining({ planSlug: 'pro' })])
  })

  it('is of devices too', async () => {
    const { value, account } = await did('keys/guest', { device_id: 'phone-0001' })

    await did('accounts/freeze', { account })

    expect(await served(value)).toBe(403)
  })

  it('leaves a row of the audit for what it changed, and none for what was so', async () => {
    await mint('ada')
    for (const path of ['thaw', 'freeze', 'freeze', 'thaw']) await did(`accounts/${path}`, { account: 'ada' })

    expect((await audit()).map(({ action }) => action)).toEqual(['mint', 'freeze', 'thaw'])
  })
})

describe('POST /admin/accounts/list', () => {
  it('lists accounts with their plan, usage and keys: no more than the limit, and says when there are others', async () => {
    for (const name of ['ada', 'bob', 'cy']) await mint(name, name === 'bob' ? 'pro' : 'free')
    await did('keys/guest', { device_id: 'phone-0001' })

    const labels = async (body: object) => {
      const { data, has_more } = (await did('accounts/list', body)) as { data: { label: string }[]; has_more: boolean }
      return [data.map(({ label }) => label).sort(), has_more]
    }

    expect(await labels({ limit: 3 })).toEqual([['ada', 'bob', 'cy'], false])
    expect((await labels({ limit: 2 }))[1]).toBe(true)
    expect(await labels({ limit: 2, plan: 'free' })).toEqual([['ada', 'cy'], false])
    expect((await labels({ limit: 9, plan: 'guest-device' }))[0]).toHaveLength(1)
    expect(await did('accounts/list', { limit: 9, plan: 'pro' })).toMatchObject({
      data: [{ label: 'bob', plan: 'pro', used_usd: '0', keys: [{ status: 'active' }] }],
    })
  })

  it('finds the account of an id, a label or a key, and those whose label has the text', async () => {
    const { value, account } = await mint('ada.b')
    await mint('bob')
    await mint('Hulda.B')
    const found = async (search: string) => {
      const { data, partial } = await did('accounts/find', { search })
      return [(data as { label: string }[]).map(({ label }) => label).sort(), partial]
    }

    expect(await found(String(account))).toEqual([['ada.b'], false])
    expect(await found(maskOf(value))).toEqual([['ada.b'], false])
    expect(await found(String(value))).toEqual([['ada.b'], false])
    expect(await found('bob')).toEqual([['bob'], false])
    expect(await found('.b')).toEqual([['Hulda.B', 'ada.b'], false])
    expect(await found('nobody')).toEqual([[], false])
    expect((await send('accounts/find', { search: '' })).status).toBe(400)
  })

  it('goes on behind a page by its cursor, in each order, and finds accounts by a part of their label', async () => {
    for (const name of ['ada.b', 'bob', 'cy', 'Hulda.B']) {
      await mint(name)
      test.clock.advance(1000)
    }
    await did('accounts/org', { account: 'bob', org: 'org:acme' })
    const { value } = await mint('dan')
    await served(value)

    const pages = async (body: object) => {
      const found: string[][] = []
      let cursor: unknown
      do {
        const answered = await did('accounts/list', { limit: 2, ...body, ...(cursor ? { cursor } : {}) })
        const { data, next, has_more } = answered as { data: { label: string }[]; next: unknown; has_more: boolean }
        expect(has_more).toBe(next !== null)
        found.push(data.map(({ label }) => label))
        cursor = next
      } while (cursor)
      return found
    }

    expect(await pages({})).toEqual([['Hulda.B', 'ada.b'], ['bob', 'cy'], ['dan']])
    expect(await pages({ sort: 'created' })).toEqual([['dan', 'Hulda.B'], ['cy', 'bob'], ['ada.b']])
    expect((await pages({ sort: 'spend' }))[0]?.[0]).toBe('dan')
    expect((await pages({ sort: 'id' })).flat().sort()).toEqual(['Hulda.B', 'ada.b', 'bob', 'cy', 'dan'])
    expect(await pages({ search: 'DA.B' })).toEqual([['Hulda.B', 'ada.b']])
    expect(await pages({ org: 'org:acme' })).toEqual([['bob']])
    const { next } = await did('accounts/list', { limit: 2, sort: 'created' })
    expect(await send('accounts/list', { limit: 2, sort: 'spend', cursor: next })).toMatchObject({ status: 400 })
  })

  it.each([
    [{ limit: 0 }, 'limit'],
    [{ limit: 1001 }, 'limit'],
    [{ limit: 1, sort: 'plan' }, 'sort'],
    [{ limit: 1, org: 'acme' }, 'must be an org'],
    [{ limit: 1, cursor: 'x' }, 'cursor: must be the cursor of another page'],
    [{}, 'limit'],
    [{ limit: 1, plan: 'gold' }, 'no such plan `gold`'],
  ])('refuses %j', async (body, why) => {
    expect(await send('accounts/list', body)).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining(why) },
    })
  })
})

describe('GET /admin/audit', () => {
  it('tells who changed what, from what, to what', async () => {
    const { value } = await mint('ada', 'free')
    await did('accounts/plan', { account: 'ada', plan: 'pro' })
    const { value: next } = await did('keys/rotate', { key: 'ada' })
    await did('keys/revoke', { key: 'ada' })

    const rows = await audit()

    expect(rows.map(({ by, action, before, after }) => [by, action, before, after])).toEqual([
      ['operator', 'mint', '', maskOf(value)],
      ['operator', 'set-plan', 'free', 'pro'],
      ['operator', 'rotate', maskOf(value), maskOf(next)],
      ['operator', 'revoke', maskOf(next), ''],
    ])
    expect(JSON.stringify(rows)).not.toContain(value)
    expect(rows[0]).toMatchObject({ at: '2026-11-21T10:00:00.000Z', account: expect.stringMatching(/^acct_/) })
  })

  it('is of one account, and since a time', async () => {
    await mint('ada')
    test.clock.advance(2 * 86_400_000)
    await mint('bob')
    await did('accounts/grant', { account: 'ada', usd: '1' })

    const actions = async (query: string) => (await audit(query)).map(({ action }) => action)

    expect(await actions('?account=ada')).toEqual(['mint', 'grant'])
    expect(await actions('?since=1d')).toEqual(['mint', 'grant'])
    expect(await actions('?since=1d&account=ada')).toEqual(['grant'])
  })

  it('says what a query must be', async () => {
    expect(await send('audit?since=someday')).toMatchObject({ status: 400 })
    expect(await send('audit?account=nobody')).toMatchObject({ status: 400 })
    expect(await send('audit?who=me')).toMatchObject({ status: 400 })
  })
})

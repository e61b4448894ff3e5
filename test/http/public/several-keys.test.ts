import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { newKey } from '../../../src/gateway/accounts/keys.ts'
import { inNpmTest } from '../../lanes/lane.ts'
import type { Backend } from '../../support/backend.ts'
import { ADMIN_TOKEN, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import type { OidcServer } from '../../support/identity/oidc.ts'
import { openSignIns } from '../../support/identity/sign-ins.ts'
import { describeRedis, type RedisServer, useRedis } from '../../support/redis/redis.ts'
import { fieldOf, outcomeOf, type Sent, send } from '../calls.ts'

const MINT = 'POST /v1/keys/developer'
const ROTATE = 'POST /v1/keys/developer/rotate'
const REVOKE = 'POST /v1/keys/developer/revoke'
const LIST = 'GET /v1/keys/developer'

let backend: Backend
let oidc: OidcServer
let test: TestGateway

let count = 0
const users: Record<string, Record<string, unknown>> = {}
async function signIn(plan = 'pro'): Promise<string> {
  const user = `user-${++count}`
  users[user] = { plan }
  return (await oidc.signIn(user)).accessToken
}

const ask = (endpoint: string, sent: Sent) => send(test, endpoint, sent)
const mint = (token: string, body: object) => ask(MINT, { token, body })
const minted = async (token: string, body: object) => fieldOf(await mint(token, body), 'key')
const chat = (token: string, model = 'svc-core', headers = {}) =>
  ask('POST /v1/chat/completions', {
    ...{ token, headers },
    body: { model, messages: [{ role: 'user', content: 'Hello' }], max_tokens: 2000 },
  })
const quota = (token: string) => ask('GET /billing/quota', { token })
interface Listed {
  readonly id: string
  readonly name: string | null
  readonly key: string
  readonly status: string
  readonly expires: number | null
  readonly last_used: number | null
}
const listed = async (token: string) => ((await ask(LIST, { token })).body as { data: Listed[] }).data
const problemOf = (told: { readonly body: unknown }) => fieldOf({ ...told } as never, 'error')

inNpmTest.describe('with the embedded store', () => guarantees())
describeRedis('with Redis', () => guarantees(useRedis()))

function guarantees(redis?: () => RedisServer): void {
  openSignIns(users, async parts => {
    ;({ backend, oidc } = parts)
    test = await startTestGateway({
      onprem: [backend],
      oidc,
      trustedProxies: ['127.0.0.1'],
      yaml: 'limits: { keys_per_account: 3 }',
      ...(redis && { redis: redis() }),
    })
    return test
  })

  it('are listed without a line of the log, so that a page may ask again and again', async () => {
    const token = await signIn()
    await listed(token)
    await mint(token, {})

    const entries = await test.logged(1)
    expect(entries.map(({ method, path }) => `${method} ${path}`)).toEqual([MINT])
  })

  it('a further key is made by its name, beside the first, and shown once', async () => {
    const token = await signIn()
    const first = await minted(token, {})

    const told = await mint(token, { name: 'ci' })

    expect(told).toMatchObject({
      status: 200,
      body: { key: expect.stringMatching(/^svc_\w{42}$/), plan: 'pro', name: 'ci', expires: null, models: null },
    })
    const again = await mint(token, { name: 'ci' })
    expect(again).toMatchObject({ status: 200, body: { existing: true, name: 'ci', id: fieldOf(told, 'id') } })
    expect(fieldOf(again, 'key')).toMatch(/…$/)
    expect(await mint(token, {})).toMatchObject({ body: { key: `${first.slice(0, 8)}…`, plan: 'pro', existing: true } })
    expect([outcomeOf(await chat(first)), outcomeOf(await chat(fieldOf(told, 'key')))]).toEqual(['200', '200'])
    expect((await listed(token)).map(({ name, status }) => [name, status])).toEqual([
      ['ci', 'active'],
      [null, 'active'],
    ])
  })

  it('an account has no more keys than the operator allows', async () => {
    const token = await signIn()
    for (const name of ['a', 'b', 'c']) expect(outcomeOf(await mint(token, { name }))).toBe('200')

    const refused = await mint(token, { name: 'd' })
    expect(outcomeOf(refused)).toBe('400 VALIDATION_ERROR')
    expect(problemOf(refused)).toContain('the account has 3 working keys')
    expect(outcomeOf(await mint(token, {}))).toBe('400 VALIDATION_ERROR')
    const [key] = await listed(token)
    expect(outcomeOf(await ask(ROTATE, { token, body: { id: key?.id, grace: '1h' } }))).toBe('400 VALIDATION_ERROR')
    expect(outcomeOf(await ask(REVOKE, { token, body: { id: key?.id } }))).toBe('200')
    expect(outcomeOf(await mint(token, { name: 'd' }))).toBe('200')
  })

  it('a key with an end is refused from that second on', async () => {
    const token = await signIn()
    // A busy machine may not use a key within a second: the next one lives longer.
    for (let life = redis ? 1 : 60; ; life *= 2) {
      const key = await minted(token, { name: `${life} s`, expires_in: life })
      const [shown] = await listed(token)
      const used = outcomeOf(await quota(key))
      if (redis && used === '401 INVALID_KEY') continue

      expect(shown).toMatchObject({ name: `${life} s`, status: 'active', expires: expect.any(Number) })
      expect(used).toBe('200')
      if (redis) await expect.poll(async () => outcomeOf(await quota(key))).toBe('401 INVALID_KEY')
      else test.clock.advance(60_000)
      expect([outcomeOf(await quota(key)), outcomeOf(await chat(key))]).toEqual(['401 INVALID_KEY', '401 INVALID_KEY'])
      expect((await listed(token))[0]).toMatchObject({ name: `${life} s`, status: 'expired' })
      break
    }
  })

  it('a key for some models is refused others, with a text that says so, and no plan is widened', async () => {
    const token = await signIn()
    const narrow = await minted(token, { name: 'narrow', models: ['svc-core'] })
    const tier = await minted(token, { name: 'tier', models: ['tier:premium'] })

    expect([outcomeOf(await chat(narrow)), outcomeOf(await chat(tier, 'svc-ultra-pro'))]).toEqual(['200', '200'])
    const refused = await chat(narrow, 'svc-ultra-pro')
    expect(refused).toMatchObject({
      status: 429,
      body: {
        error: { type: 'plan_limit', message: expect.stringContaining('This key does not include svc-ultra-pro') },
      },
    })
    expect((await chat(tier)).body).toMatchObject({ error: { type: 'plan_limit' } })

    const poor = await minted(await signIn('free'), { name: 'wish', models: ['svc-ultra-pro'] })
    expect((await chat(poor, 'svc-ultra-pro')).body).toMatchObject({
      error: { type: 'plan_limit', message: expect.stringContaining('Plan free does not include') },
    })
  })

  it('a key for some addresses is refused from others with 403, wherever a key is taken', async () => {
    const token = await signIn()
    const addresses = ['10.0.0.0/8', '2001:db8::/32', '192.0.2.7']
    const key = await minted(token, { name: 'office', addresses })
    const from = async (address: string) => outcomeOf(await chat(key, 'svc-core', { 'x-forwarded-for': address }))

    expect(await Promise.all(['10.255.0.1', '2001:db8:1::9', '192.0.2.7', '::ffff:10.1.2.3'].map(from))).toEqual(
      Array.from({ length: 4 }, () => '200'),
    )
    for (const address of ['11.0.0.1', '2001:db9::1', '192.0.2.8'])
      expect(await from(address)).toBe('403 ADDRESS_NOT_ALLOWED')
    const refused = await send(test, 'GET /billing/quota', { token: key, headers: { 'x-forwarded-for': '192.0.2.8' } })
    expect(outcomeOf(refused)).toBe('403 ADDRESS_NOT_ALLOWED')
    expect(problemOf(refused)).toContain('This key may not be used from 192.0.2.8')
    expect(JSON.stringify(refused.body)).not.toContain('10.0.0.0')
  })

  it('a rotation with a grace leaves both keys at work, until the old one is revoked', async () => {
    const token = await signIn()
    const old = await minted(token, { name: 'ci', models: ['svc-core'] })
    const [{ id } = { id: '' }] = await listed(token)

    const rotated = await ask(ROTATE, { token, body: { id, grace: '24h' } })
    const next = fieldOf(rotated, 'key')

    expect(rotated.body).toMatchObject({ rotated: true, name: 'ci', models: ['svc-core'] })
    expect([outcomeOf(await chat(old)), outcomeOf(await chat(next))]).toEqual(['200', '200'])
    expect(outcomeOf(await chat(next, 'svc-ultra-pro'))).toBe('429 rate_limit_exceeded')
    expect(await listed(token)).toMatchObject([
      { id: fieldOf(rotated, 'id'), replaced_by: null },
      { id, status: 'active', replaced_by: fieldOf(rotated, 'id') },
    ])
    expect(outcomeOf(await ask(REVOKE, { token, body: { key: id } }))).toBe('200')
    expect([outcomeOf(await chat(old)), outcomeOf(await chat(next))]).toEqual(['401 INVALID_KEY', '200'])
  })

  it('a key has limits of its own, which a rotation neither frees nor doubles', async () => {
    const token = await signIn()
    const [old, other] = [await minted(token, { name: 'ci', rpm: 2 }), await minted(token, { name: 'other' })]
    expect(outcomeOf(await chat(old))).toBe('200')
    const [, { id } = { id: '' }] = await listed(token)
    const next = fieldOf(await ask(ROTATE, { token, body: { id, grace: '1h' } }), 'key')
    expect(outcomeOf(await chat(next))).toBe('200')

    const refused = [outcomeOf(await chat(old)), outcomeOf(await chat(next))]

    expect(refused).toEqual(['429 rate_limit_exceeded', '429 rate_limit_exceeded'])
    expect(outcomeOf(await chat(other))).toBe('200')
  })

  it('a rotation may change the limits of a key, which count on with what was used', async () => {
    const token = await signIn()
    const key = await minted(token, { name: 'ci', rpm: 2, models: ['svc-core'] })
    expect(outcomeOf(await chat(key))).toBe('200')
    const [{ id } = { id: '' }] = await listed(token)

    const limits = [{ measure: 'requests', most: 1, per: 'minute' }]
    const rotated = await ask(ROTATE, { token, body: { id, grace: '1h', limits } })

    expect(rotated.body).toMatchObject({ models: ['svc-core'], limits: [{ ...limits[0], of: 'key' }] })
    expect(await listed(token)).toMatchObject([{ uses: [{ limit: 1, used: 1 }] }, { uses: [{ limit: 2, used: 1 }] }])
    expect(outcomeOf(await chat(fieldOf(rotated, 'key')))).toBe('429 rate_limit_exceeded')
    const freed = await ask(ROTATE, { token, body: { id: fieldOf(rotated, 'id'), limits: [] } })
    expect(freed.body).toMatchObject({ limits: null })
    expect(outcomeOf(await chat(fieldOf(freed, 'key')))).toBe('200')
  })

  it('the listing says what is used of the limits of each key', async () => {
    const token = await signIn()
    const key = await minted(token, { name: 'ci', rpm: 2, usd_per_day: 5 })
    await minted(token, { name: 'other' })
    await chat(key)

    expect(await listed(token)).toMatchObject([
      { name: 'other', uses: null },
      {
        name: 'ci',
        uses: [
          { measure: 'usd', per: 'day', of: 'key', limit: 5, used: expect.any(Number) },
          { measure: 'requests', per: 'minute', of: 'key', limit: 2, used: 1, remaining: 1 },
        ],
      },
    ])
    const [, { id } = { id: '' }] = await listed(token)
    await ask(ROTATE, { token, body: { id, grace: '1h' } })
    expect(await listed(token)).toMatchObject([
      { name: 'ci', uses: [{}, { used: 1 }] },
      { name: 'other', uses: null },
      { name: 'ci', uses: [{}, { used: 1 }] },
    ])
    await ask(REVOKE, { token, body: { id } })
    expect((await listed(token)).at(-1)).toMatchObject({ id, status: 'revoked', uses: null })
  })

  it('the listing says when a key was last used, and that another one never was', async () => {
    const token = await signIn()
    const [used] = [await minted(token, { name: 'used' }), await minted(token, { name: 'idle' })]
    const seconds = () => Math.floor((redis ? Date.now() : test.clock.now()) / 1000)
    const before = seconds()
    await quota(used)

    test.clock.advance(1000)

    const lastUses = async () => (await listed(token)).map(({ name, last_used }) => [name, last_used])
    await expect.poll(lastUses).toEqual([
      ['idle', null],
      ['used', expect.any(Number)],
    ])
    const lastUsed = (await listed(token))[1]?.last_used ?? 0
    // The clock of this gateway moved by a second, and that of Redis perhaps not.
    expect([lastUsed >= before - 1, lastUsed <= seconds()]).toEqual([true, true])
  })

  it('limits of a key are written as an operator writes them, or in short', async () => {
    const token = await signIn()
    const limits = [{ measure: 'tokens', most: 1000, per: '7d', model: 'tier:premium' }]

    const told = await mint(token, { name: 'ci', limits, usd_per_day: 0.5, rpm: 60 })

    expect(told.body).toMatchObject({
      limits: [
        { measure: 'tokens', most: 1000, per: '7d', of: 'key', model: 'tier:premium' },
        { measure: 'usd', most: 500_000_000, per: 'day', of: 'key' },
        { measure: 'requests', most: 60, per: 'minute', of: 'key' },
      ],
    })
  })

  it('a key is named by its id, its mask or its value, and none of another account', async () => {
    const [token, other] = [await signIn(), await signIn()]
    await minted(token, { name: 'a' })
    const [{ id } = { id: '' }] = await listed(token)

    expect(outcomeOf(await ask(REVOKE, { token: other, body: { id } }))).toBe('401 INVALID_KEY')
    expect(outcomeOf(await ask(ROTATE, { token: other, body: { key: id } }))).toBe('401 INVALID_KEY')
    expect(outcomeOf(await ask(REVOKE, { token, body: { key: newKey('svc', randomBytes) } }))).toBe('401 INVALID_KEY')
    const next = fieldOf(await ask(ROTATE, { token, body: { id } }), 'key')
    expect(outcomeOf(await ask(REVOKE, { token, body: { key: `${next.slice(0, 8)}…` } }))).toBe('200')
  })

  it.each([
    ['a first key with more', { expires_in: '1h' }, 'name: is required'],
    ['a name of nothing', { name: '' }, 'name: must be one line'],
    ['a name that is like an id', { name: 'key_1' }, 'name: must be one line'],
    ['a time of nothing', { name: 'x', expires_in: '0d' }, 'expires_in: must be a time such as 90d'],
    ['a time in words', { name: 'x', expires_in: 'soon' }, 'expires_in: must be a time such as 90d'],
    ['a model of nobody', { name: 'x', models: ['svc-none'] }, 'models[0]: no such model `svc-none`'],
    ['an alias', { name: 'x', models: ['svc-auto'] }, 'models[0]: `svc-auto` is an alias: name the model svc-core'],
    ['a tier of nobody', { name: 'x', models: ['tier:gold'] }, 'models[0]: no such tier `gold`'],
    ['no model at all', { name: 'x', models: [] }, 'models: must'],
    ['a name for an address', { name: 'x', addresses: ['::1', 'localhost'] }, 'addresses[1]: must be an address'],
    ['too long a network', { name: 'x', addresses: ['10.0.0.0/33'] }, 'addresses[0]: must be an address'],
    ['no money', { name: 'x', usd_per_day: 0 }, 'usd_per_day: must be US dollars'],
    [
      'a limit of the account',
      { name: 'x', limits: [{ measure: 'usd', most: 1, per: 'day', of: 'account' }] },
      'limits[0].of: must be key',
    ],
    ['a limit without a window', { name: 'x', limits: [{ measure: 'usd', most: 1 }] }, 'limits[0]: needs a window'],
    [
      'a limit of nobody',
      { name: 'x', limits: [{ measure: 'usd', most: 1, per: 'day', model: 'x' }] },
      'limits[0].model: no such model',
    ],
    ['a plan', { name: 'x', plan: 'pro' }, 'plan: is not accepted'],
  ])('%s is refused by its field, and nothing is minted', async (_what, body, problem) => {
    const token = await signIn()

    const told = await mint(token, body)

    expect(outcomeOf(told)).toBe('400 VALIDATION_ERROR')
    expect(problemOf(told)).toContain(problem)
    expect(await listed(token)).toEqual([])
  })

  describe('an operator', () => {
    const operate = (path: string, body: object) =>
      send({ url: test.admin }, `POST /admin/keys${path}`, { token: ADMIN_TOKEN, body })
    const account = () => `label-${++count}`

    it('makes several keys of an account, each for less, and need not say its plan again', async () => {
      const label = account()
      await operate('', { account: label, plan: 'pro' })

      const told = await operate('', { account: label, name: 'ci', expires_in: '90d', models: ['svc-core'] })

      expect(told.body).toMatchObject({ existing: false, name: 'ci', plan: 'pro', models: ['svc-core'] })
      expect(outcomeOf(await chat(fieldOf(told, 'value')))).toBe('200')
      expect((await operate('', { account: label, name: 'ci' })).body).toMatchObject({ existing: true })
      const list = await operate('/list', { account: label })
      expect(list.body).toMatchObject({ data: [{ name: 'ci' }, { name: null }] })
      const soon = await operate('/list', { expiring_in: '91d' })
      expect(soon.body).toMatchObject({ data: expect.arrayContaining([expect.objectContaining({ name: 'ci' })]) })
      expect((await operate('/list', { account: label, expiring_in: '14d' })).body).toMatchObject({ data: [] })
    })

    it('names one of several keys by its id, and none by the account alone', async () => {
      const label = account()
      const old = await operate('', { account: label, plan: 'pro' })
      await operate('', { account: label, name: 'ci' })

      const vague = await operate('/revoke', { key: label })
      expect(problemOf(vague)).toContain(`${label} has several keys; use an id: key_`)
      const rotated = await operate('/rotate', { key: fieldOf(old, 'id'), grace: '1h', expires_in: '30d' })
      expect(rotated.body).toMatchObject({ rotated: true, name: null, expires: expect.any(Number) })
      expect(outcomeOf(await quota(fieldOf(old, 'value')))).toBe('200')
      expect(problemOf(await operate('/rotate', { key: fieldOf(old, 'id') }))).toContain('was already replaced by')
      expect(outcomeOf(await operate('/revoke', { key: fieldOf(old, 'id') }))).toBe('200')
      expect(outcomeOf(await quota(fieldOf(old, 'value')))).toBe('401 INVALID_KEY')
      expect(outcomeOf(await quota(fieldOf(rotated, 'value')))).toBe('200')
    })

    it('makes no more keys than the account may have', async () => {
      const label = account()
      await operate('', { account: label, plan: 'pro' })
      for (const name of ['a', 'b']) await operate('', { account: label, name })

      const refused = await operate('', { account: label, plan: 'free', name: 'c' })

      expect(problemOf(refused)).toContain('the account has 3 working keys')
      expect((await operate('/list', { account: label })).body).toMatchObject({ data: [{ plan: 'pro' }, {}, {}] })
    })
  })
}

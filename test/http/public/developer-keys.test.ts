import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashOf, newKey } from '../../../src/gateway/accounts/keys.ts'
import { inNpmTest } from '../../lanes/lane.ts'
import { type Backend, startBackend } from '../../support/backend.ts'
import { AUDIENCE, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { type OidcServer, startOidc } from '../../support/identity/oidc.ts'
import { describeRedis, type RedisServer, useRedis } from '../../support/redis/redis.ts'
import { everythingIn, filesIn } from '../../support/remains.ts'
import { codeOf, fieldOf, outcomeOf, type Sent, send, type Told } from '../calls.ts'

const MINT = 'POST /v1/keys/developer'
const ROTATE = 'POST /v1/keys/developer/rotate'
const REVOKE = 'POST /v1/keys/developer/revoke'
const LIST = 'GET /v1/keys/developer'
const MANAGEMENT = [MINT, ROTATE, REVOKE, LIST] as const

const users: Record<string, Record<string, unknown>> = {
  tight: { plan: 'tight' },
  daily: { plan: 'tight' },
  mover: { plan: 'free' },
  golden: { plan: 'gold-plan-of-nobody' },
  other: { plan: 'gold-plan-of-nobody' },
  sneaky: { plan: 'guest-device' },
}

let backend: Backend
let oidc: OidcServer
let test: TestGateway
/** Full keys and tokens: none of them may be anywhere but in the answer that gives it. */
const canaries: string[] = []
const answers: Told[] = []
/** Output of gateways before they were restarted. */
const before: unknown[] = []

async function ask(endpoint: string, sent: Sent = {}): Promise<Told> {
  const told = await send(test, endpoint, sent)
  answers.push(told)
  return told
}

let count = 0
/** The token of a user that nobody else uses, or of this one. */
async function signIn(user = `user-${++count}`): Promise<string> {
  const { accessToken } = await oidc.signIn(user)
  canaries.push(accessToken)
  return accessToken
}

async function mint(token: string): Promise<string> {
  const key = fieldOf(await ask(MINT, { token, body: {} }), 'key')
  canaries.push(key)
  return key
}

const mask = (key: string) => `${key.slice(0, 8)}…`
const quota = (token: string) => ask('GET /billing/quota', { token })
const chat = (token: string) =>
  ask('POST /v1/chat/completions', {
    token,
    body: { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 10 },
  })
const statuses = async (token: string) => {
  const { data } = (await ask(LIST, { token })).body as { data: { key: string; status: string }[] }
  return data.map(({ key, status }) => `${key} ${status}`)
}

inNpmTest.describe('with the embedded store', () => guarantees())
describeRedis('with Redis', () => guarantees(useRedis()))

function guarantees(redis?: () => RedisServer): void {
  beforeAll(async () => {
    users.mover = { plan: 'free' }
    for (const said of [canaries, answers, before]) said.length = 0
    backend = await startBackend()
    oidc = await startOidc({ audience: AUDIENCE, users })
    test = await startTestGateway({
      onprem: [backend],
      oidc,
      guests: 'usd_per_day_total: 50',
      ...(redis && { redis: redis() }),
    })
  })

  afterAll(async () => {
    await test.close()
    await oidc.stop()
    await backend.close()
  })

  describe('an account without a key', () => {
    it('gets one, whole and on its plan, and may use it at once', async () => {
      const token = await signIn()

      const { status, headers, body } = await ask(MINT, { token, body: {} })

      expect(status).toBe(200)
      expect(body).toEqual({ key: expect.stringMatching(/^svc_[0-9A-Za-z]{42}$/), plan: 'free' })
      expect(headers['cache-control']).toBe('no-store')
      const { key } = body as { key: string }
      canaries.push(key)
      expect((await chat(key)).status).toBe(200)
    })

    it('gets one for an empty body too', async () => {
      const told = await ask(MINT, { token: await signIn() })

      expect(told.body).toEqual({ key: expect.stringMatching(/^svc_.{42}$/), plan: 'free' })
    })

    it('lists none', async () => {
      expect((await ask(LIST, { token: await signIn() })).body).toEqual({ object: 'list', data: [] })
    })

    it.each([ROTATE, REVOKE])('%s: there is none to name', async endpoint => {
      const told = await ask(endpoint, { token: await signIn(), body: { key: 'svc_7Hq2…' } })

      expect(outcomeOf(told)).toBe('401 INVALID_KEY')
    })
  })

  describe('an account with an active key', () => {
    it('gets the same one for another mint, masked, and nothing is created', async () => {
      const token = await signIn()
      const key = await mint(token)

      const again = await ask(MINT, { token, body: {} })

      expect(again).toMatchObject({ status: 200, body: { key: mask(key), plan: 'free', existing: true } })
      expect(await statuses(token)).toEqual([`${mask(key)} active`])
      expect((await quota(key)).status).toBe(200)
    })

    it('sees it in the listing with its plan, its status and the second of its mint', async () => {
      const token = await signIn()
      const key = await mint(token)

      const now = Math.floor(test.clock.now() / 1000)
      const created = redis ? expect.closeTo(now, -3) : now
      expect((await ask(LIST, { token })).body).toEqual({
        object: 'list',
        data: [
          {
            ...{ key: mask(key), plan: 'free', status: 'active', created, id: expect.stringMatching(/^key_\w{16}$/) },
            ...{ name: null, expires: null, last_used: null, models: null, addresses: null, limits: null },
            ...{ replaced_by: null, uses: null, labels: null },
          },
        ],
      })
    })

    it('sees none of the keys of others', async () => {
      const [token, other] = [await signIn(), await signIn()]
      await mint(other)
      const key = await mint(token)

      expect(await statuses(token)).toEqual([`${mask(key)} active`])
    })

    it('of 8 first mints at once, a single one gets the full value', async () => {
      const token = await signIn()

      const told = await Promise.all(Array.from({ length: 8 }, () => ask(MINT, { token, body: {} })))

      const full = told.map(each => fieldOf(each, 'key')).filter(key => key.length === 46)
      expect(told.map(({ status }) => status)).toEqual(Array(8).fill(200))
      expect(full).toHaveLength(1)
      const [key = ''] = full
      canaries.push(key)
      const masked = told.filter(({ body }) => (body as { existing?: boolean }).existing)
      expect(masked.map(({ body }) => body)).toEqual(Array(7).fill({ key: mask(key), plan: 'free', existing: true }))
      expect((await quota(key)).status).toBe(200)
    })
  })

  describe('60 changes of keys in an hour', () => {
    it('are the most an account may make; it may still list and revoke them, and others are not kept from theirs', async () => {
      const token = await signIn()
      const key = await mint(token)
      for (let i = 0; i < 58; i++) await ask(MINT, { token })
      expect((await ask(ROTATE, { token, body: { key: 'svc_0000' } })).status).toBe(401)

      for (const endpoint of [MINT, ROTATE]) {
        const told = await ask(endpoint, { token, body: endpoint === MINT ? {} : { key } })
        expect(told.status).toBe(429)
        expect(told.body).toMatchObject({
          error: {
            code: 'rate_limit_exceeded',
            type: 'requests',
            message: expect.stringContaining('An account may change its keys 60 times per hour.'),
            retry_after_ms: expect.closeTo(3_600_000, -5),
          },
        })
      }
      expect(await statuses(token)).toEqual([`${mask(key)} active`])
      expect((await ask(MINT, { token: await signIn() })).status).toBe(200)
      expect((await ask(REVOKE, { token, body: { key } })).status).toBe(200)
    })
  })

  describe('a rotation', () => {
    it.each<[string, (key: string) => string]>([
      ['its full value', key => key],
      ['the masked value of the listing, as when the key is lost', mask],
      ['that without the ellipsis', key => key.slice(0, 8)],
    ])('by %s replaces the key: the old one is refused from the next request on', async (_name, named) => {
      const token = await signIn()
      const old = await mint(token)
      expect((await quota(old)).status).toBe(200)

      const told = await ask(ROTATE, { token, body: { key: named(old) } })

      expect(told.body).toEqual({ key: expect.stringMatching(/^svc_[0-9A-Za-z]{42}$/), plan: 'free', rotated: true })
      const next = fieldOf(told, 'key')
      canaries.push(next)
      expect(outcomeOf(await quota(old))).toBe('401 INVALID_KEY')
      expect(outcomeOf(await chat(old))).toBe('401 INVALID_KEY')
      expect((await quota(next)).body).toMatchObject({ keyPrefix: mask(next) })
      expect(await statuses(token)).toEqual([`${mask(next)} active`, `${mask(old)} rotated`])
    })

    it('carries plan, spend, the counters of the minute and the history over', async () => {
      const token = await signIn('tight')
      const old = await mint(token)
      expect((await chat(old)).status).toBe(200)
      const standing = (await quota(old)).body as object

      const told = await ask(ROTATE, { token, body: { key: old } })
      const next = fieldOf(told, 'key')
      canaries.push(next)

      expect(told.body).toMatchObject({ plan: 'tight' })
      expect((await quota(next)).body).toEqual({ ...standing, keyPrefix: mask(next) })
      expect(standing).toMatchObject({ planSlug: 'tight', used: expect.any(Number), limit: 0.01 })
      expect((await chat(next)).status).toBe(200)
      // Two a minute, and one of them was the old key's.
      expect((await chat(next)).body).toMatchObject({ error: { type: 'requests' } })
      const account = (await test.gateway.store.keys.findCaller(hashOf(next)))?.account
      const rows = (await test.ledger()).filter(row => row.account === account)
      expect(rows.map(({ plan }) => plan)).toEqual(['tight', 'tight'])
    })

    // Redis has a clock of its own, which no test can move.
    const itWithItsClock = redis === undefined ? it : undefined
    itWithItsClock?.('carries the counter of the day over', async () => {
      // The counter of the day is not asked across midnight.
      const left = 86_400_000 - (test.clock.now() % 86_400_000)
      if (left < 300_000) test.clock.advance(left)
      const token = await signIn('daily')
      const old = await mint(token)
      await chat(old)
      test.clock.advance(61_000)
      await chat(old)

      const next = fieldOf(await ask(ROTATE, { token, body: { key: old } }), 'key')
      canaries.push(next)

      test.clock.advance(61_000)
      expect((await chat(next)).status).toBe(200)
      test.clock.advance(61_000)
      expect((await chat(next)).body).toMatchObject({ error: { type: 'daily_limit' } })
    })

    it('that two send at once succeeds for one, and the other is told that the key is gone', async () => {
      const token = await signIn()
      const old = await mint(token)

      const told = await Promise.all([0, 1].map(() => ask(ROTATE, { token, body: { key: old } })))

      expect(told.map(outcomeOf).sort()).toEqual(['200', '401 INVALID_KEY'])
      canaries.push(...told.map(each => fieldOf(each, 'key')).filter(key => key !== ''))
      expect((await statuses(token)).map(line => line.split(' ')[1])).toEqual(['active', 'rotated'])
    })

    it('after rotation the listing keeps the last 20 that ended, newest first, below the active one', async () => {
      const token = await signIn()
      const keys = [await mint(token)]
      for (let i = 0; i < 22; i++) {
        const next = fieldOf(await ask(ROTATE, { token, body: { key: keys[0] } }), 'key')
        canaries.push(next)
        keys.unshift(next)
      }

      const [active = '', ...ended] = keys
      expect(await statuses(token)).toEqual([
        `${mask(active)} active`,
        ...ended.slice(0, 20).map(key => `${mask(key)} rotated`),
      ])
    })
  })

  describe('a revocation', () => {
    it.each<[string, (key: string) => string]>([
      ['its full value', key => key],
      ['its masked value', mask],
    ])('by %s ends the key from the next request on, without another in its place', async (_name, named) => {
      const token = await signIn()
      const key = await mint(token)

      const told = await ask(REVOKE, { token, body: { key: named(key) } })

      expect(told).toMatchObject({ status: 200, body: { key: mask(key), plan: 'free', revoked: true } })
      expect(outcomeOf(await quota(key))).toBe('401 INVALID_KEY')
      expect(outcomeOf(await chat(key))).toBe('401 INVALID_KEY')
      expect(await statuses(token)).toEqual([`${mask(key)} revoked`])
    })

    it('works once: a second one is told that the key is gone', async () => {
      const token = await signIn()
      const key = await mint(token)
      await ask(REVOKE, { token, body: { key } })

      expect(outcomeOf(await ask(REVOKE, { token, body: { key } }))).toBe('401 INVALID_KEY')
      expect(outcomeOf(await ask(REVOKE, { token, body: { key: mask(key) } }))).toBe('401 INVALID_KEY')
    })

    it('leaves room for a new key, which has the spend of the account', async () => {
      const token = await signIn()
      const key = await mint(token)
      await chat(key)
      const { used } = (await quota(key)).body as { used: number }
      await ask(REVOKE, { token, body: { key } })

      const next = await mint(token)

      expect(next).toMatch(/^svc_[0-9A-Za-z]{42}$/)
      expect(next).not.toBe(key)
      expect(used).toBeGreaterThan(0)
      expect((await quota(next)).body).toMatchObject({ used })
      expect(await statuses(token)).toEqual([`${mask(next)} active`, `${mask(key)} revoked`])
    })
  })

  describe.each([ROTATE, REVOKE])('%s of anything but the active key', endpoint => {
    it('is the same 401 to the byte, whatever it names, and changes nothing', async () => {
      const [token, stranger] = [await signIn(), await signIn()]
      const rotatedAway = await mint(token)
      const revoked = fieldOf(await ask(ROTATE, { token, body: { key: rotatedAway } }), 'key')
      await ask(REVOKE, { token, body: { key: revoked } })
      const own = await mint(token)
      const foreign = await mint(stranger)
      canaries.push(revoked)

      const told: Told[] = []
      for (const key of [
        newKey('svc', randomBytes),
        foreign,
        mask(foreign),
        revoked,
        mask(revoked),
        rotatedAway,
        mask(rotatedAway),
        `${own}x`,
        own.slice(0, -1),
        own.slice(0, 7),
        own.toUpperCase(),
        ` ${own}`,
        'svc_',
        '…',
        '',
        'sk-1234567890',
        '__proto__',
        '\u0000',
        '💥'.repeat(1000),
      ])
        told.push(await ask(endpoint, { token, body: { key } }))

      const [first] = told
      expect(first && outcomeOf(first)).toBe('401 INVALID_KEY')
      for (const each of told) expect(each).toEqual(first)
      expect((await quota(own)).status).toBe(200)
      expect((await quota(foreign)).status).toBe(200)
    })

    it.each<[string, unknown, string]>([
      ['nothing', '', '400 body: is empty'],
      ['what is no JSON', '{"key":', '400 body: is not valid JSON'],
      ['an array', [], '400 body: must be a JSON object'],
      ['no key', {}, '400 key: is required'],
      ['a number', { key: 7 }, '400 key: must be a string'],
      ['null', { key: null }, '400 key: must be a string'],
      ['a list of keys', { key: ['svc_a'] }, '400 key: must be a string'],
      ['a field that is not known', { key: 'x', account: 'acct_1' }, '400 account: is not accepted'],
      ['a hundred levels', `{"key":${'['.repeat(100)}${']'.repeat(100)}}`, '400 body: is nested deeper'],
    ])('with %s is told what is wrong', async (_name, body, expected) => {
      const told = await ask(endpoint, { token: await signIn(), body })

      expect(`${told.status} ${fieldOf(told, 'error')}`).toContain(expected)
      expect(codeOf(told)).toBe('VALIDATION_ERROR')
    })

    it('with a body of megabytes is a 413, and with another type a 415', async () => {
      const token = await signIn()
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }

      expect((await ask(endpoint, { token, body: { key: 'x'.repeat(1_000_000) } })).status).toBe(413)
      expect((await ask(endpoint, { token, body: 'key=svc_a', headers })).status).toBe(415)
    })
  })

  it.each<[string, unknown, string]>([
    ['a plan', { plan: 'pro' }, 'plan: is not accepted'],
    ['an array', [], 'body: must be a JSON object'],
    ['what is no JSON', '{', 'body: is not valid JSON'],
  ])('a mint with %s is refused, and makes nothing', async (_name, body, error) => {
    const token = await signIn()

    const told = await ask(MINT, { token, body })

    expect(told.status).toBe(400)
    expect(fieldOf(told, 'error')).toBe(error)
    expect(await statuses(token)).toEqual([])
  })

  describe.each(MANAGEMENT)('%s', endpoint => {
    it.each<[string, () => Promise<Sent>, string, RegExp]>([
      ['nobody', async () => ({}), '401 NO_AUTH', /Sign in at http:\/\/127/],
      [
        'a key, even a good one',
        async () => ({ token: await mint(await signIn()) }),
        '401 INVALID_TOKEN',
        /A key does not manage keys\. Sign in at http:\/\/127/,
      ],
      ['a mistyped key', async () => ({ token: 'svc_x' }), '401 INVALID_TOKEN', /A key does not manage keys/],
      ['something else', async () => ({ token: 'sk-1' }), '401 INVALID_TOKEN', /^Sign in at/],
      ['what only looks like a token', async () => ({ token: 'a.b.c' }), '401 INVALID_TOKEN', /./],
      ['an ID token', async () => ({ token: (await oidc.signIn('ida')).idToken }), '401 INVALID_TOKEN', /ID tokens/],
      ['another scheme', async () => ({ headers: { authorization: 'Basic YTpi' } }), '401 INVALID_TOKEN', /^Sign in/],
    ])('refuses %s before it reads the body', async (_name, sender, outcome, text) => {
      const told = await ask(endpoint, { ...(await sender()), ...(endpoint !== LIST && { body: '{' }) })

      expect(outcomeOf(told)).toBe(outcome)
      expect(fieldOf(told, 'error')).toMatch(text)
    })
  })

  describe('the plan of an account', () => {
    it('follows its token, without a new key', async () => {
      const key = await mint(await signIn('mover'))
      expect((await quota(key)).body).toMatchObject({ planSlug: 'free', limit: 1 })

      users.mover = { plan: 'pro' }
      const listed = await ask(LIST, { token: await signIn('mover') })

      expect(listed.body).toMatchObject({ data: [{ key: mask(key), plan: 'pro' }] })
      expect((await quota(key)).body).toMatchObject({ planSlug: 'pro', limit: 20 })
    })

    it('is the default one where the claim names none, and the operator is told once per claim', async () => {
      const keys = [await mint(await signIn('golden')), await mint(await signIn('other'))]
      for (const key of keys) expect((await quota(key)).body).toMatchObject({ planSlug: 'free' })

      const told = test.alarms.filter(alarm => alarm.includes('gold-plan-of-nobody'))
      expect(told).toHaveLength(1)
      expect(told[0]).toMatch(/claims a plan that is not declared .*"served":"free"/)
    })

    it('is never that of guests by a claim', async () => {
      expect((await ask(MINT, { token: await signIn('sneaky'), body: {} })).body).toMatchObject({ plan: 'free' })

      expect(test.alarms.some(alarm => alarm.includes('claims the plan of guests'))).toBe(true)
    })
  })

  it('where nobody can sign in, key management says so, and a token is no key', async () => {
    const other = await startTestGateway({ onprem: [backend] })
    const token = await signIn()

    const [management, inference] = [
      await send(other, LIST, { token }),
      await send(other, 'GET /billing/quota', { token }),
    ]

    expect(outcomeOf(management)).toBe('401 INVALID_TOKEN')
    expect(fieldOf(management, 'error')).toBe('This gateway has no sign-in: ask the operator for a key.')
    expect(fieldOf(inference, 'error')).toBe('Send `Authorization: Bearer svc_…`; this is not a key.')
    await other.close()
  })

  it('keys and sign-ins survive a restart, and so does what ended', async () => {
    const token = await signIn()
    const old = await mint(token)
    const key = fieldOf(await ask(ROTATE, { token, body: { key: old } }), 'key')
    canaries.push(key)

    before.push(test.log, test.alarms)
    test = await test.restart()

    expect(await statuses(token)).toEqual([`${mask(key)} active`, `${mask(old)} rotated`])
    expect((await quota(key)).status).toBe(200)
    expect(outcomeOf(await quota(old))).toBe('401 INVALID_KEY')
  })

  it('no key and no token is in the log, an alarm, a file of the gateway, the store, or an error', async () => {
    const stored = [await test.gateway.store.keys.list(), await test.ledger()]
    const audit: unknown[] = []
    for await (const row of test.gateway.store.accounts.readAudit()) audit.push(row)
    const errors = answers.filter(({ status }) => status !== 200)

    await test.gateway.close(0)
    const remains = [
      await filesIn(test.gateway.app.settings.server.stateDir),
      redis && (await everythingIn(redis().url)),
    ]
    const said = JSON.stringify([before, test.log, test.alarms, stored, audit, errors, remains])
    // A hash that must be there is found, so canaries would be found too.
    expect(said).toContain(hashOf(canaries.find(canary => canary.startsWith('svc_')) ?? ''))
    expect(canaries.length).toBeGreaterThan(50)
    expect(audit.length).toBeGreaterThan(50)
    expect(canaries.filter(canary => canary.length < 40 || said.includes(canary))).toEqual([])
  })
}

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { accountOf } from '../../../src/gateway/accounts/sign-in/sign-in.ts'
import { type Backend, json, startBackend } from '../../support/backend.ts'
import { AUDIENCE, eventsOf, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { type OidcServer, startOidc } from '../../support/identity/oidc.ts'
import { fieldOf, outcomeOf, type Sent, send, type Told } from '../calls.ts'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const picture = json({
  created: 1_700_000_000,
  data: [{ b64_json: PNG }],
  usage: { input_tokens: 5, output_tokens: 40, total_tokens: 45 },
})
const vectors = json({
  object: 'list',
  data: [{ object: 'embedding', index: 0, embedding: Array(768).fill(0.5) }],
  model: 'bge',
  usage: { prompt_tokens: 7, total_tokens: 7 },
})
const hello = { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 10 }

const CHAT = 'POST /v1/chat/completions'
const QUOTA = 'GET /billing/quota'
const MINT = 'POST /v1/keys/developer'
/** Every endpoint that takes a bearer, and a good body for it. */
const BEARERS: readonly (readonly [endpoint: string, body: object | undefined])[] = [
  [CHAT, hello],
  ['POST /v1/embeddings', { model: 'svc-embed', input: 'Hello' }],
  ['POST /v1/images/generations', { model: 'svc-image', prompt: 'a cat' }],
  [QUOTA, undefined],
]

let backend: Backend
let oidc: OidcServer
let test: TestGateway

beforeAll(async () => {
  backend = await startBackend()
  oidc = await startOidc({
    audience: AUDIENCE,
    users: { pia: { plan: 'pro', email: 'pia@example.com' }, tim: { plan: 'tight' }, una: { plan: 'tight' } },
  })
  test = await startTestGateway({ onprem: [backend], oidc })
})

afterAll(async () => {
  await test.close()
  await oidc.stop()
  await backend.close()
})

const ask = (endpoint: string, sent: Sent = {}): Promise<Told> => send(test, endpoint, sent)
const signIn = async (user: string) => (await oidc.signIn(user)).accessToken
const accountFor = (user: string) => accountOf(oidc.issuer, user)

describe('a sign-in token in place of a key', () => {
  it('is served whole answers, on the plan and the quota of its account', async () => {
    const { status, headers } = await ask(CHAT, { token: await signIn('pia'), body: hello })

    expect(status).toBe(200)
    expect(headers).toMatchObject({ 'x-svc-quota-plan': 'pro', 'x-svc-quota-limit': '20', 'x-svc-upstream': 'onprem' })
  })

  it('is served streams', async () => {
    const token = await signIn('pia')
    const response = await test.chat(token, { ...hello, stream: true })

    expect(response.status).toBe(200)
    expect((await eventsOf(response)).at(-1)).toBe('[DONE]')
  })

  it('is served vectors', async () => {
    backend.next(vectors)
    const told = await ask('POST /v1/embeddings', { token: await signIn('pia'), body: BEARERS[1]?.[1] })

    expect(told.status).toBe(200)
  })

  it('is served images', async () => {
    backend.next(picture)
    const told = await ask('POST /v1/images/generations', { token: await signIn('pia'), body: BEARERS[2]?.[1] })

    expect(told.status).toBe(200)
  })

  it('never reaches a backend', async () => {
    const token = await signIn('pia')
    await ask(CHAT, { token, body: hello })

    expect(JSON.stringify(backend.requests)).not.toContain(token)
  })

  it('reads the quota of its account; the key is null where there is none', async () => {
    expect((await ask(QUOTA, { token: await signIn('nina') })).body).toMatchObject({
      planSlug: 'free',
      used: 0,
      limit: 1,
      keyPrefix: null,
    })
  })

  it('shares spend and counters with the key of its account', async () => {
    const token = await signIn('tim')
    const key = fieldOf(await ask(MINT, { token }), 'key')

    const told = [await ask(CHAT, { token, body: hello }), await ask(CHAT, { token: key, body: hello })]

    expect(told.map(outcomeOf)).toEqual(['200', '200'])
    const third = await ask(CHAT, { token, body: hello })
    expect(third.body).toMatchObject({ error: { type: 'requests' } })
    const [byToken, byKey] = [await ask(QUOTA, { token }), await ask(QUOTA, { token: key })]
    expect(byToken.body).toEqual(byKey.body)
    const rows = (await test.ledger()).filter(({ account }) => account === accountFor('tim'))
    expect(rows).toMatchObject([{ plan: 'tight' }, { plan: 'tight' }])
  })

  it('is held to the models of its plan', async () => {
    const token = await signIn('una')
    const told = await ask(CHAT, { token, body: { ...hello, model: 'svc-ultra-pro', max_tokens: 2000 } })

    expect(told.body).toMatchObject({ error: { code: 'rate_limit_exceeded', type: 'plan_limit' } })
  })

  it("goes on when the account's key is revoked: it was never by the key", async () => {
    const token = await signIn('vera')
    const key = fieldOf(await ask(MINT, { token }), 'key')
    await ask('POST /v1/keys/developer/revoke', { token, body: { key } })

    expect((await ask(CHAT, { token, body: hello })).status).toBe(200)
    expect(outcomeOf(await ask(CHAT, { token: key, body: hello }))).toBe('401 INVALID_KEY')
  })

  it('has its account known by the label of its claim', async () => {
    await ask(QUOTA, { token: await signIn('pia') })

    expect(await test.gateway.store.accounts.findByLabel('pia@example.com')).toMatchObject([
      { account: accountFor('pia'), kind: 'developer', terms: { claimed: 'pro' } },
    ])
  })
})

describe.each(BEARERS)('%s', (endpoint, body) => {
  const sent = (token: string): Sent => ({ token, ...(body && { body }) })

  it.each<[string, () => Promise<string>, RegExp]>([
    ['one with another signature', async () => `${(await signIn('pia')).slice(0, -8)}AAAAAAAA`, /Sign in again/],
    ['an ID token', async () => (await oidc.signIn('pia')).idToken, /ID tokens/],
    ['what only looks like one', async () => 'eyJhbGciOiJub25lIn0.e30.AAAA', /./],
    ['neither a key nor a token', async () => 'sk-1234567890', /a key, svc_…, or an access token of http:\/\/127/],
  ])('refuses %s', async (_name, token, text) => {
    const told = await ask(endpoint, sent(await token()))

    expect(outcomeOf(told)).toBe('401 INVALID_TOKEN')
    expect(fieldOf(told, 'error')).toMatch(text)
  })
})

describe('while the identity provider cannot be reached', () => {
  let other: TestGateway
  let key: string
  let token: string

  beforeEach(async () => {
    await oidc.start()
    token = await signIn('walt')
    await oidc.stop()
    other = await startTestGateway({ onprem: [backend], oidc })
    key = await other.key()
    return async () => {
      await other.close()
      await oidc.start()
    }
  })

  it.each<[string, string, (sent: { key: string; token: string }) => Sent, string]>([
    ['inference with a key', CHAT, ({ key: by }) => ({ token: by, body: hello }), '200'],
    ['the quota of a key', QUOTA, ({ key: by }) => ({ token: by }), '200'],
    ['the catalogue', 'GET /v1/models', () => ({}), '200'],
    ['readiness', 'GET /readyz', () => ({}), '200'],
    ['inference with a token', CHAT, ({ token: by }) => ({ token: by, body: hello }), '503 IDENTITY_UNAVAILABLE'],
    ['the quota of a token', QUOTA, ({ token: by }) => ({ token: by }), '503 IDENTITY_UNAVAILABLE'],
    ['a mint', MINT, ({ token: by }) => ({ token: by }), '503 IDENTITY_UNAVAILABLE'],
    ['a listing', 'GET /v1/keys/developer', ({ token: by }) => ({ token: by }), '503 IDENTITY_UNAVAILABLE'],
    [
      'a rotation',
      'POST /v1/keys/developer/rotate',
      ({ token: by }) => ({ token: by, body: { key: 'x' } }),
      '503 IDENTITY_UNAVAILABLE',
    ],
    [
      'a revocation',
      'POST /v1/keys/developer/revoke',
      ({ token: by }) => ({ token: by, body: { key: 'x' } }),
      '503 IDENTITY_UNAVAILABLE',
    ],
    ['key management without a token', MINT, () => ({}), '401 NO_AUTH'],
  ])('%s is answered with what is known', async (_name, endpoint, sent, outcome) => {
    const told = await send(other, endpoint, sent({ key, token }))

    expect(outcomeOf(told)).toBe(outcome)
    if (told.status === 503) expect(told.headers['retry-after']).toBe('5')
  })

  it('the operator is told once, and with its return everything is served again', async () => {
    for (let i = 0; i < 3; i++) expect((await send(other, MINT, { token })).status).toBe(503)

    await oidc.start()
    other.clock.advance(5000)

    expect((await send(other, MINT, { token })).status).toBe(200)
    expect((await send(other, CHAT, { token, body: hello })).status).toBe(200)
    expect(other.alarms.filter(alarm => alarm.startsWith('the keys of the identity provider'))).toEqual([
      expect.stringContaining('cannot be read'),
      expect.stringContaining('can be read again'),
    ])
    expect(JSON.stringify([other.log, other.alarms])).not.toContain(token)
  })
})

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { accountOf } from '../../../src/gateway/accounts/sign-in/sign-in.ts'
import { adminEndpoints } from '../../../src/http/admin/admin.ts'
import { isRoleFor, ROLES, type Role } from '../../../src/wire/admin/role.ts'
import { startScripted } from '../../adapters/identity/scripted-provider.ts'
import { type Backend, startBackend } from '../../support/backend.ts'
import { ADMIN_TOKEN, AUDIENCE, startTestGateway, type TestGateway } from '../../support/gateway.ts'
import { newKeys, type PrivateKey } from '../../support/identity/oidc-keys.ts'
import { fieldOf, outcomeOf, type Sent, send, type Told } from '../calls.ts'

let provider: Awaited<ReturnType<typeof startScripted>>
let keys: readonly PrivateKey[]
let backend: Backend
let test: TestGateway

beforeAll(async () => {
  keys = await newKeys()
  provider = await startScripted(() => ({
    jwks: { keys: keys.slice(0, 1).map(({ kty, kid, use, n, e }) => ({ kty, kid, use, n, e })) },
  }))
  backend = await startBackend()
})

afterAll(async () => {
  await backend.close()
  await provider.close()
})

beforeEach(async () => {
  test = await startTestGateway({
    onprem: [backend],
    yaml: identityOf('admins: [ADA], support: [SAM], viewers: [VIC]'),
  })
})

afterEach(() => test.close())

const identityOf = (lists: string) =>
  `identity: { issuer: "${provider.issuer}", default_plan: free, ${lists.replace(/[A-Z]{3}/g, name => idOf(name.toLowerCase()))} }`
const idOf = (sub: string) => accountOf(provider.issuer, sub)
const PEOPLE: Readonly<Record<Role, string>> = { admin: 'ada', support: 'sam', viewer: 'vic' }

function tokenOf(sub: string, claims = {}): string {
  const [key] = keys
  if (!key) throw new Error('no key')
  return provider.forge(key, { claims: { aud: AUDIENCE, sub, ...claims } })
}

const ask = (endpoint: string, sent: Sent = {}): Promise<Told> => send({ url: test.admin }, endpoint, sent)
const grant = (token: string) => ask('POST /admin/accounts/grant', { token, body: { account: 'carl', usd: '5' } })

async function auditRows() {
  const rows: unknown[] = []
  for await (const { by, action, before, after } of test.gateway.store.accounts.readAudit())
    rows.push({ by, action, before, after })
  return rows
}

const forOperators = adminEndpoints.flatMap(endpoint => (endpoint.who === 'operator' ? [endpoint] : []))

it('every endpoint that needs no role is known to be for anyone, or for scrapers', () => {
  const others = adminEndpoints.filter(({ who }) => who !== 'operator').map(({ method, path }) => `${method} ${path}`)

  expect(others).toEqual([
    'GET /healthz',
    'GET /readyz',
    'GET /metrics',
    'POST /admin/console/session',
    'GET /console',
    'GET /console/{id}',
  ])
})

it('what changes something is for more than viewers, and support does nothing but what serves customers', () => {
  const needing = (role: Role) =>
    forOperators.filter(({ needs }) => needs === role).map(({ method, path }) => `${method} ${path}`)

  expect(needing('viewer').filter(endpoint => endpoint.startsWith('POST'))).toEqual([
    'POST /admin/keys/list',
    'POST /admin/keys/show',
    'POST /admin/accounts/show',
    'POST /admin/accounts/find',
    'POST /admin/accounts/list',
    'POST /admin/console/code',
    'POST /admin/console/end',
  ])
  expect(needing('support')).toEqual([
    'POST /admin/keys',
    'POST /admin/keys/guest',
    'POST /admin/keys/rotate',
    'POST /admin/keys/revoke',
    'POST /admin/accounts/grant',
  ])
})

/** What a role is asked with: a body that is not looked at where the role is refused. */
const askAs = (role: Role, { method, path }: { readonly method: string; readonly path: string }) =>
  ask(`${method} ${path.replace('{id}', 'req_1')}`, {
    token: tokenOf(PEOPLE[role]),
    ...(method === 'POST' && { body: '{' }),
  })

it('an endpoint refuses every operator whose role is less than it needs, whatever is sent', async () => {
  for (const endpoint of forOperators)
    for (const role of ROLES.filter(each => !isRoleFor(each, endpoint.needs))) {
      const told = await askAs(role, endpoint)
      expect(outcomeOf(told), endpoint.path).toBe('403 FORBIDDEN')
      const error = `This needs the role ${endpoint.needs}, and ${idOf(PEOPLE[role])} is ${role}.`
      expect(told.body, endpoint.path).toMatchObject({ error })
    }
})

it('an endpoint refuses no operator whose role is enough', async () => {
  // The stream of events has no end.
  for (const endpoint of forOperators.filter(({ path }) => path !== '/admin/events'))
    for (const role of ROLES.filter(each => isRoleFor(each, endpoint.needs)))
      expect([401, 403], endpoint.path).not.toContain((await askAs(role, endpoint)).status)
})

it('the audit has what an operator was refused by name, once a minute for each', async () => {
  for (let n = 0; n < 3; n++) await grant(tokenOf('vic'))
  await ask('POST /admin/apply', { token: tokenOf('sam'), body: {} })
  await ask('GET /admin/keys', { token: tokenOf('eve') })

  const refusals = [
    { by: idOf('vic'), action: 'refuse', before: 'POST /admin/accounts/grant', after: 'viewer, needs support' },
    { by: idOf('sam'), action: 'refuse', before: 'POST /admin/apply', after: 'support, needs admin' },
    { by: idOf('eve'), action: 'refuse', before: 'sign-in', after: 'is no operator' },
  ]
  expect(await auditRows()).toEqual(refusals)
  test.clock.advance(60_000)
  await grant(tokenOf('vic'))
  expect(await auditRows()).toEqual([...refusals, refusals[0]])
})

it('support grants credit, and the audit says who did', async () => {
  await ask('POST /admin/keys', { token: ADMIN_TOKEN, body: { account: 'carl', plan: 'pro' } })
  const told = await grant(tokenOf('sam'))

  expect(outcomeOf(told), told.text).toBe('200')
  expect(await auditRows()).toContainEqual({ by: idOf('sam'), action: 'grant', before: '', after: '5 USD' })
})

it('a session of the console may what its operator may at that moment, and nothing once the files no longer name them', async () => {
  const code = fieldOf(await ask('POST /admin/console/code', { token: tokenOf('sam'), body: {} }), 'code')
  const token = fieldOf(await ask('POST /admin/console/session', { body: { code } }), 'token')
  const roleOf = async () => fieldOf(await ask('GET /admin/whoami', { token }), 'role')
  expect(await roleOf()).toBe('support')
  expect(outcomeOf(await ask('POST /admin/reload', { token, body: {} }))).toBe('403 FORBIDDEN')

  await test.reload({}, yaml => yaml.replace(`support: [${idOf('sam')}], viewers: [`, `viewers: [${idOf('sam')}, `))
  expect(await roleOf()).toBe('viewer')
  expect(outcomeOf(await grant(token))).toBe('403 FORBIDDEN')

  await test.reload({}, yaml => yaml.replace(`support: [${idOf('sam')}], `, ''))
  expect(outcomeOf(await ask('GET /admin/whoami', { token }))).toBe('401 INVALID_TOKEN')
})

describe('sign-ins that fail', () => {
  const failTimes = async (times: number) => {
    for (let n = 0; n < times; n++)
      expect(outcomeOf(await ask('GET /admin/keys', { token: `guess-${n}` }))).toBe('401 INVALID_TOKEN')
  }

  it('end after ten in a minute of one address, whatever it sends, until the minute is over', async () => {
    await failTimes(10)
    const told = await ask('GET /admin/keys', { token: ADMIN_TOKEN })
    expect(outcomeOf(told)).toBe('429 rate_limit_exceeded')
    expect(told.headers['retry-after']).toBe('60')
    expect(told.body).toMatchObject({
      error: { message: '10 sign-ins of operators failed at this address within a minute. Retry in 60 s.' },
    })

    test.clock.advance(60_000)
    expect((await ask('GET /admin/keys', { token: ADMIN_TOKEN })).status).toBe(200)
  })

  it('do not lock out a token that was right within the last hour', async () => {
    await ask('GET /admin/whoami', { token: ADMIN_TOKEN })
    await failTimes(10)

    expect((await ask('GET /admin/keys', { token: ADMIN_TOKEN })).status).toBe(200)
    expect(outcomeOf(await ask('GET /admin/keys', { token: 'guess' }))).toBe('429 rate_limit_exceeded')
  })

  it('count a wrong token that is sent again and again once', async () => {
    for (let n = 0; n < 20; n++) await ask('GET /metrics', { token: 'forgotten' })

    expect((await ask('GET /admin/keys', { token: ADMIN_TOKEN })).status).toBe(200)
  })
})

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hashOf } from '../../../src/gateway/accounts/keys.ts'
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

/**
 * The role that each endpoint needs, and the role that a field of its body needs. An endpoint that is added without its line here
 * fails the test below: say first who may call it, and which of its fields choose a plan, a limit or another account's data.
 */
const NEEDS: Readonly<Record<string, Role>> = {
  'GET /admin/keys': 'viewer',
  'POST /admin/keys/list': 'viewer',
  // A `plan`, but for the default one of a new account: admin. The key keeps its responses apart, as does that of a rotation.
  'POST /admin/keys': 'support',
  // All guests have one plan.
  'POST /admin/keys/guest': 'support',
  'POST /admin/keys/show': 'viewer',
  'POST /admin/keys/rotate': 'support',
  'POST /admin/keys/revoke': 'support',
  'POST /admin/accounts/show': 'viewer',
  'POST /admin/accounts/plan': 'admin',
  'POST /admin/accounts/overage': 'admin',
  // Credit of this month, and no other limit.
  'POST /admin/accounts/grant': 'support',
  'POST /admin/accounts/freeze': 'admin',
  'POST /admin/accounts/thaw': 'admin',
  'POST /admin/accounts/limit': 'admin',
  'POST /admin/accounts/unlimit': 'admin',
  'POST /admin/accounts/org': 'admin',
  // Who joins reads what the account kept, and manages its keys.
  'POST /admin/accounts/invite': 'admin',
  'POST /admin/accounts/uninvite': 'admin',
  'POST /admin/accounts/find': 'viewer',
  'POST /admin/accounts/list': 'viewer',
  'POST /admin/accounts/notices': 'viewer',
  'POST /admin/accounts/notices/remove': 'support',
  'GET /admin/orgs': 'viewer',
  // Limits, spend and prices of one account, as its page shows them; nothing is sent.
  'POST /admin/explain': 'viewer',
  'GET /admin/pools': 'viewer',
  'GET /admin/pools/compare': 'viewer',
  'POST /admin/pools/drain': 'admin',
  'POST /admin/pools/undrain': 'admin',
  'POST /admin/pools/probe': 'admin',
  'GET /admin/fleet': 'viewer',
  'POST /admin/fleet/prepare': 'admin',
  'POST /admin/fleet/settle': 'admin',
  'POST /admin/console/code': 'viewer',
  'POST /admin/console/end': 'viewer',
  'POST /admin/reload': 'admin',
  'GET /admin/config': 'viewer',
  'GET /admin/revisions': 'viewer',
  'GET /admin/revisions/diff': 'viewer',
  'GET /admin/matrix': 'viewer',
  'GET /admin/whoami': 'viewer',
  'GET /admin/workers': 'viewer',
  'GET /admin/alarms': 'viewer',
  'GET /admin/incidents': 'viewer',
  'GET /admin/requests': 'viewer',
  'GET /admin/requests/{id}': 'viewer',
  'POST /admin/search': 'viewer',
  'GET /admin/plans': 'viewer',
  'POST /admin/apply': 'admin',
  'GET /admin/accounts': 'viewer',
  'GET /admin/events': 'viewer',
  'GET /admin/audit': 'viewer',
  'GET /admin/usage': 'viewer',
  'GET /admin/series': 'viewer',
  'GET /admin/series/pools': 'viewer',
  'GET /admin/invoice': 'viewer',
  'GET /admin/invoices': 'viewer',
  'GET /admin/backup': 'admin',
  'GET /admin/archive': 'viewer',
  'GET /admin/notices': 'viewer',
  'POST /admin/notices/test': 'admin',
  'POST /admin/notices/retry': 'admin',
  'GET /admin/ledger': 'viewer',
  'GET /admin/openapi.json': 'viewer',
}

it('each endpoint of operators needs the role that the table says, and none is without a line there', () => {
  expect(Object.fromEntries(forOperators.map(({ method, path, needs }) => [`${method} ${path}`, needs]))).toEqual(NEEDS)
})

it('what changes something is for more than viewers', () => {
  const posts = Object.entries(NEEDS).filter(([endpoint, role]) => role === 'viewer' && endpoint.startsWith('POST'))

  expect(posts.map(([endpoint]) => endpoint)).toEqual([
    'POST /admin/keys/list',
    'POST /admin/keys/show',
    'POST /admin/accounts/show',
    'POST /admin/accounts/find',
    'POST /admin/accounts/list',
    'POST /admin/accounts/notices',
    'POST /admin/explain',
    'POST /admin/console/code',
    'POST /admin/console/end',
    'POST /admin/search',
  ])
})

/** Calls with a role and a body that is not read if the role is refused. */
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

/** Each way in which a body of support's could name a plan; `carl` is on `pro`. */
const PLAN_CHOICES: readonly (readonly [string, string, object])[] = [
  ['a new account on another plan than the default', 'POST /admin/keys', { account: 'dora', plan: 'pro' }],
  ['an account by its label', 'POST /admin/keys', { account: 'carl', plan: 'free' }],
  ['an account by its label, with a key by a name', 'POST /admin/keys', { account: 'carl', plan: 'free', name: 'ci' }],
  ['an account by its id', 'POST /admin/keys', { account: 'CARL', plan: 'free', name: 'ci' }],
  ['an account that signed in', 'POST /admin/keys', { account: 'SAM', plan: 'pro' }],
  ['set-plan', 'POST /admin/accounts/plan', { account: 'carl', plan: 'free' }],
  ['set-plan to none', 'POST /admin/accounts/plan', { account: 'carl', plan: null }],
]

describe('support chooses no plan', () => {
  let carl = ''
  const asSupport = (endpoint: string, body: object) => ask(endpoint, { token: tokenOf('sam'), body })
  const planOf = async (account: string) => {
    const told = await ask('POST /admin/accounts/show', { token: ADMIN_TOKEN, body: { account } })
    return told.status === 200 ? fieldOf(told, 'plan') : 'no account'
  }

  beforeEach(async () => {
    const told = await ask('POST /admin/keys', { token: ADMIN_TOKEN, body: { account: 'carl', plan: 'pro' } })
    carl = fieldOf(told, 'account')
    await test.gateway.store.accounts.signIn({ account: idOf('sam') })
  })

  it.each(PLAN_CHOICES)('by %s', async (_what, endpoint, body) => {
    const written = JSON.stringify(body)
      .replace('"CARL"', `"${carl}"`)
      .replace('"SAM"', `"${idOf('sam')}"`)

    expect(outcomeOf(await asSupport(endpoint, JSON.parse(written)))).toBe('403 FORBIDDEN')

    expect(await planOf('carl')).toBe('pro')
    expect(await planOf('dora')).toBe('no account')
    expect(await planOf(idOf('sam'))).toBe('free')
    expect(await auditRows()).toContainEqual(expect.objectContaining({ by: idOf('sam'), action: 'refuse' }))
  })

  it('and mints where the plan follows: the default of a new account, the own one of another', async () => {
    const bodies = [
      { account: 'dora', plan: 'free' },
      { account: 'carl', plan: 'pro', name: 'ci' },
      { account: 'carl', name: 'laptop' },
      { account: carl, name: 'phone' },
      { account: idOf('sam'), plan: 'free' },
    ]

    for (const body of bodies) expect(outcomeOf(await asSupport('POST /admin/keys', body))).toBe('200')

    expect([await planOf('dora'), await planOf('carl'), await planOf(idOf('sam'))]).toEqual(['free', 'pro', 'free'])
    expect((await auditRows()).filter(row => JSON.stringify(row).includes('set-plan'))).toEqual([])
  })
})

it('a key whose value support has seen keeps its responses apart, each time anew, and that of an admin does not', async () => {
  const asked = async (sub: string, endpoint: string, body: object) => {
    const told = await ask(endpoint, { token: tokenOf(sub), body })
    const found = await test.gateway.store.keys.findCaller(hashOf(fieldOf(told, 'value')))
    return { id: fieldOf(told, 'id'), apart: found?.apart }
  }

  const ofAdmin = await asked('ada', 'POST /admin/keys', { account: 'carl', plan: 'pro' })
  const ofSupport = await asked('sam', 'POST /admin/keys', { account: 'carl', name: 'ci' })
  const rotated = await asked('sam', 'POST /admin/keys/rotate', { key: ofAdmin.id })
  const again = await asked('sam', 'POST /admin/keys/rotate', { key: ofSupport.id })
  const byAdmin = await asked('ada', 'POST /admin/keys/rotate', { key: rotated.id })

  expect(ofAdmin.apart).toBeUndefined()
  expect([ofSupport.apart, rotated.apart, again.apart]).toEqual([ofSupport.id, rotated.id, again.id])
  expect(byAdmin.apart).toBe(rotated.id)
  const shown = await Promise.all(
    [ofAdmin, byAdmin].map(({ id: key }) => ask('POST /admin/keys/show', { token: ADMIN_TOKEN, body: { key } })),
  )
  expect(shown.map(told => JSON.parse(told.text).apart)).toEqual([false, true])
  expect((await auditRows()).flatMap(row => JSON.stringify(row).match(/responses apart/g) ?? [])).not.toEqual([])
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
      error: { message: '10 operator sign-ins from this address failed within a minute. Retry in 60 s.' },
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

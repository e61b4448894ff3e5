// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of YAML.
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import { without } from '../../src/cli/serve/demo.ts'
import { DEFAULTS } from '../../src/config/defaults.ts'
import { fields } from '../../src/config/model/schema.ts'
import { found, kinds, loadFiles, loadGood, problemsOf, small } from './files.ts'

const SECRET = 'a-secret-of-guests-that-is-long-enough'
const FORMER = 'the-secret-before-it-of-enough-length'
const devices = small.replace(
  'models:\n',
  '  devices: { models: all, rpm: 10, tpm: 10k, per_day: 7200, monthly_usd: 0.50 }\nmodels:\n',
)
const withIdentity = (fields: string, config = small) =>
  `identity: { issuer: "https://auth.example.com/", default_plan: free${fields} }\n${config}`
const withGuests = (fields: string, config = devices) =>
  `guests: { plan: devices, usd_per_day_total: 50${fields} }\n${config}`
const guestSecrets = (config: string, env = {}) =>
  loadGood(config, env).settings.guests?.secrets.map(secret => secret.reveal())

test('an issuer is kept to the letter, and tokens must be for the public URL', () => {
  const config = `server: { public_url: https://api.example.com/ }\n${withIdentity('')}`

  expect(loadGood(config).settings.identity).toEqual({
    issuer: 'https://auth.example.com/',
    audience: 'https://api.example.com',
    tokenTypes: ['at+jwt'],
    admins: [],
    support: [],
    viewers: [],
    issuers: [],
    groups: [],
    accountClaim: 'sub',
    clientId: 'svcctl',
  })
})

test('claims, types, admins and the client of identity are those of the file', () => {
  const admin = `acct_${'0a'.repeat(20)}`
  const written = `, plan_claim: plan, label_claim: email, token_types: [at+jwt, JWT], admins: [${admin}], client_id: cli`

  expect(loadGood(withIdentity(written)).settings.identity).toMatchObject({
    planClaim: 'plan',
    labelClaim: 'email',
    tokenTypes: ['at+jwt', 'JWT'],
    admins: [admin],
    clientId: 'cli',
  })
})

test.each(['http://localhost:4444', 'http://127.0.0.1:4444/oidc', 'http://[::1]:4444'])(
  'an issuer on this machine needs no TLS: %s',
  issuer => {
    expect(found(loadFiles({ 'config.yaml': withIdentity('').replace('https://auth.example.com/', issuer) }))).toEqual(
      [],
    )
  },
)

test('without the sections nobody signs in, and there are no guests', () => {
  const { config, settings } = loadGood(small)

  expect(settings).not.toHaveProperty('identity')
  expect(settings).not.toHaveProperty('guests')
  expect(config).not.toHaveProperty('defaultPlan')
  expect(config).not.toHaveProperty('guestPlan')
})

test('the plans of accounts and guests are the very objects that are declared', () => {
  const { config } = loadGood(withGuests('', withIdentity('', devices)))

  expect(config.defaultPlan).toBe(config.plans.get('free'))
  expect(config.guestPlan).toBe(config.plans.get('devices'))
})

test('a demo without a kind of models has the plans of accounts and guests without them, too', () => {
  const plans = kinds.replace(
    'models:\n',
    '  devices: { models: [tier:guest], rpm: 1, tpm: 10k, per_day: 9, monthly_usd: 1 }\nmodels:\n',
  )
  const { config } = without('embedding', loadGood(withGuests('', withIdentity('', plans))))

  expect(config.defaultPlan).toBe(config.plans.get('free'))
  expect(config.guestPlan).toBe(config.plans.get('devices'))
  expect([...(config.guestPlan?.models.keys() ?? [])]).not.toContain('vectors')
})

test('a network may bring ten times what an address may, unless the file says', () => {
  const limits = (fields: string) => {
    const { mintPerIpHour, mintPerNetHour } = loadGood(withGuests(fields)).settings.guests ?? {}
    return [mintPerIpHour, mintPerNetHour]
  }

  expect(limits('')).toEqual([60, 600])
  expect(limits(', mint_per_ip_hour: 5')).toEqual([5, 50])
  expect(limits(', mint_per_ip_hour: 5, mint_per_net_hour: 7')).toEqual([5, 7])
})

test('the total of guests is exact', () => {
  const config = withGuests('').replace('usd_per_day_total: 50', 'usd_per_day_total: 0.000000001')

  expect(loadGood(config).settings.guests?.guestsNanoUsdPerDay).toBe(1)
})

test('the newer secret of guests comes first', () => {
  const config = withGuests(', secret: "${NEW}", former_secret: file:old')
  const result = loadFiles({ 'config.yaml': config, old: `${FORMER}\n` }, { NEW: SECRET })

  expect(result.ok && result.loaded.settings.guests?.secrets.map(secret => secret.reveal())).toEqual([SECRET, FORMER])
  expect(inspect(result, { depth: 9 })).not.toMatch(/a-secret-of-guests|the-secret-before/)
})

test('SVC_GUEST_SECRET is the secret of guests where the file names none', () => {
  expect(guestSecrets(withGuests(''), { SVC_GUEST_SECRET: SECRET })).toEqual([SECRET])
  expect(guestSecrets(withGuests(', secret: "${OWN}"'), { SVC_GUEST_SECRET: FORMER, OWN: SECRET })).toEqual([SECRET])
  expect(guestSecrets(withGuests(', former_secret: "${OLD}"'), { SVC_GUEST_SECRET: SECRET, OLD: FORMER })).toEqual([
    SECRET,
    FORMER,
  ])
})

test('with an embedded store the gateway keeps a secret of its own', () => {
  expect(guestSecrets(withGuests(''))).toEqual([])
  expect(guestSecrets(withGuests(''), { SVC_GUEST_SECRET: '' })).toEqual([])
})

test('with a store that is shared, SVC_GUEST_SECRET is as good as a field', () => {
  expect(guestSecrets(`store: redis://localhost\n${withGuests('')}`, { SVC_GUEST_SECRET: SECRET })).toEqual([SECRET])
})

test('a SVC_GUEST_SECRET that is too short is a problem that does not show it', () => {
  const result = loadFiles({ 'config.yaml': withGuests('') }, { SVC_GUEST_SECRET: 'short-4242' })

  expect(found(result)).toEqual(['config.yaml:1:1 short-secret'])
  expect(JSON.stringify(problemsOf(result))).toContain('SVC_GUEST_SECRET')
  expect(JSON.stringify(problemsOf(result))).not.toContain('4242')
})

test('proxies are kept as they were written', () => {
  const proxies = '["10.0.0.0/8", "192.168.1.7", "::1", "fd00::/8"]'

  expect(loadGood(`server: { trusted_proxies: ${proxies} }\n${small}`).settings.server.trustedProxies).toEqual(
    JSON.parse(proxies),
  )
  expect(loadGood(small).settings.server.trustedProxies).toEqual([])
})

test('the schema tells editors the defaults that hold', () => {
  const told = new Map(fields.map(({ path, schema }) => [path, schema.default]))

  expect(told.get('identity.token_types')).toEqual(DEFAULTS.tokenTypes)
  expect(told.get('identity.client_id')).toBe(DEFAULTS.clientId)
  expect(told.get('guests.mint_per_ip_hour')).toBe(DEFAULTS.mintPerIpHour)
  expect(told.get('server.trusted_proxies')).toEqual([])
})

import { isAbsolute, relative, sep } from 'node:path'
import { archiveText, fixedFields } from '../check/fixed.ts'
import type { Address } from '../model/formats.ts'
import { durationText } from '../model/units.ts'
import { type Part, SECTION_SETTINGS, type SectionSetting, type SectionSettings, unitAt } from '../section-settings.ts'
import type {
  AdminTlsSettings,
  ArchiveSettings,
  ClaudeLogin,
  GuestSettings,
  IdentitySettings,
  Loaded,
  MetricsCollector,
  MetricsSettings,
  ResponseSettings,
  Secret,
  SellerSettings,
  ServiceIssuer,
  Settings,
  TraceSettings,
} from '../settings.ts'
import {
  type Change,
  compare,
  type Effect,
  highIsMore,
  other,
  parts,
  placeIn,
  plumbing,
  type Rule,
  type Rules,
  type Said,
  type Sides,
  same,
} from './changes.ts'
import { groupsRule } from './groups.ts'
import { customersRule, targetsRule } from './notices.ts'
import { count, isChanged, TEXTS, text, without } from './values.ts'

/** The changes of the process's settings, beside the policy; pools and tools are compared with their own. */
export function compareSettings(sides: Sides): readonly Change[] {
  const { before, after } = sides
  const both = [before.loaded.settings, after.loaded.settings] as const
  return compare(settingsRules(sides), '', both, field => placeIn(after.loaded, writtenAs(field, after.loaded))).map(
    change => {
      const { field, text: said } = change
      const [subject = ''] = field.split('.')
      return { ...change, subject, text: fixedFields.includes(field) ? `${said} (needs a restart)` : said }
    },
  )
}

/** The field from which another is made where it is not written. */
const MADE_OF: Readonly<Record<string, string>> = {
  'redis.password': 'store',
  'errors.docs': 'server.public_url',
  'errors.topup': 'server.console_url',
  'server.console_url': 'server.public_url',
  'guests.mint_per_net_hour': 'guests.mint_per_ip_hour',
}

function writtenAs(field: string, loaded: Loaded): string {
  const source = MADE_OF[field]
  return source === undefined || loaded.fields.has(field) ? field : writtenAs(source, loaded)
}

const settingsRules = (sides: Sides): Rules<Settings> => ({
  brand: setting('brand', text, () => 'lost'),
  server: parts(serverRules(sides)),
  store: storeRule(sides),
  ledger: parts<Settings['ledger']>({ ...SECTIONS.ledger, archive: archiveRule(sides) }),
  decisions: parts(decisionRules(sides)),
  log: parts(SECTIONS.log),
  metrics: parts(metricsRules(sides)),
  traces: optional<TraceSettings>(traceRules(sides), {
    gone: { ...plain('traces', 'requests are no longer traced'), from: 'traces' },
    added: { ...plain('traces', 'requests are now traced'), to: 'traces' },
  }),
  identity: optional<IdentitySettings>(identityRules(sides), {
    gone: lost('identity', 'people can no longer sign in: identity is gone'),
    added: won('identity', 'people can sign in to mint keys of their own'),
  }),
  // The change of their plan reports that guests come or go.
  guests: optional<GuestSettings>(guestRules(sides), {}),
  responses: optional<ResponseSettings>(responseRules(sides), {
    gone: lost('responses', 'responses are no longer kept, and previous_response_id is refused'),
    added: won('responses', 'responses are kept: what clients send to and receive from /v1/responses, encrypted'),
  }),
  limits: parts(SECTIONS.limits),
  listener: parts(SECTIONS.listener),
  errors: parts<Settings['errors']>({
    ...SECTIONS.errors,
    docs: setting('errors.docs', text, plumbing),
    topup: setting<string | undefined>('errors.topup', text, plumbing),
  }),
  billing: parts<Settings['billing']>({ seller: sellerRule, ...SECTIONS.billing }),
  noticeTargets: targetsRule(sides),
  customerNotices: customersRule,
  backends: same(),
  tools: same(),
})

const sellerRule: Rule<SellerSettings | undefined> = (from, to, subject) =>
  parts<{ readonly [Field in keyof SellerSettings]-?: string | undefined }>({
    name: setting<string | undefined>('billing.seller.name', text, plumbing),
    address: setting<string | undefined>('billing.seller.address', text, plumbing),
    taxId: setting<string | undefined>('billing.seller.tax_id', text, plumbing),
    contact: setting<string | undefined>('billing.seller.contact', text, plumbing),
  })(writtenSeller(from), writtenSeller(to), subject)

const writtenSeller = ({ name, address, taxId, contact }: Partial<SellerSettings> = {}) => ({
  ...{ name, address, taxId, contact },
})

/** Another archive lacks the contents of this one. */
const archiveRule =
  (sides: Sides): Rule<ArchiveSettings | undefined> =>
  (from, to, ...rest) => {
    const [was, is] = [from && archiveText(from), to && archiveText(to)]
    const field = 'ledger.archive'
    if (was !== is)
      return [
        {
          field,
          from: was ?? null,
          to: is ?? null,
          text: `${field} ${was ?? 'none'} → ${is ?? 'none'}`,
          effect: was === undefined ? 'plumbing' : 'lost',
        },
      ]
    if (!from || !to) return []
    const secretOf = (archive: ArchiveSettings, name: string) =>
      Object.entries(archive).find(([each]) => each === name)?.[1] as Secret | undefined
    return [
      ...setting(`${field}.keep`, durationText, plumbing)(from.keep, to.keep, ...rest),
      ...['password', 'ca', 'certificate', 'key', 'token'].flatMap(name =>
        secretChange(field, `the ${name} of the archive`, secretOf(from, name), secretOf(to, name), sides),
      ),
    ]
  }

/** `server.drain_delay 0s → 5s` */
const setting =
  <V>(field: string, show: (value: NonNullable<V>) => string, feel: (from: V, to: V) => Effect): Rule<V> =>
  (from, to) => {
    const [was, is] = [from, to].map(each => (each === undefined || each === null ? null : show(each)))
    if (was === undefined || is === undefined || was === is) return []
    return [{ field, from: was, to: is, text: `${field} ${was ?? 'none'} → ${is ?? 'none'}`, effect: feel(from, to) }]
  }

const FEELS: Readonly<Record<SectionSetting['change'], (from: unknown, to: unknown) => Effect>> = {
  nothing: plumbing,
  'high is more': (from, to) => highIsMore(from as number | undefined, to as number | undefined),
  'on is more': (_from, to) => (to ? 'more' : 'less'),
  other,
  lost: () => 'lost',
}

function ruleOf({ path, change }: SectionSetting): Rule<never> {
  const unit = unitAt(path)
  return setting<string | number | boolean>(
    path,
    value => (unit === undefined ? text(value) : TEXTS[unit](Number(value))),
    FEELS[change],
  )
}

/** Rules of all settings that one field decides, as their rows say. */
const SECTIONS = Object.fromEntries(
  Object.entries(SECTION_SETTINGS).map(([part, rows]) => [
    part,
    Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, ruleOf(row)])),
  ]),
) as unknown as { readonly [P in Part]: Rules<SectionSettings<P>> }

const lost = (field: string, said: string): Said => ({ field, from: field, to: null, text: said, effect: 'lost' })
const won = (field: string, said: string): Said => ({ field, from: null, to: field, text: said, effect: 'more' })

/** Rules of a section that may be left out. */
const optional =
  <T extends object>(
    rules: Rules<T>,
    { gone, added }: { readonly gone?: Said; readonly added?: Said },
  ): Rule<T | undefined> =>
  (from, to, subject) => {
    if (from && to) return parts(rules)(from, to, subject)
    if (!from && !to) return []
    const said = from ? gone : added
    return said ? [said] : []
  }

const addressText = ({ host, port }: Address): string => `${host.includes(':') ? `[${host}]` : host}:${port}`

function decisionRules(sides: Sides): Rules<Settings['decisions']> {
  const { log, ...others } = SECTIONS.decisions
  // Where it is not written it follows state_dir, whose change has a line of its own.
  const directory: Rule<string> = (from, to) =>
    [sides.before, sides.after].some(({ loaded }) => loaded.fields.has('decisions.path'))
      ? pathChange('decisions.path', from, to, sides)
      : []
  return { log, directory, ...others }
}

const plain = (field: string, said: string): Said => ({ field, from: null, to: null, text: said, effect: 'plumbing' })

const metricsRules = (sides: Sides): Rules<MetricsSettings> => ({
  ...SECTIONS.metrics,
  token: (from, to) => secretChange('metrics.token', 'the token that reads metrics', from, to, sides),
  otlp: optional<MetricsCollector>(collectorRules(sides), {
    gone: { ...plain('metrics.otlp', 'metrics are no longer sent to a collector'), from: 'metrics' },
    added: { ...plain('metrics.otlp', 'metrics are now sent to a collector'), to: 'metrics' },
  }),
})

const collectorRules = (sides: Sides): Rules<MetricsCollector> => ({
  endpoint: setting('metrics.otlp.endpoint', text, plumbing),
  ...SECTIONS.collector,
  headers: headersRule('metrics.otlp.headers', 'metrics', sides),
})

const traceRules = (sides: Sides): Rules<TraceSettings> => ({
  endpoint: setting('traces.endpoint', text, plumbing),
  ...SECTIONS.traces,
  headers: headersRule('traces.headers', 'traces', sides),
})

/** The changes of headers that a collector is sent. */
const headersRule =
  (field: string, what: string, sides: Sides) =>
  (from: ReadonlyMap<string, Secret>, to: ReadonlyMap<string, Secret>): readonly Said[] =>
    [...new Set([...from.keys(), ...to.keys()])].flatMap(name =>
      secretChange(field, `the header ${name} of ${what}`, from.get(name), to.get(name), sides),
    )

/** The change of a secret: values are compared where both are known, and never shown. */
function secretChange(
  field: string,
  what: string,
  from: Secret | undefined,
  to: Secret | undefined,
  { isUnknown }: Sides,
): readonly Said[] {
  if (!from && !to) return []
  if (!from) return [plain(field, `${what} is new`)]
  if (!to) return [plain(field, `${what} is gone`)]
  return isChanged(from, to, isUnknown) ? [plain(field, `${what} changed`)] : []
}

const adminTlsRules = (sides: Sides): Rules<AdminTlsSettings> => ({
  certificate: (from, to) =>
    secretChange('server.admin_tls.certificate', 'the certificate of the admin listener', from, to, sides),
  key: same(),
  clientCa: (from, to) =>
    secretChange('server.admin_tls.client_ca', "the authority for operators' certificates", from, to, sides),
  fleetCa: (from, to) =>
    secretChange('server.admin_tls.fleet_ca', "the authority for other gateways' certificates", from, to, sides),
  fleetCertificate: (from, to) =>
    secretChange('server.admin_tls.fleet_certificate', 'the certificate for other gateways', from, to, sides),
  fleetKey: same(),
  admins: membersRule('server.admin_tls.admins', 'is an admin by certificate'),
  support: membersRule('server.admin_tls.support', 'is support by certificate'),
  viewers: membersRule('server.admin_tls.viewers', 'is a viewer by certificate'),
})

function serverRules(sides: Sides): Rules<Settings['server']> {
  const { console, contact, ...others } = SECTIONS.server
  return {
    listen: setting('server.listen', addressText, plumbing),
    admin: setting('server.admin', addressText, plumbing),
    publicUrl: setting('server.public_url', text, plumbing),
    stateDir: (from, to) => pathChange('server.state_dir', from, to, sides),
    consoleUrl: setting<string | undefined>('server.console_url', text, plumbing),
    console,
    adminUrl: setting<string | undefined>('server.admin_url', text, plumbing),
    fleetUrl: setting<string | undefined>('server.fleet_url', text, plumbing),
    adminToken: (from, to) => secretChange('server.admin_token', 'the admin token', from, to, sides),
    adminTls: optional<AdminTlsSettings>(adminTlsRules(sides), {
      gone: { ...plain('server.admin_tls', 'the admin listener is without TLS'), from: 'admin_tls' },
      added: { ...plain('server.admin_tls', 'the admin listener has TLS'), to: 'admin_tls' },
    }),
    contact,
    trustedProxies: membersRule('server.trusted_proxies', 'is trusted as a proxy'),
    variables: membersRule('server.variables', 'is a variable that applied files may read'),
    workers: setting('server.workers', String, plumbing),
    ...others,
  }
}

/** One change for each member that came or went: `acct_1 is no longer an admin`. */
const membersRule =
  (field: string, is: string): Rule<readonly string[]> =>
  (from, to) => [
    ...without(from, to).map((name): Said => {
      return { field, from: name, to: null, text: `${name} ${is.replace('is ', 'is no longer ')}`, effect: 'plumbing' }
    }),
    ...without(to, from).map((name): Said => {
      return { field, from: null, to: name, text: `${name} ${is.replace('is ', 'is now ')}`, effect: 'plumbing' }
    }),
  ]

/** An issuer with all of its entries: what changed in one is what an entry lets in now, and did not before. */
const textOfIssuer = (each: ServiceIssuer): string =>
  JSON.stringify(each, (_name, value) => (value instanceof Map ? [...value] : value))

const issuerGone = ({ issuer }: ServiceIssuer): Said => ({
  field: 'identity.issuers',
  from: issuer,
  to: null,
  text: `service tokens of ${issuer} are judged by other rules`,
  effect: 'lost',
})

const issuerCame = ({ issuer }: ServiceIssuer): Said => ({
  field: 'identity.issuers',
  from: null,
  to: issuer,
  text: `services have accounts by tokens of ${issuer}, according to its entries`,
  effect: 'more',
})

function identityRules(sides: Sides): Rules<IdentitySettings> {
  const { issuer, planClaim, labelClaim, accountClaim, ...others } = SECTIONS.identity
  return {
    issuer,
    audience: (from, to) =>
      from === to
        ? []
        : [
            {
              field: 'server.public_url',
              from,
              to,
              text: `sign-in tokens must be for ${to}, no longer ${from}`,
              effect: 'lost',
            },
          ],
    tokenTypes: membersRule('identity.token_types', 'is a type of token that is accepted'),
    planClaim,
    labelClaim,
    accountClaim,
    admins: membersRule('identity.admins', 'is an admin'),
    support: membersRule('identity.support', 'is an operator for support'),
    viewers: membersRule('identity.viewers', 'is an operator who reads'),
    agentSecret: (from, to) => agentSecretChanges(from, to, sides),
    claudeLogin: claudeLoginChanges,
    groups: groupsRule,
    scim: (from, to) =>
      secretChange(
        'identity.scim.secret',
        'the secret by which the identity provider deactivates people',
        from?.secret,
        to?.secret,
        sides,
      ),
    issuers: (from, to) => [
      ...from.filter(each => !to.some(other => textOfIssuer(other) === textOfIssuer(each))).map(issuerGone),
      ...to.filter(each => !from.some(other => textOfIssuer(other) === textOfIssuer(each))).map(issuerCame),
    ],
    ...others,
  }
}

/** Sign-ins from Claude Code that begin or end, and plans whose settings change. */
function claudeLoginChanges(from: ClaudeLogin | undefined, to: ClaudeLogin | undefined): readonly Said[] {
  const field = 'identity.claude_login'
  if (!to) return from ? [lost(field, 'people can no longer sign in from Claude Code')] : []
  if (!from) return [won(field, 'people can sign in from Claude Code by /login')]
  const plans = [...new Set([...from.settings.keys(), ...to.settings.keys()])]
  const written = ({ settings }: ClaudeLogin, plan: string) => JSON.stringify(settings.get(plan)) ?? null
  const changed = plans.filter(plan => written(from, plan) !== written(to, plan))
  return [
    ...changed.map(plan => ({
      field: `${field}.settings`,
      from: written(from, plan),
      to: written(to, plan),
      text: `Claude Code has ${to.settings.has(plan) ? 'other' : 'no'} managed settings on plan ${plan}`,
      effect: 'other' as const,
    })),
    ...(from.notice === to.notice
      ? []
      : [
          {
            field: `${field}.notice`,
            from: from.notice ?? null,
            to: to.notice ?? null,
            text: 'Claude Code shows another notice at its sign-in',
            effect: 'plumbing' as const,
          },
        ]),
  ]
}

/** Tokens that another secret signed are refused; svcctl gets new ones. */
function agentSecretChanges(from: Secret | undefined, to: Secret | undefined, { isUnknown }: Sides): readonly Said[] {
  if (from && to ? !isChanged(from, to, isUnknown) : from === to) return []
  return [lost('identity.agent_secret', 'agent tokens issued before the change stop working')]
}

function guestRules(sides: Sides): Rules<GuestSettings> {
  const { mintPerIpHour, ...others } = SECTIONS.guests
  return {
    mintPerIpHour,
    mintPerNetHour: setting('guests.mint_per_net_hour', count, highIsMore),
    ...others,
    secrets: (from, to) => guestSecretChanges(from, to, sides),
  }
}

/** Roots that are gone take the keys derived from them along. */
function guestSecretChanges(from: readonly Secret[], to: readonly Secret[], { isUnknown }: Sides): readonly Said[] {
  const field = 'guests.secret'
  const has = (among: readonly Secret[], secret: Secret) => among.some(each => !isChanged(each, secret, isUnknown))
  const gone = from.some(secret => !has(to, secret)) || (from.length === 0 && to.length > 0)
  const added = to.some(secret => !has(from, secret)) || (to.length === 0 && from.length > 0)
  if (gone)
    return [
      {
        field,
        from: null,
        to: null,
        text: 'devices with keys from the removed secret can no longer ask for them again',
        effect: 'lost',
      },
    ]
  return added ? [{ field, from: null, to: null, text: 'new guest keys use another secret', effect: 'plumbing' }] : []
}

function responseRules(sides: Sides): Rules<ResponseSettings> {
  const { keep, ...others } = SECTIONS.responses
  return { keep, keys: (from, to) => responseKeyChanges(from, to, sides), ...others }
}

/** The changes of the keys of responses. A response encrypted with a key that is gone cannot be read any more. */
function responseKeyChanges(from: readonly Secret[], to: readonly Secret[], { isUnknown }: Sides): readonly Said[] {
  const has = (among: readonly Secret[], secret: Secret) => among.some(each => !isChanged(each, secret, isUnknown))
  if (from.some(secret => !has(to, secret)))
    return [lost('responses.key', 'responses encrypted with the removed key can no longer be read')]
  return to.some(secret => !has(from, secret))
    ? [plain('responses.key', 'new responses are encrypted with another key')]
    : []
}

/** Paths are the same where they are, or where they are as seen from their configuration. */
function pathChange(
  field: string,
  from: string,
  to: string,
  { before, after }: Sides,
  shown: (path: string) => string = text,
): readonly Said[] {
  const [was, is] = [relative(before.directory, from), relative(after.directory, to)]
  if (from === to || was === is) return []
  const [wasShown, isShown] = [shown(pathText(was, from)), shown(pathText(is, to))]
  return [{ field, from: wasShown, to: isShown, text: `${field} ${wasShown} → ${isShown}`, effect: 'plumbing' }]
}

const pathText = (below: string, path: string): string =>
  below.split(sep)[0] === '..' || isAbsolute(below) ? path : `./${below}`

function storeRule(sides: Sides): Rule<Settings['store']> {
  const { before, after } = sides
  const embedded = (path: string) => `embedded:${path}`
  return (from, to) => {
    const field = 'store'
    if (from.kind === 'embedded' && to.kind === 'embedded')
      return pathChange(field, from.path, to.path, sides, embedded)
    const [was, is] = [
      from.kind === 'redis' ? from.shown : embedded(pathText(relative(before.directory, from.path), from.path)),
      to.kind === 'redis' ? to.shown : embedded(pathText(relative(after.directory, to.path), to.path)),
    ]
    if (was !== is) return [{ field, from: was, to: is, text: `${field} ${was} → ${is}`, effect: 'plumbing' }]
    if (from.kind !== 'redis' || to.kind !== 'redis') return []
    const [one, other] = [from.tls, to.tls]
    return [
      ...secretChange('redis.password', 'the user or password of the store', from.url, to.url, sides),
      ...secretChange(
        'redis.sentinel_password',
        'the password of the sentinels',
        from.sentinelPassword,
        to.sentinelPassword,
        sides,
      ),
      ...secretChange('redis.ca', 'the authority of the certificate of Redis', one.ca, other.ca, sides),
      ...secretChange('redis.certificate', 'the certificate for Redis', one.certificate, other.certificate, sides),
      ...parts(SECTIONS.redis)(from, to, ''),
    ]
  }
}

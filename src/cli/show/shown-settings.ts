import { isDeepStrictEqual } from 'node:util'
import { archiveText } from '../../config/check/fixed.ts'
import type { Address } from '../../config/model/formats.ts'
import { durationText } from '../../config/model/units.ts'
import * as pools from '../../config/pool-settings.ts'
import { shownWords } from '../../config/pool-words.ts'
import { queueFields } from '../../config/queue-fields.ts'
import { type Part, type SectionSettings, unitAt, valuesOf } from '../../config/section-settings.ts'
import type {
  AdminTlsSettings,
  ArchiveSettings,
  BackendSettings,
  ClaudeLogin,
  CustomerNoticesSettings,
  GuestSettings,
  NoticeTargetSettings,
  ResponseSettings,
  ServiceIssuer,
  Settings,
  StoreSettings,
  ToolSettings,
} from '../../config/settings.ts'
import { UTC_CALENDAR } from '../../policy/calendar.ts'
import type { Config, HostedTool, Model, Pool } from '../../policy/config.ts'
import type { GroupEntry } from '../../policy/groups.ts'
import {
  OF_ALL_DIALECTS,
  type PoolFacts,
  type PoolProvider,
  UNKNOWN,
  writtenName,
} from '../../policy/providers/profile.ts'
import { PROFILES } from '../../policy/providers/profiles.ts'
import { shareText } from '../../policy/traffic/share.ts'
import { COVERED, type Section, SHOWN, shownPrices, shownRule, shownSize, shownUsd } from './shown-policy.ts'

/** The settings of the process, besides the policy. */
export function shownSettings(settings: Settings, config: Config): Section {
  const { brand, store, ledger, guests, responses, errors } = settings
  const { calendar = UTC_CALENDAR } = config
  return {
    brand,
    zone: calendar.zone,
    fiscal_month_starts: calendar.monthStarts,
    server: serverOf(settings.server),
    store: store.kind === 'embedded' ? `embedded:${store.path}` : store.shown,
    ...(store.kind === 'redis' && redisOf(store)),
    ledger: { ...shownPart('ledger', ledger), ...(ledger.archive && { archive: archiveOf(ledger.archive) }) },
    ...(settings.identity && { identity: identityOf(settings.identity, config) }),
    ...(guests && { guests: guestsOf(guests, config) }),
    ...(responses && { responses: responsesOf(responses) }),
    limits: limitsOf(settings, config.models),
    errors: errorsOf(errors),
    billing: billingOf(settings.billing),
    ...(settings.noticeTargets.size > 0 && {
      notice_targets: Object.fromEntries(
        Array.from(settings.noticeTargets, ([name, target]) => [name, targetOf(target)]),
      ),
    }),
    ...(settings.customerNotices && { customer_notices: customersOf(settings.customerNotices) }),
  }
}

const customersOf = ({ at, mail, webhooks }: CustomerNoticesSettings): Section => ({
  at: at.map(percent => `${percent}%`),
  ...(mail !== undefined && { mail }),
  webhooks,
})

function targetOf(target: NoticeTargetSettings): Section {
  if (target.kind === 'webhook') return { webhook: target.url, secret: COVERED }
  const digest = durationText(target.digest)
  if (target.kind === 'slack') return { slack: COVERED, digest }
  const { user, shown, password, from, to } = target
  const smtp = user === undefined ? shown : shown.replace('://', `://${encodeURIComponent(user)}@`)
  return { smtp, ...(password && { password: COVERED }), from, to, digest }
}

/** The settings that one field decides, as files write them. */
function shownPart<P extends Part>(part: P, settings: SectionSettings<P>): Section {
  const shown: Record<string, unknown> = {}
  for (const [{ path }, value] of valuesOf(part, settings)) {
    const unit = unitAt(path)
    shown[path.slice(path.lastIndexOf('.') + 1)] = unit === undefined ? value : SHOWN[unit](Number(value))
  }
  return shown
}

/** The fields in an order of their own; those that it does not name come last, and absent ones are left out. */
function inOrder(names: readonly string[], section: Section): Section {
  const first = names.map(name => [name, section[name]] as const)
  return Object.fromEntries(
    [...first, ...Object.entries(section).filter(([name]) => !names.includes(name))].filter(
      ([, value]) => value !== undefined,
    ),
  )
}

const errorsOf = (errors: Settings['errors']): Section => {
  const { docs, topup } = errors
  return inOrder(['form', 'docs', 'topup'], { ...shownPart('errors', errors), docs, topup })
}

const billingOf = (billing: Settings['billing']): Section => {
  const { seller } = billing
  const { taxId, ...others } = seller ?? {}
  return {
    ...(seller && { seller: { ...others, ...(taxId !== undefined && { tax_id: taxId }) } }),
    ...shownPart('billing', billing),
  }
}

/** As in `store`, nothing says whether there is a password. */
function redisOf(store: Extract<StoreSettings, { kind: 'redis' }>): Section {
  const { sentinelPassword, tls } = store
  const fields = [...(sentinelPassword ? ['sentinel_password'] : []), ...Object.keys(tls)]
  const covered = fields.map(field => [field, COVERED])
  return { redis: { ...Object.fromEntries(covered), ...shownPart('redis', store) } }
}

const archiveOf = (archive: ArchiveSettings): Section => ({
  to: archiveText(archive),
  keep: durationText(archive.keep),
  ...Object.fromEntries(
    ['password', 'ca', 'certificate', 'key', 'token'].flatMap(f => (f in archive ? [[f, COVERED]] : [])),
  ),
})

const serverOf = (server: Settings['server']): Section =>
  inOrder(SERVER, {
    ...shownPart('server', server),
    listen: addressText(server.listen),
    admin: addressText(server.admin),
    public_url: server.publicUrl,
    state_dir: server.stateDir,
    console_url: server.consoleUrl,
    admin_url: server.adminUrl,
    fleet_url: server.fleetUrl,
    admin_token: server.adminToken && COVERED,
    admin_tls: server.adminTls && adminTlsOf(server.adminTls),
    trusted_proxies: server.trustedProxies,
    variables: server.variables,
    workers: server.workers,
  })

const SERVER = [
  ...['listen', 'admin', 'public_url', 'state_dir', 'console_url', 'console', 'admin_url', 'fleet_url'],
  ...['admin_token', 'admin_tls', 'contact', 'trusted_proxies', 'variables', 'workers'],
]

const adminTlsOf = (tls: AdminTlsSettings): Section => {
  const { clientCa, fleetCa, fleetCertificate, fleetKey, admins, support, viewers } = tls
  return {
    certificate: COVERED,
    key: COVERED,
    ...(fleetCa && { fleet_ca: COVERED }),
    ...(fleetCertificate && { fleet_certificate: COVERED }),
    ...(fleetKey && { fleet_key: COVERED }),
    ...(clientCa && { client_ca: COVERED, admins, support, viewers }),
  }
}

const addressText = ({ host, port }: Address): string => `${host.includes(':') ? `[${host}]` : host}:${port}`

const issuerOf = ({ issuer, audience, accounts }: ServiceIssuer): Section => ({
  issuer,
  audience,
  accounts: accounts.map(({ name, claims, accountClaim, plan, limits }) => ({
    name,
    claims: Object.fromEntries(claims),
    account_claim: accountClaim,
    plan,
    ...(limits && { limits: limits.map(shownRule) }),
  })),
})

const groupOf = ({ claim, is, limits, ...grants }: GroupEntry): Section => ({
  claim,
  is: is.length === 1 ? is[0] : is,
  ...grants,
  ...(limits && { limits: limits.map(shownRule) }),
})

const identityOf = (identity: NonNullable<Settings['identity']>, { defaultPlan }: Config): Section =>
  inOrder(IDENTITY, {
    ...shownPart('identity', identity),
    default_plan: defaultPlan?.name,
    token_types: identity.tokenTypes,
    admins: identity.admins,
    support: identity.support,
    viewers: identity.viewers,
    groups: identity.groups.length > 0 ? identity.groups.map(groupOf) : undefined,
    scim: identity.scim && { secret: COVERED },
    issuers: identity.issuers.length > 0 ? identity.issuers.map(issuerOf) : undefined,
    agent_secret: identity.agentSecret && COVERED,
    claude_login: identity.claudeLogin && claudeLoginOf(identity.claudeLogin),
  })

const claudeLoginOf = ({ notice, settings }: ClaudeLogin): Section => ({
  ...(notice !== undefined && { notice }),
  ...(settings.size > 0 && {
    settings: Object.fromEntries(settings),
  }),
})

const IDENTITY = [
  ...[
    'issuer',
    'plan_claim',
    'label_claim',
    'account_claim',
    'default_plan',
    'token_types',
    'admins',
    'support',
    'viewers',
    'groups',
  ],
  ...['scim', 'issuers'],
]

const guestsOf = (guests: GuestSettings, { guestPlan }: Config): Section =>
  inOrder(['plan', 'mint_per_ip_hour', 'mint_per_net_hour', 'usd_per_day_total', 'secret', 'former_secret'], {
    ...shownPart('guests', guests),
    plan: guestPlan?.name,
    mint_per_net_hour: guests.mintPerNetHour,
    secret: guests.secrets.length > 0 ? COVERED : undefined,
    former_secret: guests.secrets.length > 1 ? COVERED : undefined,
  })

const responsesOf = (responses: ResponseSettings): Section =>
  inOrder(['keep', 'key', 'former_key'], {
    ...shownPart('responses', responses),
    key: COVERED,
    former_key: responses.keys.length > 1 ? COVERED : undefined,
  })

function limitsOf({ limits, listener }: Settings, models: ReadonlyMap<string, Model>): Section {
  const sizes = [...models.values()].flatMap(model => (model.kind === 'image' ? [...model.sizes.keys()] : []))
  const { shed_load, ...bounds } = shownPart('listener', listener)
  // The sizes that a model makes: the configuration keeps no others.
  const image_sizes = sizes.length > 0 ? [...new Set(sizes)] : undefined
  const first = ['body', 'body_memory', 'answer_memory', 'embedding_batch', 'image_sizes', ...Object.keys(bounds)]
  return inOrder(first, { ...bounds, ...shownPart('limits', limits), image_sizes, shed_load })
}

/** A pool, and how its replicas are spoken to. */
export function shownPool(declared: Pool, backend: BackendSettings | undefined, hasChats: boolean): Section {
  const { replicas, speaks } = declared
  // A pool without chats has no dialect of them.
  const { site, ...words } = shownWords(declared, speaks.length === 1 && speaks[0] === 'chat')
  const pool = { site, replicas, ...words, ...mannersOf(declared, hasChats) }
  if (!backend) return pool
  const { key, probe, load, queue } = backend
  const { context, max_concurrent, max_concurrent_each, queue_timeout, ...others } = numbersOf(backend)
  return {
    ...pool,
    ...(key && { key: COVERED }),
    ...addressOf(backend),
    ...(context !== undefined && { context }),
    ...(max_concurrent !== undefined && { max_concurrent }),
    ...(max_concurrent_each !== undefined && { max_concurrent_each }),
    ...(queue_timeout !== undefined && !queue && { queue_timeout }),
    ...costOf(backend),
    ...others,
    probe: probe ? { path: probe.path, every: durationText(probe.every) } : false,
    ...(load && { load: { ...load, every: durationText(load.every) } }),
    ...(queue && { queue: queueFields(queue, SHOWN.size) }),
    ...(declared.shares && { shares: sharesOf(declared.shares) }),
  }
}

/** As files write them, each with the slots that it guarantees. */
const sharesOf = (shares: NonNullable<Pool['shares']>): Section =>
  Object.fromEntries(shares.map(({ owner, millionths }) => [owner, shareText(millionths)]))

/** How requests are sent and answers fetched, where the files or the provider's profile decide that. */
function mannersOf({ provider, caps, fetch, fields, speaks, ...pool }: Pool, hasChats: boolean): Section {
  const { name } = provider
  const isKnown = hasChats && (name !== undefined || fields.provider !== undefined)
  const isCapped = isKnown && speaks.includes('chat')
  const known = isKnown ? providerOf(provider, speaks) : {}
  return {
    ...(Object.keys(known).length > 0 ? { provider: known } : name && { provider: name }),
    ...((isCapped || fields.cap) && { cap: caps.length > 1 ? 'both' : caps[0] }),
    ...((isKnown || fields.fetch) && { fetch }),
    ...cachingOf({ ...pool, fields }, hasChats, provider.facts.cacheSalt),
  }
}

/** How chats are spread over replicas, and whose prompts they share, where either makes a difference. */
function cachingOf(
  { balance, caches, replicas, fields }: Pick<Pool, 'balance' | 'caches' | 'replicas' | 'fields'>,
  hasChats: boolean,
  isSalted: boolean,
): Section {
  const isSpread = hasChats && replicas.length > 1
  return {
    ...((isSpread || fields.balance) && { balance }),
    ...(((hasChats && isSalted) || fields.caches) && { caches }),
  }
}

/** Its row, and the facts that the row or the files say. */
function providerOf({ name, facts }: PoolProvider, speaks: Pool['speaks']): Section {
  // A pool without chat completions has no other facts.
  const those = FACTS.filter(fact => OF_ALL_DIALECTS.has(fact) || speaks.includes('chat'))
  const known = those.filter(
    fact => !isDeepStrictEqual(facts[fact], UNKNOWN[fact]) || (name && PROFILES[name].facts[fact] && fact !== 'drops'),
  )
  return { ...(name && { is: name }), ...Object.fromEntries(known.map(fact => [writtenName(fact), facts[fact]])) }
}

const FACTS = Object.keys(UNKNOWN) as (keyof PoolFacts)[]

/** Masks the key, and header values from elsewhere. */
function addressOf({ auth, headers, query, betas }: BackendSettings): Section {
  const shown = headers && [...headers].map(([name, value]) => [name, typeof value === 'string' ? value : COVERED])
  return {
    ...(auth && { auth: auth.prefix === '' && NAMED.has(auth.header) ? auth.header : auth }),
    ...(shown && { headers: Object.fromEntries(shown) }),
    ...(query !== undefined && { query: Object.fromEntries(new URLSearchParams(query)) }),
    ...(betas && { betas }),
  }
}

/** Headers that have a word of their own in `auth`. */
const NAMED: ReadonlySet<string> = new Set(['x-api-key', 'api-key'])

function costOf({ cost }: BackendSettings): Section {
  if (!cost) return {}
  const { item } = cost
  return {
    ...((item === undefined || cost.input > 0 || cost.output > 0) && { cost_usd_per_1m: shownPrices(cost) }),
    ...(item !== undefined && { cost_usd_per_image: shownUsd(item) }),
  }
}

/** The settings of a pool that are numbers. */
function numbersOf(backend: BackendSettings): Record<string, unknown> {
  const shown: Record<string, unknown> = {}
  for (const [{ path }, value] of pools.valuesOf(backend)) {
    const [name = '', part] = path.split('.')
    const written = SHOWN[pools.unitAt(path)](value)
    shown[name] = part === undefined ? written : { ...(shown[name] as Section | undefined), [part]: written }
  }
  return shown
}

/** A hosted tool, and how it is run. */
export const shownTool = ({ maxCalls, price }: HostedTool, settings: ToolSettings | undefined): Section => ({
  ...(settings && kindOf(settings)),
  ...(settings && { timeout: durationText(settings.timeout) }),
  max_calls: maxCalls,
  ...(settings && { max_result: shownSize(settings.maxResultBytes) }),
  usd_per_call: shownUsd(price),
})

function kindOf(settings: ToolSettings): Section {
  if (settings.kind === 'builtin') return { builtin: settings.builtin }
  const key = settings.key && { key: COVERED }
  if (settings.kind === 'http') {
    const { url, description, parameters } = settings
    return { http: url, description, parameters, ...key }
  }
  const { url, tool, transport, description } = settings
  return { mcp: url, tool, transport, ...(description !== undefined && { description }), ...key }
}

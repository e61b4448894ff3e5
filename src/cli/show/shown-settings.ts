import { isDeepStrictEqual } from 'node:util'
import { archiveText } from '../../config/check/fixed.ts'
import type { Address } from '../../config/model/formats.ts'
import { durationText } from '../../config/model/units.ts'
import { unitAt, valuesOf } from '../../config/pool-settings.ts'
import { shownWords } from '../../config/pool-words.ts'
import type {
  AdminTlsSettings,
  ArchiveSettings,
  BackendSettings,
  GuestSettings,
  ResponseSettings,
  ServiceIssuer,
  Settings,
  StoreSettings,
  ToolSettings,
} from '../../config/settings.ts'
import type { Config, HostedTool, Model, Pool } from '../../policy/config.ts'
import { type PoolFacts, type PoolProvider, UNKNOWN, writtenName } from '../../policy/providers/profile.ts'
import { PROFILES } from '../../policy/providers/profiles.ts'
import { COVERED, type Section, SHOWN, shownPrices, shownRule, shownSize, shownUsd } from './shown-policy.ts'

/** The settings of the process, beside the policy. */
export function shownSettings(settings: Settings, config: Config): Section {
  const { brand, store, ledger, guests, responses, errors } = settings
  return {
    brand,
    server: serverOf(settings.server),
    store: store.kind === 'embedded' ? `embedded:${store.path}` : store.shown,
    ...(store.kind === 'redis' && redisOf(store)),
    ledger: { keep: durationText(ledger.keep), ...(ledger.archive && { archive: archiveOf(ledger.archive) }) },
    ...(settings.identity && { identity: identityOf(settings.identity, config) }),
    ...(guests && { guests: guestsOf(guests, config) }),
    ...(responses && { responses: responsesOf(responses) }),
    limits: limitsOf(settings, config.models),
    errors: errorsOf(errors),
    billing: billingOf(settings.billing),
  }
}

const errorsOf = ({ backendWords, ...errors }: Settings['errors']): Section => ({
  ...errors,
  backend_words: backendWords,
})

const billingOf = ({ seller, round }: Settings['billing']): Section => {
  const { taxId, ...others } = seller ?? {}
  return { ...(seller && { seller: { ...others, ...(taxId !== undefined && { tax_id: taxId }) } }), round }
}

/** As in `store`, nothing says whether there is a password. */
function redisOf({ sentinelPassword, tls, answerTimeout }: Extract<StoreSettings, { kind: 'redis' }>): Section {
  const fields = [...(sentinelPassword ? ['sentinel_password'] : []), ...Object.keys(tls)]
  const covered = fields.map(field => [field, COVERED])
  return { redis: { ...Object.fromEntries(covered), answer_timeout: durationText(answerTimeout) } }
}

const archiveOf = (archive: ArchiveSettings): Section => ({
  to: archiveText(archive),
  keep: durationText(archive.keep),
  ...Object.fromEntries(
    ['password', 'ca', 'certificate', 'key', 'token'].flatMap(f => (f in archive ? [[f, COVERED]] : [])),
  ),
})

const serverOf = (server: Settings['server']): Section => ({
  listen: addressText(server.listen),
  admin: addressText(server.admin),
  public_url: server.publicUrl,
  state_dir: server.stateDir,
  ...(server.consoleUrl !== undefined && { console_url: server.consoleUrl }),
  console: server.console,
  ...(server.adminUrl !== undefined && { admin_url: server.adminUrl }),
  ...(server.fleetUrl !== undefined && { fleet_url: server.fleetUrl }),
  ...(server.adminToken && { admin_token: COVERED }),
  ...(server.adminTls && { admin_tls: adminTlsOf(server.adminTls) }),
  ...(server.contact !== undefined && { contact: server.contact }),
  trusted_proxies: server.trustedProxies,
  variables: server.variables,
  workers: server.workers,
  instances: server.instances,
  drain_delay: durationText(server.drainDelay),
  drain_timeout: durationText(server.drainTimeout),
})

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

const identityOf = (identity: NonNullable<Settings['identity']>, { defaultPlan }: Config): Section => ({
  ...(identity.issuer !== undefined && { issuer: identity.issuer }),
  ...(identity.planClaim !== undefined && { plan_claim: identity.planClaim }),
  ...(identity.labelClaim !== undefined && { label_claim: identity.labelClaim }),
  default_plan: defaultPlan?.name,
  token_types: identity.tokenTypes,
  admins: identity.admins,
  support: identity.support,
  viewers: identity.viewers,
  ...(identity.issuers.length > 0 && { issuers: identity.issuers.map(issuerOf) }),
  client_id: identity.clientId,
  ...(identity.consoleClientId !== undefined && { console_client_id: identity.consoleClientId }),
})

const guestsOf = (guests: GuestSettings, { guestPlan }: Config): Section => ({
  plan: guestPlan?.name,
  mint_per_ip_hour: guests.mintPerIpHour,
  mint_per_net_hour: guests.mintPerNetHour,
  usd_per_day_total: shownUsd(guests.guestsNanoUsdPerDay),
  ...(guests.secrets.length > 0 && { secret: COVERED }),
  ...(guests.secrets.length > 1 && { former_secret: COVERED }),
})

const responsesOf = ({ keep, keys, maxBytes, maxResponses, maxBytesTotal, guests }: ResponseSettings): Section => ({
  keep: durationText(keep),
  key: COVERED,
  ...(keys.length > 1 && { former_key: COVERED }),
  max_bytes_per_account: shownSize(maxBytes),
  max_responses_per_account: maxResponses,
  max_bytes_total: shownSize(maxBytesTotal),
  guests,
})

function limitsOf({ limits, listener }: Settings, models: ReadonlyMap<string, Model>): Section {
  const sizes = [...models.values()].flatMap(model => (model.kind === 'image' ? [...model.sizes.keys()] : []))
  return {
    body: shownSize(limits.bodyBytes),
    // Without them, they depend on the machine.
    ...(limits.bodyMemoryBytes !== undefined && { body_memory: shownSize(limits.bodyMemoryBytes) }),
    ...(limits.answerMemoryBytes !== undefined && { answer_memory: shownSize(limits.answerMemoryBytes) }),
    embedding_batch: limits.embeddingBatch,
    // The sizes that a model makes: the configuration keeps no others.
    ...(sizes.length > 0 && { image_sizes: [...new Set(sizes)] }),
    headers_timeout: durationText(listener.headersTimeout),
    request_timeout: durationText(listener.requestTimeout),
    idle_timeout: durationText(listener.idleTimeout),
    connections: listener.connections,
    connections_per_ip: listener.connectionsPerAddress,
    keys_per_account: limits.keysPerAccount,
    tool_rounds: limits.toolRounds,
    tool_time: durationText(limits.toolTime),
    shed_load: listener.shedLoad,
  }
}

/** A pool, and how its replicas are spoken to. */
export function shownPool(declared: Pool, backend: BackendSettings | undefined, hasChats: boolean): Section {
  const { replicas, speaks } = declared
  // A pool without chats has no dialect of them.
  const { site, ...words } = shownWords(declared, speaks.length === 1 && speaks[0] === 'chat')
  const pool = { site, replicas, ...words, ...mannersOf(declared, hasChats) }
  if (!backend) return pool
  const { key, probe } = backend
  const { context, max_concurrent, queue_timeout, ...others } = numbersOf(backend)
  return {
    ...pool,
    ...(key && { key: COVERED }),
    ...addressOf(backend),
    ...(context !== undefined && { context }),
    ...(max_concurrent !== undefined && { max_concurrent, queue_timeout }),
    ...costOf(backend),
    ...others,
    probe: probe ? { path: probe.path, every: durationText(probe.every) } : false,
  }
}

/** How requests are sent and answers fetched, where the files or the provider's profile decide that. */
function mannersOf({ provider, caps, fetch, fields, speaks }: Pool, hasChats: boolean): Section {
  const { name } = provider
  const isKnown = hasChats && (name !== undefined || fields.provider !== undefined)
  const isCapped = isKnown && speaks.includes('chat')
  const known = isKnown ? providerOf(provider, speaks) : {}
  return {
    ...(Object.keys(known).length > 0 ? { provider: known } : name && { provider: name }),
    ...((isCapped || fields.cap) && { cap: caps.length > 1 ? 'both' : caps[0] }),
    ...((isKnown || fields.fetch) && { fetch }),
  }
}

/** Its row, and the facts that the row or the files say. */
function providerOf({ name, facts }: PoolProvider, speaks: Pool['speaks']): Section {
  // A pool without chat completions has no other facts.
  const those = FACTS.filter(fact => fact === 'drops' || speaks.includes('chat'))
  const known = those.filter(
    fact => !isDeepStrictEqual(facts[fact], UNKNOWN[fact]) || (name && PROFILES[name].facts[fact] && fact !== 'drops'),
  )
  return { ...(name && { is: name }), ...Object.fromEntries(known.map(fact => [writtenName(fact), facts[fact]])) }
}

const FACTS = Object.keys(UNKNOWN) as (keyof PoolFacts)[]

/** The key is covered, and with it what a header has from elsewhere. */
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
  for (const [{ path }, value] of valuesOf(backend)) {
    const [name = '', part] = path.split('.')
    const written = SHOWN[unitAt(path)](value)
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

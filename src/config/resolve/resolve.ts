import { resolve } from 'node:path'
import type { Pool } from '../../policy/config.ts'
import { METRICS_PATHS } from '../../policy/engines.ts'
import type { GroupEntry } from '../../policy/groups.ts'
import { DEFAULTS } from '../defaults.ts'
import type {
  AdminTlsSection,
  ClaudeLoginSection,
  ConfigFile,
  FailoverSection,
  GroupSection,
  GuestsSection,
  HostedToolSection,
  IdentitySection,
  PoolSection,
  QueueSection,
  ServerSection,
  ServiceIssuerSection,
} from '../file.ts'
import { address, baseUrl, localUrlOf, workers } from '../model/formats.ts'
import { store, withPassword } from '../model/store-address.ts'
import { unitOf } from '../model/units.ts'
import { POOL_FIELDS } from '../pool-fields.ts'
import type { Declarations, MergedFiles } from '../read/merge.ts'
import { type SectionSettings, settlePart } from '../section-settings.ts'
import {
  type AdminTlsSettings,
  type BackendSettings,
  type ClaudeLogin,
  type DecisionSettings,
  type GuestSettings,
  type IdentitySettings,
  type LoadSettings,
  type ProbeSettings,
  type QueueSettings,
  Secret,
  type ServiceIssuer,
  type Settings,
  type StoreSettings,
  type ToolSettings,
} from '../settings.ts'
import { poolAddress } from './address.ts'
import { archiveOf } from './archive-section.ts'
import { rowsOf } from './limits.ts'
import { customerNoticesOf, type TargetSecrets, targetsOf } from './notices.ts'
import { patienceOf } from './pool-manners.ts'
import { pricesOf } from './prices.ts'
import { settlePool } from './settle-pool.ts'

/**
 * The secrets that the files refer to: the keys of pools and tools and the headers of pools by name, and the roots
 * of guests' keys and the keys of responses, newest first.
 */
export interface Secrets {
  readonly pools: ReadonlyMap<string, Secret>
  readonly headers: ReadonlyMap<string, ReadonlyMap<string, Secret>>
  readonly tools: ReadonlyMap<string, Secret>
  readonly guests: readonly Secret[]
  /** The secret that agent tokens are signed with, where the files or the environment name one. */
  readonly agents: Secret | undefined
  readonly responses: readonly Secret[]
  /** The secrets of the sections `redis` and `ledger.archive`, by field. */
  readonly redis: ReadonlyMap<string, Secret>
  /** The admin token, where the files have one. */
  readonly adminToken: Secret | undefined
  /** The secrets of `server.admin_tls`, by field. */
  readonly adminTls: ReadonlyMap<string, Secret>
  readonly archive: ReadonlyMap<string, Secret>
  /** The secret of `identity.scim`. */
  readonly scim: Secret | undefined
  readonly observability: ObservabilitySecrets
  /** The secrets of targets of notices, by target and field. */
  readonly targets: TargetSecrets
}

/** The settings of the process, beside the policy: defaults filled in, paths made absolute from the main file's directory. */
export function settle(
  file: ConfigFile,
  { pools, tools }: Pick<MergedFiles, 'pools' | 'tools'>,
  secrets: Secrets,
  directory: string,
): Settings {
  const { server = {} } = file
  const settled = serverOf(file, directory)
  const { publicUrl } = settled
  return {
    brand: file.brand ?? DEFAULTS.brand,
    server: {
      ...settled,
      ...(secrets.adminToken && { adminToken: secrets.adminToken }),
      ...adminTlsOf(server.admin_tls, secrets.adminTls),
    },
    store: storeOf(file.store ?? DEFAULTS.store, secrets.redis, directory, settlePart('redis', file)),
    ledger: {
      ...settlePart('ledger', file),
      ...(file.ledger?.archive && { archive: archiveOf(file.ledger.archive, secrets.archive, directory) }),
    },
    decisions: decisionsOf(file, directory, settled.stateDir),
    ...observabilityOf(file, secrets.observability),
    ...(file.identity && { identity: identityOf(file.identity, file, publicUrl, secrets) }),
    ...(file.guests && { guests: guestsOf(file.guests, file, secrets.guests) }),
    ...(file.responses && { responses: { ...settlePart('responses', file), keys: secrets.responses } }),
    limits: settlePart('limits', file),
    listener: settlePart('listener', file),
    errors: errorsOf(file, settled),
    billing: billingOf(file),
    noticeTargets: targetsOf(file, secrets.targets),
    ...(file.customer_notices && { customerNotices: customerNoticesOf(file.customer_notices) }),
    backends: backends(pools, file.failover ?? {}, secrets),
    tools: toolsOf(tools, secrets.tools),
  }
}

function errorsOf(
  file: ConfigFile,
  { publicUrl, consoleUrl }: Pick<Settings['server'], 'publicUrl' | 'consoleUrl'>,
): Settings['errors'] {
  const { docs, topup } = file.errors ?? {}
  const topupUrl = topup ?? (consoleUrl === undefined ? undefined : `${consoleUrl}/billing`)
  return {
    ...settlePart('errors', file),
    docs: docs ?? `${publicUrl}/docs/errors`,
    ...(topupUrl !== undefined && { topup: topupUrl }),
  }
}

function billingOf(file: ConfigFile): Settings['billing'] {
  const { seller } = file.billing ?? {}
  const { tax_id: taxId, ...others } = seller ?? {}
  return {
    ...settlePart('billing', file),
    ...(seller && { seller: { ...others, name: seller.name, ...(taxId !== undefined && { taxId }) } }),
  }
}

function serverOf(file: ConfigFile, directory: string): Settings['server'] {
  const { server = {}, identity } = file
  const settled = settlePart('server', file)
  const listen = read(address, server.listen ?? DEFAULTS.listen)
  const publicUrl = server.public_url === undefined ? localUrlOf(listen) : read(baseUrl, server.public_url)
  // Errors lead there: a console without a sign-in would help no reader of them.
  const own = settled.console && identity?.console_client_id !== undefined ? `${publicUrl}/console` : undefined
  const consoleUrl = server.console_url === undefined ? own : read(baseUrl, server.console_url)
  return {
    ...settled,
    listen,
    admin: read(address, server.admin ?? DEFAULTS.admin),
    publicUrl,
    stateDir: resolve(directory, server.state_dir ?? DEFAULTS.stateDir),
    ...(consoleUrl !== undefined && { consoleUrl }),
    ...addressesOf(server),
    trustedProxies: server.trusted_proxies ?? [],
    variables: server.variables ?? [],
    workers: read(workers, String(server.workers ?? DEFAULTS.workers)),
  }
}

const addressesOf = ({ admin_url, fleet_url }: ServerSection): Pick<Settings['server'], 'adminUrl' | 'fleetUrl'> => ({
  ...(admin_url !== undefined && { adminUrl: read(baseUrl, admin_url) }),
  ...(fleet_url !== undefined && { fleetUrl: read(baseUrl, fleet_url) }),
})

function adminTlsOf(
  written: AdminTlsSection | undefined,
  secrets: Secrets['adminTls'],
): { readonly adminTls?: AdminTlsSettings } {
  const [certificate, key] = [secrets.get('certificate'), secrets.get('key')]
  if (!written || !certificate || !key) return {}
  const [clientCa, fleetCa] = [secrets.get('client_ca'), secrets.get('fleet_ca')]
  const [fleetCertificate, fleetKey] = [secrets.get('fleet_certificate'), secrets.get('fleet_key')]
  const { admins = [], support = [], viewers = [] } = written
  return {
    adminTls: {
      certificate,
      key,
      ...(clientCa && { clientCa }),
      ...(fleetCa && { fleetCa }),
      ...(fleetCertificate && fleetKey && { fleetCertificate, fleetKey }),
      admins,
      support,
      viewers,
    },
  }
}

function decisionsOf(file: ConfigFile, directory: string, stateDir: string): DecisionSettings {
  const path = file.decisions?.path
  return {
    ...settlePart('decisions', file),
    directory: path === undefined ? resolve(stateDir, DECISIONS) : resolve(directory, path),
  }
}

/** Where decisions are logged below state_dir, which the schema cannot say. */
const DECISIONS = 'decisions'

function read<T>(
  format: { readonly read: (text: string) => T | undefined; readonly expects: string },
  text: string,
): T {
  const value = format.read(text)
  if (value === undefined) throw new Error(`not ${format.expects}, and the schema did not refuse it`)
  return value
}

const identityOf = (
  written: IdentitySection,
  file: ConfigFile,
  publicUrl: string,
  { agents: agentSecret, scim }: Pick<Secrets, 'agents' | 'scim'>,
): IdentitySettings => ({
  ...settlePart('identity', file),
  audience: publicUrl,
  tokenTypes: written.token_types ?? DEFAULTS.tokenTypes,
  admins: written.admins ?? [],
  support: written.support ?? [],
  viewers: written.viewers ?? [],
  groups: (written.groups ?? []).map(groupOf),
  ...(scim && { scim: { secret: scim } }),
  issuers: (written.issuers ?? []).map(each => serviceIssuerOf(each, publicUrl)),
  ...(agentSecret && { agentSecret }),
  ...(written.claude_login && { claudeLogin: claudeLoginOf(written.claude_login) }),
})

const claudeLoginOf = ({ notice, settings = {} }: ClaudeLoginSection): ClaudeLogin => ({
  ...(notice !== undefined && { notice }),
  settings: new Map(Object.entries(settings)),
})

const groupOf = ({ claim, is, plan, org, role, limits }: GroupSection): GroupEntry => ({
  claim,
  is: [is].flat(),
  ...(plan !== undefined && { plan }),
  ...(org !== undefined && { org }),
  ...(role !== undefined && { role }),
  ...(limits && { limits: rowsOf({ limits }).map(({ rule }) => rule) }),
})

const serviceIssuerOf = ({ issuer, audience, accounts }: ServiceIssuerSection, publicUrl: string): ServiceIssuer => ({
  issuer,
  audience: audience ?? publicUrl,
  accounts: accounts.map(({ name, claims, account_claim: accountClaim, plan, limits }) => ({
    name,
    claims: new Map(Object.entries(claims).map(([claim, texts]) => [claim, [texts].flat()])),
    accountClaim: accountClaim ?? DEFAULTS.accountClaim,
    plan,
    ...(limits && { limits: rowsOf({ limits }).map(({ rule }) => rule) }),
  })),
})

function guestsOf(written: GuestsSection, file: ConfigFile, secrets: readonly Secret[]): GuestSettings {
  const settled = settlePart('guests', file)
  const { mint_per_net_hour: ofNet } = written
  // Homes and offices share an address; a network of them is no reason to refuse the tenth.
  const mintPerNetHour = ofNet === undefined ? 10 * settled.mintPerIpHour : unitOf('count', ofNet)
  return { ...settled, mintPerNetHour, secrets }
}

/** A store as `store` names it, with what else the files say of Redis. */
export function storeOf(
  written: string,
  secrets: Secrets['redis'],
  directory: string,
  settled: SectionSettings<'redis'> = settlePart('redis', { version: 1 }),
): StoreSettings {
  const address = read(store, written)
  if (address.kind === 'embedded') return { kind: 'embedded', path: resolve(directory, address.path) }
  const fields = ['password', 'sentinel_password', 'ca', 'certificate', 'key']
  const [password, sentinelPassword, ca, certificate, key] = fields.map(field => secrets.get(field))
  const url = password ? withPassword(address.url, password.reveal()) : address.url
  const tls = { ...(ca && { ca }), ...(certificate && { certificate }), ...(key && { key }) }
  return {
    kind: 'redis',
    url: new Secret(url),
    shown: address.shown,
    ...(sentinelPassword && { sentinelPassword }),
    tls,
    ...settled,
  }
}

function backends(
  pools: Declarations<PoolSection>,
  common: FailoverSection,
  secrets: Pick<Secrets, 'pools' | 'headers'>,
): ReadonlyMap<Pool['name'], BackendSettings> {
  const settings = new Map<string, BackendSettings>()
  for (const { name, data } of pools.values()) {
    const own: Partial<PoolSection> = data ?? {}
    const key = secrets.pools.get(name)
    const [probe, load, cost] = [probeOf(common.probe, own.probe), loadOf(own.load), costOf(own)]
    const queue = own.queue && queueOf(own.queue)
    settings.set(name, {
      ...settlePool(own, common, patienceOf(own)),
      ...(key && { key }),
      ...poolAddress(own, secrets.headers.get(name)),
      ...(probe && { probe }),
      ...(load && { load }),
      ...(queue && { queue }),
      ...(cost && { cost }),
    })
  }
  return settings
}

/** A pool that declares a part of it has the rest from failover. */
function probeOf(common: PoolSection['probe'] = false, own = common): ProbeSettings | undefined {
  if (own === false) return undefined
  const defaults = { path: POOL_FIELDS['probe.path'].default, every: POOL_FIELDS['probe.every'].default }
  const { path, every } = { ...defaults, ...(common !== true && common), ...(own !== true && own) }
  return { path, every: unitOf('duration', every) }
}

function loadOf(written: PoolSection['load']): LoadSettings | undefined {
  if (!written) return undefined
  const { from, url = METRICS_PATHS[from], every = POOL_FIELDS['load.every'].default } = written
  return { from, url, every: unitOf('duration', every) }
}

function queueOf(written: QueueSection): QueueSettings {
  const said = <F extends 'max' | 'of_account' | 'bytes' | 'timeout' | 'before_next' | 'aging'>(field: F): number =>
    unitOf(POOL_FIELDS[`queue.${field}`].unit, written[field] ?? POOL_FIELDS[`queue.${field}`].default)
  const max = said('max')
  return {
    max,
    ofAccount: Math.min(max, said('of_account')),
    bytes: said('bytes'),
    timeout: said('timeout'),
    beforeNext: said('before_next'),
    aging: said('aging'),
    comments: written.comments ?? POOL_FIELDS['queue.comments'].default,
  }
}

function costOf({ cost_usd_per_1m: tokens, cost_usd_per_image: image }: Partial<PoolSection>): BackendSettings['cost'] {
  if (tokens === undefined && image === undefined) return undefined
  return { ...pricesOf(tokens ?? { input: 0 }), ...(image !== undefined && { item: unitOf('usd', image) }) }
}

/** The secrets of logs, metrics and traces: the token that reads metrics, and headers by name. */
export interface ObservabilitySecrets {
  readonly metrics?: Secret
  /** Headers for collectors of metrics. */
  readonly metricsHeaders: ReadonlyMap<string, Secret>
  readonly traces: ReadonlyMap<string, Secret>
}

/** How the gateway lets operators see inside. */
function observabilityOf(
  file: ConfigFile,
  secrets: ObservabilitySecrets,
): Pick<Settings, 'log' | 'metrics' | 'traces'> {
  const { metrics: { otlp } = {}, traces } = file
  const settings = {
    log: settlePart('log', file),
    metrics: {
      ...settlePart('metrics', file),
      ...(secrets.metrics && { token: secrets.metrics }),
      ...(otlp && {
        otlp: {
          ...settlePart('collector', file),
          endpoint: withoutEnd(otlp.endpoint),
          headers: secrets.metricsHeaders,
        },
      }),
    },
  }
  if (!traces) return settings
  const endpoint = withoutEnd(traces.endpoint)
  return { ...settings, traces: { ...settlePart('traces', file), endpoint, headers: secrets.traces } }
}

const withoutEnd = (url: string): string => url.replace(/\/+$/, '')

/** How each hosted tool is run, by its name. */
function toolsOf(
  tools: Declarations<HostedToolSection>,
  keys: ReadonlyMap<string, Secret>,
): ReadonlyMap<string, ToolSettings> {
  const settings = new Map<string, ToolSettings>()
  for (const { name, data } of tools.values()) if (data) settings.set(name, toolOf(name, data, keys.get(name)))
  return settings
}

/** URLs stay as they were written: with another path, or a slash more or less, a tool may be another one. */
function toolOf(name: string, tool: HostedToolSection, key: Secret | undefined): ToolSettings {
  const bounds = {
    timeout: unitOf('duration', tool.timeout ?? DEFAULTS.toolTimeout),
    maxResultBytes: unitOf('size', tool.max_result ?? DEFAULTS.maxResult),
  }
  if ('builtin' in tool) return { kind: 'builtin', builtin: tool.builtin, ...bounds }
  if ('http' in tool) {
    const { http: url, description, parameters } = tool
    return { kind: 'http', url, ...(key && { key }), description, parameters, ...bounds }
  }
  return {
    kind: 'mcp',
    url: tool.mcp,
    transport: tool.transport ?? DEFAULTS.transport,
    ...(key && { key }),
    tool: tool.tool ?? name,
    ...(tool.description !== undefined && { description: tool.description }),
    ...bounds,
  }
}

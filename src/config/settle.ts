import { resolve } from 'node:path'
import type { Pool } from '../policy/config.ts'
import { DEFAULTS, TIMEOUTS } from './defaults.ts'
import type { ConfigFile, FailoverSection, GuestsSection, IdentitySection, PoolSection, ServerSection } from './file.ts'
import { address, baseUrl, isLoopback } from './formats.ts'
import {
  type Address,
  type BackendSettings,
  type GuestSettings,
  type IdentitySettings,
  Secret,
  type Settings,
  type StoreSettings,
  type Timeouts,
} from './settings.ts'
import { store } from './store.ts'
import type { Declarations } from './unite.ts'
import { unitOf } from './units.ts'

/** What the process needs beside the policy: defaults filled in, paths made absolute from the main file's directory. */
export function settle(
  file: ConfigFile,
  pools: Declarations<PoolSection>,
  secrets: { readonly pools: ReadonlyMap<string, Secret>; readonly guests: readonly Secret[] },
  directory: string,
): Settings {
  const { server = {}, errors = {}, ledger = {}, limits = {} } = file
  const settled = serverOf(server, directory)
  const { publicUrl, consoleUrl } = settled
  return {
    brand: file.brand ?? DEFAULTS.brand,
    server: settled,
    store: storeOf(file.store ?? DEFAULTS.store, directory),
    ledger: { keep: unitOf('duration', ledger.keep ?? DEFAULTS.keep) },
    ...(file.identity && { identity: identityOf(file.identity, publicUrl) }),
    ...(file.guests && { guests: guestsOf(file.guests, secrets.guests) }),
    limits: {
      bodyBytes: unitOf('size', limits.body ?? DEFAULTS.body),
      embeddingBatch: unitOf('count', limits.embedding_batch ?? DEFAULTS.embeddingBatch),
    },
    errors: { docs: errors.docs ?? `${publicUrl}/docs/errors`, topup: errors.topup ?? `${consoleUrl}/billing` },
    backends: backends(pools, file.failover ?? {}, secrets.pools),
  }
}

function serverOf(server: ServerSection, directory: string): Settings['server'] {
  const listen = read(address, server.listen ?? DEFAULTS.listen)
  const publicUrl = server.public_url === undefined ? urlOf(listen) : read(baseUrl, server.public_url)
  return {
    listen,
    admin: read(address, server.admin ?? DEFAULTS.admin),
    publicUrl,
    stateDir: resolve(directory, server.state_dir ?? DEFAULTS.stateDir),
    consoleUrl: server.console_url === undefined ? `${publicUrl}/console` : read(baseUrl, server.console_url),
    trustedProxies: server.trusted_proxies ?? [],
  }
}

function read<T>(
  format: { readonly read: (text: string) => T | undefined; readonly expects: string },
  text: string,
): T {
  const value = format.read(text)
  if (value === undefined) throw new Error(`not ${format.expects}, and the schema did not refuse it`)
  return value
}

const identityOf = (written: IdentitySection, publicUrl: string): IdentitySettings => ({
  issuer: written.issuer,
  audience: publicUrl,
  tokenTypes: written.token_types ?? DEFAULTS.tokenTypes,
  ...(written.plan_claim !== undefined && { planClaim: written.plan_claim }),
  ...(written.label_claim !== undefined && { labelClaim: written.label_claim }),
  admins: written.admins ?? [],
  clientId: written.client_id ?? DEFAULTS.clientId,
})

function guestsOf(written: GuestsSection, secrets: readonly Secret[]): GuestSettings {
  const mintPerIpHour = unitOf('count', written.mint_per_ip_hour ?? DEFAULTS.mintPerIpHour)
  return {
    mintPerIpHour,
    // Homes and offices share an address; a network of them is no reason to refuse the tenth.
    mintPerNetHour:
      written.mint_per_net_hour === undefined ? 10 * mintPerIpHour : unitOf('count', written.mint_per_net_hour),
    perDayTotal: unitOf('usd', written.usd_per_day_total),
    secrets,
  }
}

function storeOf(written: string, directory: string): StoreSettings {
  const address = read(store, written)
  return address.kind === 'embedded'
    ? { kind: 'embedded', path: resolve(directory, address.path) }
    : { kind: 'redis', url: new Secret(address.url), shown: address.shown }
}

/** The address as a client on this machine, or on the network of the listener, would write it. */
function urlOf({ host, port }: Address): string {
  const local = isLoopback(host) || host === '0.0.0.0' || host === '::'
  const name = host.includes(':') ? `[${host}]` : host
  return `http://${local ? 'localhost' : name}:${port}`
}

function backends(
  pools: Declarations<PoolSection>,
  common: FailoverSection,
  secrets: ReadonlyMap<string, Secret>,
): ReadonlyMap<Pool['name'], BackendSettings> {
  const settings = new Map<string, BackendSettings>()
  for (const { name, data } of pools.values()) {
    const own: Partial<PoolSection> = data ?? {}
    const key = secrets.get(name)
    const eject = { ...DEFAULTS.eject, ...common.eject, ...own.eject }
    settings.set(name, {
      ...timeouts({ ...common, ...own }),
      ...(key && { key }),
      eject: { after: unitOf('count', eject.after), for: unitOf('duration', eject.for) },
    })
  }
  return settings
}

function timeouts(written: FailoverSection): Timeouts {
  const millis = ([name, otherwise]: (typeof TIMEOUTS)[keyof Timeouts]) =>
    unitOf('duration', written[name] ?? otherwise)
  return {
    connectTimeout: millis(TIMEOUTS.connectTimeout),
    headersTimeout: millis(TIMEOUTS.headersTimeout),
    firstContentTimeout: millis(TIMEOUTS.firstContentTimeout),
    idleTimeout: millis(TIMEOUTS.idleTimeout),
    streamTimeout: millis(TIMEOUTS.streamTimeout),
    answerTimeout: millis(TIMEOUTS.answerTimeout),
  }
}

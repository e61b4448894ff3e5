import { resolve } from 'node:path'
import type { Pool } from '../policy/config.ts'
import { DEFAULTS, TIMEOUTS } from './defaults.ts'
import type { ConfigFile, FailoverSection, PoolSection } from './file.ts'
import { address, baseUrl, isLoopback } from './formats.ts'
import {
  type Address,
  type BackendSettings,
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
  secrets: ReadonlyMap<string, Secret>,
  directory: string,
): Settings {
  const { server = {}, errors = {}, ledger = {}, limits = {} } = file
  const listen = read(address, server.listen ?? DEFAULTS.listen)
  const publicUrl = server.public_url === undefined ? urlOf(listen) : read(baseUrl, server.public_url)
  const consoleUrl = server.console_url === undefined ? `${publicUrl}/console` : read(baseUrl, server.console_url)
  return {
    brand: file.brand ?? DEFAULTS.brand,
    server: {
      listen,
      admin: read(address, server.admin ?? DEFAULTS.admin),
      publicUrl,
      stateDir: resolve(directory, server.state_dir ?? DEFAULTS.stateDir),
      consoleUrl,
    },
    store: storeOf(file.store ?? DEFAULTS.store, directory),
    ledger: { keep: unitOf('duration', ledger.keep ?? DEFAULTS.keep) },
    limits: {
      bodyBytes: unitOf('size', limits.body ?? DEFAULTS.body),
      embeddingBatch: unitOf('count', limits.embedding_batch ?? DEFAULTS.embeddingBatch),
    },
    errors: { docs: errors.docs ?? `${publicUrl}/docs/errors`, topup: errors.topup ?? `${consoleUrl}/billing` },
    backends: backends(pools, file.failover ?? {}, secrets),
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

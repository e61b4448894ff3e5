import { openBackends } from '../adapters/backends/backends.ts'
import type { Connections } from '../adapters/backends/connections.ts'
import { type Identity, type IdentityOptions, openIdentity } from '../adapters/identity/identity.ts'
import { severalIssuers } from '../adapters/identity/several.ts'
import { openPassthroughSender } from '../adapters/passthrough/sender.ts'
import { openSockets } from '../adapters/passthrough/sockets.ts'
import { openTools } from '../adapters/tools/hosted-tools.ts'
import type { IdentitySettings, Loaded, Secret, Settings, TraceSettings } from '../config/settings.ts'
import { Logins } from '../gateway/accounts/logins/logins.ts'
import { LoginSeals } from '../gateway/accounts/logins/seals.ts'
import { AgentTokens } from '../gateway/accounts/sign-in/agent-tokens.ts'
import type { Shared } from '../gateway/lifetimes.ts'
import type { Alarm, Traces } from '../gateway/ports.ts'
import type { Gateway } from '../gateway/request.ts'
import { KeptResponses } from '../gateway/responses/kept-responses.ts'
import type { Store } from '../gateway/store/store.ts'
import type { Snapshots } from '../http/listener/app.ts'
import type { SendConfirmation } from '../http/public/client-app.ts'
import type { EpochMs } from '../policy/config.ts'
import { agentSecretOf } from './agent-secret.ts'
import { ensureGuestSecrets } from './guest-secret.ts'
import { confirmationsOf } from './own-mail.ts'
import { version } from './version.ts'
import type { World } from './world.ts'

/** Immutable state of one configuration; each reload makes another. A request keeps the one it began with for life. */
export interface Snapshot extends Pick<Gateway, PerSnapshot> {
  /** 1 since the start, and one more with each reload. */
  readonly generation: number
  /** When the configuration was loaded. */
  readonly loadedAt: EpochMs
  /** Secrets for deriving guest keys, newest first: those of the settings, or the gateway's own. */
  readonly guestSecrets: readonly Secret[]
  /** Signs and reads agent tokens; absent where people do not sign in. */
  readonly agentTokens?: AgentTokens
  /** Signs agents in by the device flow; absent where the files do not ask for it. */
  readonly logins?: Logins
  /** Sends mail by the server that the files name for customers. */
  readonly mail: SendConfirmation
}

/** The gateway's ports that come from the files. All others outlive a reload. */
type PerSnapshot =
  | 'config'
  | 'settings'
  | 'send'
  | 'sendPassthrough'
  | 'sockets'
  | 'tools'
  | 'verify'
  | 'providerOrigins'
  | 'responses'
  | 'traces'

/** Resources of all snapshots of a process. `process` is made once, and the same in every snapshot. */
export interface Shares<Process extends SnapshotPorts> {
  readonly process: Process
  readonly connections: Connections
  readonly identities: Shared<Identity>
  readonly tracing: Tracing
}

/** Ports that a snapshot takes from its process. */
export interface SnapshotPorts extends Pick<World, 'clock' | 'random'> {
  readonly alarm: Alarm
  readonly store: Pick<Store, 'responses' | 'logins' | 'accounts'>
}

/** A snapshot with its shared resources until it is closed. */
interface Open<App> {
  readonly app: App
  readonly close: () => void
}

/** Opens what a configuration needs. Rejects, with nothing left open, when the secret of guests cannot be had. */
export async function openSnapshot<Process extends SnapshotPorts>(
  { config, settings }: Loaded,
  generation: number,
  shares: Shares<Process>,
): Promise<Open<Process & Snapshot>> {
  const { process, connections, tracing } = shares
  const guestSecrets = await ensureGuestSecrets(settings, process.random)
  const backends = openBackends(config.pools.values(), settings.backends, connections)
  const passthroughSender = openPassthroughSender(settings.backends)
  const tools = openTools(settings.tools, process)
  await tools.load()
  const traced = await tracing.open(settings.traces)
  const provider = settings.identity && providerOf(settings.identity, shares)
  const agentTokens = agentTokensOf(settings, process)
  const logins = agentTokens && loginsOf(settings, process, agentTokens)
  const app: Process & Snapshot = {
    ...process,
    config,
    settings,
    generation,
    loadedAt: process.clock.now(),
    guestSecrets,
    mail: confirmationsOf(settings, process.alarm),
    send: backends.send,
    sendPassthrough: passthroughSender.sendPassthrough,
    sockets: openSockets(settings.backends),
    tools: tools.tools,
    ...(agentTokens && { agentTokens }),
    ...(logins && { logins }),
    ...(provider && { verify: provider.verify, providerOrigins: provider.origins }),
    ...(settings.responses && { responses: new KeptResponses(settings.responses, process.store.responses, process) }),
    ...(traced.traces && { traces: traced.traces }),
  }
  let closed = false
  const close = () => {
    if (closed) return
    closed = true
    backends.close()
    passthroughSender.close()
    tools.close()
    traced.close()
    provider?.giveBack()
  }
  return { app, close }
}

function agentTokensOf(settings: Settings, { clock, random }: SnapshotPorts): AgentTokens | undefined {
  const { brand, identity } = settings
  if (identity?.issuer === undefined) return undefined
  const { audience, issuer } = identity
  return new AgentTokens(agentSecretOf(settings, random), { brand, audience, issuer }, clock)
}

function loginsOf(settings: Settings, process: SnapshotPorts, tokens: AgentTokens): Logins | undefined {
  const { brand, identity } = settings
  if (identity?.issuer === undefined || !identity.claudeLogin) return undefined
  const { clock, alarm, store, random } = process
  const { audience, issuer } = identity
  const seals = new LoginSeals(agentSecretOf(settings, random), { brand, audience, issuer }, random)
  return new Logins({ seals, tokens, clock, alarm, store })
}

/** Shared by all configurations that judge tokens alike: a provider that is down need not be asked for its keys again. */
function providerOf(settings: IdentitySettings, { process, identities }: Shares<SnapshotPorts>) {
  const { issuer, audience, tokenTypes, planClaim, labelClaim, accountClaim, groups } = settings
  const { clock, alarm } = process
  const take = (judged: Omit<IdentityOptions, 'clock' | 'alarm'>) => {
    const told = JSON.stringify(judged, (_name, value) => (value instanceof Map ? [...value] : value))
    return identities.take(told, () => openIdentity({ ...judged, clock, alarm }))
  }
  const people =
    issuer === undefined
      ? undefined
      : take({ issuer, audience, tokenTypes, planClaim, labelClaim, accountClaim, groups })
  const services = settings.issuers.map(each => ({ issuer: each.issuer, taken: take(each) }))
  return {
    verify: severalIssuers(people?.thing, new Map(services.map(each => [each.issuer, each.taken.thing]))),
    origins: people?.thing.origins ?? (() => []),
    giveBack: () => {
      for (const { giveBack } of [...(people ? [people] : []), ...services.map(({ taken }) => taken)]) giveBack()
    },
  }
}

/** The snapshot that serves, and those before it that requests still hold; each is closed after its last one. */
export class OpenSnapshots<App> implements Snapshots<App> {
  #current: Open<App>
  #closed = false
  readonly #held = new Map<App, { readonly open: Open<App>; requests: number }>()

  constructor(first: Open<App>) {
    this.#current = first
  }

  get current(): App {
    return this.#current.app
  }

  take(): App {
    const { app } = this.#current
    const held = this.#held.get(app)
    if (held) held.requests++
    else this.#held.set(app, { open: this.#current, requests: 1 })
    return app
  }

  giveBack(app: App): void {
    const held = this.#held.get(app)
    if (!held) throw new Error('a snapshot was given back that was not taken')
    held.requests--
    if (held.requests > 0) return
    this.#held.delete(app)
    if (held.open !== this.#current) held.open.close()
  }

  /** From now on requests begin with this one. */
  replace(next: Open<App>): void {
    if (this.#closed) {
      next.close()
      throw new Error('the gateway is leaving')
    }
    const before = this.#current
    this.#current = next
    if (!this.#held.has(before.app)) before.close()
  }

  /** Closes what serves, once no more requests come. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#current.close()
  }
}

/** Traces of the snapshots of a process. */
export class Tracing {
  readonly #closing = new Set<Promise<void>>()
  readonly #alarm: Alarm
  readonly #instance: string

  /** `instance` is the name of the process among all that send traces. */
  constructor(alarm: Alarm, instance: string) {
    this.#alarm = alarm
    this.#instance = instance
  }

  /** `close` is to be called once none of its requests is running; it sends the remaining spans without being awaited. */
  async open(settings: TraceSettings | undefined): Promise<{ readonly traces?: Traces; readonly close: () => void }> {
    if (!settings) return { close: () => {} }
    // Imported late: a gateway without traces does not load OpenTelemetry.
    const { openTraces } = await import('../adapters/otlp/traces.ts')
    const service = { name: 'svc-gateway', version, instance: this.#instance }
    const { traces, close } = openTraces(settings, service, this.#alarm)
    return {
      traces,
      close: () => {
        const closed = close().finally(() => this.#closing.delete(closed))
        this.#closing.add(closed)
      },
    }
  }

  /** Resolves once what waited in those that are closed was sent, or given up. */
  async closed(): Promise<void> {
    await Promise.all(this.#closing)
  }
}

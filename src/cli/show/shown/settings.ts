import { durationText } from '../../../config/check/units.ts'
import type { Address, GuestSettings, Settings } from '../../../config/settings.ts'
import type { Config, Model } from '../../../policy/config.ts'
import type { Section } from './config.ts'
import { COVERED, shownSize, shownUsd } from './units.ts'

/** What the process needs beside the policy. */
export function shownSettings(settings: Settings, config: Config): Section {
  const { brand, store, ledger, guests, errors } = settings
  return {
    brand,
    server: serverOf(settings.server),
    store: store.kind === 'embedded' ? `embedded:${store.path}` : store.shown,
    ledger: { keep: durationText(ledger.keep) },
    ...(settings.identity && { identity: identityOf(settings.identity, config) }),
    ...(guests && { guests: guestsOf(guests, config) }),
    limits: limitsOf(settings, config.models),
    errors,
  }
}

const serverOf = (server: Settings['server']): Section => ({
  listen: addressText(server.listen),
  admin: addressText(server.admin),
  public_url: server.publicUrl,
  state_dir: server.stateDir,
  ...(server.consoleUrl !== undefined && { console_url: server.consoleUrl }),
  trusted_proxies: server.trustedProxies,
  variables: server.variables,
  instances: server.instances,
  drain_delay: durationText(server.drainDelay),
  drain_timeout: durationText(server.drainTimeout),
})

const addressText = ({ host, port }: Address): string => `${host.includes(':') ? `[${host}]` : host}:${port}`

const identityOf = (identity: NonNullable<Settings['identity']>, { defaultPlan }: Config): Section => ({
  issuer: identity.issuer,
  ...(identity.planClaim !== undefined && { plan_claim: identity.planClaim }),
  ...(identity.labelClaim !== undefined && { label_claim: identity.labelClaim }),
  default_plan: defaultPlan?.name,
  token_types: identity.tokenTypes,
  admins: identity.admins,
  client_id: identity.clientId,
})

const guestsOf = (guests: GuestSettings, { guestPlan }: Config): Section => ({
  plan: guestPlan?.name,
  mint_per_ip_hour: guests.mintPerIpHour,
  mint_per_net_hour: guests.mintPerNetHour,
  usd_per_day_total: shownUsd(guests.guestsNanoUsdPerDay),
  ...(guests.secrets.length > 0 && { secret: COVERED }),
  ...(guests.secrets.length > 1 && { former_secret: COVERED }),
})

function limitsOf({ limits, listener }: Settings, models: ReadonlyMap<string, Model>): Section {
  const sizes = [...models.values()].flatMap(model => (model.kind === 'image' ? [...model.sizes.keys()] : []))
  return {
    body: shownSize(limits.bodyBytes),
    // Without it, it depends on the machine.
    ...(limits.bodyMemoryBytes !== undefined && { body_memory: shownSize(limits.bodyMemoryBytes) }),
    embedding_batch: limits.embeddingBatch,
    // Those that a model makes: of others nothing is known any more.
    ...(sizes.length > 0 && { image_sizes: [...new Set(sizes)] }),
    headers_timeout: durationText(listener.headersTimeout),
    request_timeout: durationText(listener.requestTimeout),
    idle_timeout: durationText(listener.idleTimeout),
    connections: listener.connections,
    connections_per_ip: listener.connectionsPerAddress,
    tool_rounds: limits.toolRounds,
    tool_time: durationText(limits.toolTime),
    shed_load: listener.shedLoad,
  }
}

import type { FileText } from '../config/settings.ts'
import type { Millis } from '../policy/config.ts'
import { CommandFailed, exitCodes } from '../server/failure.ts'
import type { ArchiveRecord } from '../wire/admin/archive-state.ts'
import type { ShownComparison } from '../wire/admin/comparison.ts'
import { EVENT, type ShownEvent } from '../wire/admin/event.ts'
import type { ShownFleet, ShownGateway } from '../wire/admin/fleet.ts'
import type { FleetPools } from '../wire/admin/fleet-pools.ts'
import type { ShownIncidents } from '../wire/admin/incident.ts'
import type { ShownNotices } from '../wire/admin/notice.ts'
import type { ShownPool } from '../wire/admin/pool.ts'
import { profilesIn } from '../wire/admin/pool-facts.ts'
import type { ShownResult } from '../wire/admin/pool-probe.ts'
import type { ShownProcess } from '../wire/admin/process.ts'
import {
  KEPT_CONFIG,
  REVISIONS,
  type ServedConfig,
  type ShownApplied,
  type ShownConfig,
  type ShownPlanCount,
  type ShownRevisionLine,
  withWarningLines,
} from '../wire/admin/revision.ts'
import { pathOf, type QueryOf } from '../wire/admin-api/call.ts'
import * as config from '../wire/admin-api/config.ts'
import * as fleet from '../wire/admin-api/fleet.ts'
import * as notices from '../wire/admin-api/notices.ts'
import * as pools from '../wire/admin-api/pools.ts'
import { followEvents } from '../wire/admin-api/requests.ts'
import { issueCode } from '../wire/admin-api/sessions.ts'
import { showArchive } from '../wire/admin-api/usage.ts'
import { isObject, type JsonObject } from '../wire/json-safety.ts'
import { readAs } from '../wire/schema/read.ts'
import { SseSplitter } from '../wire/sse.ts'
import type { AdminEndpoint } from './api.ts'
import { askFor, openBody } from './remote.ts'

// Each asks a running gateway, and rejects with CommandFailed when it refuses.

export async function servedConfig(endpoint: AdminEndpoint): Promise<ServedConfig> {
  const { profiles, ...served } = await askFor(endpoint, config.showConfig)
  return { ...served, ...(profiles && { profiles: profilesIn(profiles) }) }
}

export const archiveState = (endpoint: AdminEndpoint): Promise<ArchiveRecord> => askFor(endpoint, showArchive)

/** Newest first. */
export const keptRevisions = async (endpoint: AdminEndpoint): Promise<readonly ShownRevisionLine[]> =>
  (await askFor(endpoint, { ...config.listRevisions, answer: REVISIONS })).revisions

export const keptRevision = (endpoint: AdminEndpoint, number: number): Promise<ShownConfig> =>
  askFor(endpoint, { ...config.listRevisions, answer: KEPT_CONFIG }, { query: { number } })

/** All plans that the files declare, then others that accounts are on. */
export const accountsByPlan = async (endpoint: AdminEndpoint): Promise<readonly ShownPlanCount[]> =>
  (await askFor(endpoint, config.listPlans)).plans

/** A link to the console that signs its reader in, once. */
export async function consoleLink(endpoint: AdminEndpoint): Promise<string> {
  const { code, url } = await askFor(endpoint, issueCode, { body: {} })
  const own = new URL(url)
  // The gateway does not know whether it was reached by way of TLS.
  return own.host === new URL(endpoint.admin).host ? `${endpoint.admin}/console#code=${code}` : own.href
}

/** The gateways on the store of the one that is asked. */
export const fleetOf = (endpoint: AdminEndpoint): Promise<ShownFleet> => askFor(endpoint, fleet.showFleet)

export interface IncidentsQuery {
  /** The name of one, or `all` of the fleet. */
  readonly gateway: string
  readonly state: 'open' | 'all'
  readonly limit?: number | undefined
}

/** Reads incidents of gateways, open ones first. */
export const incidentsOf = (
  endpoint: AdminEndpoint,
  { gateway, state, limit = MOST_INCIDENTS }: IncidentsQuery,
): Promise<ShownIncidents> =>
  askFor(endpoint, fleet.listIncidents, { query: { gateway, state, limit: Math.min(limit, MOST_INCIDENTS) } })

/** A gateway keeps no more. */
const MOST_INCIDENTS = 200

/** Notices, newest first: as many as are asked for. */
export async function noticesOf(
  endpoint: AdminEndpoint,
  { state, limit = 50 }: { readonly state?: 'waiting' | 'failed' | undefined; readonly limit?: number | undefined },
): Promise<ShownNotices> {
  const ask = (most: number, before?: string) =>
    askFor(endpoint, notices.listNotices, { query: { state, before, limit: Math.min(most, MOST_NOTICES) } })
  let found = await ask(limit)
  while (found.next !== null && found.data.length < limit) {
    const more = await ask(limit - found.data.length, found.next)
    found = { ...more, data: [...found.data, ...more.data] }
  }
  return found
}

/** On a page. */
const MOST_NOTICES = 200

export const testTarget = (endpoint: AdminEndpoint, target: string) =>
  askFor(endpoint, notices.testTarget, { body: { target } })

export const retryNotices = (
  endpoint: AdminEndpoint,
  { id, target }: { readonly id: string | undefined; readonly target: string | undefined },
) =>
  askFor(endpoint, notices.retryNotices, {
    body: { ...(id !== undefined && { id }), ...(target !== undefined && { target }) },
  })

/** The processes of a gateway that has several; none where one process does all. */
export const processesOf = async (endpoint: AdminEndpoint): Promise<readonly ShownProcess[]> =>
  (await askFor(endpoint, fleet.listProcesses)).data

export interface NewFiles {
  /** The revision that they were compared with. */
  readonly previous: string
  /** The main one first, by names relative to its directory. */
  readonly files: readonly FileText[]
  /** Plans that accounts go to, by those that they are on. */
  readonly movePlans?: Readonly<Record<string, string>>
  readonly how: 'apply' | 'rollback'
  /** The gateways that are to serve them, all or none, with what they serve now; without it the one that is asked alone. */
  readonly fleet?: readonly Pick<ShownGateway, 'gateway' | 'revision'>[]
}

/** Sends files that are to serve. Rejects with ApplyRefused where the gateway does not take them. */
export async function applyFiles(
  endpoint: AdminEndpoint,
  { previous, files, movePlans = {}, how, fleet: members }: NewFiles,
): Promise<ShownApplied> {
  const all = members && { fleet: members.map(({ gateway, revision }) => ({ gateway, revision })) }
  const body = { previous, files, move_plans: movePlans, how, ...all }
  const refusal = ({ code, ...json }: JsonObject) =>
    code === 'APPLY_REFUSED' || code === 'REVISION_CHANGED' ? new ApplyRefused(code, json) : undefined
  return withWarningLines(await askFor(endpoint, config.applyConfig, { body, refusal }))
}

/** A gateway that does not take files, and goes on with those that served. The message has all that it says. */
export class ApplyRefused extends CommandFailed {
  readonly code: 'APPLY_REFUSED' | 'REVISION_CHANGED'
  /** Plans that would go away while accounts are on them; empty where that is not the reason. */
  readonly plansInUse: readonly { readonly plan: string; readonly accounts: number }[]

  constructor(code: ApplyRefused['code'], answer: JsonObject) {
    const { text, error, plans_in_use: inUse } = answer
    super(`${typeof text === 'string' && text !== '' ? `${text}\n` : ''}✗ ${String(error)}`)
    this.code = code
    this.plansInUse = Array.isArray(inUse)
      ? inUse.filter(isObject).map(({ plan, accounts }) => ({ plan: String(plan), accounts: Number(accounts) }))
      : []
  }
}

/** A pool, or one of its replicas by its URL or its number from 1. */
export interface PoolPlace {
  readonly pool?: string
  readonly replica?: string | number
}

type NamedPlace = PoolPlace & { readonly pool: string }

/** Operators' calls on the pools of a running gateway: no store knows of them. Rejects with CommandFailed. */
export interface PoolsApi {
  /** As the gateway of this name sees them, or as `all` of the fleet do. */
  list(gateway: string): Promise<FleetPools>
  /** Compares what one pool answered with what another one did to copies. */
  compare(query: QueryOf<typeof pools.comparePools>): Promise<ShownComparison>
  /** The pool as it is then. */
  drain(place: NamedPlace): Promise<ShownPool>
  undrain(place: NamedPlace): Promise<ShownPool>
  /** Probes all replicas, unless a place is given. */
  probe(place: PoolPlace): Promise<readonly ShownResult[]>
}

export const poolsOf = (endpoint: AdminEndpoint): PoolsApi => ({
  list: async gateway => ({
    ...{ gateways: [], unreached: [] },
    ...(await askFor(endpoint, pools.listPools, { query: { gateway } })),
  }),
  compare: query => askFor(endpoint, pools.comparePools, { query }),
  drain: body => askFor(endpoint, pools.drainPool, { body }),
  undrain: body => askFor(endpoint, pools.undrainPool, { body }),
  probe: async body => (await askFor(endpoint, pools.probePools, { body })).data,
})

/** A gateway that lives says something every 15 s. */
const SILENCE_MAX: Millis = 45_000

export interface Follow {
  /** An id or label; all accounts without it. */
  readonly account?: string
  /** The name of one, or `all` of the fleet. */
  readonly gateway: string
  /** Ends it: nothing more comes then. */
  readonly signal: AbortSignal
}

/**
 * The requests of gateways as they end, from the moment this resolves. They end with the signal; when the gateway
 * ends them, they reject with CommandFailed.
 */
export async function follow(
  endpoint: AdminEndpoint,
  { account, gateway, signal }: Follow,
): Promise<AsyncIterable<ShownEvent>> {
  const path = pathOf(followEvents, { query: { gateway, account } })
  const body = await openBody(endpoint, path, { signal, silence: SILENCE_MAX })
  return eventsIn(body, endpoint.admin, signal)
}

async function* eventsIn(
  body: AsyncIterable<Buffer>,
  admin: string,
  signal: AbortSignal,
): AsyncGenerator<ShownEvent, void, undefined> {
  const splitter = new SseSplitter()
  let reason = 'it has ended'
  try {
    for await (const bytes of body)
      for (const data of splitter.push(bytes)) yield readAs(EVENT, JSON.parse(data), 'event')
  } catch (error) {
    reason = error instanceof Error ? error.message : String(error)
  }
  if (!signal.aborted) throw new CommandFailed(`✗ the gateway at ${admin} is gone: ${reason}`, exitCodes.unreachable)
}

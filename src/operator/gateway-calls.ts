import type { FileText } from '../config/settings.ts'
import type { Millis } from '../policy/config.ts'
import { CommandFailed, exitCodes } from '../server/failure.ts'
import { type ArchiveRecord, readArchiveRecord } from '../wire/admin/archive-state.ts'
import { readShownEvent, type ShownEvent } from '../wire/admin/event.ts'
import { readFleet, type ShownFleet, type ShownGateway } from '../wire/admin/fleet.ts'
import { type FleetPools, readFleetPools } from '../wire/admin/fleet-pools.ts'
import { readIncidents, type ShownIncidents } from '../wire/admin/incident.ts'
import { readShownPool, readShownResults, type ShownPool, type ShownResult } from '../wire/admin/pool.ts'
import { readProcesses, type ShownProcess } from '../wire/admin/process.ts'
import {
  readConfig,
  readPlanCounts,
  readRevisionLines,
  readServedConfig,
  readShownApplied,
  type ServedConfig,
  type ShownApplied,
  type ShownConfig,
  type ShownPlanCount,
  type ShownRevisionLine,
} from '../wire/admin/revision.ts'
import { isObject, type JsonObject } from '../wire/json-safety.ts'
import { SseSplitter } from '../wire/sse.ts'
import type { AdminEndpoint } from './operator-api.ts'
import { askGateway, openBody, postToGateway } from './remote.ts'

// Each asks a running gateway, and rejects with CommandFailed when it refuses.

export const servedConfig = async (endpoint: AdminEndpoint): Promise<ServedConfig> =>
  readServedConfig(await askGateway(endpoint, 'GET', '/admin/config'))

export const archiveState = async (endpoint: AdminEndpoint): Promise<ArchiveRecord> =>
  readArchiveRecord(await askGateway(endpoint, 'GET', '/admin/archive'))

/** Newest first. */
export const keptRevisions = async (endpoint: AdminEndpoint): Promise<readonly ShownRevisionLine[]> =>
  readRevisionLines(await askGateway(endpoint, 'GET', '/admin/revisions'))

export const keptRevision = async (endpoint: AdminEndpoint, number: number): Promise<ShownConfig> =>
  readConfig(await askGateway(endpoint, 'GET', `/admin/revisions?number=${number}`), 'at')

/** All plans that the files declare, then others that accounts are on. */
export const accountsByPlan = async (endpoint: AdminEndpoint): Promise<readonly ShownPlanCount[]> =>
  readPlanCounts(await askGateway(endpoint, 'GET', '/admin/plans'))

/** A link to the console that signs its reader in, once. */
export async function consoleLink(endpoint: AdminEndpoint): Promise<string> {
  const { code, url } = await postToGateway(endpoint, '/admin/console/code', {}, () => undefined)
  const own = new URL(String(url))
  // The gateway does not know whether it was reached by way of TLS.
  return own.host === new URL(endpoint.admin).host ? `${endpoint.admin}/console#code=${code}` : own.href
}

/** The gateways on the store of the one that is asked. */
export const fleetOf = async (endpoint: AdminEndpoint): Promise<ShownFleet> =>
  readFleet(await askGateway(endpoint, 'GET', '/admin/fleet'))

export interface IncidentsQuery {
  /** The name of one, or `all` of the fleet. */
  readonly gateway: string
  readonly state: 'open' | 'all'
  readonly limit?: number | undefined
}

/** Reads incidents of gateways, open ones first. */
export async function incidentsOf(
  endpoint: AdminEndpoint,
  { gateway, state, limit = MOST_INCIDENTS }: IncidentsQuery,
): Promise<ShownIncidents> {
  const words = new URLSearchParams({ gateway, state, limit: String(Math.min(limit, MOST_INCIDENTS)) })
  return readIncidents(await askGateway(endpoint, 'GET', `/admin/incidents?${words}`))
}

/** A gateway keeps no more. */
const MOST_INCIDENTS = 200

/** The processes of a gateway that has several; none where one process does all. */
export const processesOf = async (endpoint: AdminEndpoint): Promise<readonly ShownProcess[]> =>
  readProcesses(await askGateway(endpoint, 'GET', '/admin/workers'))

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
  { previous, files, movePlans = {}, how, fleet }: NewFiles,
): Promise<ShownApplied> {
  const all = fleet && { fleet: fleet.map(({ gateway, revision }) => ({ gateway, revision })) }
  const body = { previous, files, move_plans: movePlans, how, ...all }
  const answer = await postToGateway(endpoint, '/admin/apply', body, ({ code, ...json }) =>
    code === 'APPLY_REFUSED' || code === 'REVISION_CHANGED' ? new ApplyRefused(code, json) : undefined,
  )
  return readShownApplied(answer)
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

/** Operators' calls on the pools of a running gateway: no store knows of them. Rejects with CommandFailed. */
export interface PoolsApi {
  /** As the gateway of this name sees them, or as `all` of the fleet do. */
  list(gateway: string): Promise<FleetPools>
  /** The pool as it is then. */
  drain(place: PoolPlace): Promise<ShownPool>
  undrain(place: PoolPlace): Promise<ShownPool>
  /** Probes all replicas, unless a place is given. */
  probe(place: PoolPlace): Promise<readonly ShownResult[]>
}

export function poolsOf(endpoint: AdminEndpoint): PoolsApi {
  const post = (path: string, body: object) => askGateway(endpoint, 'POST', `/admin/pools/${path}`, body)
  return {
    list: async gateway =>
      readFleetPools(await askGateway(endpoint, 'GET', `/admin/pools?${new URLSearchParams({ gateway })}`)),
    drain: async place => readShownPool(await post('drain', place)),
    undrain: async place => readShownPool(await post('undrain', place)),
    probe: async place => readShownResults(await post('probe', place)),
  }
}

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
  const words = new URLSearchParams({ gateway, ...(account !== undefined && { account }) })
  const body = await openBody(endpoint, `/admin/events?${words}`, { signal, silence: SILENCE_MAX })
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
    for await (const bytes of body) for (const data of splitter.push(bytes)) yield readShownEvent(JSON.parse(data))
  } catch (error) {
    reason = error instanceof Error ? error.message : String(error)
  }
  if (!signal.aborted) throw new CommandFailed(`✗ the gateway at ${admin} is gone: ${reason}`, exitCodes.unreachable)
}

import type { Settings } from '../config/settings.ts'
import type { Fleet } from '../gateway/fleet/fleet.ts'
import type { StoreHealth } from '../gateway/store-health.ts'
import type { Config, EpochMs } from '../policy/config.ts'
import { driftOf } from '../wire/admin/fleet.ts'
import { type KnownProcess, type ProcessList, shownProcess, type WorkerState } from '../wire/admin/process.ts'
import type { Reloads } from './changes.ts'
import type { HttpCall } from './listener/call.ts'
import { UNCACHED } from './uncached.ts'

/** Dependencies of the readiness probe. */
export interface ReadyApp {
  readonly config: Config
  readonly settings: Settings
  /** False once the process is on its way out. */
  readonly ready: () => boolean
  /** Whether the store can be written, asked at most once in a second. */
  readonly storeHealth: Pick<StoreHealth, 'isWritable'>
}

export interface ReadyInDetailApp extends ReadyApp {
  /** 1 since the start, and one more with each reload. */
  readonly generation: number
  /** When the configuration was loaded. */
  readonly loadedAt: EpochMs
  readonly reloads: Reloads
  /** The gateways on the store. */
  readonly fleet: Pick<Fleet, 'members'>
  /** The workers of a gateway of several processes, as main knows them; absent in any other process. */
  readonly workers?: () => readonly WorkerState[]
}

/**
 * GET /readyz for balancers: 503 once the process is on its way out, or cannot write its own store, so that they send no clients
 * here. At the start it is answered once operators can be answered too: a script that waits for it may mint keys at once.
 */
export async function showReady(app: ReadyApp & { readonly begun: Promise<void> }, call: HttpCall): Promise<void> {
  await app.begun
  if (!app.ready()) return call.deny({ code: 'DRAINING' })
  if (hasOwnStore(app) && !(await app.storeHealth.isWritable())) return call.deny({ code: 'STORE_UNAVAILABLE' })
  call.json(200, { status: 'ready', revision: app.config.revision })
}

/** Readiness for operators, with the details that are theirs alone. */
export async function showReadyInDetail(app: ReadyInDetailApp, call: HttpCall): Promise<void> {
  if (!app.ready()) return call.deny({ code: 'DRAINING' })
  const { config, generation, loadedAt, reloads, fleet } = app
  const { ok, failed, lastError } = reloads
  const isWritable = await app.storeHealth.isWritable()
  const workers = app.workers?.()
  const isServed = !workers || workers.some(({ state }) => state === 'serving')
  const isReady = isServed && (isWritable || !hasOwnStore(app))
  const record = {
    status: isReady ? 'ready' : 'unavailable',
    revision: config.revision,
    generation,
    loaded_at: timeText(loadedAt),
    store: isWritable ? 'ok' : 'unavailable',
    fleet: { gateways: fleet.members.length, drift: driftOf(fleet.members).map(({ of }) => of) },
    reload: { ok, failed, ...(lastError && { last_error: { ...lastError, at: timeText(lastError.at) } }) },
    ...(workers && { workers: workers.map(shownWorker) }),
  }
  call.json(isReady ? 200 : 503, record, UNCACHED)
}

const shownWorker = ({ startedAt, inFlight, ...worker }: WorkerState): object => ({
  ...worker,
  in_flight: inFlight,
  started_at: timeText(startedAt),
})

/** The disk of another gateway may have room. All gateways share one Redis, so another gateway could not serve either. */
const hasOwnStore = ({ settings }: ReadyApp): boolean => settings.store.kind === 'embedded'

const timeText = (at: number): string => new Date(at).toISOString()

/** GET /admin/workers: the processes of this gateway, and how each does; none where one process does all. */
export async function listProcesses({
  processes,
}: {
  readonly processes?: () => Promise<readonly KnownProcess[]>
}): Promise<ProcessList> {
  const known = (await processes?.()) ?? []
  return { object: 'list', data: known.map(shownProcess) }
}

/** Metrics in the Prometheus exposition format. */
export interface Exposition {
  readonly type: string
  readonly text: string
}

/** GET /metrics: what this process counted since its start. */
export async function showMetrics(
  { metrics }: { readonly metrics: () => Promise<Exposition> },
  call: HttpCall,
): Promise<void> {
  const { type, text } = await metrics()
  call.send(200, type, Buffer.from(text), UNCACHED)
}

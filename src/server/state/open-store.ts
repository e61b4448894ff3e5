import { lstat, mkdir, readdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { steadyClock } from '../../adapters/embedded/steady-clock.ts'
import { openEmbeddedStore } from '../../adapters/embedded/store.ts'
import { closeToOthers, type Lock, lockDirectory, StoreLocked } from '../../adapters/embedded/store-directory.ts'
import type { StoreMemory } from '../../adapters/embedded/store-identity.ts'
import type { Proven } from '../../adapters/redis/servers/shards.ts'
import type { RedisStore } from '../../adapters/redis/store.ts'
import type { Loaded, Settings, StoreSettings } from '../../config/settings.ts'
import type { Alarm } from '../../gateway/ports.ts'
import type { Wrote } from '../../gateway/store/ledger-store.ts'
import type { Store } from '../../gateway/store/store.ts'
import type { Millis } from '../../policy/config.ts'
import { CommandFailed, storeFailure } from '../failure.ts'
import type { World } from '../world.ts'

export interface AsGateway {
  /** How long rows are kept, as the files say then. */
  readonly keep: () => Millis
  /** Hears of the rows it writes. */
  readonly wrote: Wrote
  /** True if the operator wants a new store instead of the missing one. */
  readonly newStore?: boolean
}

/** Opens the store of a configuration, as a gateway or as an operator's tool. Rejects with what `storeFailure` explains. */
export async function openStore(
  { store, brand, server }: Settings,
  world: World,
  alarm: Alarm,
  as: AsGateway | 'tool',
): Promise<OpenedStore> {
  const heard = as === 'tool' ? {} : { wrote: as.wrote }
  if (store.kind === 'embedded')
    return openEmbeddedStore({
      ...{
        path: store.path,
        now: steadyClock(world.clock.now, world.clock.elapsed),
        memory: memoryOf(server, as),
        alarm,
        hasJournal: as !== 'tool',
        ...heard,
      },
      ...(as !== 'tool' && { patience: LOCK_PATIENCE_MS }),
    })
  // Imported late: a gateway without Redis does not load its client.
  const { openRedisStore } = await import('../../adapters/redis/store.ts')
  const state = as === 'tool' ? {} : { stateDir: server.stateDir, keep: as.keep, ...heard }
  const { redisAnswerMs: answerMs = store.answerTimeout } = world
  return openRedisStore({
    ...serverOf(store),
    prefix: brand,
    alarm,
    ...state,
    answerMs,
  })
}

const memoryOf = ({ stateDir }: Settings['server'], as: AsGateway | 'tool'): StoreMemory => ({
  ...{ stateDir, remembers: as !== 'tool' },
  mayBegin: as !== 'tool' && as.newStore === true,
})

/** A store that is reached over a network can be reached in another way while it is open. */
export type OpenedStore = Store & Partial<Pick<RedisStore, 'prove'>>

type RedisSettings = Extract<StoreSettings, { kind: 'redis' }>

/** How a store in Redis is reached. */
export const serverOf = ({ url, sentinelPassword, tls }: Omit<RedisSettings, 'kind' | 'shown' | 'answerTimeout'>) => ({
  url: url.reveal(),
  ...(sentinelPassword && { sentinelPassword: sentinelPassword.reveal() }),
  tls: Object.fromEntries(Object.entries(tls).map(([name, pem]) => [name, pem.reveal()])),
})

/** The directory of a slot's worker for a store on Redis. */
export const slotDirectory = ({ server }: Pick<Settings, 'server'>, slot: number | string): string =>
  join(server.stateDir, SLOTS, String(slot))

const SLOTS = 'workers'

/** Proves how the files of a reload say that the store is reached. Rejects where it is not reached so. */
export function storeProof(
  store: Partial<Pick<RedisStore, 'prove'>>,
  first: StoreSettings,
): (next: StoreSettings) => Promise<Proven> {
  let serving = first
  return async next => {
    const isSame =
      next.kind !== 'redis' || serving.kind !== 'redis' || isDeepStrictEqual(serverOf(next), serverOf(serving))
    if (isSame || !store.prove) return NOTHING_NEW
    const { put, drop } = await store.prove(serverOf(next)).catch(error => {
      throw storeFailure(error, next) ?? error
    })
    const serve = () => {
      serving = next
      put()
    }
    return { put: serve, drop }
  }
}

/** The store is reached as before. */
export const NOTHING_NEW: Proven = { put: () => {}, drop: () => {} }

/** How long a gateway that starts waits for the one before it, whose processes may still end. */
export const LOCK_PATIENCE_MS: Millis = 5000

/** Locks `state_dir` for this gateway, where the store does not: one process alone sends the charges that wait there for the store. */
export async function lockState({ store, server }: Settings, patience?: Millis): Promise<Lock> {
  if (store.kind === 'embedded') return { release: async () => {} }
  await mkdir(server.stateDir, { recursive: true, mode: 0o700 })
  return lockDirectory(server.stateDir, patience).catch(error => {
    if (!(error instanceof StoreLocked)) throw error
    throw new StateTaken(server.stateDir)
  })
}

/** Another process has `state_dir`, or that of a slot: of another gateway, or of the one before this, where it hangs. */
export class StateTaken extends CommandFailed {
  /** A field travels from a worker to main, and a class does not. */
  readonly taken: string

  constructor(stateDir: string) {
    super(`✗ another process uses ${stateDir}: give each gateway a server.state_dir of its own, and end one that hangs`)
    this.taken = stateDir
  }
}

/** Files that a gateway itself writes into its state directory. */
const FILES = ['admin.token', 'guest-secret', 'store-epoch', 'store-identity.json', 'data.mdb', 'lock.mdb']
/** Directories in which everything is written by the gateway. */
const DIRECTORIES = ['revisions', 'spool', 'journal', 'decisions']

/**
 * Takes from other users of the machine what an earlier version, a copy or a restored backup left open to them. Reports
 * what belongs to another user and stays open; never rejects, for a gateway serves all the same.
 */
export async function closeState({ settings, files }: Pick<Loaded, 'settings' | 'files'>, alarm: Alarm): Promise<void> {
  const { server, store, decisions } = settings
  const state = server.stateDir
  const own = DIRECTORIES.map(name => join(state, name))
  const shared = new Set(files.map(file => dirname(resolve(file))))
  const paths = [
    ...[state, ...(store.kind === 'embedded' ? [store.path] : [])].filter(each => !shared.has(each)),
    ...FILES.map(name => join(state, name)),
    ...own,
    ...(await Promise.all([...own, decisions.directory].map(filesIn))).flat(),
  ]
  const open: string[] = []
  for (const path of new Set(paths)) {
    if (!(await closed(path))) open.push(path)
  }
  if (open.length > 0)
    alarm('other users of this machine may read what the gateway keeps, and it may not change that', {
      paths: open.slice(0, 10),
    })
}

export async function filesIn(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => [])
  return entries.filter(entry => entry.isFile()).map(({ name }) => join(directory, name))
}

/** False if others may still read it. A missing file counts as closed. */
async function closed(path: string): Promise<boolean> {
  if (!(await lstat(path).catch(() => undefined))) return true
  return closeToOthers(path).then(
    () => true,
    () => false,
  )
}

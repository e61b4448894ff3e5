import { fork } from 'node:child_process'
import type { StoreMemory } from '../../adapters/embedded/store-identity.ts'
import type { StoreSettings } from '../../config/settings.ts'
import type { Alarm } from '../../gateway/ports.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'
import { CommandFailed, storeFailure } from '../failure.ts'
import { LOCK_PATIENCE_MS } from '../state/open-store.ts'
import { eventOf, Peer } from './peer.ts'
import type { ProcessMetrics } from './vitals.ts'

/** The process that has the embedded store, as the one that started it sees it. */
export interface StoreChild {
  readonly pid: number
  readonly startedAt: EpochMs
  /** Resolves with its exit code: nothing is known of what runs from then on. */
  readonly ended: Promise<number | null>
  metrics(): Promise<ProcessMetrics>
  /** Has it write what waits, and end. Resolves with whether all was written. */
  close(): Promise<boolean>
  /** Kills it at once. */
  kill(): void
}

/** The store that the process serves, and where. */
export interface StoreTask {
  /** The directory of the store. */
  readonly path: string
  readonly socket: string
  readonly memory: StoreMemory
  /** How long to wait for the process of a gateway that ends, and still has the store. */
  readonly patience: Millis
}

export type StoreCalls = {
  /** Rejects as the store does that cannot be opened. */
  serve(task: StoreTask): Promise<void>
  close(): Promise<boolean>
  metrics(): Promise<ProcessMetrics>
}

export type StoreNews = {
  alarm(message: string, details: Readonly<Record<string, unknown>>): void
}

/** Starts it. Resolves once it serves; rejects with CommandFailed where its store cannot be opened. */
export async function startStoreProcess(
  settings: Extract<StoreSettings, { kind: 'embedded' }>,
  socket: string,
  memory: StoreMemory,
  alarm: Alarm,
): Promise<StoreChild> {
  const child = fork(new URL(`store-process${extension}`, import.meta.url), [], { serialization: 'advanced' })
  const startedAt = Date.now()
  const ended = eventOf<[number | null]>(child, 'exit').then(([code]) => code)
  const peer = new Peer<StoreCalls>(child, { alarm } satisfies StoreNews)
  try {
    await peer.ask('serve', { path: settings.path, socket, memory, patience: LOCK_PATIENCE_MS })
  } catch (error) {
    child.kill('SIGKILL')
    if (error instanceof Error && error.name === 'PeerGone') throw new CommandFailed('✗ the store process ended')
    throw storeFailure(error, settings) ?? error
  }
  const { pid = 0 } = child
  return {
    pid,
    startedAt,
    ended,
    metrics: () => peer.ask('metrics'),
    close: async () => {
      const isWritten = await peer.ask('close').catch(() => false)
      if (child.connected) child.disconnect()
      await ended
      return isWritten
    },
    kill: () => void child.kill('SIGKILL'),
  }
}

/** Like this file: the sources, or their compiled form. */
const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'))

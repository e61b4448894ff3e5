import { availableParallelism } from 'node:os'
import type { Settings } from '../config/settings.ts'

/** How many processes serve clients. One serves them itself, without a hop. */
export function workerCount(
  { server, store }: Pick<Settings, 'server' | 'store'>,
  cores = availableParallelism(),
): number {
  if (server.workers !== 'auto') return server.workers
  if (cores < LEAST_CORES) return 1
  // The process of the embedded store takes a core; one Redis is busy with four workers.
  return store.kind === 'embedded' ? cores - 1 : Math.min(cores, MOST_ON_REDIS)
}

/** With fewer, several processes serve no more than one does (docs/decisions). */
const LEAST_CORES = 4
const MOST_ON_REDIS = 4

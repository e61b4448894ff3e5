import type { Examined } from '../../config/load.ts'
import { within } from '../world.ts'
import { PREPARE_MS } from './calls.ts'
import type { Slot } from './slot.ts'

/** A configuration and the number of this attempt: an abandoned attempt may end after the next one has begun. */
interface Attempt {
  readonly attempt: number
  readonly generation: number
  readonly examined: Examined
  readonly fingerprint: string
}

/** A configuration that every worker has opened. */
export interface Prepared {
  /** Resolves once every worker serves it. */
  readonly commit: () => Promise<void>
  readonly abort: () => void
}

/**
 * Has all workers open a configuration. Rejects if one refuses it or ends; then none serves it. `outOfStep` ends a live
 * worker that does not serve what the others serve, so that it is replaced.
 */
export async function prepareInAll(
  workers: () => readonly Slot[],
  { attempt, generation, examined, fingerprint }: Attempt,
  outOfStep: (worker: Slot, error: unknown) => Promise<unknown>,
): Promise<Prepared> {
  // A worker that does not listen yet gets it before or when it does.
  const prepared = workers().filter(({ state }) => state === 'serving' || state === 'silent')
  const abort = () => {
    for (const { peer } of prepared) peer.tell('abort', attempt)
  }
  const asked = Promise.all(prepared.map(({ peer }) => peer.ask('prepare', attempt, generation, examined)))
  try {
    if (!(await within(PREPARE_MS, asked))) throw new Error('a worker did not open the configuration in time')
    const opened = await asked
    if (opened.some(each => each !== fingerprint)) throw new Error('a worker opened another configuration')
  } catch (error) {
    asked.catch(() => {})
    abort()
    throw error
  }
  const follow = async ({ peer, listening }: Slot) => {
    await listening
    await peer.ask('prepare', attempt, generation, examined)
    await peer.ask('commit', attempt)
  }
  const inStep = (worker: Slot, serves: Promise<unknown>) => serves.catch(error => outOfStep(worker, error))
  return {
    commit: async () => {
      await Promise.all(prepared.map(worker => inStep(worker, worker.peer.ask('commit', attempt))))
      // Workers that started meanwhile have the previous configuration.
      const late = workers().filter(worker => !prepared.includes(worker) && worker.state !== 'gone')
      await Promise.all(late.map(worker => inStep(worker, follow(worker))))
    },
    abort,
  }
}

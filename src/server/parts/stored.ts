import { CallerWatch } from '../../gateway/accounts/caller-watch.ts'
import { KeyUses } from '../../gateway/accounts/key-uses.ts'
import { Leases } from '../../gateway/admission/leases.ts'
import type { Archiving } from '../../gateway/archive/archiver.ts'
import type { Store } from '../../gateway/store/store.ts'
import { StoreHealth } from '../../gateway/store-health.ts'
import type { Millis } from '../../policy/config.ts'
import { startArchiving } from '../archiving.ts'
import { storedFor } from '../open-archive.ts'
import type { OpenState } from '../state/open-state.ts'
import type { AsGateway } from '../state/open-store.ts'
import { within } from '../world.ts'
import type { Base } from './base.ts'
import type { Part } from './open-parts.ts'

/** The store with its archive, and what requests keep open in it. */
export interface Stored extends Pick<OpenState, 'proveStore'>, Part {
  readonly store: Store
  /** Progress of moving rows to an archive; undefined where they stay. */
  readonly archiving: () => Archiving | undefined
  readonly storeHealth: StoreHealth
  readonly callerWatch: CallerWatch
  readonly keyUses: KeyUses
  readonly leases: Leases
  /** Resolves with whether all that was settled is in the ledger, or on the disk that stands in for it. */
  close(): Promise<boolean>
}

interface StoredPorts {
  readonly openState: (as: AsGateway) => Promise<OpenState>
  /** True if the operator wants a new store instead of the missing one. */
  readonly newStore?: boolean | undefined
  /** Set where another process of the gateway takes rows to the archive. */
  readonly isReader?: boolean
}

export async function openStored(base: Base, { openState, newStore = false, isReader }: StoredPorts): Promise<Stored> {
  const { loaded, world, clock, metrics, alarm, serving } = base
  const ledger = () => serving.settings.ledger
  const state = await openState({ keep: () => storedFor(ledger()), wrote: metrics.wrote, newStore })
  const archives = { ...world, ledger, alarm, ...(isReader && { isReader }) }
  const archive = await startArchiving(state.store, loaded.settings, archives).catch(async error => {
    await state.close(FLUSH_MS)
    throw error
  })
  const { store } = archive
  const callerWatch = new CallerWatch(store, clock)
  const keyUses = new KeyUses(store.keys, clock)
  const leases = new Leases(store.holds, clock, alarm)
  serving.follow(({ config }) => leases.follow(config))
  return {
    ...{ store, archiving: archive.state, storeHealth: new StoreHealth(store, clock), callerWatch, keyUses, leases },
    proveStore: state.proveStore,
    close: async () => {
      leases.stop()
      callerWatch.stop()
      await within(FLUSH_MS, keyUses.stop())
      await archive.close(LAST_BATCH_MS)
      return state.close(FLUSH_MS)
    },
  }
}

/** How long the ledger may take to be written at the end. */
export const FLUSH_MS: Millis = 5000

/** A batch that is interrupted comes again. */
const LAST_BATCH_MS: Millis = 1000

import type { Pools } from '../../gateway/pools/pools.ts'
import { StoreSlots } from '../../gateway/pools/store-slots.ts'
import type { FleetStore } from '../../gateway/store/fleet-store.ts'
import type { Base } from './base.ts'
import type { Part } from './open-parts.ts'

const HOLDER_BYTES = 12

/** Leases the slots of pools that the current configuration declares with `max_concurrent_over: store`. */
export interface SharedSlotPools extends Part {
  /** Starts leasing. Call it after other processes share the pools and before the first request. */
  begin(): void
}

export function openSharedSlots(
  { world, alarm, serving }: Base,
  { pools, store }: { readonly pools: Pools; readonly store: FleetStore },
): SharedSlotPools {
  const { clock, random } = world
  const holder = Buffer.from(random(HOLDER_BYTES)).toString('base64url')
  const shared = new Map<string, StoreSlots>()
  const follow = () => {
    const declared = serving.current.config.pools
    for (const { name, slotsOver } of declared.values()) {
      if (slotsOver !== 'store' || shared.has(name)) continue
      shared.set(name, new StoreSlots({ store, clock, alarm, holder }, name, pools.of(name).slots))
    }
    for (const [name, slots] of shared) {
      if (declared.get(name)?.slotsOver === 'store') continue
      shared.delete(name)
      pools.lendAsBefore(name)
      void slots.close()
    }
  }
  serving.follow(follow)
  return {
    begin: follow,
    close: () => Promise.all([...shared.values()].map(slots => slots.close())),
  }
}

import { startUpkeep } from '../upkeep.ts'
import type { Base } from './base.ts'
import type { Part } from './open-parts.ts'
import type { Stored } from './stored.ts'

/** Maintains the store. Only one process of a gateway does it. */
export function openUpkeep({ clock, alarm, serving }: Base, { store, archiving, leases }: Stored): Part {
  const close = startUpkeep(store, {
    clock,
    keep: () => serving.settings.ledger.keep,
    isArchived: () => archiving() !== undefined,
    calendar: () => serving.current.config.calendar,
    alarm,
    renew: () => leases.renewOverdue(),
    keptBytes: () => serving.settings.responses?.maxBytesTotal,
  })
  return { close }
}

import type { FileText } from '../../config/settings.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'
import type { SlotGrant, SlotReport } from '../../policy/queue/shared-slots.ts'
import type { Member } from '../../wire/admin/fleet.ts'

/** The knowledge of each other that gateways on one store have: one facet of the Store, see there for atomicity, clock and outages. */
export interface FleetStore {
  /** The gateway counts as one of the fleet for so long from now on, in place of what it announced before. */
  announce(member: Member, lease: Millis): Promise<FleetState>
  /** The gateway with this id is no longer one of the fleet. */
  leave(id: string): Promise<void>
  read(): Promise<FleetState>
  /** New requests are kept from a pool or a replica by all gateways, or sent there again. Durable. */
  setDrained(place: DrainedPlace, drained: boolean): Promise<void>
  /**
   * Puts a change of all gateways in the place of the one that is known; false, with nothing changed, where that is not
   * the one expected. Durable. A new change comes with its content; that of changes which were dropped, or which another
   * one followed, is forgotten.
   */
  setChange(next: FleetChange, expected: FleetChange | undefined, content?: ChangeContent): Promise<boolean>
  /**
   * The counts of canaries as gateways wrote them, by the names of model and pool. A restart keeps them; a backup does not
   * have them, and Redis may lose the last moment of them in a failover.
   */
  readCanaries(): Promise<Readonly<Record<string, string>>>
  /** Replaces the counts of a canary, or removes them; false, with nothing changed, where they are not those expected. */
  setCanary(name: string, next: string | undefined, expected: string | undefined): Promise<boolean>
  /** The secret from which all gateways on the store derive who shares cached prompts; `fresh` is it where there is none yet. Durable. */
  cacheSeed(fresh: string): Promise<string>
  /** The content of the last change and of the last one that was committed; undefined for others. */
  readChange(id: string): Promise<ChangeContent | undefined>
  /**
   * Passes a text to the other gateways, and reads theirs. A text that is not read within a few seconds may be dropped, and all of
   * them are after a minute without news.
   */
  passNews(passed: PassedNews): Promise<HeardNews>
  /** A process reports its part in a pool whose slots are shared, and is granted slots that are free; those it has are its own for the lease. */
  shareSlots(pool: string, report: SlotReport, lease: Millis): Promise<SlotGrant>
}

/** How long a process that does not report keeps its slots of shared pools. */
export const SLOT_LEASE: Millis = 5000

export interface PassedNews {
  /** The id of the gateway. */
  readonly from: string
  /** Absent where there is nothing to pass on. */
  readonly text?: string
  /** The place up to which it has read: that of the answer before, and empty at first. */
  readonly after: string
}

export interface HeardNews {
  /** Texts of other gateways, oldest first; some at a time. */
  readonly texts: readonly { readonly from: string; readonly text: string }[]
  readonly last: string
}

/** A pool, or one replica of it by its URL, that an operator wants no new requests sent to. */
export interface DrainedPlace {
  readonly pool: string
  readonly replica?: string
}

/** A change of what all gateways serve. */
export interface FleetChange {
  readonly id: string
  /** Nothing changes before it is committed, and everything does after that, whatever dies meanwhile. */
  readonly phase: 'preparing' | 'committed' | 'dropped'
  /** The revision that it leads to. */
  readonly revision: string
  readonly by: string
  /** Ids of the gateways that it changes. */
  readonly members: readonly string[]
  /** While it is prepared: from this moment on it counts as dropped. */
  readonly until: EpochMs
  /** The newest changes before it that were committed, newest first. */
  readonly before: readonly string[]
}

/** The files that a change brings to every gateway. */
export interface ChangeContent {
  /** The main file first. */
  readonly files: readonly FileText[]
  readonly how: 'apply' | 'rollback'
  readonly by: string
  /** Plans, and those that accounts on them go to. */
  readonly movePlans: readonly (readonly [string, string])[]
}

/** Ids of the changes whose content may still be asked for. */
export const contentKept = ({ id, before }: FleetChange): readonly string[] => [id, ...before.slice(0, 1)]

export interface FleetState {
  readonly at: EpochMs
  /** Those that are there, in the order of their start. */
  readonly members: readonly Member[]
  readonly drained: readonly DrainedPlace[]
  /** The last one. */
  readonly change?: FleetChange
}

/** In the order in which they are shown. */
export const inOrder = (members: readonly Member[]): readonly Member[] =>
  [...members].sort((a, b) => a.since - b.since || (a.id < b.id ? -1 : 1))

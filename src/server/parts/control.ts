import type { Loaded, Settings } from '../../config/settings.ts'
import { type Audited, auditedIn } from '../../gateway/accounts/audited.ts'
import { Canaries } from '../../gateway/canary/canaries.ts'
import type { Pools } from '../../gateway/pools/pools.ts'
import type { Store } from '../../gateway/store/store.ts'
import type { Feed } from '../../http/feed.ts'
import type { Applier } from '../apply/applier.ts'
import { type Changes, changesOf, type FilesOf } from '../changes.ts'
import { type FleetPart, fleetPart } from '../fleet/fleet.ts'
import type { Opened } from '../reloader.ts'
import { within } from '../world.ts'
import type { Base } from './base.ts'
import type { OpenParts } from './open-parts.ts'
import { FLUSH_MS } from './stored.ts'

interface ControlPorts {
  readonly hooks: FilesOf & { readonly say?: (text: string) => void; readonly adminToken: string }
  /** Name of the process in its log. */
  readonly name: string
  readonly store: Pick<Store, 'accounts' | 'fleet'>
  readonly pools: Pools
  readonly feed: Feed
  readonly tellPool: (name: string) => void
  /** Puts a configuration into use in all processes of the gateway. */
  readonly open: (next: Loaded, generation: number) => Promise<Opened>
  /** Running requests of all processes. */
  readonly underWay: () => number
  /** The server settings, with the actual address of the admin listener. */
  readonly server: () => Settings['server']
}

/** The paths by which a gateway changes: its files, its operators, and the other gateways of its fleet. */
export interface Control extends Pick<Changes, 'reloader' | 'revisions' | 'compare'>, FleetPart {
  readonly applier: Applier
  readonly audited: Audited
  readonly canaries: Canaries
}

export function openControl(parts: OpenParts, base: Base, ports: ControlPorts): Control {
  const { loaded, world, clock, alarm, serving } = base
  const { hooks, name, store, pools, feed, tellPool, open, underWay, server } = ports
  const audited = auditedIn(store.accounts, alarm)
  const { applierOn, ...changes } = changesOf(loaded, {
    ...hooks,
    open: next => open(next, serving.current.generation + 1),
    ...{ clock, alarm, say: hooks.say ?? (() => {}), audited },
  })
  parts.addBeside({ close: async () => void (await within(FLUSH_MS, changes.revisions.written())) })
  const applier = applierOn(store.accounts)
  const fleet = fleetPart({
    ...{
      store: store.fleet,
      clock,
      alarm,
      random: world.random,
      name,
      adminToken: hooks.adminToken,
      applier,
      underWay,
    },
    stateDir: loaded.settings.server.stateDir,
    current: () => {
      const { revision } = serving.current.config
      return { revision, server: server(), sections: changes.reloader.serving.sections }
    },
    heard: ({ drained }) => {
      for (const pool of pools.follow(drained)) tellPool(pool)
    },
  })
  const canaries = new Canaries({
    ...{ store: store.fleet, pools, clock, alarm, audited, fleet: fleet.fleet, changed: tellPool },
    config: () => serving.current.config,
  })
  pools.followOutcomes(outcome => canaries.add(outcome))
  parts.addBeside({ close: async () => void (await within(FLUSH_MS, canaries.close())) })
  changes.revisions.follow(revision => {
    feed.serves(revision)
    void fleet.fleet.announceSoon()
  })
  return { ...changes, ...fleet, applier, audited, canaries }
}

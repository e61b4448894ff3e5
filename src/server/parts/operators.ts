import type { Registry } from 'prom-client'
import { failuresOf, jsonOf } from '../../adapters/metrics/series-counts.ts'
import type { Address } from '../../config/model/formats.ts'
import type { Loaded } from '../../config/settings.ts'
import { operatorFamily } from '../../http/admin/admin.ts'
import type { Feed } from '../../http/feed.ts'
import type { Snapshots } from '../../http/listener/app.ts'
import { type Listener, serve } from '../../http/listener/server.ts'
import type { MainApp, MainProcess } from '../app.ts'
import type { Opened } from '../reloader.ts'
import type { Base } from './base.ts'
import { type Control, openControl } from './control.ts'
import { openCounted } from './counted.ts'
import { poolTeller } from './feeds.ts'
import type { GatewayHooks } from './hooks.ts'
import { adminTlsOf, listenAt } from './listen.ts'
import { newLimits } from './new-limits.ts'
import { openNotices } from './notices.ts'
import type { OpenParts } from './open-parts.ts'
import { type OperatorPorts, operatorPorts } from './operator-ports.ts'
import { operatorSignIn, type SignInPorts } from './sign-in.ts'
import { watchGateway } from './state.ts'
import type { Stored } from './stored.ts'
import type { Upstream } from './upstream.ts'

interface OperatorsPorts {
  readonly hooks: GatewayHooks
  /** Name of the process in its log. */
  readonly name: string
  readonly stored: Stored
  readonly upstream: Upstream
  readonly feed: Feed
  /** Metrics of all processes of the gateway. */
  readonly registries: () => Promise<readonly Registry[]>
  /** Running requests of all of them. */
  readonly underWay: () => number
  /** Opens a configuration in each of them. */
  readonly open: (next: Loaded, generation: number) => Promise<Opened>
}

/** The side of a gateway that operators reach. */
export interface Operators extends Control {
  /** Ports of its endpoints. */
  readonly ports: OperatorPorts & SignInPorts & Pick<MainProcess, 'feed' | 'incidents' | 'testTarget'>
  readonly beginLimits: ReturnType<typeof newLimits>
  /** Resolves once operators can reach the gateway, by the token that it left for them. */
  readonly begun: Promise<void>
  /** Reads the revisions that served before, and has limits begin that are new since. */
  prepare(): Promise<void>
  /** The admin listener, which listens once `listen` says so. */
  serve(snapshots: Snapshots<MainApp>): Listener
  /** Takes what the fleet holds for this gateway, before clients are served. */
  hearFleet(): Promise<void>
  listen(listener: Listener): Promise<Address>
  /** Is one of the fleet, and counts, from now on. */
  join(): Promise<void>
}

export function openOperators(parts: OpenParts, base: Base<MainProcess>, ports: OperatorsPorts): Operators {
  const { loaded, alarms, incidents, alarm, serving } = base
  const { hooks, name, stored, upstream, feed, registries, underWay, open } = ports
  const { store } = stored
  let { admin } = loaded.settings.server
  const tellPool = poolTeller(feed, () => serving.current, alarm)
  upstream.follow(tellPool)
  alarms.follow(newest => feed.alarmed(newest))
  incidents.count(async () => failuresOf(await jsonOf(await registries())))
  const server = () => ({ ...serving.settings.server, admin })
  const control = openControl(parts, base, {
    hooks,
    name,
    store,
    pools: upstream.pools,
    feed,
    tellPool,
    open,
    underWay,
    server,
  })
  const { fleet, revisions, begin, audited } = control
  const counted = openCounted(parts, base, { store, name, registries, gateway: () => fleet.self.id })
  const signIn = operatorSignIn(base, hooks, audited)
  const notices = parts.add(openNotices(base, { store, control }))
  revisions.follow(() => incidents.served())
  const beginLimits = newLimits(base, store)
  let end = () => {}
  const begun = new Promise<void>(resolve => {
    end = resolve
  })
  return {
    ...control,
    ports: {
      ...operatorPorts(base, { stored, control, counted }, { name, explain: hooks.explain }),
      ...signIn.ports,
      feed,
      incidents,
      testTarget: notices.test,
    },
    ...{ beginLimits, begun },
    prepare: async () => {
      await revisions.open()
      if (revisions.list()[0]?.revision !== loaded.config.revision) await beginLimits(loaded.config)
    },
    serve: snapshots => {
      const listener = serve(snapshots, operatorFamily, () => {}, { tls: adminTlsOf(serving) })
      serving.follow(() => listener.renew())
      watchGateway(base, stored, control)
      return listener
    },
    hearFleet: () => begin(() => revisions.start(loaded)),
    listen: async listener => {
      admin = await listenAt(listener.server, admin)
      // Not before it serves, and before the first operator can ask.
      revisions.start(loaded)
      hooks.leaveToken?.(signIn.tokenNow())
      end()
      return admin
    },
    join: async () => {
      await fleet.join()
      counted.start()
      control.canaries.start()
    },
  }
}

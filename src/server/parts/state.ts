import { KeptTotal } from '../../gateway/responses/kept-total.ts'
import type { Base } from './base.ts'
import type { Control } from './control.ts'
import type { Records } from './records.ts'
import type { Stored } from './stored.ts'
import type { Upstream } from './upstream.ts'

interface ProcessParts {
  readonly stored: Stored
  readonly records: Records
  readonly upstream: Upstream
}

/** Shows the present state of this process in metrics. */
export function watchProcess(base: Base, { stored, records, upstream }: ProcessParts, droppedLines = () => 0): void {
  const { clock, metrics, serving } = base
  const dropped = () => ({ decisions: records.decisions.counts.dropped, log: droppedLines() })
  const current = () => serving.current
  metrics.watch({ clock, pools: upstream.pools, current, dropped, underWay: () => stored.leases.underWay })
}

/** Shows that of the whole gateway. */
export function watchGateway(
  { clock, metrics, serving }: Base,
  stored: Stored,
  { reloader, fleet, canaries }: Control,
): void {
  const { store, archiving, storeHealth } = stored
  metrics.watchGateway({
    ...{ archiving, canaries, fleet, storeHealth },
    current: () => serving.current,
    reloads: reloader.counts,
    keptTotal: new KeptTotal(store.responses, clock),
    keptBytes: () => serving.settings.responses?.maxBytesTotal,
  })
}

import type { Identity } from '../../adapters/identity/identity.ts'
import type { Loaded, Settings } from '../../config/settings.ts'
import { Shared } from '../../gateway/lifetimes.ts'
import type { Snapshots } from '../../http/listener/app.ts'
import type { Config } from '../../policy/config.ts'
import type { Opened } from '../reloader.ts'
import { OpenSnapshots, openSnapshot, type Shares, type Snapshot, type SnapshotPorts } from '../snapshots.ts'
import type { OpenState } from '../state/open-state.ts'

interface ServingPorts<Process extends SnapshotPorts> {
  readonly process: Process
  readonly upstream: Pick<Shares<Process>, 'connections'>
  readonly records: Pick<Shares<Process>, 'tracing'>
  readonly stored: Pick<OpenState, 'proveStore'>
  /** Prepares limits that are new. Runs once nothing is in the way of the configuration. */
  readonly beginLimits?: (config: Config, before: Config) => Promise<void>
}

/** The configuration that serves: the first one from `begin` on, and each that takes its place. */
export class Serving<Process extends SnapshotPorts> {
  readonly #first: Loaded
  readonly #followers: ((next: Loaded) => void)[] = []
  #ports: (ServingPorts<Process> & { readonly shares: Shares<Process> }) | undefined
  #snapshots: OpenSnapshots<Process & Snapshot> | undefined

  constructor(first: Loaded) {
    this.#first = first
  }

  /** Also before anything serves: those that are to serve first. */
  get settings(): Settings {
    return this.#snapshots?.current.settings ?? this.#first.settings
  }

  get current(): Process & Snapshot {
    return this.#begun.current
  }

  get snapshots(): Snapshots<Process & Snapshot> {
    return this.#begun
  }

  /** From now on `hear` gets each configuration that takes the place of another, once it serves. */
  follow(hear: (next: Loaded) => void): void {
    this.#followers.push(hear)
  }

  /** Opens the first one. */
  async begin(ports: ServingPorts<Process>): Promise<void> {
    const { process, upstream, records } = ports
    const identities = new Shared<Identity>(identity => identity.close())
    const shares = { process, connections: upstream.connections, tracing: records.tracing, identities }
    this.#ports = { ...ports, shares }
    this.#snapshots = new OpenSnapshots(await openSnapshot(this.#first, 1, shares))
  }

  /** Opens the resources of a configuration, in this process. */
  async open(next: Loaded, generation: number): Promise<Opened> {
    if (!this.#ports) throw new Error('nothing serves yet')
    const { shares, stored, beginLimits } = this.#ports
    const reached = await stored.proveStore(next.settings.store)
    const opened = await openSnapshot(next, generation, shares).catch(error => {
      reached.drop()
      throw error
    })
    const serve = async () => {
      reached.put()
      // Only once nothing is in the way: counters that began with a refused reload would miss what came until the next one.
      await beginLimits?.(next.config, this.current.config)
      this.#begun.replace(opened)
      for (const hear of this.#followers) hear(next)
    }
    const drop = () => {
      opened.close()
      reached.drop()
    }
    return { serve, drop }
  }

  /** Closes what serves, once no more requests come. */
  close(): void {
    this.#snapshots?.close()
  }

  get #begun(): OpenSnapshots<Process & Snapshot> {
    if (!this.#snapshots) throw new Error('nothing serves yet')
    return this.#snapshots
  }
}

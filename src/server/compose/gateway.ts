import type { Address } from '../../config/model/formats.ts'
import type { Store } from '../../gateway/store/store.ts'
import type { Reloaded } from '../../http/changes.ts'
import type { Millis } from '../../policy/config.ts'
import type { App, MainApp } from '../app.ts'
import type { DrainTimes } from '../drain.ts'

/** A process of a gateway that serves, and the ways out of it. */
export interface RunningProcess<Served> {
  /** The serving app. */
  readonly app: Served
  /**
   * Leaves in these times, then closes the store. Resolves with whether all that was settled is in the ledger, or on the
   * disk that stands in for it.
   */
  leave(times: DrainTimes): Promise<boolean>
  /** Like `leave`, without delay; running requests have `graceMs`. */
  close(graceMs: Millis): Promise<void>
  /** Interrupts the running requests, now or as soon as it drains. Each answer ends with an error, and the part that was sent is settled. */
  cut(): void
}

/** A gateway that serves. */
export interface RunningGateway<Served extends MainApp = App> extends RunningProcess<Served> {
  readonly store: Store
  readonly listen: Address
  readonly admin: Address
  /** Loads the files again, because an operator, an account or `watch` asks for it. Never rejects. */
  reload(by: string): Promise<Reloaded>
  /** Leaves as `server.drain_delay` and `server.drain_timeout` say. */
  drain(): Promise<boolean>
}

import type { AccountStore } from './account-store.ts'
import type { ArchiveStore } from './archive-store.ts'
import type { FleetStore } from './fleet-store.ts'
import type { HoldStore } from './hold-store.ts'
import type { KeyStore } from './key-store.ts'
import type { LabelStore } from './label-store.ts'
import type { LedgerStore } from './ledger-store.ts'
import type { LoginStore } from './login-store.ts'
import type { NoticeStore } from './notice-store.ts'
import type { OrgStore } from './org-store.ts'
import type { PoolBudgetStore } from './pool-budget-store.ts'
import type { StoreRecord } from './record.ts'
import type { ResponseStore } from './response-store.ts'
import type { SeriesStore } from './series-store.ts'

/**
 * The state that outlives a request, in thirteen facets. Every implementation passes test/adapters/store/contract.ts.
 *
 * Each call is atomic and reads the clock of the store. A call that is called durable has its effect on disk when it
 * resolves. Every call rejects with StoreUnavailable while the store cannot be reached, and after `close`.
 *
 * @example
 * // A store that wraps another one, and counts its admissions.
 * let admissions = 0
 * const counting = (store: Store): Store => ({
 *   ...store,
 *   dump: () => store.dump(),
 *   proveWritable: () => store.proveWritable(),
 *   close: () => store.close(),
 *   holds: new Proxy(store.holds, {
 *     get: (holds, name, self) => {
 *       if (name === 'admit') admissions++
 *       return Reflect.get(holds, name, self)
 *     },
 *   }),
 * })
 */
export interface Store {
  readonly keys: KeyStore
  readonly accounts: AccountStore
  readonly orgs: OrgStore
  readonly holds: HoldStore
  readonly ledger: LedgerStore
  readonly archive: ArchiveStore
  readonly budgets: PoolBudgetStore
  readonly responses: ResponseStore
  readonly fleet: FleetStore
  readonly series: SeriesStore
  readonly notices: NoticeStore
  readonly logins: LoginStore
  readonly labels: LabelStore
  /**
   * Every record there is, as fast as the caller takes them, while others go on. Each account is as of one moment after the
   * call, with all its rows and sums; whatever was durable before the call is in it.
   */
  dump(): AsyncIterable<StoreRecord>
  /** Writes a small record without a meaning, as durably as a settlement. Rejects with StoreUnavailable where nothing can be written. */
  proveWritable(): Promise<void>
  /** Waits for the writes in flight, then lets go of the files or the connection. */
  close(): Promise<void>
}

/** The store did not answer, or must not be used. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}

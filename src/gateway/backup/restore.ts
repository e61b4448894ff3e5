import type { Mark } from '../store/mark.ts'
import type { StoreRecord } from '../store/store-record.ts'

/** How records are taken into a store that none else uses. */
export interface Restoring {
  readonly records: AsyncIterable<StoreRecord>
  /** Whether what the store has is to go: without it a store that has anything is refused. */
  readonly replace: boolean
}

/** A store that is being filled, and that no gateway opens before it is whole. */
export interface Filling {
  /** What is present may be forgotten again. */
  take(records: AsyncIterable<StoreRecord>, isPresent?: boolean): Promise<void>
  /** Resolves once what was taken is on disk, where that is slow. */
  sync(): Promise<void>
  /** Takes away the present that it was given, so that a later one can be taken. */
  forgetPresent(before: number): Promise<void>
  /** Makes it whole, with a mark where it is to wait for another store. */
  end(mark?: Mark): Promise<void>
  /** Takes all of it away, also once it is whole. */
  drop(): Promise<void>
  /** Lets go of files and connections. */
  close(): Promise<void>
}

/** The store has data, and was not to be replaced. */
export class StoreNotEmpty extends Error {
  override readonly name = 'StoreNotEmpty'

  constructor(store: string) {
    super(`the store ${store} has data`)
  }
}

/** A restore into the store began and did not end. The message is for the operator. */
export class RestoreInterrupted extends Error {
  override readonly name = 'RestoreInterrupted'
}

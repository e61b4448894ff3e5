import type { StoreRecord } from '../store/store-record.ts'

/** How records are taken into a store that none else uses. */
export interface Restoring {
  readonly records: AsyncIterable<StoreRecord>
  /** Whether what the store has is to go: without it a store that has anything is refused. */
  readonly replace: boolean
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

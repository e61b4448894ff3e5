import type { StoreRecord } from '../store/record.ts'

/** How records are taken into a store that none else uses. */
export interface Restoring {
  readonly records: AsyncIterable<StoreRecord>
  /** Whether the backup replaces the store's contents: without it only an empty store is taken. */
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

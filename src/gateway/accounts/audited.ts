import type { Alarm } from '../ports.ts'
import { type Store, StoreUnavailable } from '../store.ts'
import type { GatewayChange } from './account-store.ts'

/** Writes a change of the gateway itself to the audit. */
export type Audited = (change: GatewayChange) => Promise<void>

/** The change holds already, and pools are drained in the middle of outages: where the store does not answer, the row goes to the log. */
export const auditedIn =
  (store: Pick<Store, 'noteChange'>, alarm: Alarm): Audited =>
  async change => {
    try {
      await store.noteChange(change)
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error
      alarm('a change is missing in the audit', { ...change, error: error.message })
    }
  }

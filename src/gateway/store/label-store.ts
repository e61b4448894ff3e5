import type { SchemaStep } from '../../records/terms.ts'

/**
 * The values of labels that clients sent, by account and label: one facet of the Store, see there for atomicity, clock and outages.
 * They are never forgotten, so that all gateways record the same value for ever.
 */
export interface LabelStore {
  /**
   * Keeps a value beside the others of its label, unless there are `most` of them already. Resolves to undefined where the value
   * is kept, now or before, else to all values that are. Durable.
   */
  take(taken: TakenValue): Promise<readonly string[] | undefined>
}

/** A value of a label, as a client sent it. */
export interface TakenValue {
  readonly account: string
  readonly label: string
  readonly value: string
  /** Absent for a value that the files list, which is kept beside any number of others. */
  readonly most?: number
}

/** A kept value: a record of backups. */
export type LabelValue = Pick<TakenValue, 'account' | 'label' | 'value'>

/** The schema of a store with a row that has a label: an older build would write the next one without. */
export const LABELLED_STEP: SchemaStep = 1

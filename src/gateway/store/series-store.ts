/**
 * Each gateway's counts by the minute, for the time series of operators: one facet of the Store, see there for atomicity,
 * clock and outages. It is neither backed up nor moved, and not as durable as a settlement.
 */
export interface SeriesStore {
  /** Puts what a gateway counted in a minute in place of what it wrote of that minute before. */
  write(record: SeriesRecord): Promise<void>
  /** All gateways' counts of this minute and later, in the order of minutes, as far as they are kept: `KEPT_MINUTES`. */
  read(from: Minute): Promise<readonly SeriesRecord[]>
}

/** Minutes since the epoch. */
export type Minute = number

export interface SeriesRecord {
  readonly minute: Minute
  /** The id of a gateway since its start. */
  readonly gateway: string
  /** At most `MOST_BYTES`. */
  readonly counts: string
}

/** A day, with the minute that is not over. */
export const KEPT_MINUTES = 24 * 60 + 1

/** Bytes of one record, in UTF-8. */
export const MOST_BYTES = 4096

/** Records of one minute; further ones are not kept. A gateway that starts again counts as another one. */
export const MOST_WRITERS = 64

export const inMinutes = (records: readonly SeriesRecord[]): readonly SeriesRecord[] =>
  [...records].sort((a, b) => a.minute - b.minute || (a.gateway < b.gateway ? -1 : 1))

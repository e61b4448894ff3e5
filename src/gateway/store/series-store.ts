/**
 * What each gateway counted in each minute, for the time series of operators: one facet of the Store, see there for atomicity,
 * clock and outages. It is neither backed up nor moved, and not as durable as a settlement.
 */
export interface SeriesStore {
  /** Puts what a gateway counted in a minute in place of what it wrote of that minute before. */
  write(record: SeriesRecord): Promise<void>
  /** What all gateways counted in this minute and later, as far as it is kept: `KEPT_MINUTES`. In the order of minutes. */
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

/** Of one record, in UTF-8. */
export const MOST_BYTES = 4096

/** Of one minute; further ones are not kept. A gateway that starts again is another one. */
export const MOST_WRITERS = 64

export const inMinutes = (records: readonly SeriesRecord[]): readonly SeriesRecord[] =>
  [...records].sort((a, b) => a.minute - b.minute || (a.gateway < b.gateway ? -1 : 1))

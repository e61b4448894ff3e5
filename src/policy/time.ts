/** Milliseconds since the Unix epoch. */
export type EpochMs = number
/** A length of time in milliseconds. */
export type Millis = number

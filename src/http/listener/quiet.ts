import type { Millis } from '../../policy/config.ts'
import type { LogEntry } from '../log-entry.ts'

/**
 * Whether a request of an open page ended as its reader expects: it was served, nothing had changed, or the page was
 * closed while it was read. A change whose client left is logged, because nobody saw its outcome, and so is a slow
 * read: a ledger so slow that all clients give up must show.
 */
export const isUneventful = ({ method, status, ms }: Pick<LogEntry, 'method' | 'status' | 'ms'>): boolean =>
  status < 300 || status === 304 || (status === LEFT && method === 'GET' && ms <= PATIENT_MS)

/** A page that its reader leaves has mostly been read by then. */
const PATIENT_MS: Millis = 1000

/** The status of a request whose client left before its answer. */
export const LEFT = 499

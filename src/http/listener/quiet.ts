import type { LogEntry } from '../log-entry.ts'

/**
 * Whether a request of an open page went as its reader expects: it was served, nothing has changed, or the page was left while it
 * was read. A change whose client left is told, since nobody has seen what became of it.
 */
export const isUneventful = ({ method, status }: Pick<LogEntry, 'method' | 'status'>): boolean =>
  status < 300 || status === 304 || (status === LEFT && method === 'GET')

/** The status of a request whose client left before its answer. */
export const LEFT = 499

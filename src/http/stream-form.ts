import type { Bill } from '../records/ledger-row.ts'
import type { StreamError } from '../wire/client-dialect.ts'
import { errorEvent, sseDone } from '../wire/sse.ts'

/** How a stream is written for its client: chats as they come, other dialects from them. */
export interface StreamForm {
  /** The bytes to send for whole events; empty where there are none yet. */
  write(events: string): string
  /** The end of a stream that came whole, once it is settled. */
  end(bill: Bill): string | Promise<string>
  /** The end of one that did not. */
  fail(error: StreamError): string
  /** Set where it keeps what was said: the last events have all of it, or what follows may stand before it. */
  readonly keepsSaid?: true
  /** The event that fills a silence behind the first one; absent for a comment. */
  readonly ping?: string
}

/** The form of chats. */
export const chatForm: StreamForm = {
  write: events => events,
  end: () => sseDone,
  fail: ({ message, type, code }) => errorEvent(message, type, code),
}

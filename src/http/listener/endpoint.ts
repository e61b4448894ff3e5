import type { Identify } from '../../gateway/accounts/identify.ts'
import type { HttpCall } from './call.ts'
import type { RateBound } from './read-limits.ts'

/** One row of a listener's table: where it is, and what bounds it. Its family adds who may call it, and what it does. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Matched exactly; a segment `{id}` matches anything without a slash, or with some where `slashes` is set. */
  readonly path: string
  readonly slashes?: true
  /** Whom the family lets call it. */
  readonly who: string
  /** How often clients may call it. */
  readonly rate?: RateBound
  /** Set for what costs the most: refused while there is too much to do. */
  readonly sheds?: true
  /** Set where a HEAD would cost as much as a GET: it is refused. */
  readonly paid?: true
  /** Set for what open pages ask again and again: where it is served, or left with its page, no log, feed or count of requests has it. */
  readonly quiet?: true
}

/** A row that anyone may call, as often as its rate allows. */
export interface OpenEndpoint<App> extends Endpoint {
  readonly who: 'anyone'
  readonly rate: RateBound
  /** `identify` is for what a request brings in other places than its headers. */
  readonly run: (app: App, call: HttpCall, id: string, identify: Identify) => Promise<void> | void
}

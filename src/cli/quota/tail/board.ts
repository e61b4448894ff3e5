import type { EpochMs } from '../../../policy/config.ts'
import type { ShownEvent, ShownRequest, ShownStanding } from '../../../wire/admin/event.ts'
import { Pace } from './pace.ts'

/** Requests that can be looked back at, of all accounts together. */
const REQUESTS_KEPT = 2000

/** An account, and its last request since this was opened. Replaced as a whole, never changed. */
export interface Row {
  readonly standing: ShownStanding
  readonly last?: ShownRequest
}

/** What is known of accounts and their requests: grows with accounts, not with time. */
export class Board {
  readonly #rows = new Map<string, Row>()
  readonly #pace = new Pace()
  #requests: ShownRequest[] = []
  #dropped = 0
  #version = 0

  /** Another number means that something changed. */
  get version(): number {
    return this.#version
  }

  get size(): number {
    return this.#rows.size
  }

  /** Events that were left out, because they came faster than they were read. */
  get dropped(): number {
    return this.#dropped
  }

  get rows(): Iterable<Row> {
    return this.#rows.values()
  }

  row(account: string): Row | undefined {
    return this.#rows.get(account)
  }

  pace(now: EpochMs): { readonly rpm: number; readonly usdPerHour: number } {
    return this.#pace.at(now)
  }

  /** Those of one account, newest first. */
  requestsOf(account: string): ShownRequest[] {
    return this.#requests.filter(request => request.account === account).reverse()
  }

  apply(event: ShownEvent, now: EpochMs): void {
    this.#version++
    if (event.event === 'dropped') this.#dropped += event.count
    else if (event.event === 'standing') this.#stand(event)
    else this.#ended(event, now)
  }

  #ended(request: ShownRequest, now: EpochMs): void {
    this.#pace.add(now, Number(request.usd ?? 0))
    this.#requests.push(request)
    // Seldom, and then many: one by one would move all of them each time.
    if (this.#requests.length > 2 * REQUESTS_KEPT) this.#requests = this.#requests.slice(-REQUESTS_KEPT)
    if (request.standing) this.#stand(request.standing, request)
    else if (request.account !== null) {
      const known = this.#rows.get(request.account)
      if (known) this.#rows.set(request.account, { ...known, last: request })
    }
  }

  /** What is older than what is known says nothing new: a snapshot may come after an event. */
  #stand(standing: ShownStanding, request?: ShownRequest): void {
    const known = this.#rows.get(standing.account)
    const newest = known && known.standing.at > standing.at ? known.standing : standing
    const last = request ?? known?.last
    this.#rows.set(standing.account, { standing: newest, ...(last && { last }) })
  }
}

import type { ShownEvent, ShownRequest, ShownStanding } from '../../../../src/wire/admin/event.ts'
import type { EndedRequest } from '../api/requests.ts'
import * as text from '../texts/live.tsx'

/** An account, and the last of its requests that this process remembers. Replaced as a whole, never changed. */
export interface Row {
  readonly standing: ShownStanding
  readonly last: EndedRequest | undefined
}

/** The accounts as they stand: it grows with accounts, not with time. */
export class Board {
  /** The gateway whose requests are shown, or `all`. */
  readonly gateway: string
  /** Gateways whose requests are missing, and why. */
  readonly unfollowed = new Map<string, string>()
  readonly rows = new Map<string, Row>()
  /** Events that were left out, because they came faster than they were read. */
  missed = 0
  /** Whether all accounts are known, so that no row means no account. */
  isListed = false
  /** Another number means that something changed. */
  version = 0
  /** Requests and nano-USD of each of the last seconds, by its number. */
  readonly #seconds = new Map<number, { requests: number; nanoUsd: number }>()

  constructor(gateway: string) {
    this.gateway = gateway
  }

  apply(event: ShownEvent): void {
    this.version++
    if (event.event === 'dropped') this.missed += event.count
    else if (event.event === 'standing') this.#stand(event)
    else if (event.event === 'request') this.#ended(event)
    else if (event.followed) this.unfollowed.delete(event.gateway)
    else this.unfollowed.set(event.gateway, event.problem ?? '')
  }

  listed(): void {
    this.isListed = true
  }

  /** A request that ended before: it is the last one of its account where no later one is known. */
  remember(request: EndedRequest): void {
    const known = this.rows.get(request.account ?? '')
    if (!known || known.last) return
    this.version++
    this.rows.set(known.standing.account, { ...known, last: request })
  }

  /** The pace of the last minute. */
  pace(now: number): { readonly rpm: number; readonly nanoUsdPerHour: number } {
    const oldest = Math.floor(now / 1000) - MINUTE_S
    let rpm = 0
    let nanoUsd = 0
    for (const [second, sums] of this.#seconds) {
      if (second <= oldest) this.#seconds.delete(second)
      else {
        rpm += sums.requests
        nanoUsd += sums.nanoUsd
      }
    }
    return { rpm, nanoUsdPerHour: nanoUsd * MINUTE_S }
  }

  #ended(request: ShownRequest): void {
    const second = Math.floor(Date.now() / 1000)
    const sums = this.#seconds.get(second) ?? { requests: 0, nanoUsd: 0 }
    sums.requests++
    sums.nanoUsd += request.cost_nano_usd ?? 0
    this.#seconds.set(second, sums)
    if (request.standing) this.#stand(request.standing, request)
    else if (request.account !== null) {
      const known = this.rows.get(request.account)
      if (known) this.rows.set(request.account, { ...known, last: request })
    }
  }

  /** How an account stood before what is known is left out: the list of all may come after an event. */
  #stand(standing: ShownStanding, request?: ShownRequest): void {
    const known = this.rows.get(standing.account)
    const newest = known && known.standing.at > standing.at ? known.standing : standing
    this.rows.set(standing.account, { standing: newest, last: request ?? known?.last })
  }
}

const MINUTE_S = 60

export const SORTS = {
  share: text.byShare,
  recent: text.byLastRequest,
  refused: text.byRefusal,
  rpm: text.byRequestsAMinute,
  tpm: text.byTokensAMinute,
  held: text.byWhatIsHeld,
  account: text.byAccount,
} as const
export type Sort = keyof typeof SORTS

/** Rows that have the word, the first of the sort first; those that are equal by label. */
export function arrange(rows: Iterable<Row>, sort: Sort, word: string): readonly Row[] {
  const weigh = WEIGHTS[sort]
  const has = ({ standing: { label, account, plan } }: Row) =>
    `${label}\n${account}\n${plan}`.toLowerCase().includes(word)
  const found = word === '' ? [...rows] : [...rows].filter(has)
  return found
    .map(row => ({ row, weight: weigh(row) }))
    .sort((a, b) => b.weight - a.weight || compare(a.row.standing.label, b.row.standing.label))
    .map(({ row }) => row)
}

/** 1 is all of the quota. */
export function shareOf({ used_usd, limit_usd }: ShownStanding): number {
  const limit = Number(limit_usd ?? 0)
  return limit > 0 ? Number(used_usd) / limit : Number(used_usd) > 0 ? 1 : 0
}

const WEIGHTS: Readonly<Record<Sort, (row: Row) => number>> = {
  share: ({ standing }) => shareOf(standing),
  recent: ({ last }) => (last ? Date.parse(last.at) + last.ms : 0),
  refused: ({ last }) => (last && last.status >= 400 ? Date.parse(last.at) + last.ms : 0),
  rpm: ({ standing }) => standing.requests,
  tpm: ({ standing }) => standing.tokens,
  held: ({ standing }) => Number(standing.held_usd),
  account: () => 0,
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

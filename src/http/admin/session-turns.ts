import type { LedgerStore } from '../../gateway/store/ledger-store.ts'
import type { EpochMs } from '../../policy/config.ts'
import { idleSeconds, type LimitRule, MOST_DAYS } from '../../policy/limits/rule.ts'
import { addNanoUsd, type NanoUsd, ZERO_USD } from '../../policy/nano-usd.ts'
import type { LedgerRow } from '../../records/ledger-row.ts'
import { usdText } from '../../wire/money.ts'

/** A refused request of a session, as far as it leads to the turns before it. */
export interface RefusedTurn {
  readonly account: string
  /** Undefined for the requests of the account that name no session. */
  readonly session: string | undefined
  readonly at: EpochMs
  /** The limit that refused it. */
  readonly limit?: Pick<LimitRule, 'per'> | undefined
}

/**
 * Names the requests of a session that cost most before one was refused, of the newest rows since the session last was idle for too long. Empty
 * where the ledger has none.
 */
export async function turnsThatSpent(
  ledger: Pick<LedgerStore, 'readRecent'>,
  { account, session, at, limit }: RefusedTurn,
): Promise<readonly string[]> {
  const rows: LedgerRow[] = []
  for await (const row of ledger.readRecent({ since: at - MOST_DAYS * DAY, most: MOST_ROWS })) {
    const isTurn = row.account === account && row.session === session && row.kind !== 'waste'
    if (isTurn && row.admittedAt <= at) rows.push(row)
  }
  // A request that a dead gateway left may have two rows.
  const costs = new Map<string, NanoUsd>()
  for (const { requestId, cost } of sinceIdle(rows, at, limit))
    costs.set(requestId, addNanoUsd(costs.get(requestId) ?? ZERO_USD, cost))
  if (costs.size === 0) return []
  const turns = [...costs].sort(([, one], [, other]) => other - one)
  const named = turns.slice(0, MOST_TURNS).map(([id, cost]) => `${id} $${usdText(cost)}`)
  const who = session === undefined ? 'Requests without a session' : `The session ${session}`
  const others = turns.length > named.length ? `, and ${turns.length - named.length} more` : ''
  return [
    `${who} spent the budget on ${turns.length === 1 ? 'one request' : `${turns.length} requests`}: ${named.join(', ')}${others}.`,
  ]
}

/**
 * The rows of the session that runs: those before a pause of its length belong to an earlier one of the same name. Turns may overlap, and
 * the session lasts while any of them runs. Whole seconds count, as in the counter of a session.
 */
function sinceIdle(rows: readonly LedgerRow[], at: EpochMs, limit: RefusedTurn['limit']): readonly LedgerRow[] {
  const idle = idleSeconds(limit?.per ?? '') ?? Number.POSITIVE_INFINITY
  const lastEnded = rows.toSorted((one, other) => other.settledAt - one.settledAt)
  let reach = secondOf(at)
  const earlier = lastEnded.findIndex(({ admittedAt, settledAt }) => {
    const isEarlier = reach - secondOf(settledAt) > idle
    reach = Math.min(reach, secondOf(admittedAt))
    return isEarlier
  })
  return earlier === -1 ? lastEnded : lastEnded.slice(0, earlier)
}

const secondOf = (time: EpochMs): number => Math.floor(time / 1000)

const DAY = 86_400_000
/** The most rows that are read, and the most requests that are named. */
const MOST_ROWS = 100_000
const MOST_TURNS = 8

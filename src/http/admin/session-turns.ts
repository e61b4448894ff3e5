import type { LedgerStore } from '../../gateway/store/ledger-store.ts'
import type { EpochMs } from '../../policy/config.ts'
import { MOST_DAYS } from '../../policy/limits/rule.ts'
import type { NanoUsd } from '../../policy/nano-usd.ts'
import { usdText } from '../../wire/money.ts'

/** A refused request of a session, as far as it leads to the turns before it. */
export interface RefusedTurn {
  readonly account: string
  /** Undefined for the requests of the account that name no session. */
  readonly session: string | undefined
  readonly at: EpochMs
}

/**
 * Names the requests of a session that cost most before one was refused, of the newest rows within the longest time that a session may
 * last without a request. Empty where the ledger has none.
 */
export async function turnsThatSpent(
  ledger: Pick<LedgerStore, 'readRecent'>,
  { account, session, at }: RefusedTurn,
): Promise<readonly string[]> {
  const turns: { readonly id: string; readonly cost: NanoUsd }[] = []
  for await (const row of ledger.readRecent({ since: at - MOST_DAYS * DAY, most: MOST_ROWS })) {
    const isTurn = row.account === account && row.session === session && row.kind !== 'waste'
    if (isTurn && row.admittedAt <= at) turns.push({ id: row.requestId, cost: row.cost })
  }
  if (turns.length === 0) return []
  const named = turns
    .sort((one, other) => other.cost - one.cost)
    .slice(0, MOST_TURNS)
    .map(({ id, cost }) => `${id} $${usdText(cost)}`)
  const who = session === undefined ? 'Requests without a session' : `The session ${session}`
  const others = turns.length > named.length ? `, and ${turns.length - named.length} more` : ''
  return [
    `${who} spent the budget on ${turns.length === 1 ? 'one request' : `${turns.length} requests`}: ${named.join(', ')}${others}.`,
  ]
}

const DAY = 86_400_000
/** The most rows that are read, and the most requests that are named. */
const MOST_ROWS = 100_000
const MOST_TURNS = 8

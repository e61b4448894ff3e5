import type { Wrote } from '../../gateway/store/ledger-store.ts'
import { RowIndex } from '../../gateway/store/row-index.ts'
import type { EpochMs } from '../../policy/config.ts'
import type { AccountCounters } from '../../policy/counters/account-counters.ts'
import { CounterCache, unpackCounters } from './account-counters.ts'
import { Crossings } from './crossings.ts'
import { Holds } from './open-holds.ts'
import type { Records } from './records.ts'
import { RuleCounters } from './rule-counters.ts'
import { GuestSpend, PoolHours } from './shared-budgets.ts'
import { Writer } from './writer.ts'

/** All that the facets of the store work on: the files, and the state in memory, which must not wait for them. */
export interface StoreState {
  readonly records: Records
  readonly counters: CounterCache
  readonly holds: Holds
  readonly guestSpend: GuestSpend
  readonly poolHours: PoolHours
  readonly rules: RuleCounters
  readonly crossings: Crossings
  readonly writer: Writer
  /** An index of the ledger's newest rows. */
  readonly index: RowIndex
  readonly now: () => EpochMs
}

/** The state of a store before the holds of an earlier process are settled. */
export function openStoreState(records: Records, now: () => EpochMs, wrote?: Wrote): StoreState {
  const holds = new Holds(lastKeyOf(records))
  const guestSpend = new GuestSpend(records)
  const poolHours = new PoolHours(records)
  const rules = new RuleCounters(records, RULES_IN_MEMORY)
  const crossings = new Crossings(records)
  const memory = {
    countersOf: (account: string) => counters.of(account),
    heldOf: (requestId: string) => holds.get(requestId),
    writeBehind: [guestSpend, poolHours, rules, crossings],
  }
  const index = new RowIndex(INDEX_SIZE)
  const writer: Writer = new Writer(records, memory, { wrote: wrote ?? (() => {}), filed: row => index.note(row) })
  const counters = new CounterCache(
    { read: account => countersIn(records, account), isWritten: account => writer.isWritten(account) },
    ACCOUNTS_IN_MEMORY,
  )
  return { records, counters, holds, guestSpend, poolHours, rules, crossings, writer, index, now }
}

/** The counters of one account take about 2 kB when its minute is full. */
const ACCOUNTS_IN_MEMORY = 10_000

/** The counter of a rule takes about 300 bytes, and 5 kB where its window slides; a group has few. */
const RULES_IN_MEMORY = 20_000

/** It indexes four million rows in 20 MB. */
const INDEX_SIZE = { rows: 256, blocks: 16_384 }

function countersIn({ standings }: Records, account: string): AccountCounters | undefined {
  const packed = standings.get(account)
  return packed && unpackCounters(packed)
}

/** The greatest key of the ledger; empty when it has no rows. */
function lastKeyOf({ ledger }: Records): string {
  for (const key of ledger.getKeys({ reverse: true, limit: 1 })) return key
  return ''
}

import type { Wrote } from '../../gateway/store/ledger-store.ts'
import type { EpochMs } from '../../policy/config.ts'
import type { Standing } from '../../policy/standing.ts'
import { GuestDays } from './guest-days.ts'
import { Holds } from './holds.ts'
import { PoolHours } from './pool-hours.ts'
import type { Records } from './records.ts'
import { Standings, unpackStanding } from './standings.ts'
import { Writer } from './writer.ts'

/** What the store works on: the files, and what is in memory because it must not wait for them. */
export interface StoreState {
  readonly records: Records
  readonly standings: Standings
  readonly holds: Holds
  readonly guestDays: GuestDays
  readonly poolHours: PoolHours
  readonly writer: Writer
  readonly now: () => EpochMs
}

/** A standing is about 2 kB when its minute is full. */
const ACCOUNTS_IN_MEMORY = 10_000

/** What the store works on, before the holds of an earlier process are settled. */
export function openStoreState(records: Records, now: () => EpochMs, wrote?: Wrote): StoreState {
  const holds = new Holds(lastKeyOf(records))
  const guestDays = new GuestDays(records)
  const poolHours = new PoolHours(records)
  const memory = {
    standingOf: (account: string) => standings.of(account),
    heldOf: (requestId: string) => holds.get(requestId),
    kept: [guestDays, poolHours],
  }
  const writer: Writer = new Writer(records, memory, wrote)
  const standings = new Standings(
    { read: account => standingIn(records, account), isWritten: account => writer.isWritten(account) },
    ACCOUNTS_IN_MEMORY,
  )
  return { records, standings, holds, guestDays, poolHours, writer, now }
}

function standingIn({ standings }: Records, account: string): Standing | undefined {
  const packed = standings.get(account)
  return packed && unpackStanding(packed)
}

/** Empty when there is none. */
function lastKeyOf({ ledger }: Records): string {
  for (const key of ledger.getKeys({ reverse: true, limit: 1 })) return key
  return ''
}

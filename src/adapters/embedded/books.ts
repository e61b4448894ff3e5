import type { Wrote } from '../../gateway/store.ts'
import type { EpochMs } from '../../policy/config.ts'
import type { Standing } from '../../policy/standing.ts'
import { Allowances } from './allowances.ts'
import { GuestDays } from './guest-days.ts'
import { Holds } from './holds.ts'
import { unpackStanding } from './packed.ts'
import type { Records } from './records.ts'
import { recover } from './recovery.ts'
import { Standings } from './standings.ts'
import { Writer } from './writer.ts'

/** What the store works on: the files, and what is in memory because it must not wait for them. */
export interface Books {
  readonly records: Records
  readonly standings: Standings
  readonly holds: Holds
  readonly guestDays: GuestDays
  readonly allowances: Allowances
  readonly writer: Writer
  readonly now: () => EpochMs
}

/** A standing is about 2 kB when its minute is full. */
const ACCOUNTS_IN_MEMORY = 10_000

/** The books without the holds of the process before, which are settled here. */
export async function openBooks(records: Records, now: () => EpochMs, wrote?: Wrote): Promise<Books> {
  const holds = new Holds(lastKeyOf(records))
  const guestDays = new GuestDays(records)
  const allowances = new Allowances(records)
  const memory = {
    standingOf: (account: string) => standings.of(account),
    heldOf: (requestId: string) => holds.get(requestId),
    kept: [guestDays, allowances],
  }
  const writer: Writer = new Writer(records, memory, wrote)
  const standings = new Standings(
    { read: account => standingIn(records, account), isWritten: account => writer.isWritten(account) },
    ACCOUNTS_IN_MEMORY,
  )
  const books: Books = { records, standings, holds, guestDays, allowances, writer, now }
  try {
    await recover(books)
    return books
  } catch (error) {
    writer.stop()
    throw error
  }
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

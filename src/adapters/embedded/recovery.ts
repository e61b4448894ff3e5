import type { Hold, Standing } from '../../policy/standing.ts'
import type { Books } from './books.ts'
import { orphan } from './settlement.ts'

/** Holds in one commit. */
const PAGE = 512

/**
 * Settles what was under way when the process before ended: it held the lock, so nobody renews these leases.
 * A crash in here leaves the holds that are not yet settled, and no other.
 */
export async function recover(books: Books): Promise<void> {
  for (;;) {
    const page = Array.from(books.records.holds.getRange({ limit: PAGE }), ({ value }) => value)
    if (page.length === 0) return
    for (const held of page) {
      const { hold } = held
      const { account } = hold
      books.holds.put(held)
      books.standings.put(account, withHold(books.standings.of(account), hold))
      if (held.shared) books.guestDays.take(hold)
      books.writer.found(hold)
      orphan(books, hold)
    }
    await books.writer.commit()
  }
}

/** A standing on disk counts the request in its minute and day, and holds nothing. */
function withHold(standing: Standing, { window, cost, spent }: Hold): Standing {
  const { used, held } = standing.spend[window] ?? { used: 0, held: 0 }
  const spend = { ...standing.spend, [window]: { used, held: held + spent.cost + cost } }
  return { ...standing, open: standing.open + 1, spend }
}

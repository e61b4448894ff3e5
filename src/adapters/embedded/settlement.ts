import { type Bill, chargeOf, type Settlement } from '../../gateway/store.ts'
import { amend, type Charge, type Hold, NOTHING, release } from '../../policy/standing.ts'
import type { Books } from './books.ts'
import type { End } from './ended.ts'
import { type Entry, entryOf, lateKey, type StoredRow } from './ledger.ts'
import { unpackRow } from './packed.ts'

/** Ends a hold at what the request weighed, once per request id. Resolves when the row is on disk. */
export function settle(books: Books, settlement: Settlement): Promise<void> {
  const { hold, bill } = settlement
  const { holds, writer, now } = books
  const charge = chargeOf(settlement)
  const { first, late } = rowsOf(books, hold)
  if (first || late) endHold(books, hold, NOTHING, 'settled')
  if (first?.kind === 'orphan' && !late) return settleLate(books, hold, bill, charge, first)
  if (first || late) return writer.settled(hold.requestId)

  if (endHold(books, hold, charge, 'settled')) return writer.charged(entryOf(bill, 'settle', now()))
  const end = holds.endOf(hold.requestId)
  if (end === 'settled' || end === 'refunded') return Promise.resolve()
  // Nothing of it was charged: the hold ended without a checkpoint, or with a process that had not written it yet.
  change(
    books,
    end === 'orphan' ? hold : { ...hold, spent: NOTHING },
    NOTHING,
    charge,
    holds.taken(hold.requestId)?.shared,
  )
  holds.pass(hold.requestId)
  return writer.charged(entryOf(bill, end === 'orphan' ? 'late' : 'settle', now()))
}

/** Ends a hold that bought nothing. What an orphan was charged is taken back by a row of its own. */
export async function refund(books: Books, hold: Hold): Promise<void> {
  if (endHold(books, hold, NOTHING, 'refunded')) return books.writer.commit()
  books.holds.refund(hold.requestId)
  const { first, late } = rowsOf(books, hold)
  if (first?.kind !== 'orphan' || late) return
  const { tokens: _tokens, shared: _shared, ...bill } = first
  await settleLate(books, hold, { ...bill, inputTokens: 0, outputTokens: 0, cost: 0 }, NOTHING, first)
}

/** Ends the holds whose lease ran out. Resolves when that is on disk. */
export async function sweep(books: Books): Promise<number> {
  const due = books.holds.due(books.now())
  for (const { hold } of due) orphan(books, hold)
  if (due.length > 0) await books.writer.commit()
  return due.length
}

/** Ends a hold at its checkpoint; without one it bought nothing. Written with the next commit. */
export function orphan(books: Books, { requestId }: Hold): void {
  const { standings, holds, guestDays, writer, now } = books
  const held = holds.end(requestId, 'orphan')
  if (!held) return
  const { hold } = held
  const { first, late } = rowsOf(books, hold)
  const soFar = first || late ? undefined : held.soFar
  const charge = soFar ? chargeOf(soFar) : NOTHING
  const at = now()
  standings.put(hold.account, release(standings.of(hold.account), hold, charge, at))
  guestDays.release(held, charge)
  writer.changed(hold)
  if (!soFar) return
  const entry = entryOf(soFar.bill, 'orphan', at)
  writer.add({ ...entry, row: { ...entry.row, tokens: soFar.tokens, ...(held.shared && { shared: held.shared }) } })
}

/** Charges the difference to what the orphan was charged. */
function settleLate(books: Books, hold: Hold, bill: Bill, charge: Charge, orphan: StoredRow): Promise<void> {
  change(books, hold, { tokens: orphan.tokens ?? 0, cost: orphan.cost }, charge, orphan.shared)
  const difference: Bill = {
    ...bill,
    inputTokens: bill.inputTokens - orphan.inputTokens,
    outputTokens: bill.outputTokens - orphan.outputTokens,
    cost: bill.cost - orphan.cost,
  }
  return books.writer.charged({ ...entryOf(difference, 'late', books.now()), requests: 0 })
}

/** False, and nothing changed, when the request is not under way. */
function endHold(books: Books, { requestId }: Hold, charge: Charge, end: End): boolean {
  const { standings, holds, guestDays, writer, now } = books
  const held = holds.end(requestId, end)
  if (!held) return false
  const { hold } = held
  const at = now()
  standings.put(hold.account, release(standings.of(hold.account), hold, charge, at))
  guestDays.release(held, charge)
  writer.changed(hold)
  return true
}

/** Charges a request that holds nothing. */
function change(books: Books, hold: Hold, was: Charge, charge: Charge, shared: true | undefined): void {
  const { standings, guestDays, writer, now } = books
  const at = now()
  standings.put(hold.account, amend(standings.of(hold.account), hold, was, charge, at))
  if (shared) guestDays.amend(hold, was, charge)
  writer.changed(hold)
}

/** The rows of a request, on disk or on the way there. */
function rowsOf(books: Books, { requestId }: Hold): Rows {
  if (books.holds.get(requestId)?.isNew) return NO_ROWS
  return { first: rowOf(books, requestId), late: rowOf(books, lateKey(requestId)) }
}

interface Rows {
  readonly first: StoredRow | undefined
  readonly late: StoredRow | undefined
}

const NO_ROWS: Rows = { first: undefined, late: undefined }

function rowOf({ records, writer }: Books, key: Entry['key']): StoredRow | undefined {
  const unwritten = writer.rowOf(key)
  if (unwritten) return unwritten
  const packed = records.ledger.get(key)
  return packed && unpackRow(packed)
}

import { chargeOf, type Heartbeat, type Settlement } from '../../gateway/store/hold-store.ts'
import { addLater } from '../../gateway/store/total-sums.ts'
import type { EpochMs } from '../../policy/config.ts'
import {
  type AccountCounters,
  amend,
  type Charge,
  type Hold,
  NO_SPEND,
  NOTHING,
  release,
  resume,
} from '../../policy/counters/account-counters.ts'
import { remainderOf } from '../../policy/counters/remainder.ts'
import type { Mutable } from '../../policy/decision.ts'
import { nanoUsd, subtractNanoUsd, ZERO_USD } from '../../policy/nano-usd.ts'
import type { Watch } from '../../policy/notices.ts'
import type { Bill } from '../../records/ledger-row.ts'
import type { Ending } from './completed-requests.ts'
import { type Entry, entryOf, lateKey, type StoredRow, toolsWithout, unpackRow } from './ledger-rows.ts'
import { holdOfStored, journaledHold, type OpenHold } from './open-holds.ts'
import { amendRules, holdRules, joinRules, releaseRules, resumeRules } from './rule-holds.ts'
import type { StoreState } from './store-state.ts'

/** Ends a hold at what the request used, once per request id. Resolves when the row is on disk. */
export function settle(state: StoreState, settlement: Settlement): Promise<void> {
  const { hold, bill } = settlement
  const { holds, writer, now } = state
  const charge = chargeOf(settlement)
  const { first, late } = rowsOf(state, hold)
  if ((first || late) && !isResumed(state, hold)) endHold(state, hold, NOTHING, 'settled')
  if (first?.kind === 'orphan' && !late) return settleLate(state, settlement, first, 'settled')
  if (first || late) return writer.settled(hold.requestId)

  if (endHold(state, hold, charge, 'settled')) {
    join(state, settlement, charge)
    announce(state, hold, settlement)
    return writer.charged(entryOf(bill, 'settle', now()))
  }
  const end = holds.endOf(hold.requestId)
  if (end === 'settled' || end === 'refunded') return Promise.resolve()
  // The request was not charged: its hold ended without a checkpoint, or with a process that had not written it yet.
  change(
    state,
    end === 'orphan' ? hold : { ...hold, spent: NOTHING },
    NOTHING,
    charge,
    holds.admitted(hold.requestId)?.shared,
  )
  join(state, settlement, charge)
  announce(state, hold, settlement)
  holds.pass(hold.requestId)
  return writer.charged(entryOf(bill, end === 'orphan' ? 'late' : 'settle', now()))
}

function join({ rules, writer, now }: StoreState, { hold: { account }, joined }: Settlement, charge: Charge): void {
  if (!joined) return
  const at = now()
  writer.note('join', at, account, joined, charge)
  joinRules(rules, account, joined, charge, at)
}

/** Writes down which thresholds the charge crossed, in the commit of the charge. */
function announce(state: StoreState, { account }: Hold, { watches }: Pick<Settlement, 'watches'>): void {
  if (!watches) return
  const at = state.now()
  // Most charges cross nothing, and the journal hears of the others alone.
  if (noteCrossings(state, account, watches, at)) state.writer.note('announce', at, account, watches)
}

/** Compares watches with the counters as they are now. True if a threshold was crossed. */
export function noteCrossings(
  { counters, crossings, rules }: StoreState,
  account: string,
  watches: readonly Watch[],
  at: EpochMs,
): boolean {
  return crossings.note(watches, { account, counters: counters.of(account), rules }, at)
}

/** Ends a hold without a charge. The charge of an orphan is taken back by a row of its own. */
export async function refund(state: StoreState, hold: Hold): Promise<void> {
  if (!isResumed(state, hold) && endHold(state, hold, NOTHING, 'refunded')) return state.writer.commit()
  state.holds.refund(hold.requestId)
  const { first, late } = rowsOf(state, hold)
  if (first?.kind !== 'orphan' || late) return
  const { tokens: _tokens, pieces: _pieces, shared: _shared, ...bill } = first
  const nothing = { hold, tokens: 0, bill: { ...bill, inputTokens: 0, outputTokens: 0, cost: ZERO_USD } }
  await settleLate(state, nothing, first, 'refunded')
}

/** Counts an orphan that still runs again, less what it was charged. Returns false for a request that ended otherwise. */
export function resumeOrphan(state: StoreState, { hold, soFar }: Heartbeat, leaseUntil: EpochMs): boolean {
  const { counters, holds, rules, guestSpend, writer, now } = state
  const { requestId, account } = hold
  const taken = holds.endOf(requestId) === 'orphan' && holds.admitted(requestId)
  const { first, late } = rowsOf(state, hold)
  if (!taken || late) return false
  // The store knows its last round, which the gateway may have missed; what it holds of rules only the gateway knows.
  const whole = hold.rules ? { ...taken.hold, rules: hold.rules } : taken.hold
  const was = first && chargeOfRow(first)
  const at = now()
  const left = was ? remainderOf(whole, was) : whole
  const held: Mutable<OpenHold> = { hold: left, readings: taken.readings, leaseUntil }
  if (taken.shared) held.shared = true
  if (was) held.whole = whole
  else if (soFar) held.soFar = soFar
  holds.put(held)
  counters.put(account, resume(counters.of(account), left, at))
  resumeRules(rules, left, at)
  if (taken.shared) guestSpend.take(left)
  writer.note('resume', at, journaledHold(held))
  writer.changed(left)
  return true
}

/** Ends the holds of requests that no process settles any more, each at its checkpoint. Resolves when that is on disk. */
export async function abandon(state: StoreState, requestIds: readonly string[]): Promise<void> {
  for (const requestId of requestIds) orphan(state, requestId)
  await state.writer.commit()
}

/** Ends holds whose lease expired. Resolves when that is on disk. */
export async function sweep(state: StoreState): Promise<number> {
  const due = state.holds.due(state.now())
  for (const { hold } of due) orphan(state, hold.requestId)
  if (due.length > 0) await state.writer.commit()
  return due.length
}

/**
 * Settles the requests that were running when the previous process ended. It held the lock, so that no process renews these leases.
 * A crash in here leaves the holds that are not yet settled, and no other.
 */
export async function recover(state: StoreState): Promise<void> {
  for (;;) {
    const page = Array.from(state.records.holds.getRange({ limit: PAGE }), ({ value }) => holdOfStored(value))
    if (page.length === 0) return
    for (const held of page) {
      const { hold } = held
      adoptHold(state, held)
      orphan(state, hold.requestId)
    }
    await state.writer.commit()
  }
}

/** Counts in memory what the hold of a request takes: of the counters on disk it is no part. */
export function adoptHold(state: StoreState, held: OpenHold): void {
  const { hold } = held
  const { account } = hold
  state.holds.put(held)
  state.counters.put(account, withHold(state.counters.of(account), hold))
  holdRules(state.rules, hold)
  if (held.shared) state.guestSpend.take(hold)
  state.writer.found(hold)
}

/** The counters with a hold: those read from disk count the request in its minute and day, but not its hold. */
function withHold(counters: AccountCounters, { window, cost, spent }: Hold): AccountCounters {
  const { used, held } = counters.spend[window] ?? NO_SPEND
  const spend = { ...counters.spend, [window]: { used, held: nanoUsd(held + spent.cost + cost) } }
  return { ...counters, concurrent: counters.concurrent + 1, spend }
}

/** Holds that are settled in one commit of the recovery. */
const PAGE = 128

/** Ends a hold at its checkpoint; without one it costs nothing. The next commit writes it. */
function orphan(state: StoreState, requestId: string): void {
  const { counters, holds, guestSpend, writer, now } = state
  const held = holds.end(requestId, 'orphan')
  if (!held) return
  const { hold } = held
  const { first, late } = rowsOf(state, hold)
  const was = chargedBefore(state, held)
  const soFar = first || late ? undefined : held.soFar
  const charge = soFar ? chargeOf(soFar) : was
  const at = now()
  counters.put(hold.account, release(counters.of(hold.account), hold, charge, at, was))
  releaseRules(state.rules, hold, charge, at, was)
  guestSpend.release(held, charge, was)
  writer.note('end', at, requestId, charge, was)
  writer.changed(hold)
  if (!soFar) return
  announce(state, hold, soFar)
  const entry = entryOf(soFar.bill, 'orphan', at)
  const { tokens, pieces } = soFar
  const row = { ...entry.row, tokens, ...(pieces && { pieces }), ...(held.shared && { shared: held.shared }) }
  writer.add({ ...entry, row })
}

/** Charges the difference to what the orphan was charged, whether it still runs or not. */
function settleLate(state: StoreState, settlement: Settlement, orphan: StoredRow, end: Ending): Promise<void> {
  const { hold, bill } = settlement
  const charge = end === 'refunded' ? NOTHING : chargeOf(settlement)
  if (!endHold(state, hold, charge, end)) change(state, hold, chargeOfRow(orphan), charge, orphan.shared)
  announce(state, hold, settlement)
  const difference: Bill = {
    ...bill,
    inputTokens: bill.inputTokens - orphan.inputTokens,
    outputTokens: bill.outputTokens - orphan.outputTokens,
    cost: subtractNanoUsd(bill.cost, orphan.cost),
  }
  // The row of a refund still repeats the cached tokens and the tool calls.
  const made = bill.inputTokens > 0 ? bill : {}
  const later = addLater(made, orphan, -1)
  const tools = toolsWithout(made, orphan)
  return state.writer.charged({ ...entryOf(difference, 'late', state.now()), requests: 0, later, tools })
}

/** The charge in an orphan's row. */
function chargeOfRow({ tokens = 0, cost, inputTokens: input, pieces }: StoredRow): Charge {
  return { tokens, cost, input, ...(pieces && { pieces }) }
}

/** The charge that a running request got as an orphan. */
function chargedBefore(state: StoreState, { hold, whole }: OpenHold): Charge {
  const first = whole && rowOf(state, hold.requestId)
  return first ? chargeOfRow(first) : NOTHING
}

/** Whether a request that has the row of an orphan runs on. */
const isResumed = ({ holds }: StoreState, { requestId }: Hold): boolean => holds.get(requestId)?.whole !== undefined

/** False, and nothing changed, when the request is not running. */
function endHold(state: StoreState, { requestId }: Hold, charge: Charge, end: Ending): boolean {
  const { counters, holds, guestSpend, writer, now } = state
  const held = holds.end(requestId, end)
  if (!held) return false
  const { hold } = held
  const was = chargedBefore(state, held)
  const at = now()
  counters.put(hold.account, release(counters.of(hold.account), hold, charge, at, was))
  releaseRules(state.rules, hold, charge, at, was)
  guestSpend.release(held, charge, was)
  writer.note('end', at, requestId, charge, was)
  writer.changed(hold)
  return true
}

/** Charges a request whose hold has already ended. */
function change(state: StoreState, hold: Hold, was: Charge, charge: Charge, shared: true | undefined): void {
  const { counters, guestSpend, writer, now } = state
  const at = now()
  counters.put(hold.account, amend(counters.of(hold.account), hold, was, charge, at))
  amendRules(state.rules, hold, was, charge, at)
  if (shared) guestSpend.amend(hold, was, charge)
  writer.note('amend', at, hold, was, charge, shared ?? null)
  writer.changed(hold)
}

/** The rows of a request, on disk or on the way there. */
function rowsOf(state: StoreState, { requestId }: Hold): Rows {
  if (state.holds.get(requestId)?.isNew) return NO_ROWS
  return { first: rowOf(state, requestId), late: rowOf(state, lateKey(requestId)) }
}

interface Rows {
  readonly first: StoredRow | undefined
  readonly late: StoredRow | undefined
}

const NO_ROWS: Rows = { first: undefined, late: undefined }

function rowOf({ records, writer }: StoreState, key: Entry['key']): StoredRow | undefined {
  const unwritten = writer.rowOf(key)
  if (unwritten) return unwritten
  const packed = records.ledger.get(key)
  return packed && unpackRow(packed)
}

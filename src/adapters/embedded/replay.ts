import { amend, extend, release, resume, take } from '../../policy/counters/account-counters.ts'
import { readingsOfNumbers } from '../../policy/limits/readings.ts'
import type { Frame } from './journal/frame.ts'
import type { Step, Steps } from './journal/steps.ts'
import { unpackRow } from './ledger-rows.ts'
import { pagesOf } from './lmdb.ts'
import { holdOfStored, type JournaledHold, type OpenHold } from './open-holds.ts'
import type { Records } from './records.ts'
import { amendRules, extendRules, joinRules, releaseRules, resumeRules, takeRules } from './rule-holds.ts'
import { adoptHold, noteCrossings } from './settlement.ts'
import { openStoreState, type StoreState } from './store-state.ts'

/** A record of the journal contradicts the files. */
export class JournalDamaged extends Error {
  override readonly name = 'JournalDamaged'
}

/**
 * Makes the changes of the journal in the files that do not have them. Each commit has the number of the last record that it
 * takes, so that a start that was cut short goes on where it was, and a record that LMDB has is never repeated.
 */
export async function replay(records: Records, frames: readonly Frame[]): Promise<void> {
  if (frames.length === 0) return
  const state = openStoreState(records, () => 0)
  // It commits between two records, and at no other time.
  state.writer.stop()
  for await (const page of pagesOf(records.holds)) for (const { value } of page) adoptHold(state, holdOfStored(value))
  let rows = 0
  for (const [place, { number, text }] of frames.entries()) {
    for (const step of JSON.parse(text) as Step[]) {
      repeat(state, step, number)
      if (step[0] === 'row') rows++
    }
    if (rows < ROWS_AT_ONCE && place < frames.length - 1) continue
    await state.writer.fold(number)
    rows = 0
  }
}

/** Rows of one commit, each of which needs room on the disk at once. */
const ROWS_AT_ONCE = 256

function repeat(state: StoreState, step: Step, number: number): void {
  try {
    const [name, ...change] = step
    ;(REPEATS[name] as (state: StoreState, ...change: unknown[]) => void)(state, ...change)
  } catch (cause) {
    throw new JournalDamaged(`record ${number} of the journal contradicts the files`, { cause })
  }
}

type Repeats = { readonly [Name in keyof Steps]: (state: StoreState, ...change: Steps[Name]) => void }

const REPEATS: Repeats = {
  take: ({ holds, counters, rules, guestSpend, writer }, held) => {
    const { hold, shared } = held
    holds.put(openHold(held))
    counters.put(hold.account, take(counters.of(hold.account), hold))
    if (hold.rules) takeRules(rules, hold.account, hold.rules)
    if (shared) guestSpend.take(hold)
    writer.admitted(hold)
  },
  extend: (state, at, goingOn, spent) => {
    const { holds, counters, rules, guestSpend, writer } = state
    const { hold } = goingOn
    const before = runningIn(state, hold.requestId)
    const { output, tokens, cost } = hold
    const granted = { output, tokens, cost }
    const extended = extend(counters.of(hold.account), before.hold, spent, granted, at, hold.rules)
    if (before.hold.rules && hold.rules) extendRules(rules, hold.account, before.hold.rules, hold.rules, at)
    holds.put(openHold(goingOn))
    counters.put(hold.account, extended.counters)
    guestSpend.extend(before, hold)
    writer.changed(hold)
  },
  resume: ({ holds, counters, rules, guestSpend, writer }, at, held) => {
    const { hold, shared } = held
    holds.put(openHold(held))
    counters.put(hold.account, resume(counters.of(hold.account), hold, at))
    resumeRules(rules, hold, at)
    if (shared) guestSpend.take(hold)
    writer.admitted(hold)
  },
  end: (state, at, requestId, charge, was) => {
    const { holds, counters, rules, guestSpend, writer } = state
    const held = runningIn(state, requestId)
    const { hold } = held
    holds.end(requestId, 'settled')
    counters.put(hold.account, release(counters.of(hold.account), hold, charge, at, was))
    releaseRules(rules, hold, charge, at, was)
    guestSpend.release(held, charge, was)
    writer.changed(hold)
  },
  amend: ({ counters, rules, guestSpend, writer }, at, hold, was, charge, shared) => {
    counters.put(hold.account, amend(counters.of(hold.account), hold, was, charge, at))
    amendRules(rules, hold, was, charge, at)
    if (shared) guestSpend.amend(hold, was, charge)
    writer.changed(hold)
  },
  join: ({ rules }, at, account, joined, charge) => joinRules(rules, account, joined, charge, at),
  announce: (state, at, account, watches) => void noteCrossings(state, account, watches, at),
  begin: ({ rules }, account, name, counter) => rules.put(account, name, counter),
  row: ({ writer }, key, row, requests, later, tools) =>
    writer.add({ key, row: unpackRow(row), requests, ...(later && { later }), ...(tools && { tools }) }),
}

/** Throws where the request does not run. */
function runningIn({ holds }: StoreState, requestId: string): OpenHold {
  const held = holds.get(requestId)
  if (!held) throw new Error(`${requestId} does not run`)
  return held
}

const openHold = (held: JournaledHold): OpenHold => ({ ...held, readings: readingsOfNumbers([]) })

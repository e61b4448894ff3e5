import { isDeepStrictEqual } from 'node:util'
import {
  type Admission,
  type Admitted,
  type Bill,
  chargeOf,
  type Extended,
  type Extension,
  type Heartbeat,
  LEASE_MS,
  type Settlement,
} from '../../../../src/gateway/store/hold-store.ts'
import type { LedgerRow } from '../../../../src/gateway/store/ledger-store.ts'
import type { EpochMs } from '../../../../src/policy/config.ts'
import type { Terms } from '../../../../src/policy/facts.ts'
import {
  type AccountCounters,
  amend,
  type Charge,
  extend,
  type Hold,
  holdOf,
  NO_COUNTERS,
  NOTHING,
  newestSecond,
  release,
  take,
} from '../../../../src/policy/limits/account-counters.ts'
import { judge, judgeExtension } from '../../../../src/policy/limits/judge.ts'
import { type Readings, readingsOfNumbers } from '../../../../src/policy/limits/readings.ts'
import { nanoUsd, ZERO_USD } from '../../../../src/policy/nano-usd.ts'
import { judgedOf } from '../../../../src/policy/record.ts'

interface Known {
  hold: Hold
  readonly readings: Readings
  state: 'open' | 'orphan' | 'ended'
  leaseUntil: EpochMs
  checkpoint?: Settlement
  /** What an orphan was charged, and its row. */
  was: Charge
  row?: LedgerRow
}

/** What a store should answer: the policy over plain maps, for one account whose key and terms never change. */
export class Mirror {
  readonly rows: LedgerRow[] = []
  readonly #now: () => EpochMs
  readonly #terms: Terms
  readonly #requests = new Map<string, Known>()
  #standing: AccountCounters = NO_COUNTERS

  constructor(now: () => EpochMs, terms: Terms) {
    this.#now = now
    this.#terms = terms
  }

  get standing(): AccountCounters {
    return this.#standing
  }

  holds(state: Known['state']): Hold[] {
    return [...this.#requests.values()].filter(known => known.state === state).map(({ hold }) => hold)
  }

  admit({ requestId, account, terms, claims }: Admission): Admitted {
    const known = this.#requests.get(requestId)
    if (known) return { outcome: 'admitted', hold: known.hold, readings: known.readings }
    const at = this.#now()
    const { start, end } = claims.spend.window
    if (!isDeepStrictEqual(terms, this.#terms) || at < start || at >= end)
      return { outcome: 'stale', terms: this.#terms, at }
    const verdict = judge(this.#standing, claims, at)
    const { readings } = verdict
    if ('denial' in verdict) {
      return {
        denial: verdict.denial,
        readings,
        judged: judgedOf(this.#standing, claims, verdict, at),
        newest: newestSecond(this.#standing, at),
      }
    }
    const hold = holdOf(this.#standing, verdict.granted, { requestId, account, window: start }, at)
    this.#standing = take(this.#standing, hold)
    this.#requests.set(requestId, { hold, readings, state: 'open', leaseUntil: at + LEASE_MS, was: NOTHING })
    return { outcome: 'admitted', hold, readings }
  }

  extend({ hold, round, soFar, claims }: Extension): Extended {
    const known = this.#open(hold)
    if (!known) return { outcome: 'ended' }
    if (round <= known.hold.round) return { outcome: 'extended', hold: known.hold }
    const at = this.#now()
    const spent = chargeOf(soFar)
    const verdict = judgeExtension(this.#standing, known.hold, spent, claims, at)
    if ('denial' in verdict) return { denial: verdict.denial, readings: verdict.readings }
    const extended = extend(this.#standing, known.hold, spent, verdict.granted, at)
    this.#standing = extended.counters
    known.hold = extended.hold
    known.checkpoint = soFar
    known.leaseUntil = at + LEASE_MS
    return { outcome: 'extended', hold: extended.hold }
  }

  heartbeat(heartbeats: readonly Heartbeat[]): void {
    for (const { hold, soFar } of heartbeats) {
      const known = this.#open(hold)
      if (!known) continue
      known.leaseUntil = this.#now() + LEASE_MS
      if (soFar) known.checkpoint = soFar
    }
  }

  settle(settlement: Settlement): void {
    const { hold, bill } = settlement
    const known = this.#requests.get(hold.requestId)
    if (!known) {
      this.#requests.set(hold.requestId, { ...unknown(hold), state: 'ended' })
      this.#standing = amend(this.#standing, { ...hold, spent: NOTHING }, NOTHING, chargeOf(settlement), this.#now())
      this.#write(bill, 'settle')
    } else if (known.state === 'open') {
      this.#end(known, chargeOf(settlement), 'ended')
      this.#write(bill, 'settle')
    } else if (known.state === 'orphan') this.#late(known, chargeOf(settlement), bill)
  }

  refund(hold: Hold): void {
    const known = this.#requests.get(hold.requestId)
    if (known?.state === 'open') this.#end(known, NOTHING, 'ended')
    else if (known?.state === 'orphan') {
      const { row } = known
      if (row) this.#late(known, NOTHING, { ...row, inputTokens: 0, outputTokens: 0, cost: ZERO_USD })
      known.state = 'ended'
    }
  }

  sweep(): number {
    const due = [...this.#requests.values()].filter(
      ({ state, leaseUntil }) => state === 'open' && leaseUntil <= this.#now(),
    )
    for (const known of due) {
      const { checkpoint } = known
      known.was = checkpoint ? chargeOf(checkpoint) : NOTHING
      this.#end(known, known.was, 'orphan')
      if (checkpoint) known.row = this.#write(checkpoint.bill, 'orphan')
    }
    return due.length
  }

  #open({ requestId }: Hold): Known | undefined {
    const known = this.#requests.get(requestId)
    return known?.state === 'open' ? known : undefined
  }

  #end(known: Known, charge: Charge, state: Known['state']): void {
    this.#standing = release(this.#standing, known.hold, charge, this.#now())
    known.state = state
  }

  #late(known: Known, charge: Charge, bill: Bill): void {
    this.#standing = amend(this.#standing, known.hold, known.was, charge, this.#now())
    this.#write(bill, 'late', known.row)
    known.state = 'ended'
  }

  #write(bill: Bill, kind: LedgerRow['kind'], was?: LedgerRow): LedgerRow {
    const row: LedgerRow = {
      ...bill,
      inputTokens: bill.inputTokens - (was?.inputTokens ?? 0),
      outputTokens: bill.outputTokens - (was?.outputTokens ?? 0),
      cost: nanoUsd(bill.cost - (was?.cost ?? 0)),
      kind,
      settledAt: this.#now(),
    }
    this.rows.push(row)
    return row
  }
}

const unknown = (hold: Hold): Omit<Known, 'state'> => ({
  hold,
  readings: readingsOfNumbers([]),
  leaseUntil: 0,
  was: NOTHING,
})

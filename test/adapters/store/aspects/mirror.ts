import { isDeepStrictEqual } from 'node:util'
import {
  type Admission,
  type Admitted,
  type BegunCounter,
  chargeOf,
  type Extended,
  type Extension,
  type Heartbeat,
  LEASE_MS,
  type Settlement,
} from '../../../../src/gateway/store/hold-store.ts'
import type { EpochMs } from '../../../../src/policy/config.ts'
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
  resume,
  take,
} from '../../../../src/policy/counters/account-counters.ts'
import { extensionOf, judge, judgeExtension } from '../../../../src/policy/counters/judge.ts'
import { remainderOf } from '../../../../src/policy/counters/remainder.ts'
import {
  amendCell,
  extendCell,
  extendedRules,
  heldRules,
  readRules,
  readRulesAgain,
  releaseCell,
  resumeCell,
  takeCell,
} from '../../../../src/policy/counters/rule-hold.ts'
import { weightOfCharge } from '../../../../src/policy/counters/weight.ts'
import type { Claims } from '../../../../src/policy/decision.ts'
import type { Terms } from '../../../../src/policy/facts.ts'
import { type Readings, readingsOfNumbers } from '../../../../src/policy/limits/readings.ts'
import {
  beginsWithLedger,
  type CounterName,
  type HeldRules,
  isSharedGroup,
  type TakenCell,
  type Weight,
} from '../../../../src/policy/limits/rule-claim.ts'
import {
  addToCell,
  NO_CELLS,
  type RuleCounter,
  type RuleReading,
  useOf,
} from '../../../../src/policy/limits/rule-counter.ts'
import { nanoUsd, ZERO_USD } from '../../../../src/policy/nano-usd.ts'
import { judgedOf } from '../../../../src/policy/record.ts'
import type { Bill, LedgerRow } from '../../../../src/records/ledger-row.ts'

interface Known {
  hold: Hold
  readonly readings: Readings
  state: 'open' | 'orphan' | 'ended'
  leaseUntil: EpochMs
  checkpoint?: Settlement
  /** Its hold when it was charged as an orphan, after which it continued. */
  whole?: Hold
  /** An orphan's charge, with its row. */
  was: Charge
  row?: LedgerRow
}

/** Counters of rules by group and field. */
export type RuleMap = Map<string, RuleCounter>

/**
 * A model of the store's answers: the policy over plain maps, for one account whose key and terms never change. Mirrors of other
 * accounts have the counters of what they share in `shared`.
 */
export class Mirror {
  readonly rows: LedgerRow[] = []
  readonly #now: () => EpochMs
  readonly #terms: Terms
  readonly #requests = new Map<string, Known>()
  readonly #own: RuleMap = new Map()
  readonly #shared: RuleMap
  readonly #isApart: boolean
  #standing: AccountCounters = NO_COUNTERS

  constructor(now: () => EpochMs, terms: Terms, shared: RuleMap = new Map(), isApart = false) {
    this.#now = now
    this.#terms = terms
    this.#shared = shared
    this.#isApart = isApart
  }

  beginCounters(begun: readonly BegunCounter[]): void {
    for (const { name, counter } of begun) if (!this.#find(name)) this.#mapOf(name).set(nameOf(name), counter)
  }

  readRules(claims: Claims): readonly RuleReading[] {
    return readRules(claims, name => this.#counter(name), this.#now()) ?? []
  }

  #mapOf({ group }: CounterName): RuleMap {
    return isSharedGroup(group) ? this.#shared : this.#own
  }

  #find(name: CounterName): RuleCounter | undefined {
    return this.#mapOf(name).get(nameOf(name))
  }

  #counter(name: CounterName): RuleCounter {
    return this.#find(name) ?? NO_CELLS
  }

  /** The end of a request of a window before begins no counter. */
  #put(name: CounterName, counter: RuleCounter): void {
    if (counter.length > 0 || this.#find(name)) this.#mapOf(name).set(nameOf(name), counter)
  }

  #changeRules(rules: HeldRules | undefined, change: (counter: RuleCounter, taken: TakenCell) => RuleCounter): void {
    for (const taken of rules?.taken ?? []) this.#put(taken, change(this.#counter(taken), taken))
  }

  get standing(): AccountCounters {
    return this.#standing
  }

  holds(state: Known['state']): Hold[] {
    return [...this.#requests.values()].filter(known => known.state === state).map(({ hold }) => hold)
  }

  admit({ requestId, account, terms, claims }: Admission): Admitted {
    const known = this.#requests.get(requestId)
    if (known) return { outcome: 'admitted', hold: repeatedOf(known), readings: known.readings }
    const at = this.#now()
    const { start, end } = claims.spend.window
    if (!isDeepStrictEqual(terms, this.#terms) || at < start || at >= end)
      return { outcome: 'stale', terms: this.#terms, at }
    const counters = (claims.rules ?? [])
      .filter(claim => beginsWithLedger(claim) && !this.#find(claim))
      .map(({ group, field }) => ({ group, field }))
    if (counters.length > 0) return { outcome: 'counters-missing', counters, at }
    const verdict = judge(
      this.#standing,
      claims,
      at,
      readRules(claims, name => this.#counter(name), at),
    )
    const { readings } = verdict
    if ('denial' in verdict) {
      if (this.#isApart) this.#takeAndUndo(claims, at)
      return {
        denial: verdict.denial,
        readings,
        judged: judgedOf(this.#standing, claims, verdict, at),
        newest: newestSecond(this.#standing, at),
      }
    }
    const rules = heldRules(claims, verdict.granted, verdict.rules)
    const hold = holdOf(this.#standing, verdict.granted, { requestId, account, window: start }, at, rules)
    this.#standing = take(this.#standing, hold)
    this.#changeRules(rules, (counter, taken) => takeCell(counter, taken, rules?.weight ?? NO_WEIGHT))
    this.#requests.set(requestId, { hold, readings, state: 'open', leaseUntil: at + LEASE_MS, was: NOTHING })
    return { outcome: 'admitted', hold, readings, ...(verdict.rules && { rules: verdict.rules.map(useOf) }) }
  }

  /** Where limits that accounts share lie apart, they admit before the account refuses: a cell stays of which nothing is used. */
  #takeAndUndo(claims: Claims, at: EpochMs): void {
    const shared = sharedPart(claims)
    const { rules } = shared
    if (rules.length === 0) return
    const counterOf = (name: CounterName) => this.#counter(name)
    const verdict = judge(NO_COUNTERS, shared, at, readRules(shared, counterOf, at))
    if ('denial' in verdict) return
    for (const [place, claim] of rules.entries()) {
      const index = verdict.rules?.[place]?.index ?? 0
      this.#put(claim, addToCell(this.#counter(claim), claim.rule.per, { index, used: 0, held: 0 }, index))
    }
  }

  extend({ hold, round, soFar, claims }: Extension): Extended {
    const known = this.#open(hold)
    if (!known || known.whole) return { outcome: 'ended' }
    if (round <= known.hold.round) return { outcome: 'extended', hold: known.hold }
    const at = this.#now()
    const spent = chargeOf(soFar)
    const more = extensionOf(claims)
    const uses = readRulesAgain(more, known.hold, spent, name => this.#counter(name), at)
    const verdict = judgeExtension(this.#standing, known.hold, spent, claims, at, uses)
    if ('denial' in verdict) {
      if (this.#isApart) this.#extendAndReturn(known.hold, spent, claims, at)
      return { denial: verdict.denial, readings: verdict.readings }
    }
    const after = extendedRules(claims, known.hold, spent, verdict.granted, name => this.#counter(name), at)
    const extended = extend(this.#standing, known.hold, spent, verdict.granted, at, after)
    this.#moveRules(known.hold.rules, after, at)
    this.#standing = extended.counters
    known.hold = extended.hold
    known.checkpoint = soFar
    known.leaseUntil = at + LEASE_MS
    return { outcome: 'extended', hold: extended.hold }
  }

  /** Where limits that accounts share lie apart, a round moves there before the account refuses it, and back. */
  #extendAndReturn({ rules: held, ...hold }: Hold, spent: Charge, claims: Claims, at: EpochMs): void {
    const taken = held?.taken.filter(isShared) ?? []
    if (!held || taken.length === 0) return
    const shared = extensionOf(sharedPart(claims))
    const before = { ...hold, rules: { ...held, taken } }
    const counterOf = (name: CounterName) => this.#counter(name)
    const verdict = judge(NO_COUNTERS, shared, at, readRulesAgain(shared, before, spent, counterOf, at))
    if ('denial' in verdict) return
    const after = extendedRules(shared, before, spent, verdict.granted, counterOf, at)
    this.#moveRules(before.rules, after, at)
    this.#moveRules(after, before.rules, at)
  }

  /** Moves what a request holds from cells to others. */
  #moveRules(from: HeldRules | undefined, to: HeldRules | undefined, at: EpochMs): void {
    this.#changeRules(from, (counter, taken) => {
      const same = ({ group, field }: TakenCell) => group === taken.group && field === taken.field
      const moved = to?.taken.find(same) ?? taken
      return extendCell(counter, [taken, moved], [from?.weight ?? NO_WEIGHT, to?.weight ?? NO_WEIGHT], at)
    })
  }

  heartbeat(heartbeats: readonly Heartbeat[]): string[] {
    const resumed: string[] = []
    for (const { hold, soFar } of heartbeats) {
      const known = this.#requests.get(hold.requestId)
      if (!known || known.state === 'ended') continue
      if (known.state === 'orphan') resumed.push(this.#resume(known))
      known.leaseUntil = this.#now() + LEASE_MS
      if (soFar && !known.whole) known.checkpoint = soFar
    }
    return resumed
  }

  #resume(known: Known): string {
    const hold = known.row ? remainderOf(known.hold, known.was) : known.hold
    this.#standing = resume(this.#standing, hold, this.#now())
    this.#changeRules(hold.rules, (counter, taken) =>
      resumeCell(counter, taken, hold.rules?.weight ?? NO_WEIGHT, this.#now()),
    )
    if (known.row) known.whole = known.hold
    known.hold = hold
    known.state = 'open'
    delete known.checkpoint
    return hold.requestId
  }

  settle(settlement: Settlement): void {
    const { hold, bill } = settlement
    const known = this.#requests.get(hold.requestId)
    if (!known) {
      this.#requests.set(hold.requestId, { ...unknown(hold), state: 'ended' })
      this.#standing = amend(this.#standing, { ...hold, spent: NOTHING }, NOTHING, chargeOf(settlement), this.#now())
      this.#amendRules(hold, NOTHING, chargeOf(settlement))
      this.#write(bill, 'settle')
    } else if (known.state === 'open') {
      this.#end(known, chargeOf(settlement), 'ended')
      this.#write(bill, known.row ? 'late' : 'settle', known.row)
    } else if (known.state === 'orphan') this.#late(known, chargeOf(settlement), bill)
  }

  refund(hold: Hold): void {
    const known = this.#requests.get(hold.requestId)
    if (known?.state === 'open') {
      this.#end(known, NOTHING, 'ended')
      if (known.row) this.#write({ ...known.row, inputTokens: 0, outputTokens: 0, cost: ZERO_USD }, 'late', known.row)
    } else if (known?.state === 'orphan') {
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
      const { checkpoint, row } = known
      const charge = checkpoint ? chargeOf(checkpoint) : known.was
      this.#end(known, charge, 'orphan')
      known.was = charge
      if (checkpoint && !row) known.row = this.#write(checkpoint.bill, 'orphan')
    }
    return due.length
  }

  #open({ requestId }: Hold): Known | undefined {
    const known = this.#requests.get(requestId)
    return known?.state === 'open' ? known : undefined
  }

  #end(known: Known, charge: Charge, state: Known['state']): void {
    const { hold } = known
    const was = known.whole ? known.was : NOTHING
    const [before, after] = [weightOfCharge(was), weightOfCharge(charge)]
    this.#standing = release(this.#standing, hold, charge, this.#now(), was)
    this.#changeRules(hold.rules, (counter, taken) =>
      releaseCell(counter, taken, hold.rules?.weight ?? NO_WEIGHT, after, this.#now(), before),
    )
    known.state = state
    if (known.whole) known.hold = known.whole
    delete known.whole
  }

  #amendRules({ rules }: Hold, was: Charge, charge: Charge): void {
    this.#changeRules(rules, (counter, taken) =>
      amendCell(counter, taken, weightOfCharge(was), weightOfCharge(charge), this.#now()),
    )
  }

  #late(known: Known, charge: Charge, bill: Bill): void {
    this.#standing = amend(this.#standing, known.hold, known.was, charge, this.#now())
    this.#amendRules(known.hold, known.was, charge)
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

const isShared = ({ group }: CounterName): boolean => isSharedGroup(group)

/** The claims on limits that accounts share. */
const sharedPart = ({ spend: { limit: _own, ...spend }, rules = [], ...claims }: Claims) => ({
  ...claims,
  limits: [],
  spend,
  rules: rules.filter(isShared),
})

const nameOf = ({ group, field }: CounterName): string => `${group} ${field}`

/** A request that is over holds nothing, so that its repetition need not say of what. */
function repeatedOf({ hold, state }: Known): Hold {
  const { rules, ...others } = hold
  return state === 'open' && rules ? { ...others, rules } : others
}

const NO_WEIGHT: Weight = { input: 0, output: 0, images: 0, seconds: 0, cost: 0 }

const unknown = (hold: Hold): Omit<Known, 'state'> => ({
  hold,
  readings: readingsOfNumbers([]),
  leaseUntil: 0,
  was: NOTHING,
})

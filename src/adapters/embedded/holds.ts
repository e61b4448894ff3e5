import { sameOrgTerms } from '../../gateway/admission/terms.ts'
import {
  type Admission,
  type Admitted,
  type BegunCounter,
  chargeOf,
  type Extended,
  type Extension,
  type Heartbeat,
  type HoldStore,
  LEASE_MS,
  type Settlement,
} from '../../gateway/store/hold-store.ts'
import { works } from '../../gateway/store/key-life.ts'
import { StoreUnavailable } from '../../gateway/store/store.ts'
import type { EpochMs } from '../../policy/config.ts'
import { extend, type Hold, holdOf, newestSecond, take } from '../../policy/counters/account-counters.ts'
import { extensionOf, judge, judgeExtension } from '../../policy/counters/judge.ts'
import { extendedRules, heldRules, readRules, readRulesAgain } from '../../policy/counters/rule-hold.ts'
import { type Claims, keyOfWindow, type Mutable } from '../../policy/decision.ts'
import type { OrgTerms, Terms } from '../../policy/facts.ts'
import { type RuleReading, useOf } from '../../policy/limits/rule-counter.ts'
import { ZERO_USD } from '../../policy/nano-usd.ts'
import { type Judged, judgedOf, judgedRules } from '../../policy/record.ts'
import { sameTerms } from '../../records/terms.ts'
import { journaledHold } from './open-holds.ts'
import type { Records } from './records.ts'
import { extendRules, missingCounters, takeRules } from './rule-holds.ts'
import { refund, resumeOrphan, settle, sweep } from './settlement.ts'
import { untilMidnight } from './shared-budgets.ts'
import type { StoreState } from './store-state.ts'

/** Admission in memory: `admit` and `extend` await nothing, so that no other request comes between their reads and writes. */
export class EmbeddedHolds implements HoldStore {
  readonly #state: () => StoreState

  /** `state` throws StoreUnavailable once the store is closed. */
  constructor(state: () => StoreState) {
    this.#state = state
  }

  async admit(admission: Admission): Promise<Admitted> {
    return admit(this.#state(), admission)
  }

  async extend(extension: Extension): Promise<Extended> {
    return extendHold(this.#state(), extension)
  }

  /** A heartbeat without a checkpoint leaves the one there is. */
  async heartbeat(heartbeats: readonly Heartbeat[]): Promise<readonly string[]> {
    const state = this.#state()
    const { holds, writer, now } = state
    const leaseUntil = now() + LEASE_MS
    const resumed: string[] = []
    for (const heartbeat of heartbeats) {
      const { hold, soFar } = heartbeat
      const held = holds.get(hold.requestId)
      if (held) {
        holds.put({ ...held, leaseUntil, ...(soFar && { soFar }) })
        writer.renewed(hold)
      } else if (resumeOrphan(state, heartbeat, leaseUntil)) resumed.push(hold.requestId)
    }
    return resumed
  }

  async beginCounters(account: string, begun: readonly BegunCounter[]): Promise<void> {
    const { rules, writer } = this.#state()
    for (const { name, counter } of begun) {
      if (rules.find(account, name)) continue
      rules.put(account, name, counter)
      writer.note('begin', account, name, counter)
    }
    writer.soon()
  }

  async readRules(account: string, claims: Pick<Claims, 'rules'>): Promise<readonly RuleReading[]> {
    const { rules, now } = this.#state()
    return readRules(claims, name => rules.of(account, name), now()) ?? []
  }

  async settle(settlement: Settlement): Promise<void> {
    return settle(this.#state(), settlement)
  }

  async refund(hold: Hold): Promise<void> {
    return refund(this.#state(), hold)
  }

  async sweep(): Promise<number> {
    return sweep(this.#state())
  }
}

function admit(state: StoreState, admission: Admission): Admitted {
  const { requestId, account, claims, shared, isTrial } = admission
  const { records, counters, holds, guestSpend, rules, writer } = state
  const repeated = holds.admitted(requestId)
  if (repeated) return { outcome: 'admitted', hold: repeated.hold, readings: repeated.readings }
  const at = state.now()
  const present = termsOf(records, admission, at)
  if (!present) return { outcome: 'key-gone' }
  refuseUnwritten(state)

  const { window } = claims.spend
  const stale = staleAt(admission, present, records.cache.orgTerms(present.org), at)
  if (stale) return stale

  const missing = missingCounters(rules, account, claims)
  if (missing.length > 0) return { outcome: 'counters-missing', counters: missing, at }
  const before = counters.of(account)
  const verdict = judge(
    before,
    claims,
    at,
    readRules(claims, name => rules.of(account, name), at),
  )
  const { readings } = verdict
  if ('denial' in verdict)
    return {
      denial: verdict.denial,
      readings,
      judged: judgedOf(before, claims, verdict, at),
      newest: newestSecond(before, at),
    }
  const request = { requestId, account, window: keyOfWindow(window) }
  const hold = holdOf(before, verdict.granted, request, at, heldRules(claims, verdict.granted, verdict.rules))
  const taken = shared ? guestSpend.spentAndHeld(hold) : ZERO_USD
  if (shared && taken + hold.cost > shared.limit) {
    const judged: Mutable<Judged> = { at, readings, shared: { limit: shared.limit, taken } }
    if (verdict.rules) judged.rules = judgedRules(claims, verdict.rules)
    return { outcome: 'guests-spent', retryAfterMs: untilMidnight(at), judged }
  }
  const admitted: Mutable<Extract<Admitted, { outcome: 'admitted' }>> = { outcome: 'admitted', hold, readings }
  if (verdict.rules) admitted.rules = verdict.rules.map(useOf)
  if (isTrial) return admitted
  const held = { hold, readings, leaseUntil: at + LEASE_MS, isNew: holds.isNew(requestId) }
  const taking = shared ? ({ ...held, shared: true } as const) : held
  holds.put(taking)
  writer.note('take', journaledHold(taking))
  counters.put(account, take(before, hold))
  if (hold.rules) takeRules(rules, account, hold.rules)
  if (shared) guestSpend.take(hold)
  writer.admitted(hold)
  return admitted
}

/** The terms as they are now, where the claims of an admission were made for others, or for another window. */
function staleAt(
  { terms, orgTerms, claims: { spend } }: Admission,
  present: Terms,
  ofOrg: OrgTerms | undefined,
  at: EpochMs,
): Admitted | undefined {
  const { start, end } = spend.window
  if (at >= start && at < end && sameTerms(present, terms) && sameOrgTerms(ofOrg, orgTerms)) return undefined
  const stale = { outcome: 'stale', terms: present, at } as const
  return ofOrg ? { ...stale, orgTerms: ofOrg } : stale
}

/** The hold in memory decides which rounds there were, not the hold of a repetition. */
function extendHold(state: StoreState, { hold: { requestId }, round, soFar, claims }: Extension): Extended {
  const { counters, holds, guestSpend, rules, writer } = state
  const held = holds.get(requestId)
  if (!held || held.whole) return { outcome: 'ended' }
  if (round <= held.hold.round) return { outcome: 'extended', hold: held.hold }
  refuseUnwritten(state)

  const at = state.now()
  const { account } = held.hold
  const spent = chargeOf(soFar)
  const before = counters.of(account)
  const more = extensionOf(claims)
  const readings = readRulesAgain(more, held.hold, spent, name => rules.of(account, name), at)
  const verdict = judgeExtension(before, held.hold, spent, more, at, readings)
  if ('denial' in verdict) return { denial: verdict.denial, readings: verdict.readings }
  const after = extendedRules(claims, held.hold, spent, verdict.granted, name => rules.of(account, name), at)
  const extended = extend(before, held.hold, spent, verdict.granted, at, after)
  if (held.hold.rules && after) extendRules(rules, account, held.hold.rules, after, at)
  const goingOn = { ...held, soFar, hold: extended.hold, leaseUntil: at + LEASE_MS }
  holds.put(goingOn)
  writer.note('extend', at, journaledHold(goingOn), spent)
  counters.put(account, extended.counters)
  guestSpend.extend(held, extended.hold)
  writer.changed(extended.hold)
  return { outcome: 'extended', hold: extended.hold }
}

/** The present terms of the account; undefined when its key does not work, or there is no such account. */
function termsOf({ cache }: Records, { keyHash, account }: Admission, at: EpochMs): Terms | undefined {
  if (keyHash !== undefined) {
    const key = cache.key(keyHash)
    if (!key || !works(key, at) || key.account !== account) return undefined
  }
  return cache.account(account)?.terms
}

function refuseUnwritten({ writer, records }: StoreState): void {
  const { shortage } = records.room
  if (shortage) throw new StoreUnavailable(shortage)
  if (writer.failing) throw new StoreUnavailable('the store cannot be written, so nothing more may be spent')
}

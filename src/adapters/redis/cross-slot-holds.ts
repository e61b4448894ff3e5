import {
  type Admission,
  type AdmissionDenied,
  type Admitted,
  chargeOf,
  type Extended,
  type Extension,
  type HoldStore,
  type Refused,
} from '../../gateway/store/hold-store.ts'
import { type AccountCounters, type Hold, newestSecond } from '../../policy/counters/account-counters.ts'
import { extensionOf, judge, judgeExtension } from '../../policy/counters/judge.ts'
import { heldRules, readRulesAgain } from '../../policy/counters/rule-hold.ts'
import { type Claims, keyOfWindow, type Mutable, windowOf } from '../../policy/decision.ts'
import type { CounterName, HeldRules } from '../../policy/limits/rule-claim.ts'
import { NO_CELLS } from '../../policy/limits/rule-counter.ts'
import { nanoUsd } from '../../policy/nano-usd.ts'
import { judgedOf, judgedRules } from '../../policy/record.ts'
import type { Access } from './access.ts'
import { termsText } from './codec.ts'
import { readCounters } from './counter-texts.ts'
import { readMissing } from './rule-texts.ts'
import {
  meetsShared,
  mergedUses,
  ownOf,
  ownPart,
  type SharedHolds,
  sharedOf,
  type Taken,
  type TakenShare,
} from './shared-holds.ts'

/** The holds in the account's own bucket. */
interface Own extends Pick<HoldStore, 'admit' | 'readRules' | 'refund'> {
  /** `isAgain`: the account already has this round, so its lease is unchanged. */
  extend(extension: Extension): Promise<{ readonly extended: Extended; readonly isAgain: boolean }>
}

type AdmittedByAccount = Extract<Admitted, { outcome: 'admitted' }>

/**
 * Requests that meet what lies apart from their account, in a cluster: the terms of an org, and limits that accounts share.
 * The share is taken first and given back where the account does not admit, so that no limit is ever passed.
 */
export class CrossSlotHolds {
  readonly #access: Access
  readonly #shared: SharedHolds
  readonly #own: Own

  constructor(access: Access, shared: SharedHolds, own: Own) {
    this.#access = access
    this.#shared = shared
    this.#own = own
  }

  async admit(admission: Admission): Promise<Admitted> {
    const { claims } = admission
    for (let want = claims.output.want; ; ) {
      const admitted = await this.#admit(admission, want)
      if (typeof admitted !== 'number') return admitted
      want = admitted
    }
  }

  /** A number says how much output the account itself would grant, where the share for more does not fit. */
  async #admit(admission: Admission, want: number): Promise<Admitted | number> {
    const [taken, isStale] = await this.#begin(admission, want)
    if (taken && taken.outcome !== 'taken') return this.#refused(admission, want, taken, isStale)
    const own = { ...admission, claims: ownPart(admission.claims, taken?.output) }
    const admitted = await this.#own.admit(this.#alone(own, isStale)).catch(async error => {
      await this.#giveBack(admission, taken)
      throw error
    })
    if (!taken) return admitted
    if (!('denial' in admitted) && admitted.outcome === 'admitted') {
      const both = this.#both(admission, admitted, taken)
      if (both.hold.output < taken.output && !admission.isTrial)
        await this.#shared.weigh(both.hold, admission.claims).catch(async error => {
          // A share that cannot be given back ends with its hold, which waits on the disk where the store is away.
          const isGiven = await this.#giveBack(admission, taken)
          await this.#own.refund(isGiven ? admitted.hold : both.hold).catch(() => {})
          throw error
        })
      return both
    }
    await this.#shared.undo(admission, taken)
    if (!('denial' in admitted)) return admitted
    // The refusal also names the shared limits that were read.
    const refused = await this.#refusal(admission, want, undefined)
    return typeof refused === 'number' ? admitted : refused
  }

  /** Takes the share while it reads the org's terms, and returns it if that fails. */
  async #begin(admission: Admission, want: number): Promise<readonly [Taken | undefined, boolean]> {
    const [taking, reading] = await Promise.allSettled([
      meetsShared(admission) ? this.#shared.take(admission, want) : undefined,
      this.#isStale(admission),
    ])
    if (taking.status === 'rejected') throw taking.reason
    if (reading.status === 'fulfilled') return [taking.value, reading.value]
    await this.#giveBack(admission, taking.value)
    throw reading.reason
  }

  /** Gives back the share of a request whose client hears that the store is down. False where it may stay held until its lease ends. */
  async #giveBack(admission: Admission, taken: Taken | undefined): Promise<boolean> {
    if (taken?.outcome !== 'taken') return true
    return this.#shared.undo(admission, taken).then(
      () => true,
      () => false,
    )
  }

  #both({ claims }: Admission, own: AdmittedByAccount, taken: TakenShare): AdmittedByAccount {
    const { rules: _own, ...hold } = own.hold
    if (taken.isAgain) {
      const held = heldOf(claims, own.hold.rules, taken.held)
      return { ...own, hold: { ...hold, ...(held && { rules: held }), apart: true } }
    }
    const rules = mergedUses(claims, own.rules ?? [], taken.uses)
    const held = heldRules(claims, hold, rules)
    return { ...own, hold: { ...hold, ...(held && { rules: held }), apart: true }, ...(claims.rules && { rules }) }
  }

  async #refused(
    admission: Admission,
    want: number,
    taken: Exclude<Taken, TakenShare>,
    isStale: boolean,
  ): Promise<Admitted | number> {
    // Whether its key works, and on which terms, is said first: nothing fits a spend below nothing.
    const { claims } = admission
    const unfit = { ...claims, spend: { ...claims.spend, limit: nanoUsd(-1) } }
    const checked = await this.#own.admit(this.#alone({ ...admission, claims: ownPart(unfit) }, isStale))
    if (taken.outcome === 'counters-missing') return withMissing(admission, checked, taken)
    if (!('denial' in checked)) return checked
    return this.#refusal(admission, want, taken.isGuests ? taken.reply : undefined)
  }

  /** As its account admits it, which has no terms of an org. Those of a request that are stale are no terms at all. */
  #alone({ orgTerms: _terms, shared: _shared, ...admission }: Admission, isStale: boolean): Admission {
    return isStale ? { ...admission, orgTerms: {} } : admission
  }

  async #isStale({ terms, orgTerms }: Admission): Promise<boolean> {
    if (terms.org === undefined) return false
    const key = this.#access.layout.org(terms.org)
    const text = await this.#access.ask(key, client => client.hGet(key, 'terms'))
    return (text ?? '') !== (orgTerms ? termsText(orgTerms) : '')
  }

  /** Judges a request by all of its limits as they are now, as the account by itself would. */
  async #refusal(
    admission: Admission,
    want: number,
    guests: readonly string[] | undefined,
  ): Promise<Admitted | number> {
    const { account, claims, shared } = admission
    const [{ counters, at }, rules] = await Promise.all([
      this.#countersOf(account, keyOfWindow(claims.spend.window)),
      this.#own.readRules(account, claims),
    ])
    const verdict = judge(counters, claims, at, claims.rules && rules)
    if ('denial' in verdict) {
      const { denial, readings } = verdict
      const judged = judgedOf(counters, claims, verdict, at)
      return { denial, readings, judged, newest: newestSecond(counters, at) } satisfies AdmissionDenied
    }
    // Its account grants less than was asked for, or there is room by now.
    const { output } = verdict.granted
    if (!guests || output < want) return output
    const [, , , , , wait, taken] = guests
    const judged: Mutable<AdmissionDenied['judged']> = { at, readings: verdict.readings }
    if (shared) judged.shared = { limit: shared.limit, taken: nanoUsd(Number(taken)) }
    if (claims.rules) judged.rules = judgedRules(claims, rules)
    return { outcome: 'guests-spent', retryAfterMs: Number(wait), judged }
  }

  /** Without a window of billing in the present one. */
  async #countersOf(
    account: string,
    window?: number,
  ): Promise<{ readonly counters: AccountCounters; readonly at: number }> {
    const { ask, layout, now } = this.#access
    const bucket = layout.of(account)
    const at = await now(bucket.epoch)
    const start = window ?? keyOfWindow(windowOf(at))
    const [[head, counts, calendar], ring, [used, held]] = await ask(bucket.epoch, client =>
      Promise.all([
        client.hmGet(bucket.counters(account), ['head', 'counts', 'calendar']),
        client.get(bucket.minute(account)),
        client.hmGet(bucket.spend(account, start), ['used', 'held']),
      ]),
    )
    const spend = { [start]: { used: nanoUsd(Number(used ?? 0)), held: nanoUsd(Number(held ?? 0)) } }
    return { counters: { ...readCounters({ head, counts, calendar, ring }), spend }, at }
  }

  /** Judges a round by all limits, as the account by itself would; `denial` is what limits that accounts share said. */
  async #refusedRound(extension: Extension, denial: Refused['denial']): Promise<Refused> {
    const { hold, soFar, claims } = extension
    const more = extensionOf(claims)
    const { rules = [] } = more
    const [{ counters, at }, read] = await Promise.all([
      this.#countersOf(hold.account, hold.window),
      this.#own.readRules(hold.account, more),
    ])
    const counterOf = ({ group, field }: CounterName) =>
      read[rules.findIndex(claim => claim.group === group && claim.field === field)]?.cells ?? NO_CELLS
    const spent = chargeOf(soFar)
    const verdict = judgeExtension(counters, hold, spent, more, at, readRulesAgain(more, hold, spent, counterOf, at))
    return { denial: 'denial' in verdict ? verdict.denial : denial, readings: verdict.readings }
  }

  async extend(extension: Extension): Promise<Extended> {
    const { hold, claims } = extension
    const more = await this.#shared.extend(extension)
    if ('denial' in more) return this.#refusedRound(extension, more.denial)
    if (more.outcome === 'ended') return more
    const want = Math.min(more.output, claims.output.want)
    const own = { ...extension, hold: ownOf(hold), claims: ownPart(claims, want) }
    const { extended, isAgain } = await this.#own.extend(own)
    if ('denial' in extended || extended.outcome === 'ended') {
      // It may ask for this round again.
      await this.#shared.weigh(hold, claims)
      return extended
    }
    const both = { ...withBoth(hold, extended.hold, more.cells, extension), apart: true }
    if (both.output < more.output) await this.#shared.weigh(both, claims)
    // Its checkpoint, which a round that its account refuses leaves as it was. Both leases end together.
    if (!isAgain) await this.#shared.renew(both, extension.soFar)
    return { ...extended, hold: both }
  }
}

/** The counts of both parts of a request, in the order of its claims. */
function heldOf(
  { rules = [] }: Claims,
  own: HeldRules | undefined,
  shared: HeldRules | undefined,
): HeldRules | undefined {
  const weight = own?.weight ?? shared?.weight
  const all = [...(own?.taken ?? []), ...(shared?.taken ?? [])]
  const place = ({ group, field }: CounterName) =>
    rules.findIndex(claim => claim.group === group && claim.field === field)
  return weight && { weight, taken: all.sort((one, other) => place(one) - place(other)) }
}

/** Counters that have not begun, of both parts, in the order of the claims. */
function withMissing(
  { claims }: Admission,
  checked: Admitted,
  { reply, claims: shared }: Extract<Taken, { outcome: 'counters-missing' }>,
): Admitted {
  if (!('denial' in checked) && checked.outcome !== 'counters-missing') return checked
  const own = 'denial' in checked ? [] : checked.counters
  const missing = [...own, ...readMissing(reply, shared)]
  const isMissing = ({ group, field }: CounterName) =>
    missing.some(counter => counter.group === group && counter.field === field)
  const counters = (claims.rules ?? []).filter(isMissing).map(({ group, field }) => ({ group, field }))
  return { outcome: 'counters-missing', counters, at: Number(reply[1]) }
}

/** A hold after another round, of which each part has moved its own cells. */
function withBoth(before: Hold, own: Hold, shared: readonly number[], { soFar }: Extension): Hold {
  const { rules } = before
  if (!rules) return own
  const places = new Map(
    sharedOf(before).rules?.taken.map((cell, place) => [`${cell.group} ${cell.field}`, shared[place]]),
  )
  const moved = new Map(own.rules?.taken.map(cell => [`${cell.group} ${cell.field}`, cell.cell]))
  const taken = rules.taken.map(cell => {
    const name = `${cell.group} ${cell.field}`
    return { ...cell, cell: places.get(name) ?? moved.get(name) ?? cell.cell }
  })
  const { inputTokens, cost } = soFar.bill
  const weight = own.rules?.weight ?? {
    ...rules.weight,
    input: inputTokens + own.tokens - own.output,
    output: soFar.tokens - inputTokens + own.output,
    cost: nanoUsd(cost + own.cost),
  }
  return { ...own, rules: { weight, taken } }
}

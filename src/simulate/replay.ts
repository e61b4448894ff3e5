import type { Config } from '../policy/config.ts'
import { decide } from '../policy/decide.ts'
import type { Decision, Mutable } from '../policy/decision.ts'
import type { Facts } from '../policy/facts.ts'
import { addNanoUsd, type NanoUsd, ZERO_USD } from '../policy/nano-usd.ts'
import { namedPlan, planName } from '../policy/plan.ts'
import { type DecisionRecord, type End, endOf, type Outcome, outcomeOf, type Seen, wereRead } from '../policy/record.ts'
import { possibleModels } from '../policy/route.ts'
import { RecordReader } from './records.ts'

/** The outcomes of requests under other files. Each request counts in one of the last six, and in `unasked` beside. */
export interface Tally {
  readonly requests: number
  /** Admitted then, refused now. */
  readonly refused: number
  /** Refused then, admitted now. */
  readonly allowed: number
  /** Served by another model. */
  readonly rerouted: number
  /** Requests to the same model, with its pools in another order, or other pools. */
  readonly moved: number
  /** The decision depends on a text or a header that was not logged then. */
  readonly undeterminable: number
  readonly same: number
  /** Allowed requests of which some limit is unknown: only the files refused them then, or their plan had no such limit. */
  readonly unasked: number
  /** The amounts held for them, the most they could cost, then and now. Undeterminable and unasked requests are left out. */
  readonly before: NanoUsd
  readonly after: NanoUsd
}

export interface Group extends Tally {
  readonly plan: string
  /** `none` where the files refused it before there was one. */
  readonly model: string
}

export interface Replayed {
  /** One group per plan and model. */
  readonly groups: readonly Group[]
  readonly total: Tally
  /** Lines that are no decisions. */
  readonly broken: number
  /** The revisions of the files that decided then. */
  readonly revisions: readonly string[]
}

type Change = 'refused' | 'allowed' | 'rerouted' | 'moved' | 'undeterminable' | 'same'

interface Now {
  readonly decision: Decision
  /** Undefined where the log has no readings. */
  readonly end: End | undefined
}

type Counts = { -readonly [Field in keyof Group]: Group[Field] }

const NOTHING: Tally = {
  ...{ requests: 0, refused: 0, allowed: 0, rerouted: 0, moved: 0, undeterminable: 0, same: 0, unasked: 0 },
  ...{ before: ZERO_USD, after: ZERO_USD },
}

/** Takes recorded requests through a candidate, each on the readings it was judged on then. */
export class Replay {
  readonly #config: Config
  readonly #base: Config | undefined
  readonly #moves: ReadonlyMap<string, string>
  readonly #groups = new Map<string, Map<string, Counts>>()
  readonly #revisions = new Set<string>()
  readonly #reader = new RecordReader()
  #broken = 0

  /**
   * With a base they are compared with what that makes of them, and not with what was recorded. `moves` are the plans
   * that accounts go to with the candidate, by those that they are on.
   */
  constructor(candidate: Config, base?: Config, moves: ReadonlyMap<string, string> = new Map()) {
    this.#config = candidate
    this.#base = base
    this.#moves = moves
  }

  /** One line of the log. Blank ones are none. */
  add(line: string): void {
    if (line === '') return
    const record = this.#reader.read(line)
    if (!record || !this.#take(record)) this.#broken++
  }

  get replayed(): Replayed {
    const groups = [...this.#groups.values()].flatMap(models => [...models.values()])
    groups.sort((a, b) => compare(a.plan, b.plan) || compare(a.model, b.model))
    return { groups, total: totalOf(groups), broken: this.#broken, revisions: [...this.#revisions] }
  }

  /** False for what only looks like a decision. */
  #take({ facts, seen, outcome, revision }: DecisionRecord): boolean {
    try {
      const base = this.#base?.revision === revision ? undefined : this.#base
      const then = base ? outcomeBy(base, facts, seen) : outcome
      const now = then && decidedNow(this.#config, this.#moved(facts), seen)
      this.#count(then ?? outcome, now, seen)
    } catch {
      return false
    }
    this.#revisions.add(revision)
    return true
  }

  #moved(facts: Facts): Facts {
    if (this.#moves.size === 0) return facts
    const { caller } = facts
    const override = this.#moves.get(namedPlan(caller) ?? '')
    if (override === undefined) return facts
    return { ...facts, caller: { ...caller, terms: { ...caller.terms, override } } }
  }

  #count(then: Outcome, now: Now | undefined, seen: Seen | undefined): void {
    const change = now ? changeOf(then, now) : 'undeterminable'
    const counts = this.#groupOf(then.plan, modelOf(then, now))
    counts.requests++
    counts[change]++
    if (!now) return
    if (!now.end) {
      if (change === 'allowed') counts.unasked++
      return
    }
    if ('granted' in now.end && !('denial' in now.decision) && !wereRead(now.decision.claims, seen)) counts.unasked++
    counts.before = addNanoUsd(counts.before, then.granted?.cost ?? ZERO_USD)
    if ('granted' in now.end) counts.after = addNanoUsd(counts.after, now.end.granted.cost)
  }

  #groupOf(plan: string, model: string): Counts {
    const models = this.#groups.get(plan) ?? new Map<string, Counts>()
    const counts = models.get(model) ?? { plan, model, ...NOTHING }
    if (counts.requests > 0) return counts
    this.#groups.set(plan, models.set(model, counts))
    return counts
  }
}

/** As if these files had decided it; undefined as below. */
function outcomeBy(config: Config, facts: Facts, seen: Seen | undefined): Outcome | undefined {
  const now = decidedNow(config, facts, seen)
  if (!now) return undefined
  const { decision, end } = now
  if (end) return outcomeOf(config, facts, decision, end)
  if ('denial' in decision) return undefined
  const pools = decision.pools.map(({ name }) => name)
  return { verdict: 'allow', plan: planName(config, facts.caller), model: decision.model.name, pools }
}

/** Undefined where the decision depends on a signal that was not logged. */
function decidedNow(config: Config, facts: Facts, seen: Seen | undefined): Now | undefined {
  const models = wasLookedAt(config, facts) ? [] : possibleModels(config, facts)
  if (models.length < 2) return decided(config, facts, seen)
  const all = models.map(({ name: model }) => decided(config, { ...facts, request: { ...facts.request, model } }, seen))
  // Refused, whichever it is.
  return all.every(({ end }) => end && 'denial' in end) ? all[0] : undefined
}

function decided(config: Config, facts: Facts, seen: Seen | undefined): Now {
  const decision = decide(config, facts)
  return { decision, end: endOf(decision, seen) }
}

/** Whether all that the candidate looks for was looked for then. */
function wasLookedAt({ matchers }: Config, { signals }: Facts): boolean {
  for (const { name } of matchers) if (signals[name] === undefined) return false
  return true
}

function changeOf(then: Outcome, { decision, end }: Now): Change {
  const allowed = 'denial' in decision || (end && 'denial' in end) ? undefined : decision
  if (then.verdict === 'deny') return allowed ? 'allowed' : 'same'
  if (!allowed) return 'refused'
  if (then.model !== allowed.model.name) return 'rerouted'
  const { pools = [] } = then
  const isSame = pools.length === allowed.pools.length && allowed.pools.every(({ name }, at) => name === pools[at])
  return isSame ? 'same' : 'moved'
}

function modelOf({ model, denial }: Outcome, now: Now | undefined): string {
  if (model !== undefined) return model
  if (denial && 'model' in denial) return denial.model
  return now && !('denial' in now.decision) ? now.decision.model.name : 'none'
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

function totalOf(groups: readonly Group[]): Tally {
  const total: Mutable<Tally> = { ...NOTHING }
  for (const group of groups) {
    for (const field of COUNTS) total[field] += group[field]
    total.before = addNanoUsd(total.before, group.before)
    total.after = addNanoUsd(total.after, group.after)
  }
  return total
}

const COUNTS = ['requests', 'refused', 'allowed', 'rerouted', 'moved', 'undeterminable', 'same', 'unasked'] as const

import type { Config, EpochMs, Millis, Plan } from './config.ts'
import type { AccountCounters } from './counters/account-counters.ts'
import { judge } from './counters/judge.ts'
import { isHeld, isOfRule } from './counters/refusal.ts'
import { readRules } from './counters/rule-hold.ts'
import { decide } from './decide.ts'
import type { Verdict } from './decision.ts'
import type { Denial } from './denial.ts'
import type { ChatAsk, Facts } from './facts.ts'
import type { RuleClaim } from './limits/rule-claim.ts'
import { NO_CELLS, type RuleCounter } from './limits/rule-counter.ts'
import { lowerNanoUsd, type NanoUsd, nanoUsd } from './nano-usd.ts'

/**
 * One thing that would have a refused request admitted, all else being equal. Each was decided and judged again, so that
 * none is a guess.
 */
export type Flip =
  /** A repetition of the request at this moment, if nothing else is sent until then. */
  | { readonly change: 'time'; readonly at: EpochMs }
  /**
   * An output cap of `from` to `to`: one below (unless `from` is 1) and one above are refused. Without `to` none above is: the
   * models lower it.
   */
  | { readonly change: 'max_tokens'; readonly from: number; readonly to?: number }
  | { readonly change: 'thinking'; readonly to: false }
  /** Any of these plans. */
  | { readonly change: 'plan'; readonly names: readonly string[] }
  /** Any of these models, by its name. */
  | { readonly change: 'model'; readonly names: readonly string[] }
  /** At most this many running requests; one more is refused. */
  | { readonly change: 'under_way'; readonly to: number }
  /** No more than so much held by running requests; with a nano-USD more it is refused. */
  | { readonly change: 'held'; readonly to: NanoUsd }

/** The counters behind limits: those of an account, and that of each rule. */
interface Counters {
  readonly account: AccountCounters
  readonly ofRule: (claim: RuleClaim) => RuleCounter
}

/** Changes that would admit a request which these counters refuse; none for one that is admitted. */
export function flipsOf(
  config: Config,
  facts: Facts,
  account: AccountCounters,
  ofRule: Counters['ofRule'] = () => NO_CELLS,
): readonly Flip[] {
  const counters = { account, ofRule }
  if (denialOf(config, facts, counters) === undefined) return []
  return [
    ...later(config, facts, counters),
    ...otherCap(config, facts, counters),
    ...withoutThinking(config, facts, counters),
    ...fewerUnderWay(config, facts, counters),
    ...lessHeld(config, facts, counters),
    ...otherPlans(config, facts, counters),
    ...otherModels(config, facts, counters),
  ]
}

/** Why a request is refused; undefined when it is admitted. */
function denialOf(config: Config, facts: Facts, counters: Counters): Denial | undefined {
  const decision = decide(config, facts)
  if ('denial' in decision) return decision.denial
  const { claims } = decision
  const rules = readRules(claims, counters.ofRule, facts.at)
  const verdict: Verdict = judge(counters.account, claims, facts.at, rules)
  return 'denial' in verdict ? verdict.denial : undefined
}

const admits = (config: Config, facts: Facts, counters: Counters): boolean =>
  denialOf(config, facts, counters) === undefined

/** A minute may end in a full day, and that in a spent month; after as many waits the end is reported as unknown. */
const MOST_WAITS = 4

function later(config: Config, facts: Facts, counters: Counters): readonly Flip[] {
  let { at } = facts
  for (let waits = 0; waits < MOST_WAITS; waits++) {
    const denial = denialOf(config, { ...facts, at }, counters)
    if (!denial) return [{ change: 'time', at }]
    const wait = waitOf(denial, at)
    if (wait === undefined) return []
    at += wait
  }
  return []
}

/** Time until a denial clears; undefined if that takes more than time, or the time is unknown. */
function waitOf(denial: Denial, at: EpochMs): Millis | undefined {
  if (denial.code === 'quota_exceeded') return denial.resetAt - at
  if (denial.code !== 'rate_limit_exceeded' || !isOfRule(denial)) return undefined
  return isHeld(denial) ? undefined : denial.retryAfterMs
}

function otherCap(config: Config, facts: Facts, counters: Counters): readonly Flip[] {
  const { request } = facts
  if (request.kind !== 'chat') return []
  const fits = (tokens: number) => admits(config, { ...facts, request: capped(request, tokens) }, counters)
  const chats = [...config.models.values()].flatMap(model => (model.kind === 'chat' ? [model] : []))
  const least = [1, ...chats.flatMap(({ thinking }) => (thinking ? [thinking.minMaxTokens] : []))]
  const found = least.sort((a, b) => a - b).find(fits)
  if (found === undefined) return []
  const from = lowest(found, fits)
  // A model that does not lower a cap takes none as large as its context.
  const beyond = Math.max(...chats.map(({ context }) => context))
  return [{ change: 'max_tokens', from, ...(!fits(beyond) && { to: lastBefore(found, beyond, fits) }) }]
}

const capped = (request: ChatAsk, tokens: number): ChatAsk => ({
  ...request,
  cap: { field: request.cap?.field ?? 'max_tokens', tokens },
})

/** The lowest that fits, going down from one that does. */
const lowest = (found: number, fits: (n: number) => boolean): number =>
  fits(1) ? 1 : -lastBefore(-found, -1, n => fits(-n))

/** The last that fits before one that does not, between one that fits and one that does not. */
function lastBefore(fitting: number, unfitting: number, fits: (n: number) => boolean): number {
  let [low, high] = [fitting, unfitting]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (fits(middle)) low = middle
    else high = middle
  }
  return low
}

function withoutThinking(config: Config, facts: Facts, counters: Counters): readonly Flip[] {
  const { request } = facts
  if (request.kind !== 'chat' || request.thinking === false) return []
  const calm = { ...facts, request: { ...request, thinking: false } }
  return admits(config, calm, counters) ? [{ change: 'thinking', to: false }] : []
}

function fewerUnderWay(config: Config, facts: Facts, counters: Counters): readonly Flip[] {
  const { account } = counters
  const fits = (concurrent: number) => admits(config, facts, { ...counters, account: { ...account, concurrent } })
  if (account.concurrent === 0 || !fits(0)) return []
  return [{ change: 'under_way', to: lastBefore(0, account.concurrent, fits) }]
}

function lessHeld(config: Config, facts: Facts, counters: Counters): readonly Flip[] {
  const { account } = counters
  const held = Math.max(0, ...Object.values(account.spend).map(spend => spend.held))
  const fits = (most: number) =>
    admits(config, facts, { ...counters, account: { ...account, spend: heldAtMost(account.spend, nanoUsd(most)) } })
  if (held === 0 || !fits(0)) return []
  return [{ change: 'held', to: nanoUsd(lastBefore(0, held, fits)) }]
}

const heldAtMost = (spend: AccountCounters['spend'], most: NanoUsd): AccountCounters['spend'] =>
  Object.fromEntries(
    Object.entries(spend).map(([window, each]) => [window, { ...each, held: lowerNanoUsd(each.held, most) }]),
  )

/** That of guests is no plan to change to. */
function otherPlans(config: Config, facts: Facts, counters: Counters): readonly Flip[] {
  const names = [...config.plans.values()]
    .filter(plan => plan !== config.guestPlan && admits(config, onPlan(facts, plan), counters))
    .map(({ name }) => name)
  return names.length > 0 ? [{ change: 'plan', names }] : []
}

/** The request's facts if an operator put its account on a plan. */
function onPlan(facts: Facts, { name }: Plan): Facts {
  const { caller } = facts
  return { ...facts, caller: { ...caller, kind: 'developer', terms: { ...caller.terms, override: name } } }
}

function otherModels(config: Config, facts: Facts, counters: Counters): readonly Flip[] {
  const { request } = facts
  const named = (model: string) => ({ ...facts, request: { ...request, model } })
  const names = [...config.models.values()]
    .filter(({ kind, name }) => kind === request.kind && admits(config, named(name), counters))
    .map(({ name }) => name)
  return names.length > 0 ? [{ change: 'model', names }] : []
}

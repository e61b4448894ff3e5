import { choiceText, type PoolChoice } from '../policy/balance/pool-choice.ts'
import { type Config, type Matcher, type Place, type Plan, type Pool, placeOf } from '../policy/config.ts'
import { counted } from '../policy/counted.ts'
import { usedOf } from '../policy/counters/account-counters.ts'
import { leastWeight } from '../policy/counters/judge.ts'
import { ruleOf } from '../policy/counters/refusal.ts'
import { isWarned } from '../policy/counters/session-notice.ts'
import { lastTurns } from '../policy/counters/session-turn.ts'
import { amountOf, weightOf } from '../policy/counters/weight.ts'
import type { Allowed, Claims, Decision, Stage, Verdict } from '../policy/decision.ts'
import type { Denied } from '../policy/denial.ts'
import { ruleSteps, type Step, translationText } from '../policy/explain.ts'
import type { Caller, InferenceRequest } from '../policy/facts.ts'
import { isNamed } from '../policy/limits/named-rules.ts'
import type { LimitRule } from '../policy/limits/rule.ts'
import type { Weight } from '../policy/limits/rule-claim.ts'
import { NOTHING_READ } from '../policy/limits/rule-counter.ts'
import { ruleText, whereText } from '../policy/limits/text.ts'
import { type NanoUsd, nanoUsd, subtractNanoUsd } from '../policy/nano-usd.ts'
import { planName, planOf } from '../policy/plan.ts'
import { costOf } from '../policy/price.ts'
import type { SlotKind } from '../policy/queue/slot-shares.ts'
import { dollars, usdText } from '../wire/money.ts'
import { type Headers, signalsIn } from '../wire/openai/signals.ts'
import type { Sent } from './send.ts'

/** The facts of a request that its stages are described from. */
export interface StageFacts {
  readonly decision: Decision
  /** The steps of the decision. */
  readonly why: readonly Step[]
  readonly request: InferenceRequest
  readonly verdict?: Verdict
  /** Set when what all guests may spend in a day does not hold it. */
  readonly guests?: { readonly limit: NanoUsd; readonly place?: Place }
  readonly sent?: Sent
}

/** The stages in the order in which operators think of them. */
const STAGES: readonly Stage[] = ['who', 'body', 'model', 'route', 'gate', 'rate', 'quota', 'send']

/** The steps of a decision and the answers of limits and pools, ordered by stage; none after the one that refused. */
export function stagesOf(facts: StageFacts): readonly Step[] {
  const { decision, why, request, verdict } = facts
  const own = why.filter(({ stage }) => !verdict || !LIMITS.has(stage))
  const read = own.some(({ stage }) => stage === 'body') ? [] : [bodyRead(request)]
  const unrouted = needsRouteStep(why) ? [unroutedStep(request)] : []
  const limits = verdict && !('denial' in decision) ? limitSteps(decision, verdict, facts) : []
  return inOrder([...own, ...read, ...unrouted, ...limits])
}

/** The step of a caller whose request goes no further than its body. */
export function whoKnown(caller: Caller, config: Config): Step {
  const plan = planOf(config, caller)
  const text = `${caller.account} on plan ${planName(config, caller)}`
  return { stage: 'who', outcome: 'pass', text, ...(plan && { at: plan.at }) }
}

/** The step of a body that cannot be read. */
export const readStep = ({ denial }: Denied): Step => ({
  stage: 'body',
  outcome: 'deny',
  text: 'problem' in denial && 'field' in denial ? `${denial.field}: ${denial.problem}` : denial.code,
})

const LIMITS: ReadonlySet<Stage> = new Set(['rate', 'quota', 'send'])

const unroutedStep = ({ model }: InferenceRequest): Step => ({
  stage: 'route',
  outcome: 'pass',
  text: model === undefined ? 'no route applies' : 'the client named the model, which is never changed',
})

const needsRouteStep = (why: readonly Step[]): boolean =>
  why.some(({ stage, outcome }) => stage === 'model' && outcome === 'pass') &&
  !why.some(({ stage }) => stage === 'route') &&
  why.some(({ stage }) => stage === 'gate')

/** Unknown stages stay at their position. */
function inOrder(steps: readonly Step[]): readonly Step[] {
  let rank = 0
  const ranked = steps.map(step => {
    const known = STAGES.indexOf(step.stage)
    if (known >= 0) rank = known
    return { step, rank }
  })
  return ranked.sort((a, b) => a.rank - b.rank).map(({ step }) => step)
}

function bodyRead(request: InferenceRequest): Step {
  const text = `${request.textBytes} bytes of text, about ${Math.ceil(request.textBytes / 4)} tokens`
  return { stage: 'body', outcome: 'pass', text }
}

function limitSteps(decision: Allowed, verdict: Verdict, { guests, sent, request, why }: StageFacts): readonly Step[] {
  const rate = rateStep(decision, verdict)
  if (rate.outcome === 'deny') return [rate]
  const rates = [rate, ...rulesSteps(decision, verdict)]
  if (rates.some(({ outcome }) => outcome === 'deny')) return rates
  const quota = quotaStep(decision, verdict)
  if (quota.outcome === 'deny') return [...rates, quota]
  if (guests) return [...rates, quota, guestStep(guests)]
  // Before it, the policy says which pools are busy.
  const busy = why.filter(({ stage }) => stage === 'send').slice(0, -1)
  return sent ? [...rates, quota, ...busy, sendStep(decision, sent, request)] : [...rates, quota]
}

function rateStep({ plan, claims }: Allowed, verdict: Verdict): Step {
  const weight = weightIn(claims, verdict)
  const text = claims.limits
    .map(rule => usedText(rule, usedOf(verdict.readings, rule.name), amountOf(rule.measure, weight)))
    .join(', ')
  const field = deniedField(verdict)
  if (field === undefined || field === 'monthly_usd') {
    return { stage: 'rate', outcome: 'pass', text, at: placeOf(plan, 'rpm') }
  }
  return { stage: 'rate', outcome: 'deny', text, at: placeOf(plan, field) }
}

/** A step for each rule with its use; none after the one that refused. */
function rulesSteps({ plan, claims }: Allowed, verdict: Verdict): readonly Step[] {
  const refused = 'denial' in verdict && 'rule' in verdict.denial ? verdict.denial.rule : undefined
  const weight = weightIn(claims, verdict)
  const steps: Step[] = []
  for (const [place, { rule }] of (claims.rules ?? []).entries()) {
    const { used, held } = verdict.rules?.[place] ?? NOTHING_READ
    const last = 'granted' in verdict && lastTurns(claims, verdict.rules).includes(rule) ? LAST_TURN : ''
    const notice = 'granted' in verdict && isWarned(claims, rule, verdict.rules?.[place]) ? WITH_NOTICE : ''
    const text = `${usedText(rule, used + held, amountOf(rule.measure, weight))}${last}${notice}`
    steps.push(...ruleSteps(plan, rule, text, rule === refused ? 'deny' : 'pass'))
    if (rule === refused) break
  }
  return steps
}

const WITH_NOTICE = ', and the request ends with a notice to the model'
const LAST_TURN = ': the last turn of the session'

/** The granted weight, or the minimum the request needs. */
const weightIn = (claims: Claims, verdict: Verdict): Weight =>
  'granted' in verdict ? weightOf(claims, verdict.granted) : leastWeight(claims)

/** `3 of 20 requests a minute`, `900 of 40000 tokens a minute (this one: 156)` */
function usedText(rule: LimitRule, used: number, takes: number): string {
  const isUsd = rule.measure === 'usd'
  const [before, most, own] = [used, rule.most, takes].map(each =>
    isUsd ? dollars(usdText(nanoUsd(each))) : `${each}`,
  )
  const what = isUsd ? whereText(rule) : ruleText(rule)
  const isOne = rule.measure === 'requests' || rule.measure === 'concurrent'
  return `${before} of ${most} ${what}${isOne ? '' : ` (this one: ${own})`}`
}

/** The field of the plan that a refusal stands on; undefined for a rule without a name. */
function deniedField(verdict: Verdict): string | undefined {
  if ('granted' in verdict) return undefined
  const { denial } = verdict
  if (denial.code === 'quota_exceeded') return 'monthly_usd'
  const rule = ruleOf(denial)
  return isNamed(rule) ? rule.name : undefined
}

function quotaStep({ plan, claims }: Allowed, verdict: Verdict): Step {
  const { spend, input, output } = claims
  const { used, held } = verdict.readings
  const least = costOf(spend.price, input, output.min * output.choices, spend.items)
  const cost =
    'granted' in verdict
      ? `this one: ${dollars(usdText(verdict.granted.cost))} at most`
      : `this one: ${dollars(usdText(least))} at least`
  const parts = [
    `${dollars(usdText(used))} of ${dollars(usdText(spend.allotment))} used`,
    held > 0 ? `${dollars(usdText(held))} reserved` : '',
    overageText(spend.limit, spend.allotment),
    cost,
  ]
  const denied = deniedField(verdict) === 'monthly_usd'
  return {
    stage: 'quota',
    outcome: denied ? 'deny' : 'pass',
    text: parts.filter(Boolean).join(', '),
    at: quotaPlace(plan, denied),
  }
}

function overageText(limit: NanoUsd | undefined, allotment: NanoUsd): string {
  if (limit === undefined) return 'overage without a cap'
  return limit > allotment ? `overage up to ${dollars(usdText(subtractNanoUsd(limit, allotment)))}` : ''
}

/** A plan with a cap on its overage refuses there. */
const quotaPlace = (plan: Plan, denied: boolean): Place =>
  placeOf(plan, denied && typeof plan.overage === 'object' ? 'overage' : 'monthly_usd')

const guestStep = ({ limit, place }: { limit: NanoUsd; place?: Place }): Step => ({
  stage: 'quota',
  outcome: 'deny',
  text: `all guests together have reached their ${dollars(usdText(limit))} per day`,
  ...(place && { at: place }),
})

function sendStep({ model, pools }: Allowed, { attempted, end, full }: Sent, request: InferenceRequest): Step {
  const at = placeOf(model, 'serve')
  const step = { stage: 'send' as const, at }
  if ('denial' in end) {
    const text = full.size > 0 ? leftText(attempted, full) : `${attempted.join(', then ')}: all failed`
    return { ...step, outcome: 'deny', text }
  }
  const left = attempted.filter(name => name !== end.servedBy.name)
  const rest = pools.filter(({ name }) => !attempted.includes(name))
  const [served, ...next] = [end.servedBy, ...rest].map(pool => `${pool.name}${translationText(model, pool, request)}`)
  const parts = [left.length > 0 ? `${leftText(left, full)}, so ${served}` : served, ...next]
  return { ...step, outcome: 'pass', text: parts.join(', then ') }
}

/** `onprem is full, cloud failed`: the pools that did not serve the request, those without room each by itself. */
function leftText(names: readonly string[], full: Sent['full']): string {
  const failed = names.filter(name => !full.has(name))
  const parts = [...names.filter(name => full.has(name)).map(name => `${name} is full`)]
  if (failed.length > 0) parts.push(`${failed.join(', ')} failed`)
  return parts.join(', ')
}

/** The wait of the request, the queues that had no place for it, and its slot, each with the line that says so. */
export function slotSteps(
  steps: readonly Step[],
  pools: readonly Pool[],
  { full, wait, slot, end }: Sent,
): readonly Step[] {
  const added = pools.flatMap((pool): readonly Step[] => {
    const texts = []
    if (wait?.pool === pool) texts.push({ field: 'queue', text: waitText(wait) })
    const bound = full.get(pool.name)
    if (bound?.startsWith('queue.'))
      texts.push({ field: 'queue', text: `${pool.name} is full, and its queue takes no more: ${bound} is reached` })
    if (slot && 'servedBy' in end && end.servedBy.name === pool.name)
      texts.push({ field: 'shares', text: SLOTS[slot](pool.name) })
    return texts.map(({ field, text }) => ({ stage: 'send', outcome: 'pass', text, at: placeOf(pool, field) }))
  })
  return [...steps.slice(0, -1), ...added, ...steps.slice(-1)]
}

const SLOTS: Readonly<Record<SlotKind, (pool: string) => string>> = {
  guaranteed: pool => `the request gets a slot of ${pool} that its share guarantees`,
  borrowed: pool => `the request borrows a slot of ${pool} from a share that does not use it`,
  open: pool => `the request gets a slot of ${pool} that no share guarantees`,
}

/** `the request waits for a slot of onprem, behind 12 others` */
function waitText({ pool, behind }: NonNullable<Sent['wait']>): string {
  if (behind === undefined) return `the request waits for a slot of ${pool.name} during before_next`
  const before = behind === 0 ? 'and gets the next one' : `behind ${counted(behind, 'other')}`
  return `the request waits for a slot of ${pool.name}${behind === 0 ? ' ' : ', '}${before}`
}

/** How the pools choose among their replicas, each with the line that says so; nothing for a request that is refused before. */
export function choiceSteps(
  steps: readonly Step[],
  pools: readonly Pool[],
  choices: readonly PoolChoice[],
): readonly Step[] {
  const last = steps.at(-1)
  if (last?.stage !== 'send' || last.outcome === 'deny') return steps
  const added = choices.flatMap((choice): readonly Step[] => {
    const pool = pools.find(({ name }) => name === choice.pool)
    return pool ? [{ stage: 'send', outcome: 'pass', text: choiceText(choice), at: placeOf(pool, 'balance') }] : []
  })
  return [...steps, ...added]
}

/** Fewer phrases are shorter than what would be said instead. */
const FEW = 3

/** Steps that say what was found in a text, in place of all that was looked for. */
export const namingFoundPhrases = (
  steps: readonly Step[],
  matchers: readonly Matcher[],
  text: string,
  headers: Headers,
): readonly Step[] =>
  sayingShort(steps, matchers, phrases => {
    const found = phrases.filter(phrase => isFound(phrase, text, headers))
    return `mentions ${found.map(phrase => `"${phrase}"`).join(', ')}`
  })

/** The words for a text that is not kept any more. */
export const namingSomePhrase = (steps: readonly Step[], matchers: readonly Matcher[]): readonly Step[] =>
  sayingShort(steps, matchers, phrases => `mentions one of its ${phrases.length} phrases`)

function sayingShort(
  steps: readonly Step[],
  matchers: readonly Matcher[],
  found: (phrases: readonly string[]) => string,
): readonly Step[] {
  const long = matchers.flatMap(matcher =>
    matcher.kind === 'mentions' && matcher.phrases.length > FEW ? [matcher] : [],
  )
  // One name may be a part of another.
  const longestFirst = long.sort((a, b) => b.name.length - a.name.length)
  return steps.map(step => {
    if (step.stage !== 'route') return step
    let said = step.text
    for (const { name, phrases } of longestFirst) {
      if (!said.includes(name)) continue
      const none = `none of its ${phrases.length} phrases`
      said = said.replaceAll(`no ${name}`, none).replaceAll(name, found(phrases))
    }
    return { ...step, text: said }
  })
}

function isFound(phrase: string, text: string, headers: Headers): boolean {
  const matcher: Matcher = { kind: 'mentions', name: phrase, phrases: [phrase] }
  return signalsIn([matcher], text, headers)[phrase] === true
}

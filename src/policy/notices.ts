import type { EpochMs } from './config.ts'
import type { Hold } from './counters/account-counters.ts'
import type { Claims, Mutable } from './decision.ts'
import { CALENDAR_RULES, type CountRule, quotaOf } from './limits/named-rules.ts'
import { isNoticeScope, type NoticeEventName, type NoticeRule, type NoticeScope } from './limits/notice-rule.ts'
import { isIdle, type LimitRule } from './limits/rule.ts'
import { type CounterName, isSharedGroup, keyOfField, NO_KEY, type RuleClaim } from './limits/rule-claim.ts'
import { cellAt, cellEnd, slides } from './limits/rule-counter.ts'

/** A counter that is compared with thresholds once a request is settled. Plain JSON: it travels, and checkpoints have it. */
export interface Watch {
  /** One name for each limit, owner and window, whatever its number: `acct_1 usd/month// 1764547200000`. */
  readonly name: string
  /** The counter of a rule; else the spend of the billing window, or the requests of the day. */
  readonly counter: CounterName | 'spend' | 'day'
  /** The cell in which the request counts: of spend the start of its window. */
  readonly cell: number
  /** When the window ends. */
  readonly end: EpochMs
  /** Ascending. */
  readonly thresholds: readonly Threshold[]
  readonly about: NoticedLimit
}

export interface Threshold {
  readonly percent: number
  /** The use from which on it is reached, in the unit of the measure. */
  readonly use: number
}

/** The limit that a notice is about, and who shares it: one of account, org and plan, or none where everybody does. */
export interface NoticedLimit extends LimitRule {
  readonly of: NoticeScope
  readonly account?: string
  readonly org?: string
  readonly plan?: string
  /** The id of the key that has the limit alone, or `sign-in`. */
  readonly key?: string
  /** The digest of the end user that has it alone. */
  readonly user?: string
}

/** A limit whose use reached a threshold, as the step that settled the request wrote it down. */
export interface Crossing extends Pick<Watch, 'name' | 'end' | 'about'> {
  readonly at: EpochMs
  /** The highest threshold that was reached. */
  readonly percent: number
  /** The highest one that was announced before in this window; 0 where none was. */
  readonly above: number
  /** Settled use at that moment. */
  readonly used: number
}

/** A request that is about to settle. */
interface Settling {
  readonly notices: readonly NoticeRule[]
  readonly claims: Pick<Claims, 'limits' | 'rules' | 'spend'>
  readonly hold: Pick<Hold, 'account' | 'at' | 'second' | 'round' | 'window' | 'rules'>
}

/** The limits of a request that notices are about: those in a window of the calendar. Undefined where there are none. */
export function watchesOf({ notices, claims, hold }: Settling): readonly Watch[] | undefined {
  const watches: Watch[] = []
  const watch = (limit: LimitRule & { readonly of: NoticeScope }, counted: Counted) => {
    const thresholds = thresholdsOf(notices, limit)
    if (thresholds.length > 0) watches.push(watchOf(limit, counted, thresholds))
  }
  const { account } = hold
  const { allotment, window } = claims.spend
  const quota = quotaOf(allotment, window.per)
  if (allotment > 0)
    watch(own(quota), { counter: 'spend', owner: account, account, cell: hold.window, end: window.end })
  for (const limit of claims.limits) if (limit.name === DAY?.name) watch(own(limit), countedInDay(hold))
  for (const claim of claims.rules ?? []) {
    const { of = 'account' } = claim.rule
    const counted = isNoticeScope(of) && isAnnounced(claim) ? countedByRule(claim, hold) : undefined
    if (counted && isNoticeScope(of)) watch({ ...claim.rule, of }, counted)
  }
  return watches.length > 0 ? watches : undefined
}

/** The highest threshold that a use reaches, unless it was announced before. */
export function crossedBy({ thresholds }: Pick<Watch, 'thresholds'>, used: number, before: number): number | undefined {
  const { percent } = thresholds.findLast(({ use }) => used >= use) ?? { percent: 0 }
  return percent > before ? percent : undefined
}

/** The targets that hear of a crossing, each with the highest of its own thresholds that was reached. */
export function targetsOf(
  notices: readonly NoticeRule[],
  { about, percent, above }: Pick<Crossing, 'about' | 'percent' | 'above'>,
): ReadonlyMap<string, number> {
  const targets = new Map<string, number>()
  for (const { at, of, to } of notices) {
    const reached = of.includes(about.of) ? at.findLast(each => each > above && each <= percent) : undefined
    if (reached === undefined) continue
    for (const target of to) targets.set(target, Math.max(reached, targets.get(target) ?? 0))
  }
  return targets
}

/** The targets that hear of an event, which may have several names. */
export const targetsOn = (notices: readonly NoticeRule[], names: readonly NoticeEventName[]): ReadonlySet<string> =>
  new Set(notices.flatMap(({ on = [], to }) => (names.some(name => on.includes(name)) ? to : [])))

/** Where a request counts, and who shares the counter. */
interface Counted extends Pick<Watch, 'counter' | 'cell' | 'end'>, Pick<NoticedLimit, 'account' | 'org' | 'plan'> {
  /** Who or what has the counter, in one word. */
  readonly owner: string
  readonly key?: string
  readonly user?: string
}

function watchOf(
  { measure, most, per, of, model }: LimitRule & { readonly of: NoticeScope },
  { counter, cell, end, owner, account, org, plan, key, user }: Counted,
  thresholds: readonly Threshold[],
): Watch {
  const field = typeof counter === 'object' ? counter.field : `${measure}/${per}//`
  const about: Mutable<NoticedLimit> = { measure, most, of }
  if (per !== undefined) about.per = per
  if (model !== undefined) about.model = model
  if (account !== undefined) about.account = account
  if (org !== undefined) about.org = org
  if (plan !== undefined) about.plan = plan
  if (key !== undefined) about.key = key
  if (user !== undefined) about.user = user
  return { name: `${owner} ${field} ${end}`, counter, cell, end, thresholds, about }
}

/** A named limit has no scope, since it is always of the account. */
const own = ({ measure, most, per }: LimitRule | CountRule): LimitRule & { readonly of: 'account' } =>
  per === undefined ? { measure, most, of: 'account' } : { measure, most, per, of: 'account' }

/** Windows that begin and end by the clock. A second is over before anybody reads of it, and a count for other plans is no limit. */
const isAnnounced = ({ rule: { per, most } }: RuleClaim): boolean =>
  per !== undefined && per !== 'second' && !slides(per) && !isIdle(per) && most < Number.MAX_SAFE_INTEGER

const DAY = CALENDAR_RULES.find(({ per }) => per === 'day')

function countedInDay({ account, at, second, round }: Settling['hold']): Counted {
  // A further round counts in a second of its own, and the request in the day of its admission.
  const cell = cellAt('day', round === 0 ? second * 1000 : at)
  return { counter: 'day', owner: account, account, cell, end: cellEnd('day', cell) }
}

function countedByRule({ rule, group, field }: RuleClaim, { account, rules }: Settling['hold']): Counted | undefined {
  const taken = rules?.taken.find(each => each.field === field && each.group === group)
  if (!taken) return undefined
  const counted = { counter: { group, field }, cell: taken.cell, end: cellEnd(rule.per, taken.cell) }
  const name = group.slice(group.indexOf(':') + 1)
  if (isSharedGroup(group)) {
    const { of } = rule
    return { ...counted, owner: group, ...(of === 'org' && { org: name }), ...(of === 'plan' && { plan: name }) }
  }
  if (rule.of === 'user') return { ...counted, owner: `${account}:${group}`, account, user: name }
  return { ...counted, owner: account, account, ...(rule.of === 'key' && { key: keyOfField(field) ?? NO_KEY }) }
}

function thresholdsOf(notices: readonly NoticeRule[], { of, most }: LimitRule & { readonly of: NoticeScope }) {
  const percents = new Set(notices.flatMap(rule => (rule.of.includes(of) ? rule.at : [])))
  return [...percents].sort((a, b) => a - b).map((percent): Threshold => ({ percent, use: useAt(most, percent) }))
}

/** The least whole use that is so many percent. Nano-USD times percent may be beyond what a number holds exactly. */
function useAt(most: number, percent: number): number {
  const whole = most * percent
  if (Number.isSafeInteger(whole)) return Math.ceil(whole / 100)
  const [hundredths, rest] = [(BigInt(most) * BigInt(percent)) / 100n, (BigInt(most) * BigInt(percent)) % 100n]
  return Number(hundredths) + (rest > 0n ? 1 : 0)
}

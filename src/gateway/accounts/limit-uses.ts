import type { Calendar } from '../../policy/calendar.ts'
import type { Config } from '../../policy/config.ts'
import { type LimitUse, usesOfClaims } from '../../policy/counters/limit-use.ts'
import { leastClaims } from '../../policy/decide.ts'
import type { Claims } from '../../policy/decision.ts'
import type { Caller, CallerKey } from '../../policy/facts.ts'
import { countedBy, type LimitRule, labelOf, scopeOf, sharedBy } from '../../policy/limits/rule.ts'
import { beginsWithLedger, claimsOfRules, isSharedGroup, type RuleClaim } from '../../policy/limits/rule-claim.ts'
import type { RuleReading } from '../../policy/limits/rule-counter.ts'
import { splitLimits } from '../../policy/limits/zoned-limits.ts'
import { planOf } from '../../policy/plan.ts'
import type { AccountStore, AccountUsage } from '../store/account-store.ts'
import { beginCounters, type CounterStores } from '../store/begin-counters.ts'
import type { HoldStore } from '../store/hold-store.ts'

/** The stores from which the use of limits is read. */
export interface LimitStores extends CounterStores {
  readonly holds: Pick<HoldStore, 'readRules' | 'beginCounters'>
}

/** The account whose limits are read. */
interface Limited extends Pick<Caller, 'account' | 'kind' | 'terms' | 'orgTerms'> {
  /** The keys whose own limits are read; undefined is a sign-in. */
  readonly keys: readonly (CallerKey | undefined)[]
}

/**
 * Every limit that may refuse an account's requests, its own and those of its keys, with its usage. Limits per end user or session
 * have many counters, so none is read; for limits per label, it reads the counts of its keys' values.
 */
export async function readLimits(
  config: Config,
  stores: LimitStores,
  limited: Limited,
  usage: AccountUsage,
): Promise<readonly LimitUse[]> {
  const { account, terms } = limited
  const { at } = usage
  const plan = planOf(config, limited)
  if (!plan) return []
  const { calendar } = config
  const { zoned } = splitLimits(plan.limits, calendar)
  const all = [...zoned, ...plan.rules.map(({ rule }) => rule), ...sharedBy('org', limited.orgTerms?.limits)]
  const ofKeys = all.filter(({ of }) => of === 'key')
  const ofEach = all.filter(rule => scopeOf(rule).isOfEach)
  const others = all.filter(rule => rule.of !== 'key' && !scopeOf(rule).isOfEach)
  const subject = { plan: plan.name, calendar }
  const ofLabels = labelClaims(ofEach, limited, subject)
  const counted = new Set(ofLabels.map(({ rule }) => countedBy(rule)))
  const rules = [
    ...claimsOfRules(others, { terms }, subject),
    ...ofLabels,
    ...limited.keys.flatMap(key =>
      claimsOfRules([...ofKeys, ...sharedBy('key', key?.limits)], key ? { terms, key } : { terms }, subject),
    ),
  ]
  const claims = { ...leastClaims(config, plan, terms, at), rules }
  const read = rules.length > 0 ? await readBegun(config, stores, account, claims, at) : []
  return [
    ...usesOfClaims(claims, { at, readings: usage, newest: usage.newest, rules: read }),
    ...ofEach.filter(rule => !counted.has(countedBy(rule))).map(rule => ({ rule })),
  ]
}

/** The counters of the label values that the keys have. */
function labelClaims(
  rules: readonly LimitRule[],
  { terms, keys }: Limited,
  subject: { readonly plan: string; readonly calendar?: Calendar | undefined },
): readonly RuleClaim[] {
  return rules.flatMap(rule => {
    const label = labelOf(rule.of)
    if (label === undefined) return []
    const values = new Set(keys.flatMap(key => key?.labels?.[label] ?? []))
    return [...values].flatMap(value => claimsOfRules([rule], { terms }, { ...subject, labels: { [label]: value } }))
  })
}

/** The use of each key's limits, by its id. Nothing is read where no key has a limit. */
export async function readLimitsOfKeys(
  config: Config,
  stores: LimitStores & { readonly accounts: Pick<AccountStore, 'readUsage'> },
  caller: Pick<Caller, 'account' | 'kind' | 'terms' | 'orgTerms'>,
  keys: readonly CallerKey[],
): Promise<ReadonlyMap<string, readonly LimitUse[]>> {
  const uses = new Map<string, LimitUse[]>()
  const isPlanned = planOf(config, caller)?.rules.some(({ rule }) => rule.of === 'key')
  const usage =
    isPlanned || keys.some(({ limits }) => limits)
      ? await stores.accounts.readUsage(caller.account, config.calendar)
      : undefined
  if (!usage) return uses
  for (const counted of countedApart(keys))
    for (const use of await readLimits(config, stores, { ...caller, keys: [...counted.values()] }, usage)) {
      const id = counted.get(use.key ?? '')?.id
      if (id !== undefined) uses.set(id, [...(uses.get(id) ?? []), use])
    }
  return uses
}

/** Keys by the id under which limits count them, in sets without two of one: a rotated key counts as the one after it, whose limits may be others. */
function countedApart(keys: readonly CallerKey[]): readonly ReadonlyMap<string, CallerKey>[] {
  const sets: Map<string, CallerKey>[] = []
  for (const key of keys) {
    const counted = key.origin ?? key.id
    const free = sets.find(set => !set.has(counted))
    if (free) free.set(counted, key)
    else sets.push(new Map([[counted, key]]))
  }
  return sets
}

/** Counters of the account that begin with what the ledger knows are begun before they are read, as a request would begin them. */
async function readBegun(
  config: Config,
  stores: LimitStores,
  account: string,
  claims: Claims & { readonly rules: readonly RuleClaim[] },
  at: number,
): Promise<readonly RuleReading[]> {
  const { rules } = claims
  const read = await stores.holds.readRules(account, claims)
  const counters = rules.filter(
    (claim, place) => read[place]?.cells.length === 0 && !isSharedGroup(claim.group) && beginsWithLedger(claim),
  )
  if (counters.length === 0) return read
  await beginCounters(config, stores, { account, claims: counters, counters, at })
  return stores.holds.readRules(account, claims)
}

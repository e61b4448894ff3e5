import type { Calendar } from '../../policy/calendar.ts'
import type { Config, EpochMs } from '../../policy/config.ts'
import { countedBy, type LimitRule, scopeOf } from '../../policy/limits/rule.ts'
import {
  type CounterName,
  claimsOfRules,
  isKnownToLedger,
  isSharedGroup,
  isShortWindow,
  type RuleClaim,
} from '../../policy/limits/rule-claim.ts'
import { NO_CELLS, type RuleCounter, windowStart } from '../../policy/limits/rule-counter.ts'
import { addDay, addSums, countedOf, firstDay } from '../../policy/limits/rule-seed.ts'
import { windowIn } from '../../policy/limits/zoned-window.ts'
import type { AccountStore } from '../store/account-store.ts'
import { originsOf } from '../store/begin-counters.ts'
import type { HoldStore } from '../store/hold-store.ts'
import type { KeyStore } from '../store/key-store.ts'
import type { LedgerStore } from '../store/ledger-store.ts'
import type { OrgStore } from '../store/org-store.ts'

/** The stores from which counters begin before requests ask for them. */
export interface AheadStores {
  readonly holds: Pick<HoldStore, 'beginCounters' | 'readRules'>
  readonly ledger: Pick<LedgerStore, 'readTotals' | 'readRecent'>
  readonly keys: Pick<KeyStore, 'listOf'>
  readonly accounts: Pick<AccountStore, 'find' | 'readAll'>
  readonly orgs: Pick<OrgStore, 'readAll'>
}

/** Limits that will count, and their accounts. */
export interface NewRules {
  readonly rules: readonly LimitRule[]
  /** Whether some of them may have counted before: nothing is known of the files of then. */
  readonly mayBeOld?: boolean
  /** Those among them that count a request. */
  readonly count: (request: { readonly plan: string; readonly account: string; readonly org?: string }) => LimitRule[]
}

/**
 * Begins the counters of limits that will count with what the ledger knows, where that costs too much to be found while a request
 * waits: what many accounts share takes the sums of all of them, and a window of an hour or a minute the rows of that time.
 * Counters that have begun stay as they are.
 */
export async function beginAhead(config: Config, stores: AheadStores, added: NewRules, now: EpochMs): Promise<void> {
  const known = added.rules.filter(isKnownToLedger)
  const isShort = ({ per }: LimitRule) => isShortWindow(per) && per !== 'second'
  const isLongShared = (rule: LimitRule) => !isShortWindow(rule.per) && scopeOf(rule).isOfMany
  if (!known.some(rule => isShort(rule) || isLongShared(rule))) return
  const missing = await missingOfMany(config, stores, added, known.filter(isLongShared))
  const orgOf = missing.some(({ rule }) => rule.of === 'org')
    ? await orgsOfAll(stores.accounts)
    : orgsAsAsked(stores.accounts, known)
  const claimed: Claimed = { config, added, orgOf, originOf: originsIn(stores.keys) }
  const begun = new BegunCounters(missing)
  if (!begun.isEmpty) await addDays(stores.ledger, claimed, begun, now)
  if (known.some(isShort)) await addRows(stores.ledger, claimed, begun, known.filter(isShort), now)
  await begun.write(stores.holds)
}

/** The limits of plans that are in the files now and were not before; all of them where that is not known. */
export function addedRules(config: Config, before?: Config): NewRules {
  const ofPlans = new Map(
    [...config.plans].map(([name]) => {
      const known = new Set(rulesOf(before, name).map(rule => counterOf(rule, before)))
      return [name, rulesOf(config, name).filter(rule => !known.has(counterOf(rule, config)))] as const
    }),
  )
  return {
    rules: [...ofPlans.values()].flat(),
    mayBeOld: before === undefined,
    count: ({ plan }) => ofPlans.get(plan) ?? [],
  }
}

/** Names the counter of a limit: a calendar that changed has another one. */
const counterOf = (rule: LimitRule, config: Config | undefined): string =>
  `${countedBy(rule)} ${rule.per === undefined ? '' : windowIn(rule.per, config?.calendar)}`

/** A limit that an operator sets for an account, or for an org. */
export const addedFor = (who: { readonly account: string } | { readonly org: string }, rule: LimitRule): NewRules => ({
  rules: [rule],
  count: request => (('org' in who ? request.org === who.org : request.account === who.account) ? [rule] : []),
})

function rulesOf(config: Config | undefined, name: string): readonly LimitRule[] {
  const plan = config?.plans.get(name)
  return plan ? [...plan.rules.map(({ rule }) => rule), ...plan.counts] : []
}

/** How many of the newest rows are read: a fraction of a second. */
const MOST_ROWS = 100_000

/** The org of an account; undefined where it has none. */
type OrgOf = (account: string) => Promise<string | undefined>

/** The org of each account that the sums of all accounts name. */
async function orgsOfAll(accounts: AheadStores['accounts']): Promise<OrgOf> {
  const orgs = new Map<string, string>()
  for await (const { account, terms } of accounts.readAll()) if (terms.org !== undefined) orgs.set(account, terms.org)
  return async account => orgs.get(account)
}

function orgsAsAsked(accounts: AheadStores['accounts'], rules: readonly LimitRule[]): OrgOf {
  if (!rules.some(({ of }) => of === 'org')) return async () => undefined
  const known = new Map<string, string | undefined>()
  return async account => {
    if (!known.has(account)) known.set(account, (await accounts.find(account))?.terms.org)
    return known.get(account)
  }
}

/** The id by which limits count a key of an account. */
type OriginOf = (account: string, key: string) => Promise<string>

function originsIn(keys: AheadStores['keys']): OriginOf {
  const known = new Map<string, ReadonlyMap<string, string>>()
  return async (account, key) => {
    const origins = known.get(account) ?? originsOf(await keys.listOf(account))
    known.set(account, origins)
    return origins.get(key) ?? key
  }
}

/**
 * Counters of long windows that accounts share, and have not begun: also those that will begin with nothing. At a start a limit by
 * which an org was counted already is taken for an old one: the sums of all accounts would be read each time.
 */
async function missingOfMany(
  config: Config,
  { holds, orgs }: AheadStores,
  added: NewRules,
  long: readonly LimitRule[],
): Promise<readonly RuleClaim[]> {
  if (long.length === 0) return NO_CLAIMS
  const owners: { readonly org?: string }[] = [{}]
  if (long.some(({ of }) => of === 'org')) for await (const { org } of orgs.readAll()) owners.push({ org })
  const plans = [...config.plans.keys()]
  const claims = owners.flatMap(terms => plans.flatMap(plan => claimsOfMany(config, added, long, plan, terms)))
  const rules = [...new Map(claims.map(claim => [nameOf(claim), claim])).values()]
  const missing: RuleClaim[] = []
  const begun = new Set<string>()
  for (let at = 0; at < rules.length; at += COUNTERS_AT_ONCE) {
    const page = rules.slice(at, at + COUNTERS_AT_ONCE)
    for (const [place, { cells }] of (await holds.readRules('', { rules: page })).entries()) {
      const claim = page[place]
      if (claim && cells.length === 0) missing.push(claim)
      else if (claim) begun.add(countedBy(claim.rule))
    }
  }
  return missing.filter(({ rule }) => !added.mayBeOld || rule.of !== 'org' || !begun.has(countedBy(rule)))
}

const COUNTERS_AT_ONCE = 256

function claimsOfMany(
  { calendar }: Config,
  added: NewRules,
  long: readonly LimitRule[],
  plan: string,
  terms: { readonly org?: string },
) {
  const rules = added.count({ plan, account: '', ...terms }).filter(rule => long.includes(rule))
  return claimsOfRules(rules, { terms }, { plan, calendar })
}

interface Claimed {
  readonly config: Config
  readonly added: NewRules
  readonly orgOf: OrgOf
  readonly originOf: OriginOf
}

/** The requests that a sum or row of the ledger counts. */
interface Counted {
  readonly account: string
  readonly plan: string
  readonly model: string
  readonly key?: string
}

/** The claims of past requests, as if they came now. */
async function claimsOf(
  { config, added, orgOf, originOf }: Claimed,
  { account, plan, model, key }: Counted,
  isWanted: (rule: LimitRule) => boolean,
): Promise<readonly RuleClaim[]> {
  const org = await orgOf(account)
  const terms = org === undefined ? {} : { org }
  const rules = added.count({ plan, account, ...terms }).filter(isWanted)
  if (rules.length === 0) return NO_CLAIMS
  const isByKey = key !== undefined && rules.some(({ of }) => of === 'key')
  const caller = isByKey ? { terms, key: { id: await originOf(account, key) } } : { terms }
  const { calendar, models } = config
  return claimsOfRules(rules, caller, { plan, model: models.get(model) ?? { name: model, tier: '' }, calendar })
}

const NO_CLAIMS: readonly RuleClaim[] = []

async function addDays(
  ledger: AheadStores['ledger'],
  claimed: Claimed,
  begun: BegunCounters,
  now: EpochMs,
): Promise<void> {
  const isWanted = (rule: LimitRule) => !isShortWindow(rule.per) && scopeOf(rule).isOfMany
  const { calendar, models } = claimed.config
  for await (const total of ledger.readTotals({ since: begun.firstDay(now, calendar) }))
    for (const claim of await claimsOf(claimed, total, isWanted))
      if (begun.has(claim) && total.day >= firstDay(claim, now, calendar))
        begun.change(total.account, claim, counter => addDay(counter, claim, countedOf(models, total), now, calendar))
}

async function addRows(
  ledger: AheadStores['ledger'],
  claimed: Claimed,
  begun: BegunCounters,
  short: readonly LimitRule[],
  now: EpochMs,
): Promise<void> {
  const isShort = new Set(short)
  const since = Math.min(...short.map(({ per = 'minute' }) => windowStart(per, now)))
  for await (const row of ledger.readRecent({ since, most: MOST_ROWS })) {
    if (row.kind === 'waste') continue
    const sums = countedOf(claimed.config.models, { ...row, requests: row.kind === 'late' ? 0 : 1 })
    for (const claim of await claimsOf(claimed, row, rule => isShort.has(rule)))
      if (row.admittedAt >= windowStart(claim.rule.per ?? 'minute', now))
        begun.change(row.account, claim, counter => addSums(counter, claim, sums, row.admittedAt, now))
  }
}

const nameOf = ({ group, field }: CounterName): string => `${group} ${field}`

/** Counters as they are begun, by the account that they are of; those that accounts share are of none. */
class BegunCounters {
  readonly #counters = new Map<string, Map<string, { readonly claim: RuleClaim; counter: RuleCounter }>>()

  constructor(shared: readonly RuleClaim[]) {
    for (const claim of shared) this.change('', claim, counter => counter)
  }

  get isEmpty(): boolean {
    return this.#counters.size === 0
  }

  /** The first day that counts in any of them. */
  firstDay(now: EpochMs, calendar: Calendar | undefined): number {
    const claims = [...this.#counters.values()].flatMap(counters => [...counters.values()].map(({ claim }) => claim))
    return Math.min(...claims.map(claim => firstDay(claim, now, calendar)))
  }

  has(claim: RuleClaim): boolean {
    return this.#counters.get('')?.has(nameOf(claim)) ?? false
  }

  change(account: string, claim: RuleClaim, change: (counter: RuleCounter) => RuleCounter): void {
    const owner = isSharedGroup(claim.group) ? '' : account
    const counters = this.#counters.get(owner) ?? new Map()
    this.#counters.set(owner, counters)
    const name = nameOf(claim)
    counters.set(name, { claim, counter: change(counters.get(name)?.counter ?? NO_CELLS) })
  }

  async write(holds: AheadStores['holds']): Promise<void> {
    const accounts = [...this.#counters]
    for (let at = 0; at < accounts.length; at += ACCOUNTS_AT_ONCE)
      await Promise.all(
        accounts.slice(at, at + ACCOUNTS_AT_ONCE).map(([account, counters]) => {
          const begun = [...counters.values()].map(({ claim: { group, field }, counter }) => ({
            name: { group, field },
            counter,
          }))
          return holds.beginCounters(account, begun)
        }),
      )
  }
}

const ACCOUNTS_AT_ONCE = 64

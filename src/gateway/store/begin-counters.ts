import type { Config, EpochMs } from '../../policy/config.ts'
import { type CounterName, isSharedGroup, NO_KEY, type RuleClaim } from '../../policy/limits/rule-claim.ts'
import { NO_CELLS, type RuleCounter } from '../../policy/limits/rule-counter.ts'
import { addDay, countedOf, countsSums, firstDay } from '../../policy/limits/rule-seed.ts'
import type { HoldStore } from './hold-store.ts'
import type { KeyRecord, KeyStore } from './key-store.ts'
import { type LedgerStore, namesIn } from './ledger-store.ts'

/** The stores from which counters of rules begin. */
export interface CounterStores {
  readonly holds: Pick<HoldStore, 'beginCounters'>
  readonly ledger: Pick<LedgerStore, 'readTotals'>
  readonly keys: Pick<KeyStore, 'listOf'>
}

/** Counters that do not exist yet, of the rules among the claims of a request. */
export interface MissingCounters {
  readonly account: string
  readonly claims: readonly RuleClaim[]
  readonly counters: readonly CounterName[]
  /** The store's clock. */
  readonly at: EpochMs
}

/**
 * Begins counters with what the ledger knows of their windows, so that a limit that is new counts what was used before.
 * Counters that all accounts share are read once, however many requests wait for them.
 */
export async function beginCounters(config: Config, stores: CounterStores, missing: MissingCounters): Promise<void> {
  const { counters } = missing
  const own = counters.filter(({ group }) => !isSharedGroup(group))
  const shared = counters.filter(({ group }) => isSharedGroup(group))
  if (own.length > 0) await begin(config, stores, { ...missing, counters: own })
  if (shared.length === 0) return
  const name = shared.map(({ group, field }) => `${group} ${field}`).join(' ')
  await once(stores.ledger, name, () => begin(config, stores, { ...missing, account: '', counters: shared }))
}

/** The reads that are running, by the counters that they begin. */
const readsOf = new WeakMap<CounterStores['ledger'], Map<string, Promise<void>>>()

/** Waits for the read of a name that is running, or begins one. */
function once(ledger: CounterStores['ledger'], name: string, read: () => Promise<void>): Promise<void> {
  const reads = readsOf.get(ledger) ?? new Map<string, Promise<void>>()
  readsOf.set(ledger, reads)
  const underWay = reads.get(name) ?? read().finally(() => reads.delete(name))
  reads.set(name, underWay)
  return underWay
}

async function begin(config: Config, { holds, ledger, keys }: CounterStores, missing: MissingCounters): Promise<void> {
  const { account, claims, counters, at } = missing
  const { calendar } = config
  const begun = claims
    .filter(({ group, field }) => counters.some(name => name.group === group && name.field === field))
    .map(claim => ({ claim, since: firstDay(claim, at, calendar), counter: NO_CELLS as RuleCounter }))
  const since = Math.min(...begun.map(each => each.since))
  const isOfKeys = begun.some(({ claim }) => claim.rule.of === 'key')
  const origins = isOfKeys ? originsOf(await keys.listOf(account)) : NO_ORIGINS
  for await (const sums of ledger.readTotals(account === '' ? { since } : { since, account, among: namesIn(config) })) {
    const key = sums.key === undefined ? NO_KEY : (origins.get(sums.key) ?? sums.key)
    const counted = countedOf(config.models, { ...sums, key })
    for (const each of begun)
      if (sums.day >= each.since && countsSums(each.claim, config.models, counted))
        each.counter = addDay(each.counter, each.claim, counted, at, calendar)
  }
  await holds.beginCounters(
    account,
    begun.map(({ claim: { group, field }, counter }) => ({ name: { group, field }, counter })),
  )
}

/** Keys that stand in the place of others, each with the first of these: limits of keys count them as one. */
export const originsOf = (keys: readonly KeyRecord[]): ReadonlyMap<string, string> =>
  new Map(keys.flatMap(({ id, origin }) => (origin === undefined ? [] : [[id, origin] as const])))

const NO_ORIGINS: ReadonlyMap<string, string> = new Map()

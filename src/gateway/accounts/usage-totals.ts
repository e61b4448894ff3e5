import { addNanoUsd, type NanoUsd, ZERO_USD } from '../../policy/nano-usd.ts'
import { addCached, type CachedTokens } from '../../policy/price.ts'
import { dayText } from '../../wire/admin/since.ts'
import type { Group } from '../../wire/admin/usage-report.ts'
import type { AccountStore } from '../store/account-store.ts'
import type { LedgerStore, Total, WasteTotal } from '../store/ledger-store.ts'

/** What clients used, and beside it what failed attempts cost the operator by pool, most expensive first. */
export interface Usage {
  readonly lines: readonly UsageLine[]
  readonly waste: readonly Omit<WasteTotal, 'day'>[]
}

/** What was settled of one group. Sums are integers. */
export interface UsageLine extends CachedTokens {
  /** `2026-11-21`, a plan, a model, an account or a key; `none` for what came without a key. */
  readonly group: string
  /** The same of what groups are split by. */
  readonly splitBy?: string
  /** How operators call the account, also that of a key. */
  readonly label?: string
  readonly requests: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cost: NanoUsd
}

export interface UsageQuery {
  /** First UTC day, in days since the epoch. Absent: from the beginning. */
  readonly since?: number
  readonly by: Group
  /** What tells one of those groups from another. */
  readonly split?: Group
  /** Only what came with the key of this id; of failed attempts no key is known. */
  readonly key?: string
}

interface UsageStore {
  readonly ledger: Pick<LedgerStore, 'readTotals' | 'readWaste'>
  readonly accounts: Pick<AccountStore, 'find'>
}

/** Adds up the totals of the store: days in their order, anything else by what it cost, most expensive first. */
export async function usageBy(store: UsageStore, query: UsageQuery): Promise<Usage> {
  return { lines: await linesBy(store, query), waste: await wasteByPool(store.ledger, query) }
}

async function linesBy(store: UsageStore, { since, by, split, key }: UsageQuery): Promise<readonly UsageLine[]> {
  const lines = new Map<string, UsageLine>()
  const owners = new Map<string, string>()
  for await (const total of store.ledger.readTotals(since === undefined ? {} : { since })) {
    if (key !== undefined && total.key !== key) continue
    const group = groupOf(total, by)
    const of = split === undefined ? { group } : { group, splitBy: groupOf(total, split) }
    const name = JSON.stringify(of)
    lines.set(name, sum(lines.get(name) ?? { ...NOTHING, ...of }, total))
    if (by === 'account' || total.key !== undefined) owners.set(group, total.account)
  }
  const sorted = [...lines.values()].sort(by === 'day' ? byGroup : byCost)
  return by === 'account' || by === 'key' ? allLabelled(store.accounts, sorted, owners) : sorted
}

function groupOf(total: Total, by: Group): string {
  if (by === 'day') return dayText(total.day)
  return by === 'key' ? (total.key ?? 'none') : total[by]
}

async function wasteByPool(ledger: UsageStore['ledger'], { since, key }: UsageQuery): Promise<Usage['waste']> {
  if (key !== undefined) return []
  const pools = new Map<string, Usage['waste'][number]>()
  for await (const { day: _day, ...total } of ledger.readWaste(since === undefined ? {} : { since })) {
    const before = pools.get(total.pool)
    pools.set(total.pool, before ? plus(before, total) : total)
  }
  return [...pools.values()].sort((a, b) => b.cost - a.cost || (a.pool < b.pool ? -1 : 1))
}

const plus = (a: Usage['waste'][number], b: Usage['waste'][number]): Usage['waste'][number] => ({
  pool: a.pool,
  attempts: a.attempts + b.attempts,
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  cost: addNanoUsd(a.cost, b.cost),
  ...addCached(a, b),
})

const NOTHING = { requests: 0, inputTokens: 0, outputTokens: 0, cost: ZERO_USD }

const sum = (line: UsageLine, total: Total): UsageLine => ({
  ...line,
  requests: line.requests + total.requests,
  inputTokens: line.inputTokens + total.inputTokens,
  outputTokens: line.outputTokens + total.outputTokens,
  cost: addNanoUsd(line.cost, total.cost),
  ...addCached(line, total),
})

/** Look-ups at once: requests get their turn. */
const PAGE = 64

/** Lines with the labels of the accounts that own their groups. */
async function allLabelled(
  accounts: UsageStore['accounts'],
  lines: readonly UsageLine[],
  owners: ReadonlyMap<string, string>,
): Promise<UsageLine[]> {
  const shown: UsageLine[] = []
  const labelled = async (line: UsageLine) => {
    const owner = owners.get(line.group)
    const account = owner === undefined ? undefined : await accounts.find(owner)
    return account ? { ...line, label: account.label } : line
  }
  for (let at = 0; at < lines.length; at += PAGE)
    shown.push(...(await Promise.all(lines.slice(at, at + PAGE).map(labelled))))
  return shown
}

/** The parts of a group by what they cost. */
function byGroup(a: UsageLine, b: UsageLine): number {
  if (a.group !== b.group) return a.group < b.group ? -1 : 1
  return b.cost - a.cost || ((a.splitBy ?? '') < (b.splitBy ?? '') ? -1 : 1)
}

const byCost = (a: UsageLine, b: UsageLine): number => b.cost - a.cost || byGroup(a, b)

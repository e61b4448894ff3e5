import { addNanoUsd, type NanoUsd, ZERO_USD } from '../../policy/nano-usd.ts'
import { addCached } from '../../policy/price.ts'
import { dayText } from '../../wire/admin/since.ts'
import type { Group } from '../../wire/admin/usage-report.ts'
import type { AccountStore } from '../store/account-store.ts'
import type { LedgerStore, Total, TotalsQuery, WasteTotal } from '../store/ledger-store.ts'
import { addTotals, NO_SUMS, type TotalSums } from '../store/total-sums.ts'

/** The clients' usage, and beside it the operator's cost for failed attempts by pool, most expensive first. */
export interface Usage {
  readonly lines: readonly UsageLine[]
  readonly waste: readonly WasteLine[]
}

/** The cost of one pool's failed attempts: on all days, or on each. */
export type WasteLine = Omit<WasteTotal, 'day'> & Partial<Pick<WasteTotal, 'day'>>

/** The sums of one group's settlements; all are integers. */
export interface UsageLine extends TotalSums {
  /** `2026-11-21`, a plan, a model, an account or a key, in the order asked for; `none` for what came without a key. */
  readonly groups: readonly string[]
  /** How operators call the account, also that of a key. */
  readonly label?: string
  /** The number of groups in a line whose last group is `others`. */
  readonly others?: number
}

export interface UsageQuery extends TotalsQuery {
  /** The groups that lines are split by, the first before the others. */
  readonly by: readonly Group[]
  /** So many of the last groups: those that cost most. All others are added up. */
  readonly top?: number
  /** Only what this account used; of failed attempts no account is known. */
  readonly account?: string
  /** Only what came with the key of this id; of failed attempts no key is known. */
  readonly key?: string
  /** Failed attempts of each day by themselves. */
  readonly wasteByDay?: boolean
}

interface UsageStore {
  readonly ledger: Pick<LedgerStore, 'readTotals' | 'readWaste'>
  readonly accounts: Pick<AccountStore, 'find'>
}

/**
 * Adds up the totals of the store: days in their order, anything else by what it cost, most expensive first. The parts of a
 * group stand together.
 */
export async function usageBy(store: UsageStore, query: UsageQuery): Promise<Usage> {
  return { lines: await linesBy(store, query), waste: await wasteByPool(store.ledger, query) }
}

async function linesBy(store: UsageStore, query: UsageQuery): Promise<readonly UsageLine[]> {
  const { by } = query
  const dearest = query.top === undefined ? undefined : await dearestOf(store, query, query.top)
  const lines = new Map<string, UsageLine>()
  const owners = new Map<string, string>()
  for await (const total of totalsOf(store, query)) {
    const line = placeOf(total, by, dearest)
    const name = JSON.stringify(line)
    lines.set(name, { ...line, ...addTotals(lines.get(name) ?? NO_SUMS, total) })
    if (line.others !== undefined) continue
    if (by.includes('account') || (by.includes('key') && total.key !== undefined))
      owners.set(nameOf(line.groups), total.account)
  }
  return allLabelled(store.accounts, inOrder([...lines.values()], by), owners)
}

async function* totalsOf(
  { ledger }: UsageStore,
  { by: _by, top: _top, wasteByDay: _wasteByDay, key, ...totals }: UsageQuery,
): AsyncGenerator<Total, void, undefined> {
  for await (const total of ledger.readTotals(totals)) if (key === undefined || total.key === key) yield total
}

/** The last groups that cost most, and how many others there are. */
interface Dearest {
  readonly names: ReadonlySet<string>
  readonly others: number
}

/** Found before the lines are made, which may be very many: one for each day and account. */
async function dearestOf(store: UsageStore, query: UsageQuery, top: number): Promise<Dearest> {
  const last = query.by.at(-1) ?? 'day'
  const costs = new Map<string, NanoUsd>()
  for await (const total of totalsOf(store, query)) {
    const name = groupOf(total, last)
    costs.set(name, addNanoUsd(costs.get(name) ?? ZERO_USD, total.cost))
  }
  const names = [...costs].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1)).map(([name]) => name)
  return { names: new Set(names.slice(0, top)), others: Math.max(0, names.length - top) }
}

/** The groups of the line that a total belongs to. */
function placeOf(total: Total, by: readonly Group[], dearest?: Dearest): Pick<UsageLine, 'groups' | 'others'> {
  const groups = by.map(each => groupOf(total, each))
  if (!dearest || dearest.names.has(groups.at(-1) ?? '')) return { groups }
  return { groups: [...groups.slice(0, -1), 'others'], others: dearest.others }
}

function groupOf(total: Total, by: Group): string {
  if (by === 'day') return dayText(total.day)
  return by === 'key' ? (total.key ?? 'none') : total[by]
}

/** No name of a group has a line end. */
const nameOf = (groups: readonly string[]): string => groups.join('\n')

/** Lines in the order of what each of their groups cost in all, or of its day. */
function inOrder(lines: readonly UsageLine[], by: readonly Group[]): readonly UsageLine[] {
  const costs = new Map<string, NanoUsd>()
  for (const { groups, cost } of lines)
    for (let depth = 1; depth <= groups.length; depth++) {
      const name = nameOf(groups.slice(0, depth))
      costs.set(name, addNanoUsd(costs.get(name) ?? ZERO_USD, cost))
    }
  const costOf = ({ groups }: UsageLine, depth: number) => costs.get(nameOf(groups.slice(0, depth))) ?? ZERO_USD
  return [...lines].sort((a, b) => {
    const differs = by.findIndex((_, index) => a.groups[index] !== b.groups[index])
    const dearer = by[differs] === 'day' ? 0 : costOf(b, differs + 1) - costOf(a, differs + 1)
    return dearer || ((a.groups[differs] ?? '') < (b.groups[differs] ?? '') ? -1 : 1)
  })
}

async function wasteByPool(
  ledger: UsageStore['ledger'],
  { by: _by, top: _top, wasteByDay = false, account, key, ...days }: UsageQuery,
): Promise<readonly WasteLine[]> {
  if (account !== undefined || key !== undefined) return []
  const lines = new Map<string, WasteLine>()
  for await (const { day, ...total } of ledger.readWaste(days)) {
    const name = wasteByDay ? `${day} ${total.pool}` : total.pool
    const before = lines.get(name)
    lines.set(name, { ...(before ? plus(before, total) : total), ...(wasteByDay && { day }) })
  }
  return [...lines.values()].sort(
    (a, b) => (a.day ?? 0) - (b.day ?? 0) || b.cost - a.cost || (a.pool < b.pool ? -1 : 1),
  )
}

const plus = (a: WasteLine, b: WasteLine): WasteLine => ({
  pool: a.pool,
  attempts: a.attempts + b.attempts,
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  cost: addNanoUsd(a.cost, b.cost),
  ...addCached(a, b),
})

/** Look-ups at once: requests get their turn. */
const PAGE = 64

/** Lines with the labels of the accounts that own their groups. */
async function allLabelled(
  accounts: UsageStore['accounts'],
  lines: readonly UsageLine[],
  owners: ReadonlyMap<string, string>,
): Promise<readonly UsageLine[]> {
  if (owners.size === 0) return lines
  const shown: UsageLine[] = []
  const labelled = async (line: UsageLine) => {
    const owner = line.others === undefined ? owners.get(nameOf(line.groups)) : undefined
    const account = owner === undefined ? undefined : await accounts.find(owner)
    return account ? { ...line, label: account.label } : line
  }
  for (let at = 0; at < lines.length; at += PAGE)
    shown.push(...(await Promise.all(lines.slice(at, at + PAGE).map(labelled))))
  return shown
}

import type { EpochMs } from '../../policy/config.ts'
import { addNanoUsd, type NanoUsd, ZERO_USD } from '../../policy/nano-usd.ts'
import type { Sums, Total, WasteTotal } from '../../records/sums.ts'
import { dayText, hourText } from '../../wire/admin/since.ts'
import { type Group, labelIn, NO_VALUE } from '../../wire/admin/usage-report.ts'
import type { AccountStore } from '../store/account-store.ts'
import type { LedgerStore, TotalsQuery } from '../store/ledger-store.ts'
import { addTotals, addWaste, NO_SUMS } from '../store/total-sums.ts'
import { type HoursQuery, type HourTotal, type HourWaste, readHours } from './usage-hours.ts'

/** The clients' usage, and beside it the operator's cost for failed attempts by pool, most expensive first. */
export interface Usage {
  readonly lines: readonly UsageLine[]
  readonly waste: readonly WasteLine[]
  /** The first hour of a report by hour. */
  readonly since?: EpochMs
}

/** The cost of one pool's failed attempts: in all, on each day, or in each hour. */
export type WasteLine = Omit<WasteTotal, 'day'> & Partial<Pick<HourWaste, 'day' | 'hour'>>

/** The sums of one group's settlements; all are integers. */
export interface UsageLine extends Sums {
  /** `2026-11-21`, an hour, a plan, a model, an account or a key, in the order asked for; `none` for what came without a key. */
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
  /** Failed attempts of each day or hour by themselves. */
  readonly wasteBy?: 'day' | 'hour'
  /** In place of days, the hours to add up: by hour, session and label there are sums of rows alone. */
  readonly hours?: Pick<HoursQuery, 'since' | 'until'>
}

interface UsageStore {
  readonly ledger: Pick<LedgerStore, 'readTotals' | 'readWaste' | 'readPast'>
  readonly accounts: Pick<AccountStore, 'find'>
}

/**
 * Adds up the totals of the store: days in their order, anything else by what it cost, most expensive first. The parts of a
 * group stand together.
 */
export async function usageBy(store: UsageStore, query: UsageQuery): Promise<Usage> {
  const { hours, account, key, ...days } = query
  const owner = { ...(account !== undefined && { account }), ...(key !== undefined && { key }) }
  const isOfAll = account === undefined && key === undefined
  if (!hours) {
    const waste = isOfAll ? await wasteByPool(store.ledger.readWaste(daysIn(days)), query) : []
    return { lines: await linesBy(store, query, () => totalsOf(store, query)), waste }
  }
  const { totals, waste, since } = await readHours(store.ledger, { ...hours, ...owner, ...namesOf(query.by) })
  return {
    lines: await linesBy(store, query, () => totals),
    waste: isOfAll ? await wasteByPool(waste, query) : [],
    since,
  }
}

const daysIn = ({ since, until }: UsageQuery): TotalsQuery => ({
  ...(since !== undefined && { since }),
  ...(until !== undefined && { until }),
})

/** Totals, as often as they are asked for. */
type Totals = () => AsyncIterable<UsedTotal> | Iterable<UsedTotal>
type UsedTotal = Total & Partial<Pick<HourTotal, 'hour' | 'labels' | 'session'>>

/** The names by which sums of rows are grouped. */
const namesOf = (by: readonly Group[]): Pick<HoursQuery, 'labels' | 'sessions'> => ({
  labels: by.flatMap(group => labelIn(group) ?? []),
  sessions: by.includes('session'),
})

async function linesBy(store: UsageStore, query: UsageQuery, totals: Totals): Promise<readonly UsageLine[]> {
  const { by } = query
  const dearest = query.top === undefined ? undefined : await dearestOf(totals, by.at(-1) ?? 'day', query.top)
  const lines = new Map<string, UsageLine>()
  const owners = new Map<string, string>()
  for await (const total of totals()) {
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
  { account, key, ...query }: UsageQuery,
): AsyncGenerator<Total, void, undefined> {
  const totals = { ...daysIn(query), ...(account !== undefined && { account }) }
  for await (const total of ledger.readTotals(totals)) if (key === undefined || total.key === key) yield total
}

/** The last groups that cost most, and how many others there are. */
interface Dearest {
  readonly names: ReadonlySet<string>
  readonly others: number
}

/** Found before the lines are made, which may be very many: one for each day and account. */
async function dearestOf(totals: Totals, last: Group, top: number): Promise<Dearest> {
  const costs = new Map<string, NanoUsd>()
  for await (const total of totals()) {
    const name = groupOf(total, last)
    costs.set(name, addNanoUsd(costs.get(name) ?? ZERO_USD, total.cost))
  }
  const names = [...costs].sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1)).map(([name]) => name)
  return { names: new Set(names.slice(0, top)), others: Math.max(0, names.length - top) }
}

/** The groups of the line that a total belongs to. */
function placeOf(total: UsedTotal, by: readonly Group[], dearest?: Dearest): Pick<UsageLine, 'groups' | 'others'> {
  const groups = by.map(each => groupOf(total, each))
  if (!dearest || dearest.names.has(groups.at(-1) ?? '')) return { groups }
  return { groups: [...groups.slice(0, -1), 'others'], others: dearest.others }
}

function groupOf(total: UsedTotal, by: Group): string {
  if (by === 'day') return dayText(total.day)
  if (by === 'hour') return hourText(total.hour ?? 0)
  if (by === 'key') return total.key ?? 'none'
  if (by === 'session') return total.session ?? NO_VALUE
  if (by === 'plan' || by === 'model' || by === 'account') return total[by]
  return total.labels?.[labelIn(by) ?? ''] ?? NO_VALUE
}

/** No name of a group has a line end. */
const nameOf = (groups: readonly string[]): string => groups.join('\n')

/** Lines in the order of what each of their groups cost in all, or of its day or hour. */
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
    const isTime = by[differs] === 'day' || by[differs] === 'hour'
    const dearer = isTime ? 0 : costOf(b, differs + 1) - costOf(a, differs + 1)
    return dearer || ((a.groups[differs] ?? '') < (b.groups[differs] ?? '') ? -1 : 1)
  })
}

async function wasteByPool(
  totals: AsyncIterable<WasteTotal> | Iterable<HourWaste>,
  { wasteBy }: Pick<UsageQuery, 'wasteBy'>,
): Promise<readonly WasteLine[]> {
  const lines = new Map<string, WasteLine>()
  for await (const each of totals) {
    const { day, hour, ...total }: WasteTotal & Partial<HourWaste> = each
    const at = { ...(wasteBy === 'day' && { day }), ...(wasteBy === 'hour' && hour !== undefined && { hour }) }
    const name = JSON.stringify([at, total.pool])
    const before = lines.get(name)
    lines.set(name, { ...(before ? { pool: total.pool, ...addWaste(before, total) } : total), ...at })
  }
  const timeOf = ({ day = 0, hour = 0 }: WasteLine) => hour || day
  return [...lines.values()].sort((a, b) => timeOf(a) - timeOf(b) || b.cost - a.cost || (a.pool < b.pool ? -1 : 1))
}

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

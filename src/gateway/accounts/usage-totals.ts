import { addNanoUsd, type NanoUsd, ZERO_USD } from '../../policy/nano-usd.ts'
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
export interface UsageLine {
  /** `2026-11-21`, a plan, a model or an account. */
  readonly group: string
  /** How operators call the account. */
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
}

interface UsageStore {
  readonly ledger: Pick<LedgerStore, 'readTotals' | 'readWaste'>
  readonly accounts: Pick<AccountStore, 'find'>
}

/** Adds up the totals of the store: days in their order, anything else by what it cost, most expensive first. */
export async function usageBy(store: UsageStore, query: UsageQuery): Promise<Usage> {
  return { lines: await linesBy(store, query), waste: await wasteByPool(store.ledger, query) }
}

async function linesBy(store: UsageStore, { since, by }: UsageQuery): Promise<readonly UsageLine[]> {
  const lines = new Map<string, UsageLine>()
  for await (const total of store.ledger.readTotals(since === undefined ? {} : { since })) {
    const group = by === 'day' ? dayText(total.day) : total[by]
    lines.set(group, sum(lines.get(group) ?? { ...NOTHING, group }, total))
  }
  const sorted = [...lines.values()].sort(by === 'day' ? byGroup : byCost)
  return by === 'account' ? allLabelled(store.accounts, sorted) : sorted
}

async function wasteByPool(ledger: UsageStore['ledger'], { since }: UsageQuery): Promise<Usage['waste']> {
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
})

const NOTHING = { requests: 0, inputTokens: 0, outputTokens: 0, cost: ZERO_USD }

const sum = (line: UsageLine, { requests, inputTokens, outputTokens, cost }: Total): UsageLine => ({
  ...line,
  requests: line.requests + requests,
  inputTokens: line.inputTokens + inputTokens,
  outputTokens: line.outputTokens + outputTokens,
  cost: addNanoUsd(line.cost, cost),
})

/** Look-ups at once: requests get their turn. */
const PAGE = 64

async function allLabelled(accounts: UsageStore['accounts'], lines: readonly UsageLine[]): Promise<UsageLine[]> {
  const shown: UsageLine[] = []
  for (let at = 0; at < lines.length; at += PAGE)
    shown.push(...(await Promise.all(lines.slice(at, at + PAGE).map(line => labelled(accounts, line)))))
  return shown
}

async function labelled(accounts: UsageStore['accounts'], line: UsageLine): Promise<UsageLine> {
  const account = await accounts.find(line.group)
  return account ? { ...line, label: account.label } : line
}

const byGroup = (a: UsageLine, b: UsageLine): number => (a.group < b.group ? -1 : 1)
const byCost = (a: UsageLine, b: UsageLine): number => b.cost - a.cost || byGroup(a, b)

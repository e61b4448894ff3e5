import type { NanoUsd } from '../policy/config.ts'
import type { Group } from '../wire/report.ts'
import { dayText } from '../wire/since.ts'
import type { Store, Total } from './store.ts'

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

/** Adds up the totals of the store: days in their order, anything else by what it cost, dearest first. */
export async function usageBy(store: Store, { since, by }: UsageQuery): Promise<readonly UsageLine[]> {
  const lines = new Map<string, UsageLine>()
  for await (const total of store.readTotals(since === undefined ? {} : { since })) {
    const group = by === 'day' ? dayText(total.day) : total[by]
    lines.set(group, sum(lines.get(group) ?? { ...NOTHING, group }, total))
  }
  const sorted = [...lines.values()].sort(by === 'day' ? byGroup : byCost)
  return by === 'account' ? Promise.all(sorted.map(line => labelled(store, line))) : sorted
}

/** The id of the account with this id or label; undefined when there is none. */
export async function accountNamed(store: Store, named: string): Promise<string | undefined> {
  const account = await store.findAccount(named)
  if (account) return account.account
  // An account comes with its first key, so that none is missing here.
  return (await store.listKeys()).find(({ label }) => label === named)?.account
}

const NOTHING = { requests: 0, inputTokens: 0, outputTokens: 0, cost: 0 }

const sum = (line: UsageLine, { requests, inputTokens, outputTokens, cost }: Total): UsageLine => ({
  ...line,
  requests: line.requests + requests,
  inputTokens: line.inputTokens + inputTokens,
  outputTokens: line.outputTokens + outputTokens,
  cost: line.cost + cost,
})

async function labelled(store: Store, line: UsageLine): Promise<UsageLine> {
  const account = await store.findAccount(line.group)
  return account ? { ...line, label: account.label } : line
}

const byGroup = (a: UsageLine, b: UsageLine): number => (a.group < b.group ? -1 : 1)
const byCost = (a: UsageLine, b: UsageLine): number => b.cost - a.cost || byGroup(a, b)

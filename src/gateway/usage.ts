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
  return by === 'account' ? allLabelled(store, sorted) : sorted
}

const NOTHING = { requests: 0, inputTokens: 0, outputTokens: 0, cost: 0 }

const sum = (line: UsageLine, { requests, inputTokens, outputTokens, cost }: Total): UsageLine => ({
  ...line,
  requests: line.requests + requests,
  inputTokens: line.inputTokens + inputTokens,
  outputTokens: line.outputTokens + outputTokens,
  cost: line.cost + cost,
})

/** Look-ups at once: requests get their turn. */
const PAGE = 64

async function allLabelled(store: Store, lines: readonly UsageLine[]): Promise<UsageLine[]> {
  const shown: UsageLine[] = []
  for (let at = 0; at < lines.length; at += PAGE)
    shown.push(...(await Promise.all(lines.slice(at, at + PAGE).map(line => labelled(store, line)))))
  return shown
}

async function labelled(store: Store, line: UsageLine): Promise<UsageLine> {
  const account = await store.findAccount(line.group)
  return account ? { ...line, label: account.label } : line
}

const byGroup = (a: UsageLine, b: UsageLine): number => (a.group < b.group ? -1 : 1)
const byCost = (a: UsageLine, b: UsageLine): number => b.cost - a.cost || byGroup(a, b)

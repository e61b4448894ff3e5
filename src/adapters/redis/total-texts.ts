import type { ToolTotal, Total, WasteTotal } from '../../gateway/store/ledger-store.ts'
import type { TotalSums } from '../../gateway/store/total-sums.ts'
import { nanoUsd } from '../../policy/nano-usd.ts'
import { addCached } from '../../policy/price.ts'

// The sums of a day as redis/ledger/totals.lua writes them: a field for each, whose name says whose it is.

export function readTotal(day: number, field: string, sums: string): Total {
  const [account = '', plan = '', model = '', key] = field.split(' ')
  const { count: requests, ...rest } = sumsIn(sums)
  return { day, account, plan, model, ...(key !== undefined && { key }), requests, ...rest }
}

export const totalField = ({ account, plan, model, key }: Pick<Total, 'account' | 'plan' | 'model' | 'key'>): string =>
  [account, plan, model, ...(key === undefined ? [] : [key])].join(' ')

export function readToolTotal(day: number, field: string, sums: string): ToolTotal {
  const [account = '', plan = '', model = '', ...more] = field.split(' ')
  const [tool = '', key] = more.reverse()
  const [calls = 0, cost = 0] = sums.split(' ').map(Number)
  return { day, account, plan, model, ...(key !== undefined && { key }), tool, calls, cost: nanoUsd(cost) }
}

export const toolField = ({ account, plan, model, key, tool }: Omit<ToolTotal, 'day' | 'calls' | 'cost'>): string =>
  [account, plan, model, ...(key === undefined ? [] : [key]), tool].join(' ')

export function readWaste(day: number, pool: string, sums: string): WasteTotal {
  const { count: attempts, ...rest } = sumsIn(sums)
  return { day, pool, attempts, ...rest }
}

/** Without what was cached where there is nothing, as the script leaves it out. */
export function sumsText({ requests, inputTokens, outputTokens, cost, ...cached }: TotalSums): string {
  const { cachedTokens = 0, cacheWriteTokens = 0 } = cached
  const rest = cachedTokens !== 0 || cacheWriteTokens !== 0 ? [cachedTokens, cacheWriteTokens] : []
  return [requests, inputTokens, outputTokens, cost, ...rest].join(' ')
}

function sumsIn(text: string) {
  const [count = 0, inputTokens = 0, outputTokens = 0, cost = 0, cachedTokens = 0, cacheWriteTokens = 0] = text
    .split(' ')
    .map(Number)
  return { count, inputTokens, outputTokens, cost: nanoUsd(cost), ...addCached({}, { cachedTokens, cacheWriteTokens }) }
}

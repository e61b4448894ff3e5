import { LATER_SUMS } from '../../gateway/store/total-sums.ts'
import type { Mutable } from '../../policy/decision.ts'
import { nanoUsd } from '../../policy/nano-usd.ts'
import { namesIn, type Places } from '../../records/places.ts'
import type { Sums, ToolTotal, Total, WasteTotal } from '../../records/sums.ts'

// The sums of a day as redis/ledger/totals.lua writes them: a field for each, whose name says whose it is.

/**
 * The place of each sum in its text. A new one does not compile until it has one: the next, which no sum ever had.
 * `node scripts/generate.js` writes redis/ledger/sums.lua from here.
 */
export const SUM_PLACES: Places<keyof Sums> = {
  requests: 0,
  inputTokens: 1,
  outputTokens: 2,
  cost: 3,
  cachedTokens: 4,
  cacheWriteTokens: 5,
  saved: 6,
}

const SUM_NAMES = namesIn(SUM_PLACES)

/**
 * How many sums a text may have: it ends where all sums that came later are 0. Those of caches came together, and each of the
 * others by itself.
 */
export const SUM_ENDS: readonly number[] = [4, ...SUM_NAMES.slice(5).map((_, later) => 6 + later)]

export function sumsText(sums: Sums): string {
  const numbers = SUM_NAMES.map(name => sums[name] ?? 0)
  const end = SUM_ENDS.find(each => numbers.slice(each).every(number => number === 0))
  return numbers.slice(0, end).join(' ')
}

export function readSums(text: string): Sums {
  const numbers = text.split(' ').map(Number)
  const at = (name: keyof Sums) => numbers[SUM_PLACES[name]] ?? 0
  const sums: Mutable<Sums> = {
    requests: at('requests'),
    inputTokens: at('inputTokens'),
    outputTokens: at('outputTokens'),
    cost: nanoUsd(at('cost')),
  }
  const others: Partial<Record<(typeof LATER_SUMS)[number], number>> = sums
  for (const name of LATER_SUMS) if (at(name) !== 0) others[name] = at(name)
  return sums
}

export function readTotal(day: number, field: string, sums: string): Total {
  const [account = '', plan = '', model = '', key] = field.split(' ')
  return { day, account, plan, model, ...(key !== undefined && { key }), ...readSums(sums) }
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
  const { requests: attempts, ...rest } = readSums(sums)
  return { day, pool, attempts, ...rest }
}

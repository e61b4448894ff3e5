import type { Database } from 'lmdb'
import type { LedgerRow, Total } from '../../gateway/store/ledger-store.ts'
import { dayAt } from '../../policy/account-counters.ts'
import type { Building } from '../../policy/decision.ts'
import { addNanoUsd, ZERO_USD } from '../../policy/nano-usd.ts'
import { put, type Write } from './lmdb.ts'

export type TotalKey = [day: number, account: string, plan: string, model: string]
export type WasteKey = [day: number, pool: string]

export type TotalSums = Pick<Total, 'requests' | 'inputTokens' | 'outputTokens' | 'cost'>

export const totalKey = ({ admittedAt, account, plan, model }: LedgerRow): TotalKey => [
  dayAt(admittedAt),
  account,
  plan,
  model,
]

export const wasteTotalKey = ({ admittedAt, pool }: LedgerRow): WasteKey => [dayAt(admittedAt), pool]

/** The sums that new rows add to the totals of one kind. */
export class Tally<K extends TotalKey | WasteKey> {
  /** Sums by the account or pool of their keys: few have more than one key. */
  readonly #sums = new Map<string, Added<K>[]>()

  add(key: K, { inputTokens, outputTokens, cost }: LedgerRow, requests: number): void {
    const sums = this.#sumsOf(key)
    sums.requests += requests
    sums.inputTokens += inputTokens
    sums.outputTokens += outputTokens
    sums.cost = addNanoUsd(sums.cost, cost)
  }

  /** The writes of all changed totals: the sums are added to what `before` has. */
  writes(totals: Database<TotalSums, K>, before: (key: K) => TotalSums | undefined): Write[] {
    const writes: Write[] = []
    for (const added of this.#sums.values())
      for (const { key, sums } of added) writes.push(put(totals, key, plus(before(key) ?? NONE, sums)))
    return writes
  }

  #sumsOf(key: K): Building<TotalSums> {
    const of = this.#sums.get(key[1])
    for (const { key: other, sums } of of ?? []) if (sameKey(key, other)) return sums
    const sums: Building<TotalSums> = { requests: 0, inputTokens: 0, outputTokens: 0, cost: ZERO_USD }
    if (of) of.push({ key, sums })
    else this.#sums.set(key[1], [{ key, sums }])
    return sums
  }
}

interface Added<K> {
  readonly key: K
  readonly sums: Building<TotalSums>
}

function sameKey(a: TotalKey | WasteKey, b: TotalKey | WasteKey): boolean {
  for (let part = 0; part < a.length; part++) if (a[part] !== b[part]) return false
  return true
}

const NONE: TotalSums = { requests: 0, inputTokens: 0, outputTokens: 0, cost: ZERO_USD }

const plus = (a: TotalSums, b: TotalSums): TotalSums => ({
  requests: a.requests + b.requests,
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  cost: addNanoUsd(a.cost, b.cost),
})

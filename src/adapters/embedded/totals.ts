import type { Database } from 'lmdb'
import type { LedgerRow, Total } from '../../gateway/store/ledger-store.ts'
import type { Building } from '../../policy/decision.ts'
import { addNanoUsd, ZERO_USD } from '../../policy/nano-usd.ts'
import { dayAt } from '../../policy/standing.ts'
import { put, type Write } from './lmdb.ts'

export type TotalKey = [day: number, account: string, plan: string, model: string]
export type WasteKey = [day: number, pool: string]

export type Sums = Pick<Total, 'requests' | 'inputTokens' | 'outputTokens' | 'cost'>

const NONE: Sums = { requests: 0, inputTokens: 0, outputTokens: 0, cost: ZERO_USD }

export const totalKey = ({ admittedAt, account, plan, model }: LedgerRow): TotalKey => [
  dayAt(admittedAt),
  account,
  plan,
  model,
]

export const wasteTotalKey = ({ admittedAt, pool }: LedgerRow): WasteKey => [dayAt(admittedAt), pool]

/** What rows add to the totals of one kind. */
export class Tally<K extends TotalKey | WasteKey> {
  /** By the account or pool of their keys: few have more than one. */
  readonly #sums = new Map<string, Added<K>[]>()

  add(key: K, { inputTokens, outputTokens, cost }: LedgerRow, requests: number): void {
    const sums = this.#sumsOf(key)
    sums.requests += requests
    sums.inputTokens += inputTokens
    sums.outputTokens += outputTokens
    sums.cost = addNanoUsd(sums.cost, cost)
  }

  /** Each total with what was added, on top of what it was before. */
  writes(totals: Database<Sums, K>, before: (key: K) => Sums | undefined): Write[] {
    const writes: Write[] = []
    for (const added of this.#sums.values())
      for (const { key, sums } of added) writes.push(put(totals, key, plus(before(key) ?? NONE, sums)))
    return writes
  }

  #sumsOf(key: K): Building<Sums> {
    const of = this.#sums.get(key[1])
    for (const { key: other, sums } of of ?? []) if (sameKey(key, other)) return sums
    const sums: Building<Sums> = { requests: 0, inputTokens: 0, outputTokens: 0, cost: ZERO_USD }
    if (of) of.push({ key, sums })
    else this.#sums.set(key[1], [{ key, sums }])
    return sums
  }
}

interface Added<K> {
  readonly key: K
  readonly sums: Building<Sums>
}

function sameKey(a: TotalKey | WasteKey, b: TotalKey | WasteKey): boolean {
  for (let part = 0; part < a.length; part++) if (a[part] !== b[part]) return false
  return true
}

const plus = (a: Sums, b: Sums): Sums => ({
  requests: a.requests + b.requests,
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  cost: addNanoUsd(a.cost, b.cost),
})

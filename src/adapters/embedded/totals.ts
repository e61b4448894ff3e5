import type { LedgerRow, Total, TotalsQuery } from '../../gateway/store.ts'
import { dayAt } from '../../policy/standing.ts'
import { pagesOf } from './pages.ts'
import { put, type Records, type Write } from './records.ts'

export type TotalKey = [day: number, account: string, plan: string, model: string]

export type Sums = Pick<Total, 'requests' | 'inputTokens' | 'outputTokens' | 'cost'>

const NONE: Sums = { requests: 0, inputTokens: 0, outputTokens: 0, cost: 0 }

/** What rows add to the totals. */
export class Tally {
  readonly #sums = new Map<string, { readonly key: TotalKey; sums: Sums }>()

  add(row: LedgerRow, requests: number): void {
    const { account, plan, model, inputTokens, outputTokens, cost } = row
    const key: TotalKey = [dayAt(row.admittedAt), account, plan, model]
    const name = key.join('\n')
    const sums = plus(this.#sums.get(name)?.sums ?? NONE, { requests, inputTokens, outputTokens, cost })
    this.#sums.set(name, { key, sums })
  }

  /** Each total with what was added, on top of what it was before. */
  writes(totals: Records['totals'], before: (key: TotalKey) => Sums | undefined): Write[] {
    return Array.from(this.#sums.values(), ({ key, sums }) => put(totals, key, plus(before(key) ?? NONE, sums)))
  }
}

const plus = (a: Sums, b: Sums): Sums => ({
  requests: a.requests + b.requests,
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  cost: a.cost + b.cost,
})

export async function* readTotals(
  { totals }: Records,
  { since }: TotalsQuery = {},
): AsyncGenerator<Total, void, undefined> {
  for await (const page of pagesOf(totals, since === undefined ? {} : { start: [since] })) {
    for (const { key, value } of page) {
      const [day, account, plan, model] = key
      yield { day, account, plan, model, ...value }
    }
  }
}

import type { LedgerUse } from '../../policy/billing/bill/bill.ts'
import { readCharge } from '../../policy/billing/charges.ts'
import { partsOf } from '../../policy/price.ts'
import type { LedgerRecord } from '../../wire/admin/ledger-record.ts'

/** A late row has what its orphan lacked. */
const ORPHANS: Readonly<Partial<Record<LedgerRecord['kind'], number>>> = { orphan: 1, late: -1 }

/** No zone of today begins its days at other moments than these. */
const QUARTER_MS = 900_000

interface LedgerUses {
  readonly uses: readonly LedgerUse[]
  /** Requests that were charged at the last checkpoint of a gateway that died. */
  readonly orphans: number
}

/** Adds up the rows of some pools by quarters of an hour, model and kind of tokens. `models` has the model that each pool sends. */
export async function ledgerUses(
  rows: AsyncIterable<LedgerRecord>,
  models: ReadonlyMap<string, string>,
): Promise<LedgerUses> {
  let orphans = 0
  const sums = new Map<string, { -readonly [Name in keyof LedgerUse]: LedgerUse[Name] }>()
  for await (const row of rows) {
    const model = models.get(row.pool)
    if (model === undefined) continue
    orphans += ORPHANS[row.kind] ?? 0
    const [began, ended] = [row.admitted_at, row.settled_at].map(quarterOf) as [number, number]
    const [isFailed, isEstimated] = [row.kind === 'waste', row.estimated]
    for (const [kind, tokens] of Object.entries(tokensOf(row)) as [LedgerUse['kind'], number][]) {
      if (tokens === 0) continue
      const key = `${began} ${ended} ${model} ${kind} ${isFailed} ${isEstimated}`
      const sum = sums.get(key)
      if (sum) sum.tokens += tokens
      else sums.set(key, { began, ended, model, kind, tokens, isFailed, isEstimated })
    }
  }
  return { uses: [...sums.values()], orphans: Math.max(0, orphans) }
}

const quarterOf = (time: string): number => Math.floor(Date.parse(time) / QUARTER_MS) * QUARTER_MS

function tokensOf(row: LedgerRecord): Readonly<Record<LedgerUse['kind'], number>> {
  const { input_tokens: inputTokens, output_tokens: output } = row
  // A late row has the difference of input and output, and repeats all that its orphan had from a cache.
  if (row.kind === 'late') return { input: inputTokens, cached: 0, cache_write: 0, cache_write_1h: 0, output }
  const cacheWrite1hTokens = Object.entries(row.charges ?? {}).reduce(
    (sum, [name, count]) => (readCharge(name)?.kind === 'cache_write_1h' ? sum + count : sum),
    0,
  )
  const caches = { cachedTokens: row.cached_tokens, cacheWriteTokens: row.cache_write_tokens, cacheWrite1hTokens }
  const { fresh, cached, written, kept } = partsOf({ inputTokens, outputTokens: output, ...caches })
  return { input: fresh, cached, cache_write: written - kept, cache_write_1h: kept, output }
}

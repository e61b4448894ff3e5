import type { Waste, WasteTotal } from '../../gateway/store.ts'
import { dayAt } from '../../policy/standing.ts'
import type { Access } from './access.ts'
import { restOf, whoseOf } from './codec.ts'
import { chunksOf } from './layout.ts'

/** Days that are read together. */
const DAYS_AT_ONCE = 64

/** See Store.recordWaste. Each row is written with its part of the totals, or not at all. */
export async function recordWaste(access: Access, rows: readonly Waste[]): Promise<void> {
  await Promise.all(rows.map(row => record(access, row)))
}

async function record(access: Access, { attempt, bill, cause }: Waste): Promise<void> {
  const { requestId, account, pool, cost, inputTokens, outputTokens, admittedAt } = bill
  const { layout } = access
  const keys = [layout.of(account).ledger, layout.pools.waste(dayAt(admittedAt))]
  const values = [requestId, attempt, cost, inputTokens, outputTokens, whoseOf(bill), restOf(bill, cause), pool]
  const [outcome] = await access.script(account, 'waste', keys, values)
  if (outcome === 'recorded') access.wrote({ ...bill, kind: 'waste', settledAt: admittedAt, cause }, 1)
}

/** What was wasted from one day to another, oldest first. */
export async function* readWaste(
  { ask, layout }: Access,
  since: number,
  today: number,
): AsyncGenerator<WasteTotal, void, undefined> {
  const days = Array.from({ length: Math.max(0, today - since + 1) }, (_, index) => since + index)
  for (const page of chunksOf(days, DAYS_AT_ONCE)) {
    const read = page.map(async day => [day, await ask(client => client.hGetAll(layout.pools.waste(day)))] as const)
    for (const [day, fields] of await Promise.all(read)) yield* totalsIn(day, fields)
  }
}

function* totalsIn(day: number, fields: Readonly<Record<string, string>>): Generator<WasteTotal, void, undefined> {
  for (const [pool, sums] of Object.entries(fields)) {
    const [attempts = 0, inputTokens = 0, outputTokens = 0, cost = 0] = sums.split(' ').map(Number)
    yield { day, pool, attempts, inputTokens, outputTokens, cost }
  }
}

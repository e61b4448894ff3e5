import type { Database, RootDatabase } from 'lmdb'
import { isName, type KeptBounds, type KeptResponse } from '../../gateway/store/response-store.ts'
import type { EpochMs } from '../../policy/config.ts'

/** Kept responses in the files. A number counts the responses of its account, so that keys are in the order of their age. */
export interface ResponseRecords {
  readonly kept: Database<StoredResponse, Numbered>
  /** What they hold, encrypted. */
  readonly sealed: Database<Buffer, Numbered>
  readonly numbers: Database<number, [account: string, id: string]>
  /** Their ids, by the items that they have. */
  readonly items: Database<string, [account: string, item: string, number: number]>
  /** When their time is over; the value has no meaning. */
  readonly expiries: Database<true, [expiresAt: EpochMs, account: string, number: number]>
  /** By account; absent where it has no response. */
  readonly totals: Database<Totals, string>
}

type Numbered = [account: string, number: number]

interface StoredResponse {
  readonly id: string
  readonly items: readonly string[]
  readonly bytes: number
  readonly expiresAt: EpochMs
}

/** What the responses of an account come to. */
interface Totals {
  readonly bytes: number
  readonly responses: number
  /** The number of the newest one. */
  readonly last: number
}

export const openResponseRecords = (root: RootDatabase): ResponseRecords => ({
  kept: root.openDB({ name: 'responses' }),
  sealed: root.openDB({ name: 'sealedResponses', encoding: 'binary' }),
  numbers: root.openDB({ name: 'responseNumbers' }),
  items: root.openDB({ name: 'responseItems' }),
  expiries: root.openDB({ name: 'responseExpiries' }),
  totals: root.openDB({ name: 'responseTotals' }),
})

/** The number of a response whose time is not over. */
export function numberOf(records: ResponseRecords, account: string, id: string, at: EpochMs): number | undefined {
  const number = isName(id) ? records.numbers.get([account, id]) : undefined
  const stored = number === undefined ? undefined : records.kept.get([account, number])
  return stored && stored.expiresAt > at ? number : undefined
}

/** The ids of the responses that have an item, newest first. */
export function* idsByItem({ items }: ResponseRecords, account: string, item: string): Generator<string> {
  if (!isName(item)) return
  const newestFirst = { start: [account, item, Number.MAX_SAFE_INTEGER], end: [account, item], reverse: true }
  for (const { value } of items.getRange(newestFirst)) yield value
}

/** Writes a response in place of the one with its id, and deletes the oldest of its account until all fit. Only within a transaction. */
export function replace(
  records: ResponseRecords,
  { account, id, items, sealed, keep }: KeptResponse,
  at: EpochMs,
  bytes: number,
  bounds: KeptBounds,
): void {
  const before = records.numbers.get([account, id])
  if (before !== undefined) drop(records, account, before)
  const last = records.totals.get(account)?.last ?? 0
  makeRoom(records, account, at, bytes, bounds)
  const totals = records.totals.get(account) ?? NONE
  const [number, expiresAt] = [last + 1, at + keep]
  records.kept.put([account, number], { id, items, bytes, expiresAt })
  records.sealed.put([account, number], sealed)
  records.numbers.put([account, id], number)
  for (const item of items) records.items.put([account, item, number], id)
  records.expiries.put([expiresAt, account, number], true)
  records.totals.put(account, { bytes: totals.bytes + bytes, responses: totals.responses + 1, last: number })
}

function makeRoom(records: ResponseRecords, account: string, at: EpochMs, bytes: number, bounds: KeptBounds): void {
  for (;;) {
    const totals = records.totals.get(account) ?? NONE
    const fits = totals.bytes + bytes <= bounds.bytes && totals.responses < bounds.responses
    const [oldest] = records.kept.getRange({ start: [account], limit: 1 })
    if (oldest?.key[0] !== account || (fits && oldest.value.expiresAt > at)) return
    drop(records, account, oldest.key[1])
  }
}

/** Deletes a response, and all that leads to it. Only within a transaction. */
export function drop(records: ResponseRecords, account: string, number: number): void {
  const stored = records.kept.get([account, number])
  if (!stored) return
  const { id, items, bytes, expiresAt } = stored
  records.kept.remove([account, number])
  records.sealed.remove([account, number])
  records.numbers.remove([account, id])
  for (const item of items) records.items.remove([account, item, number])
  records.expiries.remove([expiresAt, account, number])
  const totals = records.totals.get(account) ?? NONE
  const [left, responses] = [totals.bytes - bytes, totals.responses - 1]
  if (responses <= 0) records.totals.remove(account)
  else records.totals.put(account, { bytes: left, responses, last: totals.last })
}

const NONE: Totals = { bytes: 0, responses: 0, last: 0 }

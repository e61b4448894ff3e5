import type { Database, RootDatabase } from 'lmdb'
import { isName, type KeptBounds, type KeptResponse } from '../../gateway/store/response-store.ts'
import type { EpochMs } from '../../policy/config.ts'
import type { ResponseHead } from '../../records/response.ts'

/** Kept responses in the files. A number counts the responses of its account, so that keys are in the order of their age. */
export interface ResponseRecords {
  readonly kept: Database<ResponseHead, Numbered>
  /** The contents of responses, encrypted. */
  readonly sealed: Database<Buffer, Numbered>
  readonly numbers: Database<number, [account: string, id: string]>
  /** Their ids, by the items that they have. */
  readonly items: Database<string, [account: string, item: string, number: number]>
  /** Responses by their expiry; the value has no meaning. */
  readonly expiries: Database<true, [expiresAt: EpochMs, account: string, number: number]>
  /** Totals by account; absent for an account without responses. */
  readonly totals: Database<Totals, string>
  /** Bytes of all responses, under one name. */
  readonly sums: Database<number, string>
}

type Numbered = [account: string, number: number]

/** The sums of an account's responses. */
interface Totals {
  readonly bytes: number
  readonly responses: number
  /** The number of the newest one. */
  readonly last: number
}

/** The one table whose records are plain bytes. */
export const SEALED = { name: 'sealedResponses', encoding: 'binary' } as const

export const openResponseRecords = (root: RootDatabase): ResponseRecords => ({
  kept: root.openDB({ name: 'responses' }),
  sealed: root.openDB(SEALED),
  numbers: root.openDB({ name: 'responseNumbers' }),
  items: root.openDB({ name: 'responseItems' }),
  expiries: root.openDB({ name: 'responseExpiries' }),
  totals: root.openDB({ name: 'responseTotals' }),
  sums: root.openDB({ name: 'responseSums' }),
})

const ALL = 'all'

/** Bytes of all responses, including expired ones until they are deleted. */
export const totalOf = ({ sums }: ResponseRecords): number => sums.get(ALL) ?? 0

function addToTotal(records: ResponseRecords, bytes: number): void {
  const total = totalOf(records) + bytes
  if (total > 0) records.sums.put(ALL, total)
  else records.sums.remove(ALL)
}

/** The number of a response that has not expired. */
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

/**
 * Writes a response in place of the one with its id, and deletes the oldest of its account until all fit. False, and nothing
 * changed, where all accounts together would have too much. Only within a transaction.
 */
export function replace(
  records: ResponseRecords,
  { account, id, items, sealed, keep, ...others }: KeptResponse,
  at: EpochMs,
  bytes: number,
  bounds: KeptBounds,
): boolean {
  if (totalOf(records) + bytes > bounds.total) dropExpired(records, at)
  const last = records.totals.get(account)?.last ?? 0
  const leaving = leavingFor(records, { account, id }, at, bytes, bounds)
  const left = leaving.reduce((sum, { value }) => sum - value.bytes, totalOf(records))
  if (left + bytes > bounds.total) return false
  for (const { key } of leaving) drop(records, account, key[1])
  const totals = records.totals.get(account) ?? NONE
  const [number, expiresAt] = [last + 1, at + keep]
  records.kept.put([account, number], { id, items, ...others, bytes, expiresAt })
  records.sealed.put([account, number], sealed)
  records.numbers.put([account, id], number)
  for (const item of items) records.items.put([account, item, number], id)
  records.expiries.put([expiresAt, account, number], true)
  records.totals.put(account, { bytes: totals.bytes + bytes, responses: totals.responses + 1, last: number })
  addToTotal(records, bytes)
  return true
}

/** Responses of the account that make room for one with an id: the one before with that id, and as many of the oldest as it takes. */
function leavingFor(
  records: ResponseRecords,
  { account, id }: Pick<KeptResponse, 'account' | 'id'>,
  at: EpochMs,
  bytes: number,
  bounds: KeptBounds,
): readonly Stored[] {
  const before = records.numbers.get([account, id])
  const all = Array.from(records.kept.getRange({ start: [account], end: [account, Number.MAX_SAFE_INTEGER] }))
  const replaced = all.filter(({ key }) => key[1] === before)
  const totals = records.totals.get(account) ?? NONE
  let left = totals.bytes - replaced.reduce((sum, { value }) => sum + value.bytes, 0)
  let count = totals.responses - replaced.length
  const leaving = [...replaced]
  for (const oldest of all) {
    if (oldest.key[1] === before) continue
    const fits = left + bytes <= bounds.bytes && count < bounds.responses
    if (fits && oldest.value.expiresAt > at) break
    leaving.push(oldest)
    left -= oldest.value.bytes
    count--
  }
  return leaving
}

interface Stored {
  readonly key: Numbered
  readonly value: ResponseHead
}

/** Deletes some expired responses. Only within a transaction. */
function dropExpired(records: ResponseRecords, at: EpochMs): void {
  const expired = Array.from(records.expiries.getKeys({ end: [at + 1], limit: EXPIRED_AT_ONCE }))
  for (const [, account, number] of expired) drop(records, account, number)
}

/** How many fit into the room that a commit has ready. */
const EXPIRED_AT_ONCE = 16

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
  addToTotal(records, -bytes)
  const totals = records.totals.get(account) ?? NONE
  const [left, responses] = [totals.bytes - bytes, totals.responses - 1]
  if (responses <= 0) records.totals.remove(account)
  else records.totals.put(account, { bytes: left, responses, last: totals.last })
}

const NONE: Totals = { bytes: 0, responses: 0, last: 0 }

import { setImmediate } from 'node:timers/promises'
import type { Database, Key, Transaction } from 'lmdb'

/** One record to put or remove; made with `put`, so that the value fits its database. */
export type Write = () => void

export const put =
  <V, K extends Key>(database: Database<V, K>, key: K, value: V): Write =>
  () => {
    database.put(key, value)
  }

export const remove =
  <V, K extends Key>(database: Database<V, K>, key: K): Write =>
  () => {
    database.remove(key)
  }

/** A database in the order of its keys, or backwards. Pages, because one long read would keep old pages of the files alive. */
export async function* pagesOf<V, K extends Key>(
  database: Pick<Database<V, K>, 'getRange'>,
  from: { start?: Key; end?: Key; exclusiveStart?: boolean; reverse?: boolean; transaction?: Transaction } = {},
): AsyncGenerator<readonly { key: K; value: V }[], void, undefined> {
  let start = from
  for (;;) {
    const page = Array.from(database.getRange({ ...start, limit: PAGE }))
    const last = page.at(-1)
    if (!last) return
    yield page
    start = { ...from, start: last.key, exclusiveStart: true }
    // Requests get their turn between pages.
    await setImmediate()
  }
}

/** Records that are read at once. */
const PAGE = 256

import { setImmediate } from 'node:timers/promises'
import { Writer } from './bytes.ts'
import type { Method } from './protocol.ts'

/** Items of a stream that travel together. */
export interface Page {
  readonly count: number
  /** The items one behind the other, as the codec of an item writes them. */
  readonly items: Buffer
  readonly isLast: boolean
}

/** The page of a stream without items. */
export const NO_PAGE: Page = { count: 0, items: Buffer.alloc(0), isLast: true }

/**
 * The items of a stream in pages; the last one may be empty. A page ends where it has many bytes: all that a page takes to
 * be read and written is taken from the requests of all workers.
 */
export async function* pagesOf(
  { item: codec, perPage }: Method,
  items: AsyncIterable<unknown>,
): AsyncGenerator<Page, void, undefined> {
  const writer = new Writer()
  let count = 0
  for await (const item of items) {
    codec.write(writer, item)
    count++
    if (count < perPage && writer.at < PAGE_BYTES) continue
    yield { count, items: writer.take(), isLast: false }
    count = 0
    // One read may ask for the next pages of many streams: what others asked comes between these.
    await setImmediate()
  }
  yield { count, items: writer.take(), isLast: true }
}

/** Takes a few milliseconds, including the read. */
const PAGE_BYTES = 256_000

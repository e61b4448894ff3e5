import { setImmediate } from 'node:timers/promises'
import { bytesOf, type KeptBounds, type KeptResponse, type ResponseStore } from '../../gateway/store/response-store.ts'
import { drop, idsByItem, numberOf, replace, totalOf } from './response-records.ts'
import type { StoreState } from './store-state.ts'

/** The kept responses of accounts. Every change is one transaction. */
export class EmbeddedResponses implements ResponseStore {
  readonly #state: () => StoreState

  /** `state` throws StoreUnavailable once the store is closed. */
  constructor(state: () => StoreState) {
    this.#state = state
  }

  async keep(response: KeptResponse, bounds: KeptBounds): Promise<boolean> {
    const { records, now } = this.#state()
    const bytes = bytesOf(response)
    if (bytes > bounds.bytes) return false
    const at = now()
    return records.change(() => replace(records.responses, response, at, bytes, bounds), {
      records: RECORDS_REPLACED + response.items.length,
      bytes,
    })
  }

  async readTotal(): Promise<number> {
    return totalOf(this.#state().records.responses)
  }

  async sizeOf(account: string, id: string): Promise<number | undefined> {
    const { records, now } = this.#state()
    const number = numberOf(records.responses, account, id, now())
    return number === undefined ? undefined : records.responses.kept.get([account, number])?.bytes
  }

  async read(account: string, id: string): Promise<Buffer | undefined> {
    const { records, now } = this.#state()
    const number = numberOf(records.responses, account, id, now())
    return number === undefined ? undefined : records.responses.sealed.get([account, number])
  }

  async findByItem(account: string, item: string): Promise<string | undefined> {
    const { records, now } = this.#state()
    const at = now()
    for (const id of idsByItem(records.responses, account, item))
      if (numberOf(records.responses, account, id, at) !== undefined) return id
    return undefined
  }

  async remove(account: string, id: string): Promise<boolean> {
    const { records, now } = this.#state()
    const at = now()
    return records.change(() => {
      const number = numberOf(records.responses, account, id, at)
      if (number !== undefined) drop(records.responses, account, number)
      return number !== undefined
    })
  }

  async sweep(): Promise<number> {
    const { records, now } = this.#state()
    let removed = 0
    for (;;) {
      const expired = Array.from(records.responses.expiries.getKeys({ end: [now() + 1], limit: PAGE }))
      if (expired.length === 0) return removed
      await records.change(
        () => {
          for (const [, account, number] of expired) drop(records.responses, account, number)
        },
        { records: RECORDS_DROPPED * expired.length },
      )
      removed += expired.length
      // Requests get their turn between pages.
      await setImmediate()
    }
  }
}

/** Responses that are deleted at once. */
const PAGE = 64
/** Records that a response has, with a few items. */
const RECORDS_DROPPED = 8
/** Records that older responses leave, most of which give way to a new one in pages that they share. */
const RECORDS_REPLACED = 256

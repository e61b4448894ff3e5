import type { Millis } from '../../policy/config.ts'
import type { ResponseHead } from '../../records/response.ts'

/**
 * Responses that their accounts may go on from, sealed before they come here: one facet of the Store, see there for
 * atomicity, clock and outages. Whatever is asked of one account gives nothing of another.
 */
export interface ResponseStore {
  /**
   * Keeps a response, in place of an earlier one with its id, and deletes the oldest ones of its account until all of
   * them are within the bounds. One that is too large on its own, or with those of all other accounts, is not kept, and
   * nothing is deleted for it. Resolves to whether it is kept. Durable.
   */
  keep(response: KeptResponse, bounds: KeptBounds): Promise<boolean>
  /** The bytes of a response, as `bytesOf` counts them; undefined where the account has no such response, or its time is over. */
  sizeOf(account: string, id: string): Promise<number | undefined>
  /** The sealed response; undefined where the account has no such response, or its time is over. */
  read(account: string, id: string): Promise<Buffer | undefined>
  /** The id of the newest response of the account that has an item of this id; undefined where there is none. */
  findByItem(account: string, item: string): Promise<string | undefined>
  /** Deletes a response: nothing reads it from then on. False where the account has no such response. Durable. */
  remove(account: string, id: string): Promise<boolean>
  /** The bytes of all accounts' responses, as `bytesOf` counts them; those whose time is over count for a minute more at most. */
  readTotal(): Promise<number>
  /** Deletes the responses whose time is over. Resolves to how many it deleted; a store that does so by itself deletes none. */
  sweep(): Promise<number>
}

/** Its id and its items are names, as `isName` says. */
export interface KeptResponse extends Omit<ResponseHead, 'bytes' | 'expiresAt'> {
  readonly account: string
  readonly sealed: Buffer
  /** How long it is kept from now on. */
  readonly keep: Millis
}

/** The bounds on the responses of one account, and of all. */
export interface KeptBounds {
  /** As `bytesOf` counts them. */
  readonly bytes: number
  readonly responses: number
  /** Bytes of all accounts together. */
  readonly total: number
}

/** Whether a store can keep a text as an id: printable ASCII without blanks, of at most 256 characters. */
export const isName = (text: string): boolean => NAME.test(text)

const NAME = /^[\x21-\x7e]{1,256}$/

/** The bytes of a response in a store, roughly. */
export function bytesOf({ id, items, sealed }: Pick<KeptResponse, 'id' | 'items' | 'sealed'>): number {
  let bytes = sealed.length + id.length + RECORD_BYTES
  for (const item of items) bytes += item.length + RECORD_BYTES
  return bytes
}

const RECORD_BYTES = 100

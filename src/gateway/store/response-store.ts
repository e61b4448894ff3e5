import type { Millis } from '../../policy/config.ts'
import type { ResponseHead } from '../../records/response.ts'

/**
 * Kept responses, which their accounts may continue. Callers seal them first. A facet of the Store, which documents atomicity,
 * clock and outages. No call for one account reveals another account's responses.
 */
export interface ResponseStore {
  /**
   * Keeps a response, in place of an earlier one with its id, and deletes the oldest ones of its account until all of
   * them fit the bounds. A response that exceeds the bounds alone, or the total together with all other accounts, is not kept and
   * evicts nothing. Resolves to whether it was kept. Durable.
   */
  keep(response: KeptResponse, bounds: KeptBounds): Promise<boolean>
  /** The bytes of a response, as `bytesOf` counts them; undefined if the account has no such response or it expired. */
  sizeOf(account: string, id: string): Promise<number | undefined>
  /** The sealed response; undefined if the account has no such response or it expired. */
  read(account: string, id: string): Promise<Buffer | undefined>
  /** The id of the account's newest response with this item; undefined if there is none. */
  findByItem(account: string, item: string): Promise<string | undefined>
  /** Deletes a response; later reads do not find it. False if the account has no such response. Durable. */
  remove(account: string, id: string): Promise<boolean>
  /** The bytes of all accounts' responses, as `bytesOf` counts them. Expired ones count for up to a minute more. */
  readTotal(): Promise<number>
  /** Deletes expired responses and resolves to their number. A store that expires them by itself deletes none. */
  sweep(): Promise<number>
}

/** The id and the items satisfy `isName`. */
export interface KeptResponse extends Omit<ResponseHead, 'bytes' | 'expiresAt'> {
  readonly account: string
  readonly sealed: Buffer
  /** How long to keep it from now on. */
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

/** Whether a store accepts a text as an id: printable ASCII without blanks, at most 256 characters. */
export const isName = (text: string): boolean => NAME.test(text)

const NAME = /^[\x21-\x7e]{1,256}$/

/** The bytes of a response in a store, roughly. */
export function bytesOf({ id, items, sealed }: Pick<KeptResponse, 'id' | 'items' | 'sealed'>): number {
  let bytes = sealed.length + id.length + RECORD_BYTES
  for (const item of items) bytes += item.length + RECORD_BYTES
  return bytes
}

const RECORD_BYTES = 100

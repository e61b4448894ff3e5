import { hash } from 'node:crypto'
import { remembered } from '../../gateway/remembered.ts'
import type { EpochMs } from '../../policy/config.ts'

/** Everything of an account is in one of these, under one hash tag, so that a script reads and writes one slot. */
export const BUCKETS: readonly string[] = Array.from({ length: 256 }, (_, number) =>
  number.toString(16).padStart(2, '0'),
)

export function* chunksOf<T>(items: readonly T[], size: number): Generator<readonly T[], void, undefined> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size)
}

export const bucketOf = (account: string): string => hash('sha1', account).slice(0, 2)

/** Accounts whose bucket is remembered; more are worked out again. */
const MOST = 10_000

/** The names of all keys. `{…}` is the hash tag. */
export class Layout {
  readonly #prefix: string
  /** The bucket of an account: a request asks several times. */
  readonly of = remembered(MOST, account => this.bucket(bucketOf(account)))

  constructor(prefix: string) {
    this.#prefix = prefix
  }

  /** What the store is: its epoch, schema, day of creation and the number of keys ever minted. */
  get meta(): string {
    return `${this.#prefix}:meta`
  }

  /** Written to see whether Redis takes writes. */
  get proof(): string {
    return `${this.#prefix}:proof`
  }

  /** Namespace of account ids by key hash, which never change. */
  get owners(): string {
    return `${this.#prefix}:owner`
  }

  /** The account that an operator opened under a label. */
  opened(label: string): string {
    return `${this.#prefix}:opened:${label}`
  }

  /** Accounts that signed in under a label, at some time. */
  labelled(label: string): string {
    return `${this.#prefix}:label:${label}`
  }

  /** What all guests share. */
  get guests(): Bucket {
    return this.of(GUESTS)
  }

  /** What pools cost their operator. */
  get pools(): Bucket {
    return this.of(POOLS)
  }

  /** Matches the names of all accounts in SCAN, and perhaps others. */
  get everyAccount(): string {
    return `${this.#prefix.replace(/[\\*?[\]]/g, '\\$&')}:{??}:account:*`
  }

  /** The account whose name in Redis this is; undefined where it is that of something else. */
  accountIn(name: string): string | undefined {
    const account = name.slice(`${this.#prefix}:{00}:account:`.length)
    return this.of(account).account(account) === name ? account : undefined
  }

  buckets(): Bucket[] {
    return BUCKETS.map(name => this.bucket(name))
  }

  bucket(bucket: string): Bucket {
    return new Bucket(`${this.#prefix}:{${bucket}}`)
  }
}

/** Not an account: it only has a bucket as if it were one. */
export const GUESTS = 'guests'
/** Neither is this one. */
export const POOLS = 'pools'
/** Nor this one: the audit of changes that are of no account. */
export const GATEWAYS = 'gateways'

/** Keys of one bucket. */
export class Bucket {
  readonly #tag: string

  constructor(tag: string) {
    this.#tag = tag
  }

  get epoch(): string {
    return `${this.#tag}:epoch`
  }
  /** Hashes of keys by number. */
  get keys(): string {
    return `${this.#tag}:keys`
  }
  /** Request ids by the end of their lease. */
  get leases(): string {
    return `${this.#tag}:leases`
  }
  /** Rows in the order of request ids. */
  get ledger(): string {
    return `${this.#tag}:ledger`
  }
  /** Control changes. */
  get audit(): string {
    return `${this.#tag}:audit`
  }
  /** What guests spent and hold, without the day. */
  get guestSpend(): string {
    return `${this.#tag}:guest-spend:`
  }
  events(name: string): string {
    return `${this.#tag}:events:${name}`
  }
  /** Hashes of an account's keys, newest first. */
  keysOf(account: string): string {
    return `${this.#tag}:keys-of:${account}`
  }
  totals(day: number): string {
    return `${this.#tag}:totals:${day}`
  }
  /** Totals of waste by pool. */
  waste(day: number): string {
    return `${this.#tag}:waste:${day}`
  }
  /** What counts against the hour of a pool. */
  allowance(pool: string): string {
    return `${this.#tag}:allowance:${pool}`
  }
  key(hash: string): string {
    return `${this.#tag}:key:${hash}`
  }
  account(account: string): string {
    return `${this.#tag}:account:${account}`
  }
  standing(account: string): string {
    return `${this.#tag}:standing:${account}`
  }
  /** The ring of its minute. */
  minute(account: string): string {
    return `${this.#tag}:minute:${account}`
  }
  spend(account: string, window: EpochMs): string {
    return `${this.#tag}:spend:${account}:${window}`
  }
  hold(requestId: string): string {
    return `${this.#tag}:hold:${requestId}`
  }
}

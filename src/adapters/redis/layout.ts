import { hash } from 'node:crypto'
import { remembered } from '../../gateway/lifetimes.ts'
import { orgId } from '../../gateway/store/org-store.ts'
import type { EpochMs } from '../../policy/config.ts'
import { isSharedGroup } from '../../policy/limits/rule-claim.ts'

/** The names of the buckets. All records of an account are in one bucket, under one hash tag, so that a script uses one slot. */
export const BUCKETS: readonly string[] = Array.from({ length: 256 }, (_, number) =>
  number.toString(16).padStart(2, '0'),
)

export const bucketOf = (account: string): string => hash('sha1', account).slice(0, 2)

/** The size of the cache of buckets. */
const MOST = 10_000

/** The names of all keys. `{…}` is the hash tag. */
export class Layout {
  readonly #prefix: string
  /** This process's clock, as close to that of Redis as a calendar needs: bounds of calendar windows are sent for the days around it. */
  readonly now: () => EpochMs
  /** The bucket of an account; cached, because a request asks several times. */
  readonly of = remembered(MOST, account => this.bucket(bucketOf(account)))

  constructor(prefix: string, now: () => EpochMs = Date.now) {
    this.#prefix = prefix
    this.now = now
  }

  /** The identity of the store: its epoch, schema, day of creation and the number of keys ever minted. */
  get meta(): string {
    return `${this.#prefix}:meta`
  }

  /** The key that is written to find out whether Redis accepts writes. */
  get writeProbe(): string {
    return `${this.#prefix}:proof`
  }

  /** The beginnings of all names. The owners of keys lie where an earlier client put them. */
  get beginnings(): readonly string[] {
    return [`${this.#prefix}:`, 'keyv:']
  }

  /** Namespace of account ids by key hash, which never change. */
  get owners(): string {
    return `${this.#prefix}:owner`
  }

  /** Where the client puts the account of a key. */
  owner(hash: string): string {
    return `keyv::${hash}`
  }

  /** The secret from which a repeated mint derives its key again. */
  get mintSecret(): string {
    return `${this.#prefix}:mint-secret`
  }

  /** The account that an operator opened under a label. */
  opened(label: string): string {
    return `${this.#prefix}:opened:${label}`
  }

  /** Accounts that signed in under a label, at some time. */
  labelled(label: string): string {
    return `${this.#prefix}:label:${label}`
  }

  /** The account that a sign-in joined, which names it too. */
  joined(signIn: string): string {
    return `${this.#prefix}:joined:${signIn}`
  }

  /** The first label of a shape, by its hash. */
  shape(hash: string): string {
    return `${this.#prefix}:shape:${hash}`
  }

  /** The bucket of records that all guests share. */
  get guests(): Bucket {
    return this.of(GUESTS)
  }

  /** The bucket of what kept responses take. */
  get kept(): Bucket {
    return this.of(KEPT)
  }

  /** The bucket of records about pools. */
  get pools(): Bucket {
    return this.of(POOLS)
  }

  /** Matches the names of all accounts in SCAN, and perhaps others. */
  get everyAccount(): string {
    return this.#every('account')
  }

  #every(kind: 'account' | 'org'): string {
    return this.likeIn('??', `${kind}:*`)
  }

  /** Matches names of records in buckets. */
  likeIn(buckets: string, name: string): string {
    return this.like(`{${buckets}}:${name}`)
  }

  /** Matches names of all records, and no others: of those in buckets, and of those outside of them. */
  like(name: string): string {
    return `${this.#prefix.replace(/[\\*?[\]]/g, '\\$&')}:${name}`
  }

  /** A name in Redis without the common prefix of all keys. */
  within(name: string): string {
    return name.slice(this.#prefix.length + 1)
  }

  /** The account whose record has this name in Redis; undefined for the name of any other record. */
  accountIn(name: string): string | undefined {
    const account = name.slice(`${this.#prefix}:{00}:account:`.length)
    return this.bucketOf(account).account(account) === name ? account : undefined
  }

  /** An org, in the bucket of its id. */
  org(org: string): string {
    return this.of(orgId(org)).org(org)
  }

  /** Matches the names of all orgs in SCAN, and perhaps others. */
  get everyOrg(): string {
    return this.#every('org')
  }

  /** The org whose record has this name in Redis; undefined for the name of any other record. */
  orgIn(name: string): string | undefined {
    const org = name.slice(`${this.#prefix}:{00}:org:`.length)
    return this.org(org) === name ? org : undefined
  }

  /** The bucket of an account that need not be in the cache: a scan has too many of them. */
  bucketOf(account: string): Bucket {
    return this.bucket(bucketOf(account))
  }

  /** The gateways' knowledge of each other. */
  get fleet(): FleetKeys {
    return this.of(FLEET).fleet
  }
  slotsOf(pool: string): SlotKeys {
    return this.of(FLEET).slotsOf(pool)
  }

  /** The gateways' counts for the minutes of an hour, in hours since the epoch. */
  series(hour: number): string {
    return this.of(FLEET).series(hour)
  }

  /** The counters of a group of rules: beside those of the account, or, where accounts share them, in a bucket of its own. */
  rules(account: string, group: string): string {
    return isSharedGroup(group) ? this.sharedRules(group) : this.of(account).rules(account, group)
  }

  protected sharedRules(group: string): string {
    return this.of(group).sharedRules(group)
  }

  /** Whether shared limits lie where a script of an account does not reach them. */
  get isCluster(): boolean {
    return false
  }

  /** The guests' spend of a day, without the day, as scripts of an account take it. */
  guestSpend(_account: string): string {
    return this.guests.guestSpend
  }

  /** The totals of waste of a day, where those of an account belong. */
  wasteOf(_account: string, day: number): string {
    return this.pools.waste(day)
  }

  /** All totals of waste of a day. */
  wasteOn(day: number): readonly string[] {
    return [this.pools.waste(day)]
  }

  /** The epoch of the bucket of a key; undefined where it is in none. */
  epochBeside(key: string): string | undefined {
    const tag = /^(.*?\{([0-9a-f]{2})\}):/.exec(key)
    return tag?.[1]?.startsWith(`${this.#prefix}:{`) ? this.bucket(tag[2] ?? '').epoch : undefined
  }

  buckets(): Bucket[] {
    return BUCKETS.map(name => this.bucket(name))
  }

  bucket(bucket: string): Bucket {
    return new Bucket(`${this.#prefix}:{${bucket}}`)
  }
}

/**
 * The names of all keys on a cluster, where a script uses those of one bucket alone: what accounts share has a bucket of its
 * own, and waste is added up in the buckets of accounts.
 */
export class ClusterLayout extends Layout {
  override get isCluster(): boolean {
    return true
  }

  protected override sharedRules(group: string): string {
    return this.guests.sharedRules(group)
  }

  override guestSpend(account: string): string {
    return this.of(account).guestSpend
  }

  override wasteOf(account: string, day: number): string {
    return this.of(account).waste(day)
  }

  override wasteOn(day: number): readonly string[] {
    return this.buckets().map(bucket => bucket.waste(day))
  }
}

/** The bucket of records that all guests share. It is no account, but has a bucket like one. */
export const GUESTS = 'guests'
/** The bucket of records about pools. */
export const POOLS = 'pools'
/** The bucket of what kept responses of all accounts take. */
export const KEPT = 'kept-responses'
/** The field of `responseBytes` that has their sum, as `redis/responses/room.lua` writes it. */
export const KEPT_SUM = ' sum'
/** The bucket of what gateways know of each other. */
export const FLEET = 'fleet'
/** The bucket of the audit of changes that belong to no account. */
export const GATEWAYS = 'gateways'

type FleetKeys = Readonly<Record<'members' | 'drained' | 'drains' | 'change' | 'news' | 'canaries', string>>

/** Who has slots of a pool or waits for one, and where accounts stand in its order. */
type SlotKeys = Readonly<Record<'holders' | 'accounts', string>>

/** Keys of one bucket. */
export class Bucket {
  readonly #tag: string

  constructor(tag: string) {
    this.#tag = tag
  }

  get epoch(): string {
    return `${this.#tag}:epoch`
  }
  /** How far scripts are ahead of the server's clock, under the name that redis/common.lua derives from the epoch's. */
  get clock(): string {
    return `${this.#tag}:clock`
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
  /**
   * Gateways that are there, places that get no new requests, the last change of each place, that of all gateways, their
   * news for each other, and the counts of canaries.
   */
  get fleet(): FleetKeys {
    const names = `${this.#tag}:fleet`
    return {
      members: `${names}:members`,
      drained: `${names}:drained`,
      drains: `${names}:drains`,
      change: `${names}:change`,
      news: `${names}:news`,
      canaries: `${names}:canaries`,
    }
  }
  slotsOf(pool: string): SlotKeys {
    return { holders: `${this.#tag}:slots:${pool}`, accounts: `${this.#tag}:slots-order:${pool}` }
  }
  /** Counts by `minute gateway`. */
  series(hour: number): string {
    return `${this.#tag}:series:${hour}`
  }
  /** A device code or a login of an agent, and its end. */
  login(name: string): string {
    return `${this.#tag}:login:${name}`
  }
  /** The values of an account's labels. */
  labelValues(account: string): string {
    return `${this.#tag}:label-values:${account}`
  }
  /** Who archives rows at this time. */
  get archiver(): string {
    return `${this.#tag}:archiver`
  }
  /** Thresholds that settlements crossed, until a gateway takes them; the name that redis/notices/announce.lua makes. */
  get crossings(): string {
    return `${this.#tag}:notices`
  }
  /** All notices by id, their order, those that wait, the last number of these, the progress of watchers, and who delivers. */
  get noticeList(): Readonly<Record<'notices' | 'order' | 'waiting' | 'last' | 'progress' | 'deliverer', string>> {
    const names = `${this.#tag}:notice-list`
    return {
      notices: names,
      order: `${names}:order`,
      waiting: `${names}:waiting`,
      last: `${names}:last`,
      progress: `${names}:progress`,
      deliverer: `${names}:deliverer`,
    }
  }
  /** The audit rows. */
  get audit(): string {
    return `${this.#tag}:audit`
  }
  /** The spend of all guests; the day is appended. */
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
  totals(day: number | string): string {
    return `${this.#tag}:totals:${day}`
  }
  /** Totals of calls of hosted tools, by the name that settle.lua makes of that of the totals. */
  toolTotals(day: number): string {
    return `${this.totals(day)}:tools`
  }
  /** Totals of waste by pool. */
  waste(day: number): string {
    return `${this.#tag}:waste:${day}`
  }
  /** The costs that count against the hour of a pool. */
  allowance(pool: string): string {
    return `${this.#tag}:allowance:${pool}`
  }
  /** The kept responses of an account by id, with their sum. */
  responses(account: string): string {
    return `${this.#tag}:responses:${account}`
  }
  /** Their ids, oldest first. */
  responseOrder(account: string): string {
    return `${this.#tag}:response-order:${account}`
  }
  /** Their items. */
  responseItems(account: string): string {
    return `${this.#tag}:response-items:${account}`
  }
  /** Responses of all accounts by the ends of their times. */
  get responseEnds(): string {
    return `${this.#tag}:response-ends`
  }

  /** The bytes of each response, and their sum. */
  get responseBytes(): string {
    return `${this.#tag}:response-bytes`
  }

  /** The beginning of every response's name. */
  get responsePrefix(): string {
    return `${this.#tag}:response:`
  }
  /** A response, encrypted. No id has a blank. */
  response(account: string, id: string): string {
    return `${this.responsePrefix}${id} ${account}`
  }
  /** A response that is being written. */
  responseAside(name: string): string {
    return `${this.#tag}:response-aside:${name}`
  }
  /** The beginning of every key's name. */
  get keyPrefix(): string {
    return `${this.#tag}:key:`
  }
  key(hash: string): string {
    return `${this.keyPrefix}${hash}`
  }
  account(account: string): string {
    return `${this.#tag}:account:${account}`
  }
  org(org: string): string {
    return `${this.#tag}:org:${org}`
  }
  /** The counters of an account, by the name that older gateways gave them. */
  counters(account: string): string {
    return `${this.#tag}:standing:${account}`
  }
  /** The ring of the seconds of an account's minute. */
  minute(account: string): string {
    return `${this.#tag}:minute:${account}`
  }
  /** The counters of rules of one group. */
  rules(account: string, group: string): string {
    return this.rulesNamed(`${account}:${group}`)
  }
  rulesNamed(name: string): string {
    return `${this.#tag}:rules:${name}`
  }
  /** The counts of a group that belongs to no account. */
  sharedRules(group: string): string {
    return `${this.#tag}:shared-rules:${group}`
  }
  /** A request's hold on limits that accounts share, where they lie apart. */
  sharedHold(requestId: string): string {
    return `${this.#tag}:shared-hold:${requestId}`
  }
  get sharedLeases(): string {
    return `${this.#tag}:shared-leases`
  }
  /** The issued invoices of an account, by month. */
  invoices(account: string): string {
    return `${this.#tag}:invoices:${account}`
  }
  spend(account: string, window: EpochMs): string {
    return this.spendNamed(`${account}:${window}`)
  }
  spendNamed(name: string): string {
    return `${this.#tag}:spend:${name}`
  }
  hold(requestId: string): string {
    return `${this.#tag}:hold:${requestId}`
  }
}

/** The items in chunks of a size. */
export function* chunksOf<T>(items: readonly T[], size: number): Generator<readonly T[], void, undefined> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size)
}

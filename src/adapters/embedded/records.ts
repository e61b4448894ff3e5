import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Database, open, type RootDatabase } from 'lmdb'
import { idOfHash } from '../../gateway/accounts/keys.ts'
import type { Alarm } from '../../gateway/ports.ts'
import type { IssuedInvoice } from '../../gateway/store/issued-invoice.ts'
import { StoreUnavailable } from '../../gateway/store/store.ts'
import type { EpochMs } from '../../policy/config.ts'
import type { Spend } from '../../policy/counters/account-counters.ts'
import { type CallerKey, type OrgTerms, storedTerms, termsOfStored } from '../../policy/facts.ts'
import type { PoolBudget } from '../../policy/pool-budget.ts'
import type { AuditRow } from '../../records/audit.ts'
import { present } from '../../records/fields.ts'
import type { Sums } from '../../records/sums.ts'
import type { PackedCounters } from './account-counters.ts'
import type { CommitSize, TreeUse } from './disk/page-bound.ts'
import { DiskRoom } from './disk/room.ts'
import { allocateReaders, fillHoles } from './disk/whole-blocks.ts'
import { WriteFailures } from './disk/write-failures.ts'
import type { PackedRow, ToolKey, TotalKey, WasteKey } from './ledger-rows.ts'
import type { Write } from './lmdb.ts'
import type { StoredHold } from './open-holds.ts'
import type { PackedGroup } from './packed-group.ts'
import { RecordWriter } from './record-writer.ts'
import { openResponseRecords, type ResponseRecords } from './response-records.ts'
import { prepareSchema } from './schema.ts'
import type { Account, ReadOnly, StoredAccount, StoredKey, StoredOrg } from './stored-records.ts'

/** LMDB sets places aside for as many named databases. */
export const MOST_DATABASES = 48

/** The files of the store: one LMDB environment. Reads are synchronous and see the last commit. */
export interface Records {
  /** Keys by their hash. */
  readonly keys: ReadOnly<StoredKey>
  /** When keys were last used, by hash. Apart from the keys, so that what requests look up stays cached. */
  readonly keyUses: Database<EpochMs, string>
  readonly accounts: ReadOnly<StoredAccount>
  readonly orgs: ReadOnly<StoredOrg>
  /** Writes keys, accounts and orgs. */
  readonly write: RecordWriter
  /** Ids of the accounts that an operator opened, by label. */
  readonly labels: Database<string, string>
  /** The accounts with a label of their sign-in; the value has no meaning. */
  readonly signInLabels: Database<true, LabelKey>
  /** The account that each sign-in joined, by the id of the sign-in. The accounts list them too. */
  readonly joined: Database<string, string>
  /** The shapes of both kinds of labels, by which look-alikes are found; the value has no meaning. */
  readonly shapes: Database<true, ShapeKey>
  /** Audit rows by their number, which counts them. */
  readonly audit: Database<AuditRow, number>
  /** Counters of accounts. Their held amounts are those of the moment of the write, and are not read back. */
  readonly standings: Database<PackedCounters, string>
  /** Running requests, by request id. */
  readonly holds: Database<StoredHold, string>
  /** Rows by request id, which is time-ordered, by `lateKey` and by `wasteKey`. */
  readonly ledger: Database<PackedRow, string>
  /** Totals of every row there ever was, but for waste. */
  readonly totals: Database<Sums, TotalKey>
  /** Calls of hosted tools in every row since they are counted, but for waste; each call counts as a request. */
  readonly toolTotals: Database<Sums, ToolKey>
  /** Totals of every waste row there ever was; each attempt counts as a request. */
  readonly waste: Database<Sums, WasteKey>
  /** Counts against a pool's hourly budget, by the pool's name. */
  readonly allowances: Database<PoolBudget, string>
  /** The spend of all guests by UTC day; held amounts are not read back, as with the counters. */
  readonly guestDays: Database<Spend, number>
  /** Counters of rules by group, without reservations. */
  readonly rules: Database<PackedGroup, string>
  readonly responses: ResponseRecords
  /** Issued invoices, by account and month. */
  readonly invoices: Database<IssuedInvoice, InvoiceKey>
  /** Operators' orders to pools and to all gateways, as JSON: places that get no new requests, and the last change. */
  readonly fleet: Database<string, string>
  /** This gateway's counts in a minute, by the minute and its id since its start. */
  readonly series: Database<string, SeriesKey>
  /** Thresholds that were crossed, and notices, by keys of several kinds, as JSON. */
  readonly notices: Database<string, string>
  /** Device codes and logins of agents, by name. */
  readonly logins: Database<StoredLogin, string>
  /** Their names by their ends; the value has no meaning. */
  readonly loginEnds: Database<true, LoginEnd>
  /** Values of labels that clients sent; the value has no meaning. */
  readonly labelValues: Database<true, LabelValueKey>
  /** Which store it is, and what keys are derived from that a repeated mint makes again. */
  readonly marks: Database<string, 'identity' | 'mint'>
  readonly meta: Database<number, MetaName>
  /** Keys, accounts and orgs as requests look them up. */
  readonly cache: ReadCache
  /** The blocks of the files that later commits may take. */
  readonly room: DiskRoom
  /** Writes everything or nothing. Resolves when it is on disk; rejects with StoreUnavailable. */
  commit(writes: readonly Write[]): Promise<void>
  /** Runs `change` alone, reading and writing in one transaction, of a few records where no size is given. Resolves when it is on disk. */
  transact<T>(change: () => T, size?: CommitSize): Promise<T>
  /** Changes records that are neither key nor account nor org: the cache stays. */
  change<T>(change: () => T, size?: CommitSize): Promise<T>
  close(): Promise<void>
}

export function readAccount({ accounts }: Pick<Records, 'accounts'>, id: string): Account | undefined {
  const stored = accounts.get(id)
  return stored && accountOf(stored)
}

export const accountOf = (stored: StoredAccount): Account => ({ ...stored, terms: termsOfStored(stored.terms) })

/** Only within a transaction. */
export function writeAccount({ write }: Pick<Records, 'write'>, id: string, account: Account): void {
  write.account(id, { ...account, terms: storedTerms(account.terms) })
}

/** A key with what requests know of it, which never changes. */
interface KnownKey extends StoredKey {
  readonly caller: CallerKey
}

const callerKeyOf = (
  hash: string,
  { id = idOfHash(hash), name, models, limits, labels, origin }: StoredKey,
): CallerKey => present<CallerKey>({ id, name, models, limits, labels, origin })

export type MetaName = 'schema' | 'searched' | 'minted' | 'audited' | 'proved' | JournalMark

/** The journal that the files belong to, the last of its records that they have, and the segment that took the next one. */
type JournalMark = 'journal' | 'folded' | 'segment'

export type SeriesKey = [minute: number, gateway: string]

/** A text, and the end from which on it is not found. */
export type StoredLogin = readonly [text: string, until: EpochMs]

export type LoginEnd = [until: EpochMs, name: string]

export type LabelValueKey = [account: string, label: string, value: string]

export type InvoiceKey = [account: string, month: string]

export type LabelKey = [label: string, account: string]

/** A shape of a label, with the letter of its kind; two for each label of an account. */
export type ShapeKey = [shape: string, label: string, account: string]

/**
 * Keys, accounts and orgs as requests look them up, each read from the files once. Only transactions change them: while one is
 * open nothing is cached, and after it the cache is empty.
 */
class ReadCache {
  readonly #files: Pick<Records, 'keys' | 'accounts' | 'orgs'>
  readonly #keys = new Map<string, KnownKey>()
  readonly #accounts = new Map<string, Account>()
  readonly #orgs = new Map<string, StoredOrg>()
  #open = 0

  constructor(files: Pick<Records, 'keys' | 'accounts' | 'orgs'>) {
    this.#files = files
  }

  /** Finds a key by its hash. */
  key(hash: string): KnownKey | undefined {
    const known = this.#keys.get(hash)
    if (known) return known
    const stored = this.#files.keys.get(hash)
    return this.#remember(this.#keys, hash, stored && { ...stored, caller: callerKeyOf(hash, stored) })
  }

  account(id: string): Account | undefined {
    return this.#accounts.get(id) ?? this.#remember(this.#accounts, id, readAccount(this.#files, id))
  }

  /** The terms of an org; undefined where none is named, or there is none of this name. */
  orgTerms(org: string | undefined): OrgTerms | undefined {
    if (org === undefined) return undefined
    return (this.#orgs.get(org) ?? this.#remember(this.#orgs, org, this.#files.orgs.get(org)))?.terms
  }

  /** Runs a transaction that may change keys, accounts and orgs. */
  async during<T>(change: () => Promise<T>): Promise<T> {
    this.#open++
    this.#forget()
    try {
      return await change()
    } finally {
      this.#open--
      this.#forget()
    }
  }

  #remember<V>(known: Map<string, V>, name: string, value: V | undefined): V | undefined {
    // Unknown names are not cached: clients can make up any number of them.
    if (value === undefined || this.#open > 0) return value
    if (known.size >= MOST) known.clear()
    known.set(name, value)
    return value
  }

  #forget(): void {
    this.#keys.clear()
    this.#accounts.clear()
    this.#orgs.clear()
  }
}

/** How many keys, accounts and orgs, of each, are remembered; then all are forgotten. */
const MOST = 10_000

/** Opens or creates the files in a directory. Throws when a newer version wrote them. */
export async function openRecords(path: string, alarm?: Alarm): Promise<Records> {
  const file = join(path, 'data.mdb')
  if (existsSync(file)) await fillHoles(file)
  await allocateReaders(join(path, 'lock.mdb'))
  const root = open({
    path,
    // lmdb takes a path with a dot in its last part for a file.
    noSubdir: false,
    // A write resolves after its fsync, not before. Commits are shared, so that this costs nothing.
    overlappingSync: false,
    // Batches are made by hand. lmdb's own leave a promise without a handler: on a full disk its rejection ends the process.
    eventTurnBatching: false,
    maxDbs: MOST_DATABASES,
  })
  let room: DiskRoom | undefined
  try {
    room = await DiskRoom.open({ path: file, use: () => treeUseOf(root), ...(alarm && { alarm }) })
    // The tables of a new store are written as they are opened.
    const written = await room.promise(FEW)
    const records = openTables(root, room, new WriteFailures(alarm))
    written()
    await prepareSchema(records, path)
    await room.keepReserve()
    return records
  } catch (error) {
    await room?.close()
    await root.close()
    throw error
  }
}

/** A transaction that names no size. */
const FEW: CommitSize = { records: 64 }

function treeUseOf(root: RootDatabase): TreeUse {
  const { pageSize: pageBytes, lastPageNumber, free } = root.getStats() as Stats
  return {
    pageBytes,
    lastPage: lastPageNumber,
    freeListPages: free.treeBranchPageCount + free.treeLeafPageCount + free.overflowPages,
  }
}

interface Stats {
  readonly pageSize: number
  readonly lastPageNumber: number
  readonly free: {
    readonly treeBranchPageCount: number
    readonly treeLeafPageCount: number
    readonly overflowPages: number
  }
}

function openTables(root: RootDatabase, room: DiskRoom, failures: WriteFailures): Records {
  const keys = root.openDB<StoredKey, string>({ name: 'keys' })
  const accounts = root.openDB<StoredAccount, string>({ name: 'accounts' })
  const orgs = root.openDB<StoredOrg, string>({ name: 'orgs' })
  const meta = root.openDB<number, 'schema'>({ name: 'meta' })
  const cache = new ReadCache({ keys, accounts, orgs })
  return {
    keys,
    accounts,
    orgs,
    write: new RecordWriter({ keys, accounts, orgs, meta }),
    cache,
    keyUses: root.openDB({ name: 'keyUses' }),
    labels: root.openDB({ name: 'labels' }),
    signInLabels: root.openDB({ name: 'signInLabels' }),
    joined: root.openDB({ name: 'joined' }),
    shapes: root.openDB({ name: 'shapes' }),
    audit: root.openDB({ name: 'audit' }),
    standings: root.openDB({ name: 'standings' }),
    holds: root.openDB({ name: 'holds' }),
    ledger: root.openDB({ name: 'ledger' }),
    totals: root.openDB({ name: 'totals' }),
    toolTotals: root.openDB({ name: 'toolTotals' }),
    waste: root.openDB({ name: 'waste' }),
    allowances: root.openDB({ name: 'allowances' }),
    guestDays: root.openDB({ name: 'guestDays' }),
    rules: root.openDB({ name: 'rules' }),
    responses: openResponseRecords(root),
    invoices: root.openDB({ name: 'invoices' }),
    fleet: root.openDB({ name: 'fleet' }),
    series: root.openDB({ name: 'series' }),
    notices: root.openDB({ name: 'notices' }),
    logins: root.openDB({ name: 'logins' }),
    loginEnds: root.openDB({ name: 'loginEnds' }),
    labelValues: root.openDB({ name: 'labelValues' }),
    marks: root.openDB({ name: 'marks' }),
    meta: meta as Records['meta'],
    room,
    commit: writes => inRoom(room, { records: writes.length }, () => commit(root, writes, failures)),
    transact: (change, size = FEW) =>
      inRoom(room, size, () => cache.during(() => onDisk(root.transaction(change), failures))),
    change: (change, size = FEW) => inRoom(room, size, () => onDisk(root.transaction(change), failures)),
    close: async () => {
      await room.close()
      await root.close()
    },
  }
}

/** Runs a commit once its blocks are allocated. */
async function inRoom<T>(room: DiskRoom, size: CommitSize, run: () => Promise<T>): Promise<T> {
  const written = await room.promise(size)
  try {
    return await run()
  } finally {
    written()
  }
}

async function commit(root: RootDatabase, writes: readonly Write[], failures: WriteFailures): Promise<void> {
  // The promise of each write is handled within the batch; it is the batch that rejects.
  await onDisk(
    root.batch(() => {
      for (const write of writes) write()
    }),
    failures,
  )
}

async function onDisk<T>(written: Promise<T>, failures: WriteFailures): Promise<T> {
  try {
    const result = await written
    failures.written()
    return result
  } catch (error) {
    if (!isOfCommit(error)) throw new StoreUnavailable('the store could not be written', { cause: error })
    const cause = await causeOf(error)
    failures.failed(cause)
    throw new StoreUnavailable('the store could not be written', { cause })
  }
}

interface CommitFailure extends Error {
  readonly commitError: Promise<unknown>
}

/** Whether the disk failed a commit. Any other error is that of a change within it. */
const isOfCommit = (error: unknown): error is CommitFailure => error instanceof Error && 'commitError' in error

/** The cause of a failed commit, which lmdb gives by a second promise. Without a handler its rejection would end the process. */
async function causeOf(failure: CommitFailure): Promise<unknown> {
  try {
    await failure.commitError
    return failure
  } catch (reason) {
    return reason
  }
}

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Alarm } from '../../gateway/ports.ts'
import type { Wrote } from '../../gateway/store/ledger-store.ts'
import type { PoolBudgetAmend, PoolBudgetStore, PoolBudgetTake } from '../../gateway/store/pool-budget-store.ts'
import type { StoreRecord } from '../../gateway/store/record.ts'
import { type Store, StoreUnavailable } from '../../gateway/store/store.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'
import type { NanoUsd } from '../../policy/nano-usd.ts'
import type { BudgetSpan } from '../../policy/pool-budget.ts'
import { isWithout } from '../../wire/fast/without.ts'
import { EmbeddedAccounts } from './accounts.ts'
import { EmbeddedArchive } from './archive/embedded-archive.ts'
import { dumpRecords } from './backup/dump.ts'
import { openRestored } from './backup/load.ts'
import { EmbeddedFleet } from './fleet.ts'
import { EmbeddedHolds } from './holds.ts'
import { journalOf } from './journal/tail.ts'
import { EmbeddedKeys } from './keys.ts'
import { EmbeddedLabels } from './labels.ts'
import { EmbeddedLedger } from './ledger.ts'
import { put } from './lmdb.ts'
import { EmbeddedLogins } from './logins.ts'
import { fillShapes } from './look-alikes.ts'
import { EmbeddedNotices } from './notices.ts'
import { EmbeddedOrgs } from './orgs.ts'
import { openRecords, type Records } from './records.ts'
import { EmbeddedResponses } from './responses.ts'
import { EmbeddedSeries } from './series.ts'
import { abandon, recover } from './settlement.ts'
import { ensurePrivate, type Lock, lockDirectory } from './store-directory.ts'
import { identify, refuseGone, type StoreMemory } from './store-identity.ts'
import { beginJournal, endJournal, type JournalTerms, replayJournal } from './store-journal.ts'
import { openStoreState, type StoreState } from './store-state.ts'

/**
 * Opens or creates the store in a directory. Rejects with StoreLocked while another process has it open, with
 * RestoreInterrupted after a restore that was killed, and with StoreRefused where it is not the one that is remembered.
 */
export async function openEmbeddedStore(options: {
  path: string
  now: () => EpochMs
  wrote?: Wrote
  /** How long to wait for a process that has it and ends. */
  patience?: Millis
  /** The gateway's memory of its store. Without it any store is taken. */
  memory?: StoreMemory
  /** Hears when its disk is full, and when it has room again. */
  alarm?: Alarm
  /** Whether changes go to a journal before they go to the files. A tool makes few. */
  hasJournal?: boolean
}): Promise<EmbeddedStore> {
  const { path, now, wrote, patience, memory, alarm, hasJournal = true } = options
  if (memory) refuseGone(path, memory)
  await mkdir(path, { recursive: true, mode: 0o700 })
  const lock = await lockDirectory(path, patience)
  try {
    await openRestored(path)
    // LMDB would make them readable for all users.
    for (const file of STORE_FILES) await ensurePrivate(join(path, file))
    const records = await openRecords(path, alarm)
    try {
      if (memory) await identify(path, records, memory)
      await fillShapes(records)
    } catch (error) {
      await records.close()
      throw error
    }
    return await openOn(records, lock, now, wrote, {
      directory: journalOf(path),
      isUsed: hasJournal,
      ...(alarm && { alarm }),
    })
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** Opens the store on files that are open. They are closed when it cannot be. */
export async function openOn(
  records: Records,
  lock: Lock,
  now: () => EpochMs,
  wrote?: Wrote,
  journal?: JournalTerms,
): Promise<EmbeddedStore> {
  let state: StoreState | undefined
  try {
    if (journal) await replayJournal(journal.directory, records)
    state = openStoreState(records, now, wrote)
    await recover(state)
    if (journal?.isUsed && !isWithout('store-journal')) {
      const begun = await beginJournal(journal, records)
      if (begun) state.writer.attach(begun)
    }
    return new EmbeddedStore(state, lock, journal?.directory)
  } catch (error) {
    state?.writer.stop()
    await records.close()
    throw error
  }
}

/** The store's files, besides its lock. */
const STORE_FILES = ['data.mdb', 'lock.mdb']

/** The store of a single process: admission in memory, durable state in LMDB. */
export class EmbeddedStore implements Store {
  readonly keys: EmbeddedKeys
  readonly accounts: EmbeddedAccounts
  readonly orgs: EmbeddedOrgs
  readonly holds: EmbeddedHolds
  readonly ledger: EmbeddedLedger
  readonly archive: EmbeddedArchive
  readonly budgets: EmbeddedPoolBudgets
  readonly responses: EmbeddedResponses
  readonly fleet: EmbeddedFleet
  readonly series: EmbeddedSeries
  readonly notices: EmbeddedNotices
  readonly logins: EmbeddedLogins
  readonly labels: EmbeddedLabels
  readonly #opened: StoreState
  readonly #lock: Lock
  readonly #journal: string | undefined
  #closed: Promise<void> | undefined

  /** `journal` is the directory of its journal. */
  constructor(state: StoreState, lock: Lock, journal?: string) {
    this.#opened = state
    this.#lock = lock
    this.#journal = journal
    const open = () => this.#state()
    this.keys = new EmbeddedKeys(open)
    this.accounts = new EmbeddedAccounts(open)
    this.orgs = new EmbeddedOrgs(open)
    this.holds = new EmbeddedHolds(open)
    this.ledger = new EmbeddedLedger(open)
    this.archive = new EmbeddedArchive(open)
    this.budgets = new EmbeddedPoolBudgets(open)
    this.responses = new EmbeddedResponses(open)
    this.fleet = new EmbeddedFleet(open)
    this.series = new EmbeddedSeries(open)
    this.notices = new EmbeddedNotices(open)
    this.logins = new EmbeddedLogins(open)
    this.labels = new EmbeddedLabels(open)
  }

  /** First tries to write the changes that wait: while that fails, a small write may still fit into free pages of the file, which proves nothing. */
  async proveWritable(): Promise<void> {
    const { writer, records, now } = this.#state()
    const { shortage } = records.room
    if (shortage) throw new StoreUnavailable(shortage)
    await writer.flush()
    await records.commit([put(records.meta, 'proved', now())])
  }

  dump(): AsyncIterable<StoreRecord> {
    return dumpRecords(this.#state())
  }

  /** Resolves when everything up to now is on disk. */
  flush(): Promise<void> {
    return this.#opened.writer.flush()
  }

  /** Ends the holds of requests whose process ended, each at its last checkpoint. Resolves when that is on disk. */
  async abandon(requestIds: readonly string[]): Promise<void> {
    await abandon(this.#state(), requestIds)
  }

  /** Rejects with StoreUnavailable when the last changes could not be written; the files are closed all the same. */
  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    const { writer, records } = this.#opened
    try {
      await writer.flush()
      await writer.detach()
      if (this.#journal !== undefined) await endJournal(this.#journal, records)
    } finally {
      writer.stop()
      await records.close()
      await this.#lock.release()
    }
  }

  #state(): StoreState {
    if (this.#closed) throw new StoreUnavailable('the store is closed')
    return this.#opened
  }
}

/** The budgets of pools and mirrors. A crash forgets what was reserved of an hour in the last 250 ms; a reservation that was never amended counts for its hour. */
class EmbeddedPoolBudgets implements PoolBudgetStore {
  readonly #state: () => StoreState

  /** `state` throws StoreUnavailable once the store is closed. */
  constructor(state: () => StoreState) {
    this.#state = state
  }

  async take(reservation: PoolBudgetTake): Promise<EpochMs | undefined> {
    const { poolHours, writer, now } = this.#state()
    const at = poolHours.take(reservation, now())
    if (at === undefined) return undefined
    // Nobody waits for a copy, whose cost a crash must not forget.
    if (reservation.span === 'day') await writer.flush()
    else writer.soon()
    return at
  }

  async amend(correction: PoolBudgetAmend): Promise<void> {
    const { poolHours, writer, now } = this.#state()
    poolHours.amend(correction, now())
    writer.soon()
  }

  async read(pool: string, span?: BudgetSpan): Promise<NanoUsd> {
    const { poolHours, now } = this.#state()
    return poolHours.read(pool, now(), span)
  }
}

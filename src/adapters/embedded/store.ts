import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { AllowanceAmend, AllowanceTake } from '../../gateway/pool-budget-store.ts'
import {
  type AccountStanding,
  type Admission,
  type Admitted,
  type Beat,
  type Extended,
  type Extension,
  type LedgerQuery,
  type LedgerRow,
  type Settlement,
  type SpendReading,
  type Store,
  StoreUnavailable,
  type Total,
  type TotalsQuery,
  type Waste,
  type WasteTotal,
  type Wrote,
} from '../../gateway/store.ts'
import type { EpochMs, NanoUsd } from '../../policy/config.ts'
import { type Hold, readingsOf } from '../../policy/standing.ts'
import { windowOf } from '../../policy/window.ts'
import { EmbeddedAccounts } from './account-store.ts'
import { findAccount } from './accounts.ts'
import { admit, beat, extendHold } from './admission.ts'
import { type Books, openBooks } from './books.ts'
import { readLedger, trimLedger } from './ledger.ts'
import { type Lock, lockDirectory } from './lock.ts'
import { ensurePrivate } from './private.ts'
import { openRecords, put, type Records } from './records.ts'
import { refund, settle, sweep } from './settlement.ts'
import { readTotals, readWaste } from './totals.ts'
import { recordWaste } from './waste.ts'

const STORE_FILES = ['data.mdb', 'lock.mdb']

/** Opens or creates the store in a directory. Rejects with StoreLocked while another process has it open. */
export async function openEmbeddedStore(options: {
  path: string
  now: () => EpochMs
  wrote?: Wrote
}): Promise<EmbeddedStore> {
  const { path, now, wrote } = options
  await mkdir(path, { recursive: true, mode: 0o700 })
  const lock = await lockDirectory(path)
  try {
    // LMDB would make them readable for everybody.
    for (const file of STORE_FILES) await ensurePrivate(join(path, file))
    return await openOn(await openRecords(path), lock, now, wrote)
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** Opens the store on files that are open. They are closed when it cannot be. */
export async function openOn(records: Records, lock: Lock, now: () => EpochMs, wrote?: Wrote): Promise<EmbeddedStore> {
  try {
    return new EmbeddedStore(await openBooks(records, now, wrote), lock)
  } catch (error) {
    await records.close()
    throw error
  }
}

/** The store of a single process: admission in memory, durable state in LMDB. */
export class EmbeddedStore extends EmbeddedAccounts implements Store {
  readonly #opened: Books
  readonly #lock: Lock
  #closed: Promise<void> | undefined

  constructor(books: Books, lock: Lock) {
    super()
    this.#opened = books
    this.#lock = lock
  }

  async admit(admission: Admission): Promise<Admitted> {
    return admit(this.books, admission)
  }

  async extend(extension: Extension): Promise<Extended> {
    return extendHold(this.books, extension)
  }

  async beat(beats: readonly Beat[]): Promise<void> {
    beat(this.books, beats)
  }

  async settle(settlement: Settlement): Promise<void> {
    await settle(this.books, settlement)
  }

  async refund(hold: Hold): Promise<void> {
    return refund(this.books, hold)
  }

  async sweep(): Promise<number> {
    return sweep(this.books)
  }

  async readSpend(account: string): Promise<SpendReading> {
    const { records, standings, now } = this.books
    if (!records.accounts.doesExist(account)) throw new Error(`there is no account ${account}`)
    const window = windowOf(now())
    const { used, held } = standings.of(account).spend[window.start] ?? { used: 0, held: 0 }
    return { used, held, window }
  }

  async readStanding(account: string): Promise<AccountStanding | undefined> {
    const { records, standings, now } = this.books
    const record = findAccount(records, account)
    if (!record) return undefined
    const at = now()
    const window = windowOf(at)
    const { requests, tokens, open, used, held } = readingsOf(standings.of(account), window.start, at)
    return { record, window, used, held, requests, tokens, open, at }
  }

  async recordWaste(rows: readonly Waste[]): Promise<void> {
    return recordWaste(this.books, rows)
  }

  /** A crash forgets what was taken in the last quarter of a second; what nobody put right counts for its hour. */
  async takeAllowance(take: AllowanceTake): Promise<EpochMs | undefined> {
    const { allowances, writer, now } = this.books
    const at = allowances.take(take, now())
    if (at !== undefined) writer.soon()
    return at
  }

  async amendAllowance(amend: AllowanceAmend): Promise<void> {
    const { allowances, writer, now } = this.books
    allowances.amend(amend, now())
    writer.soon()
  }

  async readAllowance(pool: string): Promise<NanoUsd> {
    return this.books.allowances.read(pool, this.books.now())
  }

  readLedger(query?: LedgerQuery): AsyncIterable<LedgerRow> {
    return readLedger(this.books.records, query)
  }

  readTotals(query?: TotalsQuery): AsyncIterable<Total> {
    return readTotals(this.books.records, query)
  }

  readWaste(query?: TotalsQuery): AsyncIterable<WasteTotal> {
    return readWaste(this.books.records, query)
  }

  async trimLedger(before: EpochMs): Promise<number> {
    return trimLedger(this.books.records, this.books.holds, before)
  }

  /** What waits to be written is tried first: while that fails, small pages that are left over in the file prove nothing. */
  async proveWritable(): Promise<void> {
    const { writer, records, now } = this.books
    await writer.commit()
    await records.commit([put(records.meta, 'proved', now())])
  }

  /** Resolves when everything up to now is on disk. */
  flush(): Promise<void> {
    return this.#opened.writer.flush()
  }

  /** Rejects with StoreUnavailable when the last of it could not be written; the files are closed all the same. */
  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    const { writer, records } = this.#opened
    try {
      await writer.flush()
    } finally {
      writer.stop()
      await records.close()
      await this.#lock.release()
    }
  }

  protected override get books(): Books {
    if (this.#closed) throw new StoreUnavailable('the store is closed')
    return this.#opened
  }
}

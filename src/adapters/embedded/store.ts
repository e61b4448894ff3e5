import { mkdir } from 'node:fs/promises'
import {
  type Admission,
  type Admitted,
  type KeyRecord,
  type LedgerRow,
  type Mint,
  type Minted,
  type Settlement,
  type SpendReading,
  type Store,
  StoreUnavailable,
} from '../../gateway/store.ts'
import type { EpochMs } from '../../policy/config.ts'
import type { Caller } from '../../policy/facts.ts'
import { judge } from '../../policy/judge.ts'
import { type Hold, holdOf } from '../../policy/standing.ts'
import { windowOf } from '../../policy/window.ts'
import { activeKey, listKeys, mintKey, revokeKey } from './keyring.ts'
import { readLedger } from './ledger.ts'
import { type Lock, lockDirectory } from './lock.ts'
import { openRecords, type Records } from './records.ts'
import { Standings } from './standings.ts'
import { Writer } from './writer.ts'

/** A standing is about 2 kB when its minute is full. */
const ACCOUNTS_IN_MEMORY = 10_000

/** Opens or creates the store in a directory. Rejects with StoreLocked while another process has it open. */
export async function openEmbeddedStore(options: { path: string; now: () => EpochMs }): Promise<EmbeddedStore> {
  const { path, now } = options
  await mkdir(path, { recursive: true, mode: 0o700 })
  const lock = await lockDirectory(path)
  try {
    return new EmbeddedStore(await openRecords(path), lock, now)
  } catch (error) {
    await lock.release()
    throw error
  }
}

/** The store of a single process: admission in memory, durable state in LMDB. */
export class EmbeddedStore implements Store {
  readonly #files: Records
  readonly #lock: Lock
  readonly #now: () => EpochMs
  readonly #standings: Standings
  readonly #writer: Writer
  #closed: Promise<void> | undefined

  constructor(records: Records, lock: Lock, now: () => EpochMs) {
    this.#files = records
    this.#lock = lock
    this.#now = now
    this.#writer = new Writer(records, account => this.#standings.of(account))
    this.#standings = new Standings(
      { read: account => records.standings.get(account), isWritten: account => this.#writer.isWritten(account) },
      ACCOUNTS_IN_MEMORY,
    )
  }

  async findCaller(keyHash: string): Promise<Caller | undefined> {
    const key = activeKey(this.#records, keyHash)
    return key && { kind: 'developer', account: key.account, plan: key.plan, keyPrefix: key.keyPrefix }
  }

  /** Nothing awaits in here: from the first read to the last write no other request comes between. */
  async admit({ requestId, keyHash, account, plan, claims }: Admission): Promise<Admitted> {
    const records = this.#records
    const repeated = this.#standings.find(requestId)
    if (repeated) return { outcome: 'admitted', ...repeated }
    const key = activeKey(records, keyHash)
    if (key?.account !== account) return { outcome: 'key-gone' }
    if (this.#writer.failing) throw new StoreUnavailable('the store cannot be written, so nothing more may be spent')

    const at = this.#now()
    const { window } = claims.spend
    if (key.plan !== plan || at < window.start || at >= window.end) return { outcome: 'stale', plan: key.plan, at }

    const standing = this.#standings.of(account)
    const verdict = judge(standing, claims, at)
    const { readings } = verdict
    if (verdict.verdict === 'refuse') return { outcome: 'refused', denial: verdict.denial, readings }
    const hold = holdOf(standing, verdict.granted, { requestId, account, window: window.start }, at)
    this.#standings.take({ hold, readings })
    this.#writer.changed(account)
    return { outcome: 'admitted', hold, readings }
  }

  async settle({ hold, charge, row }: Settlement): Promise<void> {
    if (this.#writer.isWriting(row.requestId)) return this.#writer.flush()
    if (this.#records.ledger.doesExist(row.requestId)) return this.refund(hold)
    this.#standings.charge(hold, charge, this.#now())
    return this.#writer.charged(row)
  }

  async refund(hold: Hold): Promise<void> {
    if (this.#standings.release(hold, { tokens: 0, cost: 0 }, this.#now())) this.#writer.changed(hold.account)
  }

  async readSpend(account: string): Promise<SpendReading> {
    const found = this.#records.accounts.get(account)
    if (!found) throw new Error(`there is no account ${account}`)
    const window = windowOf(this.#now())
    const { used, held } = this.#standings.of(account).spend[window.start] ?? { used: 0, held: 0 }
    return { plan: found.plan, used, held, window }
  }

  async mintKey(mint: Mint): Promise<Minted> {
    return mintKey(this.#records, mint, this.#now())
  }

  async revokeKey(keyHash: string): Promise<KeyRecord | undefined> {
    return revokeKey(this.#records, keyHash)
  }

  async listKeys(): Promise<readonly KeyRecord[]> {
    return listKeys(this.#records)
  }

  readLedger(account?: string): AsyncIterable<LedgerRow> {
    return readLedger(this.#records, account)
  }

  /** Resolves when everything up to now is on disk. */
  flush(): Promise<void> {
    return this.#writer.flush()
  }

  /** Rejects with StoreUnavailable when the last of it could not be written; the files are closed all the same. */
  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    try {
      await this.#writer.flush()
    } finally {
      this.#writer.stop()
      await this.#files.close()
      await this.#lock.release()
    }
  }

  get #records(): Records {
    if (this.#closed) throw new StoreUnavailable('the store is closed')
    return this.#files
  }
}

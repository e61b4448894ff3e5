import type {
  AccountRecord,
  AuditRow,
  EventCount,
  GatewayChange,
  GuestMint,
  KeyRecord,
  Mint,
  Minted,
  Revocation,
  Rotation,
  SignedIn,
  TermsChange,
} from '../../gateway/accounts/account-store.ts'
import type { AllowanceAmend, AllowanceTake } from '../../gateway/pool-budget-store.ts'
import {
  type AccountStanding,
  type Admission,
  type Admitted,
  type Beat,
  type Extended,
  type Extension,
  LEASE_MS,
  type LedgerQuery,
  type LedgerRow,
  type Settlement,
  type SpendReading,
  type Store,
  type Total,
  type TotalsQuery,
  type Waste,
  type WasteTotal,
} from '../../gateway/store.ts'
import type { EpochMs, Millis, NanoUsd } from '../../policy/config.ts'
import type { Caller } from '../../policy/facts.ts'
import { dayAt, type Hold } from '../../policy/standing.ts'
import { windowOf } from '../../policy/window.ts'
import { Access, type RedisStoreOptions } from './access.ts'
import { recordOf } from './account.ts'
import { Accounts } from './accounts.ts'
import { admit, extendHold } from './admission.ts'
import { amendAllowance, readAllowance, takeAllowance } from './allowance.ts'
import { checkpointText, readCounts } from './codec.ts'
import { Endings } from './endings.ts'
import { countEvent } from './events.ts'
import { Keyring } from './keyring.ts'
import { chunksOf } from './layout.ts'
import { readLedger, readTotals, trimLedger } from './ledger.ts'
import { readWaste, recordWaste } from './waste.ts'

/** Requests whose leases are renewed together. */
const BEATS_AT_ONCE = 256

/** Opens the store. Rejects with StoreUnavailable when Redis does not answer, with StoreRefused when it must not be used. */
export async function openRedisStore(options: RedisStoreOptions): Promise<Store> {
  const store = new RedisStore(options)
  try {
    await store.open()
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

/** The store of many gateways: what can race is a script, atomic and on Redis' own clock. */
class RedisStore implements Store {
  readonly #access: Access
  readonly #accounts: Accounts
  readonly #keyring: Keyring
  readonly #endings: Endings

  constructor(options: RedisStoreOptions) {
    this.#access = new Access(options, () => this.#endings.drainSoon())
    this.#accounts = new Accounts(this.#access)
    this.#keyring = new Keyring(this.#access, this.#accounts)
    this.#endings = new Endings(this.#access, options)
  }

  async open(): Promise<void> {
    await this.#access.open()
    this.#endings.drainSoon()
  }

  findCaller(keyHash: string): Promise<Caller | undefined> {
    return this.#keyring.findCaller(keyHash)
  }

  signIn(signIn: SignedIn): Promise<Caller> {
    return this.#accounts.signIn(signIn)
  }

  admit(admission: Admission): Promise<Admitted> {
    return admit(this.#access, admission, hold => {
      // The client was told that the store is down: nobody will settle this.
      this.refund(hold).catch(() => {})
    })
  }

  extend(extension: Extension): Promise<Extended> {
    return extendHold(this.#access, extension)
  }

  async beat(beats: readonly Beat[]): Promise<void> {
    const failed: unknown[] = []
    for (const page of chunksOf(beats, BEATS_AT_ONCE)) {
      const beaten = await Promise.allSettled(page.map(beat => this.#beat(beat)))
      failed.push(...beaten.flatMap(one => (one.status === 'rejected' ? [one.reason] : [])))
    }
    // Only now: one that fails must not let the leases of others run out.
    if (failed.length > 0) throw failed[0]
  }

  async #beat({ hold: { account, requestId }, soFar }: Beat): Promise<void> {
    const bucket = this.#access.layout.of(account)
    const values = [LEASE_MS, requestId, soFar ? checkpointText(soFar) : '']
    await this.#access.script(account, 'beat', [bucket.hold(requestId), bucket.leases], values)
  }

  settle(settlement: Settlement): Promise<void> {
    return this.#endings.end({ settle: settlement })
  }

  refund(hold: Hold): Promise<void> {
    return this.#endings.end({ refund: hold })
  }

  sweep(): Promise<number> {
    return this.#endings.sweep()
  }

  async readSpend(account: string): Promise<SpendReading> {
    const { layout, now, ask } = this.#access
    const window = windowOf(await now())
    const [found, [used, held]] = await Promise.all([
      this.#accounts.find(account),
      ask(client => client.hmGet(layout.of(account).spend(account, window.start), ['used', 'held'])),
    ])
    if (!found) throw new Error(`there is no account ${account}`)
    return { used: Number(used ?? 0), held: Number(held ?? 0), window }
  }

  async readStanding(account: string): Promise<AccountStanding | undefined> {
    const { layout, now, ask } = this.#access
    const at = await now()
    const window = windowOf(at)
    const bucket = layout.of(account)
    // The ring after the newest second, which may be put into it in between.
    const [found, [head, counts], ring, [used, held]] = await Promise.all([
      this.#accounts.find(account),
      ask(client => client.hmGet(bucket.standing(account), ['head', 'counts'])),
      ask(client => client.get(bucket.minute(account))),
      ask(client => client.hmGet(bucket.spend(account, window.start), ['used', 'held'])),
    ])
    if (!found) return undefined
    const spend = { used: Number(used ?? 0), held: Number(held ?? 0), window }
    return { record: recordOf(found), ...spend, ...readCounts({ head, counts, ring }, at), at }
  }

  recordWaste(rows: readonly Waste[]): Promise<void> {
    return recordWaste(this.#access, rows)
  }

  takeAllowance(take: AllowanceTake): Promise<EpochMs | undefined> {
    return takeAllowance(this.#access, take)
  }

  amendAllowance(amend: AllowanceAmend): Promise<void> {
    return amendAllowance(this.#access, amend)
  }

  readAllowance(pool: string): Promise<NanoUsd> {
    return readAllowance(this.#access, pool)
  }

  mintKey(mint: Mint): Promise<Minted> {
    return this.#keyring.mint(mint)
  }

  readAccounts(): AsyncIterable<AccountRecord> {
    return this.#accounts.all()
  }

  rotateKey(rotation: Rotation): Promise<KeyRecord | undefined> {
    return this.#keyring.rotate(rotation)
  }

  revokeKey(revocation: Revocation): Promise<KeyRecord | undefined> {
    return this.#keyring.revoke(revocation)
  }

  listKeys(): Promise<readonly KeyRecord[]> {
    return this.#keyring.list()
  }

  keysOf(account: string): Promise<readonly KeyRecord[]> {
    return this.#keyring.of(account)
  }

  findGuest(account: string): Promise<KeyRecord | undefined> {
    return this.#keyring.ofGuest(account)
  }

  mintGuest(guest: GuestMint): Promise<KeyRecord> {
    return this.#keyring.mintGuest(guest)
  }

  countEvent(counts: readonly EventCount[], window: Millis): Promise<Millis> {
    return countEvent(this.#access, counts, window)
  }

  async findAccount(account: string): Promise<AccountRecord | undefined> {
    const found = await this.#accounts.find(account)
    return found && recordOf(found)
  }

  findAccounts(label: string): Promise<readonly AccountRecord[]> {
    return this.#accounts.findAll(label)
  }

  changeTerms(change: TermsChange): Promise<AccountRecord | undefined> {
    return this.#accounts.change(change)
  }

  noteChange(change: GatewayChange): Promise<void> {
    return this.#accounts.note(change)
  }

  readAudit(query?: { readonly account?: string; readonly since?: EpochMs }): AsyncIterable<AuditRow> {
    return this.#accounts.audit(query)
  }

  readLedger(query: LedgerQuery = {}): AsyncIterable<LedgerRow> {
    return readLedger(this.#access, query)
  }

  async *readTotals({ since = 0 }: TotalsQuery = {}): AsyncGenerator<Total, void, undefined> {
    const today = dayAt(await this.#access.now())
    yield* readTotals(this.#access, Math.max(since, this.#access.since), today)
  }

  async *readWaste({ since = 0 }: TotalsQuery = {}): AsyncGenerator<WasteTotal, void, undefined> {
    const today = dayAt(await this.#access.now())
    yield* readWaste(this.#access, Math.max(since, this.#access.since), today)
  }

  trimLedger(before: EpochMs): Promise<number> {
    return trimLedger(this.#access, before)
  }

  async proveWritable(): Promise<void> {
    // `find` also sees a Redis that was emptied: that takes writes, and nobody is served from it.
    await this.#access.find(async ({ client }) => {
      await client.set(this.#access.layout.proof, '')
      return undefined
    })
  }

  async close(): Promise<void> {
    await this.#endings.close()
    this.#access.close()
  }
}

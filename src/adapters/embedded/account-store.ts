import type {
  AccountRecord,
  AccountStore,
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
import type { EpochMs, Millis } from '../../policy/config.ts'
import type { Caller } from '../../policy/facts.ts'
import { changeTerms, findAccount, findAccounts, readAccounts, signIn } from './accounts.ts'
import { noteChange, readAudit } from './audit.ts'
import type { Books } from './books.ts'
import { Events } from './events.ts'
import { findGuest, mintGuest } from './guests.ts'
import { findCaller, keysOf, listKeys, mintKey, revokeKey, rotateKey } from './keyring.ts'

/** The part of the store that says who may call. What it answers is read from the files each time. */
export abstract class EmbeddedAccounts implements AccountStore {
  readonly #events = new Events()

  /** Throws StoreUnavailable once the store is closed. */
  protected abstract get books(): Books

  async findCaller(keyHash: string): Promise<Caller | undefined> {
    return findCaller(this.books.records, keyHash)
  }

  async signIn(token: SignedIn): Promise<Caller> {
    return signIn(this.books.records, token, this.books.now())
  }

  async mintKey(mint: Mint): Promise<Minted> {
    return mintKey(this.books.records, mint, this.books.now())
  }

  async rotateKey(rotation: Rotation): Promise<KeyRecord | undefined> {
    return rotateKey(this.books.records, rotation, this.books.now())
  }

  async revokeKey(revocation: Revocation): Promise<KeyRecord | undefined> {
    return revokeKey(this.books.records, revocation, this.books.now())
  }

  async listKeys(): Promise<readonly KeyRecord[]> {
    return listKeys(this.books.records)
  }

  async keysOf(account: string): Promise<readonly KeyRecord[]> {
    return keysOf(this.books.records, account)
  }

  async findGuest(account: string): Promise<KeyRecord | undefined> {
    return findGuest(this.books.records, account)
  }

  async mintGuest(guest: GuestMint): Promise<KeyRecord> {
    return mintGuest(this.books.records, guest, this.books.now())
  }

  async countEvent(counts: readonly EventCount[], window: Millis): Promise<Millis> {
    return this.#events.count(counts, window, this.books.now())
  }

  async findAccount(account: string): Promise<AccountRecord | undefined> {
    return findAccount(this.books.records, account)
  }

  async findAccounts(label: string): Promise<readonly AccountRecord[]> {
    return findAccounts(this.books.records, label)
  }

  readAccounts(): AsyncIterable<AccountRecord> {
    return readAccounts(this.books.records)
  }

  async changeTerms(change: TermsChange): Promise<AccountRecord | undefined> {
    return changeTerms(this.books.records, change, this.books.now())
  }

  async noteChange(change: GatewayChange): Promise<void> {
    await noteChange(this.books.records, change, this.books.now())
  }

  readAudit(query?: { readonly account?: string; readonly since?: EpochMs }): AsyncIterable<AuditRow> {
    return readAudit(this.books.records, query)
  }
}

import { idOfHash } from '../../gateway/accounts/keys.ts'
import {
  type GuestMint,
  KEYS_KEPT,
  type KeyRecord,
  type KeyStore,
  type Mint,
  type Minted,
  type NewKey,
  type Revocation,
  type Rotation,
} from '../../gateway/store/key-store.ts'
import type { Caller } from '../../policy/facts.ts'
import type { Access } from './access.ts'
import type { Client, Link } from './client.ts'
import { KEY_FIELDS, readAccount, readKey, termsText } from './codec.ts'
import { BUCKETS, chunksOf } from './layout.ts'
import type { RedisAccounts } from './redis-accounts.ts'
import type { RedisOrgs } from './redis-orgs.ts'

/** Keys of accounts and guests. The owner of a key never changes and is cached; other members are read each time, and changed by scripts. */
export class RedisKeys implements KeyStore {
  readonly #access: Access
  readonly #accounts: RedisAccounts
  readonly #orgs: RedisOrgs
  readonly #owners = new Map<string, string>()

  constructor(access: Access, accounts: RedisAccounts, orgs: RedisOrgs) {
    this.#access = access
    this.#accounts = accounts
    this.#orgs = orgs
  }

  /** One look-up more for an account that belongs to an org. */
  async findCaller(keyHash: string): Promise<Caller | undefined> {
    const caller = await this.#access.find(link => this.#callerIn(link, keyHash))
    const orgTerms = caller && (await this.#orgs.termsFor(caller.terms))
    return orgTerms ? { ...caller, orgTerms } : caller
  }

  /** A crash half way leaves a label or an owner that the next mint uses, never a key that works. */
  async mint({ key, owner, by }: Mint): Promise<Minted> {
    if ('account' in owner) return this.#mint(owner.account, key, by, { kind: 'developer', label: owner.account })
    const account = await this.#accounts.openUnder(owner.label, owner.newAccount)
    return this.#mint(account, key, by, { kind: 'developer', ...owner })
  }

  async rotate({ account, current, next, by }: Rotation): Promise<KeyRecord | undefined> {
    const bucket = this.#access.layout.of(account)
    const number = await this.#own(next.hash, account)
    const keys = [
      bucket.account(account),
      bucket.key(current),
      bucket.key(next.hash),
      bucket.keys,
      bucket.keysOf(account),
      bucket.audit,
    ]
    const values = [account, current, next.hash, next.prefix, number, by]
    const [outcome] = await this.#access.script(account, 'rotate', keys, values)
    return outcome === 'rotated' ? this.#read(account, next.hash) : this.#disown(next.hash)
  }

  async revoke({ hash, account: owner, by }: Revocation): Promise<KeyRecord | undefined> {
    const account = await this.#access.find(link => this.#ownerOf(link, hash))
    if (account === undefined || (owner !== undefined && owner !== account)) return undefined
    const bucket = this.#access.layout.of(account)
    const keys = [bucket.key(hash), bucket.account(account), bucket.audit]
    const [outcome] = await this.#access.script(account, 'revoke', keys, [account, by])
    return outcome === 'revoked' ? this.#read(account, hash) : undefined
  }

  /** The active key, then those that ended. */
  async listOf(account: string): Promise<KeyRecord[]> {
    const bucket = this.#access.layout.of(account)
    const hashes = await this.#access.ask(client => client.lRange(bucket.keysOf(account), 0, KEYS_KEPT))
    const keys = await Promise.all(hashes.map(hash => this.#read(account, hash)))
    const active = keys.filter(({ status }) => status === 'active')
    return [...active, ...keys.filter(({ status }) => status !== 'active').slice(0, KEYS_KEPT)]
  }

  async findGuest(account: string): Promise<KeyRecord | undefined> {
    const guest = await this.#accounts.findStored(account)
    return guest?.key ? this.#read(account, guest.key) : undefined
  }

  async mintGuest({ account, key, by = '' }: GuestMint): Promise<KeyRecord> {
    const known = await this.findGuest(account)
    if (known) return known
    return (await this.#mint(account, key, by, { kind: 'guest', label: account })).key
  }

  /** Every key, newest first; in pages, so that admissions get their turn. */
  async list(): Promise<KeyRecord[]> {
    const keys: { readonly account: string; readonly hash: string; readonly number: number }[] = []
    for (const bucket of BUCKETS) keys.push(...(await this.#keysIn(bucket)))
    keys.sort((a, b) => b.number - a.number)
    const records: KeyRecord[] = []
    for (const page of chunksOf(keys, PAGE))
      records.push(...(await Promise.all(page.map(({ account, hash }) => this.#read(account, hash)))))
    return records
  }

  /** The plan of a label is set together with its key, if the key is minted. Repeats where another change came in between. */
  async #mint(account: string, key: NewKey, by: string, opened: Opening): Promise<Minted> {
    const bucket = this.#access.layout.of(account)
    const keys = [bucket.account(account), bucket.key(key.hash), bucket.keys, bucket.keysOf(account), bucket.audit]
    const number = await this.#own(key.hash, account)
    for (;;) {
      const known = await this.#accounts.findStored(account)
      const { kind, label, override } = opened
      const after = termsText({ ...known?.terms, ...(override !== undefined && { override }) })
      const before = override === undefined ? '' : (known?.text ?? '')
      const plans = [known?.terms.override ?? '', override ?? '']
      const values = [account, kind, label, after, key.hash, key.prefix, number, by, before, after, ...plans]
      const [outcome, active = key.hash] = await this.#access.script(account, 'mint', keys, values)
      if (outcome === 'changed') continue
      if (active !== key.hash) await this.#disown(key.hash)
      const minted = await this.#read(account, active)
      return outcome === 'minted' ? { outcome, key: minted } : { outcome: 'exists', key: minted }
    }
  }

  async #callerIn(link: Link, keyHash: string): Promise<Caller | undefined> {
    const account = await this.#ownerOf(link, keyHash)
    if (account === undefined) return undefined
    const bucket = this.#access.layout.of(account)
    const [[status, mask], owner] = await Promise.all([
      link.client.hmGet(bucket.key(keyHash), ['status', 'mask']),
      link.client.hmGet(bucket.account(account), ['kind', 'label', 'terms']),
    ])
    const found = readAccount(account, owner)
    if (status !== 'active' || !found) return undefined
    const key = { id: idOfHash(keyHash) }
    return { kind: found.kind, account, keyPrefix: mask ?? '', terms: found.terms, key }
  }

  /** Writes the owner of a key, before the key works. Resolves to its number. */
  async #own(hash: string, account: string): Promise<number> {
    const { ask, run, layout } = this.#access
    const number = await ask(client => client.hIncrBy(layout.meta, 'minted', 1))
    await run(({ owners }) => owners.set(hash, account))
    return number
  }

  async #disown(hash: string): Promise<undefined> {
    await this.#access.run(({ owners }) => owners.delete(hash))
    return undefined
  }

  async #keysIn(name: string) {
    const { ask, layout } = this.#access
    const bucket = layout.bucket(name)
    const numbered = await ask(client => client.zRangeWithScores(bucket.keys, 0, -1))
    const keys: { readonly account: string; readonly hash: string; readonly number: number }[] = []
    for (const page of chunksOf(numbered, PAGE)) {
      const accounts = await Promise.all(
        page.map(({ value }) => ask(client => client.hGet(bucket.key(value), 'account'))),
      )
      keys.push(...page.map(({ value, score }, at) => ({ account: accounts[at] ?? '', hash: value, number: score })))
    }
    return keys
  }

  async #read(account: string, hash: string): Promise<KeyRecord> {
    const { ask, layout } = this.#access
    const [owner, fields] = await Promise.all([
      this.#accounts.findStored(account),
      ask((client: Client) => client.hmGet(layout.of(account).key(hash), KEY_FIELDS)),
    ])
    if (!owner) throw new Error(`the store has a key of account ${account}, and no such account`)
    return readKey(hash, fields, owner)
  }

  /** The account that a key was minted for, also where the key ended. */
  async #ownerOf({ owners }: Link, keyHash: string): Promise<string | undefined> {
    const known = this.#owners.get(keyHash)
    if (known !== undefined) return known
    const owner = await owners.get(keyHash)
    if (owner !== undefined) this.#remember(keyHash, owner)
    return owner
  }

  #remember(keyHash: string, owner: string): void {
    this.#owners.set(keyHash, owner)
    const [oldest] = this.#owners.keys()
    if (oldest !== undefined && this.#owners.size > OWNERS_MAX) this.#owners.delete(oldest)
  }
}

/** The account that a mint opens where there is none. The plan is also set on an existing account. */
interface Opening {
  readonly kind: Caller['kind']
  readonly label: string
  readonly override?: string
}

/** The most owners of keys that are cached. */
const OWNERS_MAX = 100_000
const PAGE = 256

import { idOfHash } from '../../gateway/accounts/keys.ts'
import { looksLike } from '../../gateway/accounts/look-alikes.ts'
import { remembered } from '../../gateway/lifetimes.ts'
import { stepOfKey } from '../../gateway/restrictions.ts'
import type { AccountRecord } from '../../gateway/store/account-store.ts'
import type { CallerCache } from '../../gateway/store/caller-cache.ts'
import { auditOfGrace, auditOfMint, auditOfNext, listed } from '../../gateway/store/key-life.ts'
import type {
  GuestMint,
  KeyCaller,
  KeyRecord,
  KeyStore,
  KeyUse,
  Mint,
  Minted,
  Revocation,
  Rotation,
  TooManyKeys,
} from '../../gateway/store/key-store.ts'
import type { EpochMs } from '../../policy/config.ts'
import type { Caller, CallerKey } from '../../policy/facts.ts'
import { present } from '../../records/fields.ts'
import type { Narrowed } from '../../records/key.ts'
import type { SchemaStep } from '../../records/terms.ts'
import type { Access } from './access.ts'
import { ACCOUNT_FIELDS, readAccount, type StoredAccount } from './account-hash.ts'
import type { RedisAccounts } from './accounts.ts'
import { termsText } from './codec.ts'
import { KEY_FIELDS, type KeyTexts, narrowedText, readKey, readNarrowed } from './key-hash.ts'
import { BUCKETS, chunksOf } from './layout.ts'
import type { RedisOrgs } from './orgs.ts'
import { textsBy } from './places.ts'

/** Keys of accounts and guests. The owner of a key never changes and is cached; other members are read each time, and changed by scripts. */
export class RedisKeys implements KeyStore {
  readonly #access: Access
  readonly #accounts: RedisAccounts
  readonly #orgs: RedisOrgs
  readonly #owners = new Map<string, string>()
  readonly #narrowed = remembered(NARROWED_MAX, readNarrowed)
  readonly #callers: CallerCache

  constructor(access: Access, accounts: RedisAccounts, orgs: RedisOrgs, callers: CallerCache) {
    this.#access = access
    this.#accounts = accounts
    this.#orgs = orgs
    this.#callers = callers
  }

  /** One look-up more for an account that belongs to an org. */
  async findCaller(keyHash: string): Promise<KeyCaller | undefined> {
    const caller = await this.#lookUp(keyHash)
    const orgTerms = caller && (await this.#orgs.termsFor(caller.terms))
    const found = orgTerms ? { ...caller, orgTerms } : caller
    this.#callers.keep(keyHash, found)
    return found
  }

  recallCaller(keyHash: string): KeyCaller | undefined {
    return this.#callers.recall(keyHash)
  }

  /** A crash half way leaves a label or an owner that the next mint uses, never a key that works. */
  async mint(mint: Mint): Promise<Minted> {
    const { owner } = mint
    if ('account' in owner) return this.#mint(owner.account, mint, { kind: 'developer', label: owner.account })
    const account = await this.#accounts.openUnder(owner.label, owner.newAccount)
    if (typeof account !== 'string') return { outcome: 'alike', ...account }
    return this.#mint(account, mint, { kind: 'developer', ...owner })
  }

  async rotate(rotation: Rotation): Promise<KeyRecord | TooManyKeys | undefined> {
    const { account, current, next, life, overlap, limits, apart, by } = rotation
    const bucket = this.#access.layout.of(account)
    const number = await this.#own(next.hash, account)
    const keys = [
      bucket.account(account),
      bucket.key(current),
      bucket.key(next.hash),
      bucket.keys,
      bucket.keysOf(account),
      bucket.audit,
      bucket.keyPrefix,
      bucket.rules(account, 'account'),
    ]
    const { hash, prefix, id = idOfHash(hash) } = next
    const values = [
      ...[account, current, hash, prefix, number, by, id, life ?? '', idOfHash(current)],
      ...(overlap ? [overlap.grace, overlap.most, auditOfGrace(overlap.grace)] : ['', '', '']),
      ...(await this.#nextOf(bucket.key(current), rotation)),
    ]
    const step = stepOfKey({
      ...((life ?? overlap) && { expiresAt: 0 }),
      ...(limits && { limits }),
      ...(apart !== undefined && { apart }),
    })
    const [outcome] = await this.#access.control(account, 'rotate', keys, values, step)
    // `known`: the same rotation was made before.
    if (outcome === 'rotated' || outcome === 'known') return this.#read(account, hash)
    await this.#disown(hash)
    return outcome === 'full' ? { outcome } : undefined
  }

  async revoke({ hash, account: owner, by }: Revocation): Promise<KeyRecord | undefined> {
    const account = await this.#ownerOf(hash)
    if (account === undefined || (owner !== undefined && owner !== account)) return undefined
    const bucket = this.#access.layout.of(account)
    const keys = [bucket.key(hash), bucket.account(account), bucket.audit]
    const [outcome] = await this.#access.control(account, 'revoke', keys, [account, by, hash])
    return outcome === 'revoked' ? this.#read(account, hash) : undefined
  }

  async listOf(account: string): Promise<KeyRecord[]> {
    const hashes = await this.#hashesOf(account)
    const at = await this.#access.now(this.#access.layout.of(account).keysOf(account))
    return listed(await Promise.all(hashes.map(hash => this.#read(account, hash, at))))
  }

  async findGuest(account: string): Promise<KeyRecord | undefined> {
    const guest = await this.#accounts.findStored(account)
    return guest?.key ? this.#read(account, guest.key) : undefined
  }

  async mintGuest({ account, key, by = '' }: GuestMint): Promise<KeyRecord> {
    const known = await this.findGuest(account)
    if (known) return known
    const minted = await this.#mint(account, { key, by, most: 1 }, { kind: 'guest', label: account })
    if (!('key' in minted)) throw new Error(`the device ${account} has a key that it does not know`)
    return minted.key
  }

  async keepMintSecret(secret: string): Promise<string> {
    const { layout, ask } = this.#access
    const read = () => ask(layout.mintSecret, client => client.get(layout.mintSecret))
    const known = await read()
    if (known !== null) return known
    await this.#access.set('SET', layout.mintSecret, secret, 'NX')
    return (await read()) ?? secret
  }

  async noteUses(uses: readonly KeyUse[]): Promise<void> {
    const note = ({ hash, account, ago }: KeyUse) =>
      this.#access.script(account, 'used', [this.#access.layout.of(account).key(hash)], [ago])
    for (const page of chunksOf(uses, PAGE)) await Promise.all(page.map(note))
  }

  /** Every key, newest first; in pages, so that admissions get their turn. */
  async list(): Promise<KeyRecord[]> {
    const keys: { readonly account: string; readonly hash: string; readonly number: number }[] = []
    for (const bucket of BUCKETS) keys.push(...(await this.#keysIn(bucket)))
    keys.sort((a, b) => b.number - a.number)
    const at = await this.#access.now()
    const records: KeyRecord[] = []
    for (const page of chunksOf(keys, PAGE))
      records.push(...(await Promise.all(page.map(({ account, hash }) => this.#read(account, hash, at)))))
    return records
  }

  /** Devices ask for keys in crowds, and again where theirs are lost: theirs wait for no replica. */
  #changeBy(kind: Caller['kind']): Access['change'] {
    return kind === 'guest' ? this.#access.change : this.#access.control
  }

  /** The plan of a label is set together with its key, if the key is minted. Repeats where another change came in between. */
  async #mint(account: string, mint: Omit<Mint, 'owner'>, opened: Opening): Promise<Minted> {
    const { key, by } = mint
    const bucket = this.#access.layout.of(account)
    const own = [bucket.account(account), bucket.key(key.hash)]
    const others = [bucket.audit, bucket.keyPrefix, bucket.rules(account, 'account')]
    const keys = [...own, bucket.keys, bucket.keysOf(account), ...others]
    let compared = await this.#compare(account, mint)
    if (compared.alike) return { outcome: 'alike', key: compared.alike }
    const number = await this.#own(key.hash, account)
    for (;;) {
      const known = await this.#accounts.findStored(account)
      const { kind, label } = opened
      const { before, after, plans } = termsOf(opened, known)
      const values = [
        ...[account, kind, label, after, key.hash, key.prefix, number, by, before, after, ...plans],
        ...wishOf(mint),
        compared.newest,
      ]
      const step = stepOfMint(mint)
      const [outcome, active = key.hash] = await this.#changeBy(kind)(account, 'mint', keys, values, step)
      if (outcome === 'changed') {
        compared = await this.#compare(account, mint)
        if (!compared.alike) continue
      }
      if (outcome === 'full' || compared.alike) return this.#refused(key.hash, compared)
      if (active !== key.hash) await this.#disown(key.hash)
      const minted = await this.#read(account, active)
      return outcome === 'minted' ? { outcome, key: minted } : { outcome: 'exists', key: minted }
    }
  }

  /** Forgets a key that was not made, and says why. */
  async #refused(hash: string, { alike }: Compared): Promise<Minted> {
    await this.#disown(hash)
    return alike ? { outcome: 'alike', key: alike } : { outcome: 'full' }
  }

  /**
   * Compares a new key's name with those of the valid keys. The mint gets the newest of those, and succeeds only if no
   * other key was made since. `alike` is undefined if the new key exists already.
   */
  async #compare(account: string, { key: { hash }, name }: Pick<Mint, 'key' | 'name'>): Promise<Compared> {
    if (name === undefined) return { newest: '' }
    const hashes = await this.#hashesOf(account)
    const [newest = ''] = hashes
    if (hashes.includes(hash)) return { newest }
    const at = await this.#access.now(this.#access.layout.of(account).keysOf(account))
    const keys = await Promise.all(hashes.map(each => this.#read(account, each, at)))
    const alike = keys.find(key => key.status === 'active' && looksLike(name, key.name ?? name))
    return { newest, ...(alike && { alike }) }
  }

  #hashesOf(account: string): Promise<string[]> {
    const key = this.#access.layout.of(account).keysOf(account)
    return this.#access.ask(key, client => client.lRange(key, 0, -1))
  }

  async #lookUp(keyHash: string): Promise<KeyCaller | undefined> {
    const account = await this.#ownerOf(keyHash)
    if (account === undefined) return undefined
    const bucket = this.#access.layout.of(account)
    const { find, now } = this.#access
    return find(bucket.epoch, async ({ client }) => {
      const [key, owner] = await Promise.all([
        client.hmGet(bucket.key(keyHash), [...KEY_FIELDS]),
        client.hmGet(bucket.account(account), [...ACCOUNT_FIELDS]),
      ])
      const [{ status, expires, ...known }, found] = [
        textsBy(KEY_FIELDS, key),
        readAccount(account, textsBy(ACCOUNT_FIELDS, owner)),
      ]
      if (status !== 'active' || !found) return undefined
      if (expires && (await now(bucket.epoch)) >= Number(expires)) return undefined
      return this.#callerOf(keyHash, known, found)
    })
  }

  #callerOf(keyHash: string, known: KeyTexts, owner: AccountRecord): KeyCaller {
    const { mask = '', id = idOfHash(keyHash), name, origin, narrow } = known
    const { addresses, apart, models, limits, labels } = narrow ? this.#narrowed(narrow) : NOT_NARROWED
    const { kind, account, terms } = owner
    const named = { id, name: name || undefined, origin: origin || undefined }
    const caller = {
      kind,
      account,
      keyPrefix: mask,
      terms,
      key: present<CallerKey>({ ...named, models, limits, labels }),
    }
    return addresses || apart !== undefined
      ? { ...caller, ...(addresses && { addresses }), ...(apart !== undefined && { apart }) }
      : caller
  }

  /** Writes the owner of a key, before the key works. Resolves to its number. */
  async #own(hash: string, account: string): Promise<number> {
    const { ask, layout } = this.#access
    const number = await ask(layout.meta, client => client.hIncrBy(layout.meta, 'minted', 1))
    await this.#access.own(hash, account)
    return number
  }

  async #disown(hash: string): Promise<void> {
    await this.#access.run(this.#access.layout.owner(hash), ({ owners }) => owners.delete(hash))
  }

  /** The limits of the next key, and the audit's words for them. A key's limits never change. */
  async #nextOf(key: string, { limits, apart }: Rotation): Promise<readonly [narrow: string, audit: string]> {
    const text = await this.#access.ask(key, client => client.hGet(key, 'narrow'))
    const before = text ? this.#narrowed(text) : NOT_NARROWED
    const own = limits ?? before.limits ?? []
    const mark = apart ?? before.apart
    const audit = auditOfNext(limits, mark)
    if (!limits && apart === undefined) return [AS_BEFORE, audit]
    const { limits: _replaced, ...others } = before
    return [
      narrowedText({ ...others, ...(own.length > 0 && { limits: own }), ...(mark !== undefined && { apart: mark }) }),
      audit,
    ]
  }

  async #keysIn(name: string) {
    const { ask, layout } = this.#access
    const bucket = layout.bucket(name)
    const numbered = await ask(bucket.keys, client => client.zRangeWithScores(bucket.keys, 0, -1))
    const keys: { readonly account: string; readonly hash: string; readonly number: number }[] = []
    for (const page of chunksOf(numbered, PAGE)) {
      const accounts = await Promise.all(
        page.map(({ value }) => ask(bucket.keys, client => client.hGet(bucket.key(value), 'account'))),
      )
      keys.push(...page.map(({ value, score }, at) => ({ account: accounts[at] ?? '', hash: value, number: score })))
    }
    return keys
  }

  /** Without a moment, the present one. */
  async #read(account: string, hash: string, moment?: EpochMs): Promise<KeyRecord> {
    const { ask, layout, now } = this.#access
    const key = layout.of(account).key(hash)
    const [owner, fields, at] = await Promise.all([
      this.#accounts.findStored(account),
      ask(key, client => client.hmGet(key, [...KEY_FIELDS])),
      moment ?? now(key),
    ])
    if (!owner) throw new Error(`the store has a key of account ${account}, and no such account`)
    return readKey(hash, textsBy(KEY_FIELDS, fields), owner, at)
  }

  /** The account that a key was minted for, also where the key ended. */
  async #ownerOf(keyHash: string): Promise<string | undefined> {
    const known = this.#owners.get(keyHash)
    if (known !== undefined) return known
    const { find, layout } = this.#access
    const owner = await find(layout.owner(keyHash), ({ owners }) => owners.get(keyHash))
    if (owner === undefined || owner === null) return undefined
    this.#remember(keyHash, owner)
    return owner
  }

  #remember(keyHash: string, owner: string): void {
    this.#owners.set(keyHash, owner)
    const [oldest] = this.#owners.keys()
    if (oldest !== undefined && this.#owners.size > OWNERS_MAX) this.#owners.delete(oldest)
  }
}

/** The schema that a mint raises the store to. */
function stepOfMint({ life, ...mint }: Omit<Mint, 'owner'>): SchemaStep {
  const narrow = narrowedText(mint)
  return stepOfKey({ ...(narrow && readNarrowed(narrow)), ...(life !== undefined && { expiresAt: life }) })
}

/** The terms of a new key, as the script takes them. */
const wishOf = (mint: Omit<Mint, 'owner'>): readonly (string | number)[] => {
  const { key, name = '', life = '', most } = mint
  return [most, key.id ?? '', name, life, narrowedText(mint), auditOfMint(mint)]
}

/** The terms that a mint leaves an account with; `before` is empty where those of an account that is there do not change. */
function termsOf({ override, keepsPlan }: Opening, known: StoredAccount | undefined) {
  const after = termsText({ ...known?.terms, ...(override !== undefined && { override }) })
  const before = override === undefined || keepsPlan ? '' : (known?.text ?? '')
  return { before, after, plans: [known?.terms.override ?? '', override ?? ''] }
}

interface Compared {
  readonly newest: string
  /** A key that works under a name which looks like the new one. */
  readonly alike?: KeyRecord
}

/** The account that a mint opens where there is none. The plan is also set on an existing account, unless that keeps its own. */
interface Opening {
  readonly kind: Caller['kind']
  readonly label: string
  readonly override?: string
  readonly keepsPlan?: true
}

/** The most owners of keys that are cached. */
const OWNERS_MAX = 100_000
/** The most texts of what keys narrow that are cached. */
const NARROWED_MAX = 10_000
const NOT_NARROWED: Narrowed = {}
/** A rotation with it gives the next key the limits of the one before. */
const AS_BEFORE = '='
const PAGE = 256

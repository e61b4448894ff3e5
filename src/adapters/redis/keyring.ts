import type { AccountRecord, KeyRecord, Mint, Minted } from '../../gateway/store.ts'
import type { Caller } from '../../policy/facts.ts'
import type { Access } from './access.ts'
import type { Client, Link } from './client.ts'
import { BUCKETS, pagesOf } from './layout.ts'

/** Owners of keys remembered by this process: they never change. */
const OWNERS_MAX = 100_000
const PAGE = 256

/** Keys and accounts. What never changes is cached; what may is read each time, or changed by a script. */
export class Keyring {
  readonly #access: Access
  readonly #owners = new Map<string, string>()

  constructor(access: Access) {
    this.#access = access
  }

  findCaller(keyHash: string): Promise<Caller | undefined> {
    return this.#access.find(async link => {
      const account = await this.#ownerOf(link, keyHash)
      if (account === undefined) return undefined
      const bucket = this.#access.layout.of(account)
      const [[status, mask], plan] = await Promise.all([
        link.client.hmGet(bucket.key(keyHash), ['status', 'mask']),
        link.client.hGet(bucket.account(account), 'plan'),
      ])
      if (status !== 'active' || !plan) return undefined
      return { kind: 'developer', account, plan, keyPrefix: mask ?? '' }
    })
  }

  findAccount(account: string): Promise<AccountRecord | undefined> {
    return this.#access.find(async ({ client }) => {
      const [label, plan] = await client.hmGet(this.#access.layout.of(account).account(account), ['label', 'plan'])
      return label && plan ? { account, label, plan } : undefined
    })
  }

  /** A crash in between leaves a label or an owner that the next mint takes up, never a key that works. */
  async mint({ keyHash, keyPrefix, label, plan, newAccount }: Mint): Promise<Minted> {
    const { ask, layout, run } = this.#access
    const account = await this.#accountOf(label, newAccount)
    const number = await ask(client => client.hIncrBy(layout.meta, 'minted', 1))
    await run(({ owners }) => owners.set(keyHash, account))
    const bucket = layout.of(account)
    const keys = [bucket.account(account), bucket.key(keyHash), bucket.keys]
    const values = [account, label, plan, keyHash, keyPrefix, number]
    const [outcome, active = keyHash] = await this.#access.script(account, 'mint', keys, values)
    const key = await ask(client => this.#keyOf(client, account, active))
    if (outcome === 'minted') return { outcome, key }
    await run(({ owners }) => owners.delete(keyHash))
    return { outcome: 'exists', key }
  }

  async revoke(keyHash: string): Promise<KeyRecord | undefined> {
    const { ask, find, layout } = this.#access
    const account = await find(link => this.#ownerOf(link, keyHash))
    if (account === undefined) return undefined
    const bucket = layout.of(account)
    const [outcome] = await this.#access.script(account, 'revoke', [bucket.key(keyHash), bucket.account(account)], [])
    return outcome === 'revoked' ? ask(client => this.#keyOf(client, account, keyHash)) : undefined
  }

  /** Every key, newest first; in pages, so that admissions get their turn. */
  async list(): Promise<KeyRecord[]> {
    const { ask } = this.#access
    const keys: { readonly account: string; readonly hash: string; readonly number: number }[] = []
    for (const bucket of BUCKETS) keys.push(...(await this.#keysIn(bucket)))
    keys.sort((a, b) => b.number - a.number)
    const records: KeyRecord[] = []
    for (const page of pagesOf(keys, PAGE)) {
      const found = page.map(({ account, hash }) => ask(client => this.#keyOf(client, account, hash)))
      records.push(...(await Promise.all(found)))
    }
    return records
  }

  async #keysIn(name: string) {
    const { ask, layout } = this.#access
    const bucket = layout.bucket(name)
    const numbered = await ask(client => client.zRangeWithScores(bucket.keys, 0, -1))
    const keys = numbered.map(async ({ value: hash, score: number }) => {
      const account = (await ask(client => client.hGet(bucket.key(hash), 'account'))) ?? ''
      return { account, hash, number }
    })
    return Promise.all(keys)
  }

  async #keyOf(client: Client, account: string, hash: string): Promise<KeyRecord> {
    const bucket = this.#access.layout.of(account)
    const [key, owner] = await Promise.all([
      client.hmGet(bucket.key(hash), ['mask', 'status', 'created']),
      client.hmGet(bucket.account(account), ['label', 'plan']),
    ])
    const [mask, status, created] = key
    const [label, plan] = owner
    if (!mask || !label || !plan) throw new Error(`the store has no whole record of a key of account ${account}`)
    return {
      hash,
      keyPrefix: mask,
      account,
      label,
      plan,
      status: status === 'active' ? 'active' : 'revoked',
      createdAt: Number(created),
    }
  }

  /** The account with this label, or the new one, which then has it. */
  async #accountOf(label: string, newAccount: string): Promise<string> {
    const { ask, layout } = this.#access
    await ask(client => client.set(layout.label(label), newAccount, { NX: true }))
    return (await ask(client => client.get(layout.label(label)))) ?? newAccount
  }

  /** The account a key was minted for, whatever became of the key. */
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

import {
  type AccountRecord,
  type Admission,
  type Admitted,
  type Beat,
  chargeOf,
  type Extended,
  type Extension,
  type KeyRecord,
  LEASE_MS,
  type LedgerQuery,
  type LedgerRow,
  type Mint,
  type Minted,
  type Settlement,
  type SpendReading,
  type Store,
  type Total,
  type TotalsQuery,
} from '../../gateway/store.ts'
import type { EpochMs } from '../../policy/config.ts'
import type { Caller } from '../../policy/facts.ts'
import { dayOf, type Hold } from '../../policy/standing.ts'
import { windowOf } from '../../policy/window.ts'
import { Access, type RedisStoreOptions } from './access.ts'
import { checkpointText, claimsArguments, readHold, readReadings, readRefusal } from './codec.ts'
import { Endings } from './endings.ts'
import { Keyring } from './keyring.ts'
import { pagesOf } from './layout.ts'
import { readLedger, readTotals, trimLedger } from './ledger.ts'
import type { Reply } from './scripts.ts'

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
  readonly #keyring: Keyring
  readonly #endings: Endings

  constructor(options: RedisStoreOptions) {
    this.#access = new Access(options, () => this.#endings.drainSoon())
    this.#keyring = new Keyring(this.#access)
    this.#endings = new Endings(this.#access, options.alarm, options.stateDir)
  }

  async open(): Promise<void> {
    await this.#access.open()
    this.#endings.drainSoon()
  }

  findCaller(keyHash: string): Promise<Caller | undefined> {
    return this.#keyring.findCaller(keyHash)
  }

  async admit({ requestId, keyHash, account, plan, claims }: Admission): Promise<Admitted> {
    const bucket = this.#access.layout.of(account)
    const { window } = claims.spend
    const keys = [
      bucket.key(keyHash),
      bucket.account(account),
      bucket.standing(account),
      bucket.spend(account, window.start),
      bucket.hold(requestId),
      bucket.leases,
    ]
    const values = [LEASE_MS, requestId, account, plan, window.start, window.end, ...claimsArguments(claims)]
    // Of a repetition, the window of the first call.
    const held = ([, text = '', , start]: Reply) => readHold(text, { requestId, account, window: Number(start) })
    const reply = await this.#access.script(account, 'admit', keys, values, late => {
      // The client was told that the store is down: nobody will settle this.
      if (late[0] === 'admitted') this.refund(held(late)).catch(() => {})
    })
    const [outcome, one = '', two = ''] = reply
    switch (outcome) {
      case 'admitted':
        return { outcome, hold: held(reply), readings: readReadings(two) }
      case 'refused':
        return { outcome, ...readRefusal(reply, claims) }
      case 'stale':
        return { outcome, plan: one, at: Number(two) }
      case 'key-gone':
        return { outcome }
      default:
        throw new Error(`the admission script answered ${outcome}`)
    }
  }

  async extend({ hold, round, soFar, claims }: Extension): Promise<Extended> {
    const { requestId, account, window } = hold
    const bucket = this.#access.layout.of(account)
    const keys = [bucket.standing(account), bucket.spend(account, window), bucket.hold(requestId), bucket.leases]
    const { tokens, cost } = chargeOf(soFar)
    const asked = claimsArguments(extensionOf(claims))
    const values = [LEASE_MS, requestId, round, tokens, cost, checkpointText(soFar), ...asked]
    const reply = await this.#access.script(account, 'extend', keys, values)
    const [outcome, text = ''] = reply
    if (outcome === 'extended') return { outcome, hold: readHold(text, hold) }
    return outcome === 'refused' ? { outcome, ...readRefusal(reply, claims) } : { outcome: 'ended' }
  }

  async beat(beats: readonly Beat[]): Promise<void> {
    for (const page of pagesOf(beats, BEATS_AT_ONCE)) await Promise.all(page.map(beat => this.#beat(beat)))
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
    const { layout, now, find, ask } = this.#access
    const window = windowOf(await now())
    const bucket = layout.of(account)
    const [plan, [used, held]] = await Promise.all([
      find(({ client }) => client.hGet(bucket.account(account), 'plan')),
      ask(client => client.hmGet(bucket.spend(account, window.start), ['used', 'held'])),
    ])
    if (!plan) throw new Error(`there is no account ${account}`)
    return { plan, used: Number(used ?? 0), held: Number(held ?? 0), window }
  }

  mintKey(mint: Mint): Promise<Minted> {
    return this.#keyring.mint(mint)
  }

  revokeKey(keyHash: string): Promise<KeyRecord | undefined> {
    return this.#keyring.revoke(keyHash)
  }

  listKeys(): Promise<readonly KeyRecord[]> {
    return this.#keyring.list()
  }

  findAccount(account: string): Promise<AccountRecord | undefined> {
    return this.#keyring.findAccount(account)
  }

  readLedger(query: LedgerQuery = {}): AsyncIterable<LedgerRow> {
    return readLedger(this.#access, query)
  }

  async *readTotals({ since = 0 }: TotalsQuery = {}): AsyncGenerator<Total, void, undefined> {
    const today = dayOf(Math.floor((await this.#access.now()) / 1000))
    yield* readTotals(this.#access, Math.max(since, this.#access.since), today)
  }

  trimLedger(before: EpochMs): Promise<number> {
    return trimLedger(this.#access, before)
  }

  async close(): Promise<void> {
    await this.#endings.close()
    this.#access.close()
  }
}

/** An extension asks neither for a request nor for a place under way. */
const extensionOf = ({ tokens, spend, output }: Extension['claims']): Extension['claims'] => ({
  requests: { limit: Number.MAX_SAFE_INTEGER },
  tokens,
  spend,
  output,
})

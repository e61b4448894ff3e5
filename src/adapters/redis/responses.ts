import { randomBytes } from 'node:crypto'
import {
  bytesOf,
  isName,
  type KeptBounds,
  type KeptResponse,
  type ResponseStore,
} from '../../gateway/store/response-store.ts'
import { StoreUnavailable } from '../../gateway/store/store.ts'
import type { Millis } from '../../policy/config.ts'
import type { Access } from './access.ts'
import { KEPT } from './layout.ts'
import { readHead } from './response-head.ts'

/**
 * The kept responses of accounts, which Redis deletes itself when their time is over. Large ones are written and read in
 * parts, so that other requests need not wait for them, and none is mistaken for an outage.
 */
export class RedisResponses implements ResponseStore {
  readonly #access: Access

  constructor(access: Access) {
    this.#access = access
  }

  /**
   * Room among the responses of all accounts is taken first, and given back once a response is known to be gone: what is
   * in doubt counts until its time is over. It is written aside first: a gateway that dies meanwhile leaves nothing that anyone
   * finds, and not for long.
   */
  async keep(response: KeptResponse, bounds: KeptBounds): Promise<boolean> {
    const { account, id, items, sealed, keep } = response
    const bytes = bytesOf(response)
    if (bytes > bounds.bytes) return false
    const room = [nameOf(account, id), bytes, keep + ASIDE_MS, bounds.total] as const
    const [taken] = await this.#access.script(KEPT, 'reserve', this.#roomKeys, room)
    if (taken !== 'taken') return false
    const { ask, layout } = this.#access
    const aside = layout.of(account).responseAside(randomBytes(12).toString('base64url'))
    // Commands of one connection are answered in their order, so that none need wait for the one before.
    const [first, ...rest] = partsOf(sealed)
    const written = [
      ask(aside, client => client.set(aside, first ?? '', { expiration: { type: 'PX', value: ASIDE_MS } })),
    ]
    for (const part of rest) {
      await Promise.all(written.splice(0))
      written.push(ask(aside, async client => String(await client.append(aside, part))))
    }
    const values = [account, id, bytes, keep, bounds.bytes, bounds.responses, ...items]
    const kept = this.#access.script(account, 'keep', [...this.#keysOf(account), aside], values)
    const [[outcome, ...gone]] = await Promise.all([kept, ...written])
    if (outcome === 'kept') {
      if (gone.length > 0) await this.#giveBack(account, gone)
      return true
    }
    await this.#giveBack(account, [id])
    throw new StoreUnavailable('Redis lost a part of a response while it was written')
  }

  async sizeOf(account: string, id: string): Promise<number | undefined> {
    const [bytes] = isName(id) ? await this.#sizesOf(account, [id]) : []
    return bytes
  }

  async read(account: string, id: string): Promise<Buffer | undefined> {
    if (!isName(id) || (await this.#sizesOf(account, [id]))[0] === undefined) return undefined
    const name = this.#access.layout.of(account).response(account, id)
    const parts: Buffer[] = []
    for (;;) {
      const from = parts.length * PART_BYTES
      const part = await this.#access.ask(name, client =>
        client.withTypeMapping({ [BLOB]: Buffer }).getRange(name, from, from + PART_BYTES - 1),
      )
      if (part) parts.push(part)
      if (!part || part.length < PART_BYTES) break
    }
    const sealed = Buffer.concat(parts)
    return sealed.length === 0 ? undefined : sealed
  }

  async findByItem(account: string, item: string): Promise<string | undefined> {
    if (!isName(item)) return undefined
    const { ask, layout } = this.#access
    // A name begins with its item and a blank, and `!` follows the blank.
    const range = { BY: 'LEX', REV: true, LIMIT: { offset: 0, count: NEWEST } } as const
    const key = layout.of(account).responseItems(account)
    const places = await ask(key, client => client.zRange(key, `(${item}!`, `[${item} `, range))
    const ids = places.map(place => place.slice(place.lastIndexOf(' ') + 1))
    const sizes = await this.#sizesOf(account, ids)
    return ids.find((_, at) => sizes[at] !== undefined)
  }

  async remove(account: string, id: string): Promise<boolean> {
    if (!isName(id)) return false
    const [outcome] = await this.#access.script(account, 'forget', this.#keysOf(account), [account, id])
    if (outcome !== 'deleted') return false
    await this.#giveBack(account, [id])
    return true
  }

  async readTotal(): Promise<number> {
    const [, sum] = await this.#access.script(KEPT, 'release', this.#roomKeys, [])
    return Number(sum)
  }

  async #giveBack(account: string, ids: readonly string[]): Promise<void> {
    const names = ids.map(id => nameOf(account, id))
    await this.#access.script(KEPT, 'release', this.#roomKeys, names)
  }

  get #roomKeys(): readonly string[] {
    const { responseEnds, responseBytes } = this.#access.layout.kept
    return [responseEnds, responseBytes]
  }

  /** Redis does it. */
  async sweep(): Promise<number> {
    return 0
  }

  /** The bytes of each of these that the account has, where its time is not over. */
  async #sizesOf(account: string, ids: readonly string[]): Promise<readonly (number | undefined)[]> {
    if (ids.length === 0) return []
    const { find, now, layout } = this.#access
    const name = layout.of(account).responses(account)
    const read = find(name, async ({ client }) => {
      const found = await client.hmGet(name, [...ids])
      return found.some(each => each !== null) ? found : undefined
    })
    const [at, found] = await Promise.all([now(name), read])
    return ids.map((id, index) => {
      const text = found?.[index]
      const { bytes = 0, expiresAt = 0 } = text ? readHead(id, text) : {}
      return expiresAt > at ? bytes : undefined
    })
  }

  #keysOf(account: string): readonly string[] {
    const bucket = this.#access.layout.of(account)
    return [
      bucket.responses(account),
      bucket.responseOrder(account),
      bucket.responseItems(account),
      bucket.responsePrefix,
    ]
  }
}

/** The name of a response among those of all accounts. No id has a blank. */
const nameOf = (account: string, id: string): string => `${id} ${account}`

/** Bytes that are written or read at once. */
const PART_BYTES = 131_072
/** How long a response may take to be written. */
const ASIDE_MS: Millis = 60_000
/** Responses with an item that are looked at: only where `keep` became shorter is the newest one not there. */
const NEWEST = 8
/** RESP's name of the type of texts. */
const BLOB = 36

function* partsOf(sealed: Buffer): Generator<Buffer> {
  for (let at = 0; at < sealed.length; at += PART_BYTES) yield sealed.subarray(at, at + PART_BYTES)
}

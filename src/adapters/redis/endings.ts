import { join } from 'node:path'
import type { Alarm } from '../../gateway/ports.ts'
import { StoreUnavailable } from '../../gateway/store/store.ts'
import { UnderWay } from '../../gateway/under-way.ts'
import type { Millis } from '../../policy/config.ts'
import type { Access, RedisStoreOptions } from './access.ts'
import { isScriptError } from './client.ts'
import { readRow } from './codec.ts'
import { BUCKETS } from './layout.ts'
import type { Reply } from './scripts.ts'
import { type End, endArguments, endOf, sweepBucket } from './settlement.ts'
import { Spool, type Spooled } from './spool.ts'

const RETRY_MS: Millis = 1000

/** How requests end: in the store, or on this disk until the store can be told. */
export class Endings {
  readonly #access: Access
  readonly #alarm: Alarm
  readonly #spool: Spool | undefined
  readonly #keep: (() => Millis) | undefined
  readonly #underWay = new UnderWay()
  #draining: Promise<void> = Promise.resolve()
  #retry: NodeJS.Timeout | undefined
  /** Requests whose rows were counted by the drain under way, which may have to tell them again. */
  readonly #counted = new Set<string>()
  #closed = false

  /** Without `stateDir` an end that the store cannot be told rejects. */
  constructor(access: Access, { alarm, stateDir, keep }: RedisStoreOptions) {
    this.#access = access
    this.#alarm = alarm
    this.#keep = keep
    this.#spool = stateDir === undefined ? undefined : new Spool(join(stateDir, 'spool'))
  }

  /** Resolves when the store, or this disk, has it for good. */
  async end(spooled: Spooled): Promise<void> {
    this.#underWay.begin()
    try {
      await this.#end(spooled)
    } finally {
      this.#underWay.end()
    }
  }

  async #end(spooled: Spooled): Promise<void> {
    try {
      await this.#tell(endOf(spooled))
    } catch (error) {
      if (!this.#spool || !(error instanceof StoreUnavailable)) throw error
      await this.#spool.add(spooled).catch(full => {
        throw new StoreUnavailable(`${error.message}, and the disk cannot keep it: ${full}`, { cause: full })
      })
      this.drainSoon()
    }
  }

  /** Ends the holds whose lease is over. How many there were. */
  async sweep(): Promise<number> {
    if (!this.#access.up) return 0
    const { ask, layout } = this.#access
    const now = await this.#access.now()
    const swept = BUCKETS.map(name => sweepBucket(ask, layout.bucket(name), now, end => this.#tell(end)))
    return (await Promise.all(swept)).reduce((sum, count) => sum + count, 0)
  }

  /** Tells what waits, one drain at a time; what cannot be told now is told when the store is back. */
  drainSoon(): void {
    const spool = this.#spool
    if (!spool?.pending || !this.#access.up) return
    this.#draining = this.#draining.then(async () => {
      try {
        const told = await spool.drain(spooled => this.#tellLater(spooled))
        this.#counted.clear()
        if (told > 0) this.#alarm('settlements that waited for the store were written to it', { count: told })
      } catch (error) {
        // It may answer errors, such as READONLY, without ever being down: then nobody says when it is back.
        if (error instanceof StoreUnavailable) return this.#drainLater()
        this.#alarm('settlements that wait for the store cannot be read', { error: String(error) })
      }
    })
  }

  /** False, and told to the operator, where telling it again would not help, or charge it twice. */
  async #tellLater(spooled: Spooled): Promise<boolean> {
    const end = endOf(spooled)
    const { requestId, at } = end.hold
    const refuse = (reason: string) => {
      this.#alarm('a settlement that waited cannot be written to the store and is kept in spool.refused.ndjson', {
        requestId,
        reason,
      })
      return false
    }
    // Its row, which would tell that it was told before, is gone by now.
    if (this.#keep !== undefined && at < (await this.#access.now()) - this.#keep())
      return refuse('older than ledger.keep')
    try {
      const reply = await this.#tell(end)
      // The answer to the first try may have been lost, and then nobody counted what it wrote.
      if (reply[0] === 'repeated' && !this.#counted.has(requestId)) this.#count(reply)
      this.#counted.add(requestId)
      return true
    } catch (error) {
      if (isScriptError(error)) return refuse(String(error))
      throw error
    }
  }

  #drainLater(): void {
    clearTimeout(this.#retry)
    if (!this.#closed) this.#retry = setTimeout(() => this.drainSoon(), RETRY_MS)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#retry)
    await this.#underWay.none()
    await this.#draining
    await this.#spool?.close()
  }

  async #tell(end: End): Promise<Reply> {
    const { keys, values } = endArguments(this.#access.layout, end)
    // Nobody tells the end of an orphan again: an answer that comes late is the only one.
    const late = (reply: Reply) => {
      if (end.how === 'orphan') this.#countSettled(reply)
    }
    const reply = await this.#access.script(end.hold.account, 'settle', keys, values, late)
    this.#countSettled(reply)
    return reply
  }

  #countSettled(reply: Reply): void {
    if (reply[0] === 'settled') this.#count(reply)
  }

  #count([, row, requests]: Reply): void {
    if (row) this.#access.wrote(readRow(row), requests === '0' ? 0 : 1)
  }
}

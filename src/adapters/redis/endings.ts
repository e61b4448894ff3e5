import { join } from 'node:path'
import type { Alarm } from '../../gateway/ports.ts'
import { StoreUnavailable } from '../../gateway/store.ts'
import type { Millis } from '../../policy/config.ts'
import type { Access } from './access.ts'
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
  #draining: Promise<void> = Promise.resolve()
  #retry: NodeJS.Timeout | undefined
  #closed = false

  /** Without `stateDir` an end that the store cannot be told rejects. */
  constructor(access: Access, alarm: Alarm, stateDir: string | undefined) {
    this.#access = access
    this.#alarm = alarm
    this.#spool = stateDir === undefined ? undefined : new Spool(join(stateDir, 'spool'))
  }

  /** Resolves when the store, or this disk, has it for good. */
  async end(spooled: Spooled): Promise<void> {
    try {
      await this.#tell(endOf(spooled))
    } catch (error) {
      if (!this.#spool || !(error instanceof StoreUnavailable)) throw error
      await this.#spool.add(spooled)
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
        const told = await spool.drain(spooled => this.#tell(endOf(spooled)).then(() => true))
        if (told > 0) this.#alarm('settlements that waited for the store were told', { count: told })
      } catch (error) {
        // It may answer errors, such as READONLY, without ever being down: then nobody says when it is back.
        if (error instanceof StoreUnavailable) return this.#drainLater()
        this.#alarm('settlements that wait for the store cannot be read', { error: String(error) })
      }
    })
  }

  #drainLater(): void {
    clearTimeout(this.#retry)
    if (!this.#closed) this.#retry = setTimeout(() => this.drainSoon(), RETRY_MS)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#retry)
    await this.#draining
    await this.#spool?.close()
  }

  #tell(end: End): Promise<Reply> {
    const { keys, values } = endArguments(this.#access.layout, end)
    return this.#access.script(end.hold.account, 'settle', keys, values)
  }
}

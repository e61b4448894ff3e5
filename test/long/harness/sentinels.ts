import { redisCommand } from '../../support/redis/command.ts'
import type { RedisServer } from '../../support/redis/redis.ts'
import { type SentinelSite, startSentinels } from '../../support/redis/sentinels.ts'
import { Door } from './door.ts'
import type { Mortal } from './primaries.ts'
import { until } from './until.ts'

/** A busy machine is not silent for so long. */
const DOWN_AFTER_MS = 2000
/** Sentinels watch a server for ten seconds before they make it follow. */
const SYNCED_WITHIN_MS = 60_000

/** Two Redis, of which one follows the other behind a lag, and sentinels that know which is the primary. */
export class Watched implements Mortal {
  readonly url: string
  readonly #site: SentinelSite
  readonly #doors: readonly Door[]
  #killed: RedisServer | undefined

  private constructor(site: SentinelSite, doors: readonly Door[]) {
    this.#site = site
    this.#doors = doors
    this.url = site.url
  }

  /** Until the test is over. */
  static async open(lagMs: number): Promise<Watched> {
    const doors: Door[] = []
    const door = async () => {
      const opened = await Door.open(0, lagMs)
      doors.push(opened)
      return opened
    }
    const flags = { appendfsync: 'everysec' }
    return new Watched(await startSentinels({ flags, downAfterMs: DOWN_AFTER_MS, door }), doors)
  }

  async failOver(): Promise<void> {
    const { primary, replica } = this.#site
    const lost = await this.#site.named()
    // Before the kill: the kernel of this machine would still deliver what was sent.
    this.#doors.find(({ to }) => to === lost.port)?.drop()
    await lost.kill()
    this.#killed = lost
    await this.#site.failedOver(lost === primary ? replica : primary)
  }

  /** The sentinels have it follow. */
  async heal(): Promise<void> {
    const healed = this.#killed
    if (!healed) return
    await healed.restart()
    await until(SYNCED_WITHIN_MS, async () => {
      const said = String(await redisCommand(healed, 'INFO', 'replication').catch(() => ''))
      return said.includes('role:slave') && said.includes('master_link_status:up')
    })
  }

  async serving(): Promise<readonly RedisServer[]> {
    return [await this.#site.named()]
  }

  async close(): Promise<void> {
    for (const door of this.#doors) door.close()
  }
}

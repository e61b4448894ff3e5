import { bucketOf } from '../../../src/adapters/redis/layout.ts'
import { slotOf } from '../../../src/adapters/redis/servers/slots.ts'
import { type RedisCluster, startCluster } from '../../support/redis/cluster.ts'
import { redisCommand } from '../../support/redis/command.ts'
import type { RedisServer } from '../../support/redis/redis.ts'
import { Door } from './door.ts'
import { until } from './until.ts'

const SYNCED_WITHIN_MS = 60_000
const MASTERS = 3
const SLOTS = 16_384
const FLAGS = { appendfsync: 'everysec', 'cluster-replica-validity-factor': '0' }

/** A Redis Cluster of three masters, each with a replica behind a lag. */
export class Masters {
  readonly url: string
  readonly #cluster: RedisCluster
  readonly #doors: readonly Door[]
  /** The master and its replica of each third of the slots. */
  readonly #pairs: [RedisServer, RedisServer][]
  #killed: RedisServer | undefined

  private constructor(cluster: RedisCluster, doors: readonly Door[]) {
    this.#cluster = cluster
    this.#doors = doors
    this.#pairs = cluster.masters.map((master, place) => [master, cluster.replicas[place] as RedisServer])
    this.url = cluster.url
  }

  /** Without a lag all reach the nodes themselves, and not by doors of this process, which has other things to do. */
  static async open(lagMs?: number): Promise<Masters> {
    const doors: Door[] = []
    const door = async () => {
      const opened = await Door.open(0, lagMs ?? 0)
      doors.push(opened)
      return opened
    }
    const doored = lagMs === undefined ? {} : { door }
    const cluster = await startCluster({ masters: MASTERS, hasReplicas: true, durable: true, flags: FLAGS, ...doored })
    return new Masters(cluster, doors)
  }

  /** The number of the master that has an account. */
  placeOf(account: string): number {
    return Math.floor((slotOf(`{${bucketOf(account)}}`) * MASTERS) / SLOTS)
  }

  /** Moves slots with all that they have from one master to another one. */
  async move(slots: readonly number[], from: number, to: number): Promise<void> {
    const [[giver] = [], [taker] = []] = [this.#pairs[from], this.#pairs[to]]
    await this.#cluster.move(slots, giver as RedisServer, taker as RedisServer)
  }

  /** Kills a master and all that it has sent and that did not arrive; its replica takes over by itself. */
  async kill(place: number): Promise<void> {
    const [master, replica] = this.#pairs[place] as [RedisServer, RedisServer]
    // Before the kill: the kernel of this machine would still deliver what was sent.
    this.#doors.find(({ to }) => to === master.port)?.drop()
    await master.kill()
    this.#pairs[place] = [replica, master]
    this.#killed = master
  }

  /** Starts what was killed, which follows the one that took over. */
  async heal(): Promise<void> {
    await this.#killed?.restart()
    this.#killed = undefined
    const said = (node: RedisServer, what: string) => redisCommand(node, 'INFO', what).then(String, () => '')
    await until(SYNCED_WITHIN_MS, async () => {
      const replicas = await Promise.all(this.#pairs.map(([, replica]) => said(replica, 'replication')))
      return replicas.every(text => text.includes('role:slave') && text.includes('master_link_status:up'))
    })
  }

  /** Who has the keys. */
  async serving(): Promise<readonly RedisServer[]> {
    return this.#pairs.map(([master]) => master)
  }

  async close(): Promise<void> {
    for (const door of this.#doors) door.close()
    await this.#cluster.stop()
  }
}

import type { Clock } from '../../gateway/ports.ts'
import type { EpochMs, Millis } from '../../policy/config.ts'
import { type Place, type RedisAddress, readAddress } from './address.ts'
import type { Link, Server } from './client.ts'
import { ClusterLayout, KEPT_SUM, Layout } from './layout.ts'
import {
  checkCertificates,
  checkInfo,
  checkPermitted,
  checkServer,
  type Info,
  readInfo,
  StoreRefused,
} from './server-check.ts'
import { agreed, readNodes } from './servers/cluster-view.ts'
import { Dialer } from './servers/dialer.ts'
import type { Ask } from './servers/shards.ts'
import { slotOf, tagIn } from './servers/slots.ts'
import { checkRemembered, readIdentity } from './store-identity.ts'

/** The state of a Redis, which is left as it was. */
export interface RedisInspection {
  readonly version: string
  /** Its `maxmemory-policy`; undefined where the server does not report it. */
  readonly policy?: string
  /** The round trip of one command. */
  readonly roundTrip: Millis
  /** Its clock at some moment between two readings of ours. */
  readonly clock: { readonly theirs: EpochMs; readonly from: EpochMs; readonly to: EpochMs }
  /** Why a gateway would not use the server, or its store. */
  readonly refused?: string
  /** True when no gateway has created a store there yet. */
  readonly empty: boolean
  /** Undefined where a server has no `maxmemory`, or does not report it. */
  readonly memory?: RedisMemory
  /** Risks that do not keep a gateway from using it. */
  readonly warnings: readonly string[]
}

/** The memory that all servers of the store may take, and take, in bytes. */
export interface RedisMemory {
  /** Their `maxmemory`. */
  readonly most: number
  readonly used: number
  /** The part that kept responses take. */
  readonly kept: number
}

export interface RedisPlace extends Server {
  readonly prefix: string
  readonly stateDir: string
}

/** Examines a Redis as a gateway does before it uses it. Rejects when it does not answer within `limit`. */
export async function inspectRedis(place: RedisPlace, clock: Clock, limit: Millis): Promise<RedisInspection> {
  const inspector = new Inspector(place, clock)
  const link = await inspector.dialFirst()
  let callOff = () => {}
  const late = new Promise<never>((_, reject) => {
    callOff = clock.after(limit, () => reject(new Error(`no answer within ${limit / 1000} s`)))
  })
  try {
    return await Promise.race([inspector.look(link), late])
  } finally {
    callOff()
    inspector.close()
  }
}

/** The findings of all masters together. */
interface Looked {
  readonly warnings: readonly string[]
  readonly ask: Ask
  readonly infos: readonly Info[]
}

class Inspector {
  readonly #server: Server
  readonly #stateDir: string
  readonly #clock: Clock
  readonly #address: RedisAddress
  readonly #layout: Layout
  readonly #links: Link[] = []

  constructor({ prefix, stateDir, ...server }: RedisPlace, clock: Clock) {
    this.#server = server
    this.#stateDir = stateDir
    this.#clock = clock
    this.#address = readAddress(server.url)
    this.#layout = this.#address.isCluster ? new ClusterLayout(prefix) : new Layout(prefix)
    checkCertificates(server.tls)
  }

  /** Connects to the server, or to whichever node of a cluster answers first. */
  async dialFirst(): Promise<Link> {
    const nodes = this.#address.isCluster ? this.#address.places : [undefined]
    return Promise.any(nodes.map(place => this.#dial(place))).catch(error => {
      if (!(error instanceof AggregateError)) throw error
      // Each node has its own reason; together they only show that none answered.
      throw error.errors.length === 1 ? error.errors[0] : new AggregateError(error.errors, '')
    })
  }

  async look(link: Link): Promise<RedisInspection> {
    const info = await readInfo(link.client)
    const policy = info.get('maxmemory_policy')
    const common = {
      version: info.get('redis_version') ?? 'of an unknown version',
      ...(policy !== undefined && { policy }),
      ...(await this.#readClock(link)),
    }
    try {
      const looked = this.#address.isCluster ? await this.#lookAtMasters(link, info) : await this.#lookAtOne(link, info)
      const { warnings, ask, infos } = looked
      const found = await readIdentity(ask, this.#layout)
      checkRemembered(this.#stateDir, found)
      const memory = memoryOf(infos, await readKeptBytes(ask, this.#layout.kept.responseBytes))
      return { ...common, empty: found === undefined, warnings, ...(memory && { memory }) }
    } catch (error) {
      if (!(error instanceof Error && error.name === 'StoreRefused')) throw error
      return { ...common, empty: false, warnings: [], refused: error.message }
    }
  }

  close(): void {
    for (const link of this.#links) link.close()
  }

  async #dial(place?: Place): Promise<Link> {
    const dialer = new Dialer(this.#server, this.#layout.owners, place)
    const link = await dialer.dial(() => {}).finally(() => dialer.close())
    this.#links.push(link)
    return link
  }

  async #readClock({ client }: Link): Promise<Pick<RedisInspection, 'roundTrip' | 'clock'>> {
    const from = this.#clock.now()
    const sent = this.#clock.elapsed()
    const [seconds, micros] = await client.time()
    const roundTrip = this.#clock.elapsed() - sent
    const theirs = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000)
    return { roundTrip, clock: { theirs, from, to: this.#clock.now() } }
  }

  async #lookAtOne({ client }: Link, info: Info): Promise<Looked> {
    const warnings = checkInfo(info)
    await checkPermitted(client, this.#layout)
    const ask: Ask = (_key, commands) => commands(client)
    return { warnings, ask, infos: [info] }
  }

  async #lookAtMasters(link: Link, info: Info): Promise<Looked> {
    // It cannot be asked for its nodes.
    if (info.get('cluster_enabled') !== '1') checkInfo(info, true)
    const nodes = readNodes(await link.client.sendCommand<string>(['CLUSTER', 'NODES']), link.place)
    const warnings = new Set<string>()
    const dialled = await Promise.all(
      Array.from(agreed([nodes]).values(), async ({ place, slots }) => {
        const { client } = await this.#dial(place)
        const checked = await checkServer(client, this.#layout, true, tagIn(slots))
        for (const warning of checked.warnings) warnings.add(warning)
        return { client, slots, info: await readInfo(client) }
      }),
    )
    const ask: Ask = (key, commands) => {
      const master = dialled.find(({ slots }) => slots.has(slotOf(key)))
      if (!master) throw new StoreRefused(`no master of the cluster has slot ${slotOf(key)}`)
      return commands(master.client)
    }
    return { warnings: [...warnings], ask, infos: dialled.map(each => each.info) }
  }
}

const readKeptBytes = async (ask: Ask, name: string): Promise<number> =>
  Number((await ask(name, client => client.hGet(name, KEPT_SUM))) ?? 0)

function memoryOf(infos: readonly Info[], kept: number): RedisMemory | undefined {
  const sumOf = (field: string) => infos.reduce((sum, info) => sum + Number(info.get(field) ?? 0), 0)
  const isBounded = infos.every(info => Number(info.get('maxmemory') ?? 0) > 0)
  return isBounded ? { most: sumOf('maxmemory'), used: sumOf('used_memory'), kept } : undefined
}

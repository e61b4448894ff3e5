import { outOfPatience, type Wait } from '../../../gateway/patience.ts'
import type { Cancel, Clock } from '../../../gateway/ports.ts'
import type { Millis } from '../../../policy/config.ts'
import type { Place, RedisAddress } from '../address.ts'
import { openClient, type Server, type Target } from '../client.ts'
import { answered } from './answered.ts'

/** The sentinels of a primary. They are asked over connections that last, and that are opened again when they are lost. */
export class Sentinels {
  readonly #server: Server
  readonly #address: RedisAddress
  readonly #connections = new Map<Place, Connection>()
  readonly #after: Clock['after'] | undefined
  #closed = false

  /** `after` replaces the timers that wait for an answer, in tests. */
  constructor(server: Server, address: RedisAddress, after?: Clock['after']) {
    this.#server = server
    this.#address = address
    this.#after = after
  }

  /**
   * The primary of the youngest failover that any of them knows: one that was cut off from the others still names the
   * primary of before. Rejects where none of them knows it.
   */
  async findPrimary(): Promise<Place> {
    const after = this.#after
    const asking = this.#address.places.map(place => answered(this.#ask(place), { time: FIRST_MS, after }))
    const asked = await settledSoon(asking, { time: OTHERS_MS, after })
    const said = asked.flatMap(each => (each.status === 'fulfilled' ? [each.value] : []))
    const best = said.reduce<Said | undefined>(
      (one, other) => (one && one.epoch >= other.epoch ? one : other),
      undefined,
    )
    if (best) return { host: best.host, port: best.port }
    const reasons = asked.flatMap(each => (each.status === 'rejected' ? [String(each.reason?.message)] : []))
    throw new Error(`no sentinel knows where ${this.#address.primary} is: ${[...new Set(reasons)].join(', ')}`)
  }

  close(): void {
    this.#closed = true
    for (const { close } of this.#connections.values()) close()
    this.#connections.clear()
  }

  async #ask(place: Place): Promise<Said> {
    const { primary = '' } = this.#address
    const connection = await this.#connectionTo(place)
    try {
      return readSaid(await connection.client.sendCommand<readonly string[]>(['SENTINEL', 'MASTER', primary]))
    } catch (error) {
      this.#forget(place, connection)
      throw error
    }
  }

  async #connectionTo(place: Place): Promise<Connection> {
    const known = this.#connections.get(place)
    if (known) return known
    const { tls, sentinelPassword } = this.#server
    const target: Target = {
      place,
      isTls: this.#address.isTls,
      ...(sentinelPassword !== undefined && { credentials: { password: sentinelPassword } }),
      ...(tls && { tls }),
    }
    const connection = await openClient(target, () => this.#forget(place, connection))
    if (this.#closed) connection.close()
    else this.#connections.set(place, connection)
    return connection
  }

  #forget(place: Place, connection: Connection): void {
    if (this.#connections.get(place) === connection) this.#connections.delete(place)
    connection.close()
  }
}

type Connection = Awaited<ReturnType<typeof openClient>>

/** A sentinel's view of the primary. */
interface Said extends Place {
  /** Grows with each failover. */
  readonly epoch: number
}

/** Reads the answer to SENTINEL MASTER: names and values in turn. */
function readSaid(answer: readonly string[]): Said {
  const fields = new Map<string, string>()
  for (let at = 0; at + 1 < answer.length; at += 2) fields.set(answer[at] ?? '', answer[at + 1] ?? '')
  return { host: fields.get('ip') ?? '', port: Number(fields.get('port')), epoch: Number(fields.get('config-epoch')) }
}

/** The outcome of each, once all are settled, or once patience with the others runs out after the first success. */
async function settledSoon<T>(asked: readonly Promise<T>[], wait: Wait): Promise<readonly PromiseSettledResult<T>[]> {
  let giveUp = () => {}
  const isLate = new Promise<never>((_, reject) => {
    giveUp = () => reject(new Error(`no answer within ${wait.time} ms after that of another sentinel`))
  })
  let callOff: Cancel | undefined
  const first = () => {
    callOff ??= outOfPatience(wait, giveUp)
  }
  for (const each of asked) each.then(first, () => {})
  const settled = await Promise.allSettled(asked.map(each => Promise.race([each, isLate])))
  callOff?.()
  return settled
}

/** How long the first answer is waited for: without any, nobody knows the primary, and the store stays down. */
const FIRST_MS: Millis = 2000
/** How long the other sentinels have after that: they know the same, unless one of them was cut off. */
const OTHERS_MS: Millis = 500

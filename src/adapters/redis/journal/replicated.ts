import type { Alarm } from '../../../gateway/ports.ts'
import type { Millis } from '../../../policy/config.ts'
import type { Client } from '../client.ts'

export interface ReplicatedPorts {
  /** Runs commands on a connection of their own: one that waits for replicas holds up everything behind it. */
  readonly aside: <T>(commands: (client: Client) => Promise<T>) => Promise<T>
  readonly alarm: Alarm
}

/** Waits until a replica has what was written before. Those that ask while others wait share the next wait. */
export class Replicated {
  readonly #ports: ReplicatedPorts
  #running: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined

  constructor(ports: ReplicatedPorts) {
    this.#ports = ports
  }

  /** `probe` is a key that is written to find out. Resolves after a second in any case, and the operator hears of it. */
  wait(probe: string): Promise<void> {
    this.#next ??= this.#running.then(() => {
      this.#next = undefined
      this.#running = this.#wait(probe)
      return this.#running
    })
    return this.#next
  }

  async #wait(probe: string): Promise<void> {
    const { aside, alarm } = this.#ports
    try {
      // A replica that has this write has all before it.
      const [, count] = await aside(client =>
        Promise.all([client.set(probe, ''), client.sendCommand<number>(['WAIT', '1', String(WAIT_MS)])]),
      )
      if (count === 0) alarm('no replica of Redis has the last change of a key or an account yet', {})
    } catch (error) {
      alarm('no replica of Redis has the last change of a key or an account yet', { error: String(error) })
    }
  }
}

const WAIT_MS: Millis = 1000

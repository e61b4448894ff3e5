import type { Alarm } from '../../../gateway/ports.ts'
import type { Millis } from '../../../policy/config.ts'
import type { Client } from '../client.ts'
import { isRunOf, readInfo } from '../server-check.ts'

export interface ReplicatedPorts {
  /** Runs commands on a connection of their own: one that waits for replicas holds up everything behind it. */
  readonly aside: <T>(commands: (client: Client) => Promise<T>) => Promise<T>
  readonly alarm: Alarm
}

/** Waits until a replica has what was written before. Those that ask while others wait share the next wait. */
export class Replicated {
  readonly #ports: ReplicatedPorts
  #running: Promise<unknown> = Promise.resolve()
  /** Which server a replica then has all of; undefined where none has. */
  #next: Promise<string | undefined> | undefined

  constructor(ports: ReplicatedPorts) {
    this.#ports = ports
  }

  /**
   * `probe` is a key that is written to find out, and `server` is who acknowledged: its successor has a connection of its own
   * too, whose replicas say nothing of that. Resolves after a second in any case, and the operator hears of it.
   */
  async wait(probe: string, server: string): Promise<void> {
    this.#next ??= this.#running.then(() => {
      this.#next = undefined
      const asked = this.#ask(probe)
      this.#running = asked
      return asked
    })
    const asked = await this.#next
    if (asked !== undefined && !isRunOf(server, asked)) this.#missed('another server took over meanwhile')
  }

  async #ask(probe: string): Promise<string | undefined> {
    try {
      // A replica that has this write has all before it.
      const [info, , count] = await this.#ports.aside(client =>
        Promise.all([
          readInfo(client, 'server'),
          client.set(probe, ''),
          client.sendCommand<number>(['WAIT', '1', String(WAIT_MS)]),
        ]),
      )
      if (count > 0) return info.get('run_id')
      this.#missed()
    } catch (error) {
      this.#missed(error)
    }
    return undefined
  }

  #missed(error?: unknown): void {
    const details = error === undefined ? {} : { error: String(error) }
    this.#ports.alarm('no replica of Redis has the last change of a key or an account yet', details)
  }
}

const WAIT_MS: Millis = 1000

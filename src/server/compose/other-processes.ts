import type { DrainTimes, Leaving } from '../drain.ts'
import type { Opened } from '../reloader.ts'
import type { MainPorts } from './ports.ts'

/** The workers of main, as they leave: to the drain they are one listener. */
export class OtherProcesses implements Leaving {
  /** Whether all of them have written what they settled. */
  areWritten: Promise<boolean> = Promise.resolve(true)
  readonly #clients: MainPorts['clients']

  constructor({ clients }: MainPorts) {
    this.#clients = clients
  }

  async drain(times: DrainTimes): Promise<void> {
    this.areWritten = this.#clients.drain(times)
    await this.areWritten
  }

  cut(): void {
    this.#clients.cut()
  }

  destroy(): void {
    this.#clients.destroy()
  }
}

/** Joins a part that is open in this process with those that open in the others: it serves once all of them are open. */
export async function openInAll(here: Opened, opening: ReturnType<MainPorts['open']>): Promise<Opened> {
  const others = await opening.catch(error => {
    here.drop()
    throw error
  })
  const serve = async () => {
    await here.serve()
    await others.commit()
  }
  const drop = () => {
    others.abort()
    here.drop()
  }
  return { serve, drop }
}

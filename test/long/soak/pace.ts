/** Starts something at a steady pace, without waiting for what it started before. */
export class Pace {
  readonly #timer: NodeJS.Timeout
  #underWay = 0
  #idle: (() => void) | undefined
  #n = 0

  constructor(everyMs: number, run: (n: number) => Promise<void>) {
    this.#timer = setInterval(async () => {
      this.#underWay++
      await run(this.#n++)
      this.#underWay--
      if (this.#underWay === 0) this.#idle?.()
    }, everyMs)
  }

  /** Resolves once all that it started is over. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    if (this.#underWay > 0) await new Promise<void>(resolve => (this.#idle = resolve))
  }
}

/** How many there are of what begins and ends: where only the number matters, none of them is kept (docs/decisions/015). */
export class UnderWay {
  #count = 0
  #quiet = () => {}

  begin(): void {
    this.#count++
  }

  end(): void {
    this.#count--
    if (this.#count === 0) this.#quiet()
  }

  /** Resolves once there is none. To be asked by one, who waits for the last of them. */
  none(): Promise<void> {
    return new Promise(resolve => {
      this.#quiet = resolve
      if (this.#count === 0) resolve()
    })
  }
}

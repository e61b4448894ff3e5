import type { Load } from './news.ts'

/** The load that other processes and gateways have at a replica, as each of them reported it last. */
export class LoadElsewhere implements Load {
  readonly #bySource = new Map<string, Load>()
  inFlight = 0
  heldTokens = 0
  owedTokens = 0

  /** Replaces what a source reported before. */
  set(source: string, load: Load): void {
    this.delete(source)
    if (load.inFlight === 0 && load.heldTokens === 0 && load.owedTokens === 0) return
    this.#bySource.set(source, load)
    this.#add(load, 1)
  }

  /** A source is gone, and its requests with it. False where it had none. */
  delete(source: string): boolean {
    const before = this.#bySource.get(source)
    if (!before) return false
    this.#bySource.delete(source)
    this.#add(before, -1)
    return true
  }

  #add({ inFlight, heldTokens, owedTokens }: Load, sign: 1 | -1): void {
    this.inFlight += sign * inFlight
    this.heldTokens += sign * heldTokens
    this.owedTokens += sign * owedTokens
  }
}

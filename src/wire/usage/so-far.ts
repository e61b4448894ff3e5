import { type LeastUsage, leastOfReported, type Usage } from './usage.ts'

/** The usage of an answer that is still coming: its output so far, and the usage that its backend reported on the way. */
export class UsageSoFar {
  /** Bytes of content, reasoning and tool calls. */
  outputBytes = 0
  /** Tokens that the backend made for that at the least. */
  tokens = 0
  /** The last reported usage, and the token count at that time: some backends report with each event. */
  #reported: Usage | undefined
  #reportedAt = 0

  /** The last usage that the backend reported, whatever was said since. */
  protected get reported(): Usage | undefined {
    return this.#reported
  }

  /** The usage of all that was said so far, as the backend reported it. */
  get usage(): Usage | undefined {
    return this.#reportedAt === this.tokens ? this.#reported : undefined
  }

  /** The least usage so far: the usage reported on the way, and a token for each delta since. */
  get least(): LeastUsage {
    const { outputTokens = 0 } = this.#reported ?? {}
    const least = Math.max(this.tokens, outputTokens + this.tokens - this.#reportedAt)
    return leastOfReported(this.#reported, least)
  }

  /** Whether the backend reported anything that was used. */
  get hasReported(): boolean {
    return this.#reported !== undefined
  }

  /** Whether the backend reports on the way how much it has said. */
  get reportsOutput(): boolean {
    return (this.#reported?.outputTokens ?? 0) > 0
  }

  /** Takes a usage of all that was said up to here. */
  protected report(usage: Usage): void {
    this.#reported = usage
    this.#reportedAt = this.tokens
  }
}

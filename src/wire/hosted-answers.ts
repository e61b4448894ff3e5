/**
 * The hosted tools that a list of tools was read with. They depend on the configuration and the caller's plan, so a
 * kept reading has to be checked against them.
 */
export class HostedAnswers {
  readonly #answers = new Map<string, boolean>()

  /** Keeps each answer. */
  asking(isHosted: (tool: string) => boolean): (tool: string) => boolean {
    return tool => {
      const answer = isHosted(tool)
      this.#answers.set(tool, answer)
      return answer
    }
  }

  /** Whether all of them are the same by now. */
  hold(isHosted: (tool: string) => boolean): boolean {
    for (const [tool, answer] of this.#answers) if (isHosted(tool) !== answer) return false
    return true
  }
}

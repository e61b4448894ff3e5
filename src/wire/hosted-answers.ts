/**
 * The answers to which tools are hosted, by which a list of tools was read. They depend on the configuration and on the plan of the
 * caller: whoever keeps what was read asks again.
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

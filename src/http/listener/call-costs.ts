import type { AnswerMemory, HeldAnswer } from '../../gateway/answer/memory.ts'
import type { Holder } from '../../gateway/memory-tally.ts'
import type { AnswerCosts, Reading } from '../../gateway/ports.ts'
import type { Millis } from '../../policy/config.ts'
import type { Steps } from '../../wire/steps.ts'
import type { Turns } from '../ingress/turns.ts'

/** Where the answers of a process are counted. */
export interface AnswerResources {
  readonly answers: AnswerMemory
  readonly turns: Turns
}

/** The memory of a call's answer, counted for its account, or for its address where it has none. */
export class CallCosts implements AnswerCosts {
  readonly held: HeldAnswer
  readonly #turns: Turns
  readonly #owner: string

  constructor({ answers, turns }: AnswerResources, holder: Holder) {
    this.held = answers.open(holder)
    this.#turns = turns
    this.#owner = this.held.owner
  }

  read<T>(steps: Steps<T>): Promise<T> {
    return this.#turns.runSteps(this.#owner, steps)
  }

  beginToRead<T>(steps: Steps<T>): Reading<T> {
    return this.#turns.beginSteps(this.#owner, steps)
  }

  charge(took: Millis): void {
    this.#turns.charge(this.#owner, took)
  }
}

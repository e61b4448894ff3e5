import type { EpochMs } from '../../policy/config.ts'
import type { AnswerFacts } from '../../records/mirror-facts.ts'
import { AnswerFactsReader } from '../../wire/answer-facts.ts'
import type { WholeAnswer } from '../../wire/answer-reader.ts'
import type { Usage } from '../../wire/usage/usage.ts'
import type { AnswerWatch } from '../attempt/answer-watch.ts'
import type { AnswerEnd, EndedAnswer } from '../attempt/outcome.ts'
import type { Clock } from '../ports.ts'

/** Records how one of the two answers to a mirrored request comes: the request's own, or that to its copy. */
export class AnswerRecord implements AnswerWatch {
  /** Resolves once the answer has ended. */
  readonly done: Promise<AnswerFacts>
  readonly #clock: Pick<Clock, 'now'>
  #resolve: (facts: AnswerFacts) => void = () => {}
  #reader = new AnswerFactsReader()
  #sentAt: EpochMs | undefined
  #firstAt: EpochMs | undefined

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
    this.done = new Promise(resolve => {
      this.#resolve = resolve
    })
  }

  begins(): void {
    this.#reader = new AnswerFactsReader()
    this.#sentAt = undefined
    this.#firstAt = undefined
  }

  sent(now: EpochMs): void {
    this.#sentAt ??= now
  }

  came(now: EpochMs): void {
    this.#firstAt ??= now
  }

  ended(): void {}

  events(text: string): void {
    this.#reader.events(text)
  }

  concluded({ how, usage }: EndedAnswer, last: string): void {
    if (last !== '') this.#reader.events(last)
    this.end(how, usage)
  }

  /** A whole answer came. */
  whole({ bytes, usage }: Pick<WholeAnswer, 'bytes' | 'usage'>): void {
    this.#reader.whole(bytes)
    this.end('well', usage)
  }

  /** The answer has ended, or there is none. */
  end(how: AnswerEnd, usage?: Usage): void {
    const since = (moment: EpochMs) => Math.max(0, moment - (this.#sentAt ?? moment))
    const { finish, isJson } = this.#reader
    this.#resolve({
      end: how,
      ...(this.#firstAt !== undefined && { firstMs: since(this.#firstAt) }),
      ...(this.#sentAt !== undefined && { ms: since(this.#clock.now()) }),
      ...(usage && { inputTokens: usage.inputTokens, outputTokens: usage.outputTokens }),
      ...(finish !== undefined && { finish }),
      ...(isJson !== undefined && { isJson }),
    })
  }
}

import type { BackendSettings } from '../../config/settings.ts'
import type { Millis } from '../../policy/config.ts'
import { dialectOf } from '../../wire/dialects.ts'
import type { Cancel, Client, Clock, Exchange } from '../ports.ts'
import { atEndOfTurn } from '../turn.ts'
import { type AttemptPorts, openAttempt, type Reader, type Target } from '../upstream/attempt.ts'
import { errorIn, failed, type Outcome, ofError, UNSEEN, type Work } from '../upstream/outcome.ts'

/** An answer that is larger is a fault of the backend. */
const MAX_ANSWER_BYTES = 67_108_864
/** How long an answer may go on to tell its usage to a client that left. */
const USAGE_WAIT: Millis = 30_000

/** One attempt at a whole answer: all of it is read and checked, in the public form, before any of it is passed on. */
export function attemptBuffered<A>(
  ports: AttemptPorts,
  target: Target,
  client: Client,
  read: (bytes: Buffer) => A | undefined,
): Promise<Outcome<A>> {
  return new Promise(resolve => {
    const dialect = dialectOf(target.settings)
    const { kind } = target
    const translated = (bytes: Buffer) => {
      const answer = dialect.answer(kind, bytes)
      return answer && read(answer)
    }
    const reader = new WholeReader(ports.clock, target.settings, translated, resolve)
    reader.begin(
      openAttempt(ports, target, reader, outcome => reader.finish(outcome)),
      client,
    )
  })
}

/** An answer until all of it is there. */
class WholeReader<A> implements Reader {
  readonly #clock: Clock
  readonly #settings: BackendSettings
  readonly #read: (bytes: Buffer) => A | undefined
  readonly #resolve: (outcome: Outcome<A>) => void
  readonly #chunks: Buffer[] = []
  #size = 0
  #dispatched = false
  #isRefused = false
  #exchange: Exchange | undefined
  #unwatch: Cancel = nothing
  #timer: Cancel = nothing
  #patience: Cancel = nothing

  constructor(
    clock: Clock,
    settings: BackendSettings,
    read: (bytes: Buffer) => A | undefined,
    resolve: (outcome: Outcome<A>) => void,
  ) {
    this.#clock = clock
    this.#settings = settings
    this.#read = read
    this.#resolve = resolve
  }

  begin(exchange: Exchange, client: Client): void {
    this.#exchange = exchange
    this.#unwatch = client.onGone(() => {
      // What is not on its way yet has cost nothing.
      if (this.#dispatched) this.#patience = this.#clock.after(USAGE_WAIT, () => this.#leave())
      else this.#leave()
    })
  }

  finish(outcome: Outcome<A>): void {
    this.#unwatch()
    this.#timer()
    this.#patience()
    this.#resolve(outcome)
  }

  sent(): void {
    this.#dispatched = true
    this.#timer = this.#clock.after(this.#settings.answerTimeout, () => this.#giveUp(failed('answer timeout', {})))
  }

  head(status: number): void {
    // A refusal is no answer.
    if (status !== 200) this.#isRefused = true
  }

  data(bytes: Buffer): void {
    this.#chunks.push(bytes)
    this.#size += bytes.length
    if (this.#size > MAX_ANSWER_BYTES) this.#giveUp(failed('answer too large', {}))
  }

  end(): void {
    read(() => this.#end())
  }

  #end(): void {
    const [first = NO_BYTES] = this.#chunks
    this.finish(readWhole(this.#chunks.length > 1 ? Buffer.concat(this.#chunks) : first, this.#read))
  }

  failed(cause: string): void {
    this.finish(failed(cause, {}))
  }

  /** Nothing of an answer has come: a backend that breaks off here hardly wrote all of it. */
  work(): Work {
    return { outputBytes: 0 }
  }

  #leave(): void {
    this.#giveUp({ kind: 'left', ...(this.#dispatched && !this.#isRefused && { work: UNSEEN }) })
  }

  #giveUp(outcome: Outcome<A>): void {
    this.#exchange?.abort()
    this.finish(outcome)
  }
}

/** Answers that came in one turn are read together. */
const read = atEndOfTurn<() => void>(all => {
  for (const end of all) end()
})

const NO_BYTES: Buffer = Buffer.alloc(0)
const nothing = () => {}

function readWhole<A>(bytes: Buffer, read: (bytes: Buffer) => A | undefined): Outcome<A> {
  try {
    const answer = read(bytes)
    if (answer) return { kind: 'answered', answer }
    const error = errorIn(bytes)
    return error === undefined ? failed('malformed answer', {}) : ofError(error, {})
  } catch (error) {
    // Such as nesting that overflows the stack: the backend's doing, whatever it is.
    return failed(`unreadable answer: ${error instanceof Error ? error.name : String(error)}`, {})
  }
}

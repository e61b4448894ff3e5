import { MOST_ANSWER_BYTES } from '../../policy/answer-bytes.ts'
import type { Millis } from '../../policy/config.ts'
import { dialectOf, publicAnswer } from '../../wire/dialects.ts'
import { VectorSizeError } from '../../wire/openai/vectors.ts'
import { allAtOnce, type Steps } from '../../wire/steps.ts'
import { type AttemptPorts, openAttempt, type Target } from '../attempt/attempt.ts'
import type { Measure } from '../attempt/measure.ts'
import { errorIn, failedToFit, type Outcome, ofError, PROMPT_ONLY, UNSEEN, type Work } from '../attempt/outcome.ts'
import { Pieces } from '../pieces.ts'
import type { AnswerCosts, Client, Clock, Reading } from '../ports.ts'
import { atEndOfTurn } from '../turn.ts'
import { BackendAnswer, USAGE_WAIT } from './backend-answer.ts'

/**
 * One attempt at a whole answer: all of it is read and checked before any of it is passed on. `read` gets it as chats have
 * it, or as it is where it passes through.
 */
export function attemptBuffered<A>(
  ports: AttemptPorts,
  target: Target,
  client: Client,
  read: (bytes: Buffer) => Steps<A | undefined>,
): Promise<Outcome<A>> {
  const form = { dialect: dialectOf(target.pool), kind: target.kind, isNative: target.native !== undefined }
  const answer = new BufferedAnswer(ports.clock, target, bytes => readAs(form, bytes, read))
  return answer.start(openAttempt(ports, target, answer), client)
}

/**
 * Reads an answer of a backend's dialect as chats have it. A generator declared for each request would cost it twice: V8 makes the
 * prototype of each one among its old objects, and with it keeps the whole request until all of the heap is collected.
 */
function* readAs<A>(
  { dialect, kind, isNative }: AnswerFormat,
  bytes: Buffer,
  read: (bytes: Buffer) => Steps<A | undefined>,
): Steps<A | undefined> {
  const answer = isNative ? bytes : yield* publicAnswer(dialect, kind, bytes)
  if (answer !== bytes) yield
  return answer && (yield* read(answer))
}

/** How a backend writes its whole answers. */
interface AnswerFormat {
  readonly dialect: ReturnType<typeof dialectOf>
  readonly kind: Target['kind']
  readonly isNative: boolean
}

/** Smaller answers are read at once: waiting for a turn would take longer. */
export const LIGHT_BYTES = 65_536
/** No backend's error is longer than this. */
const MAX_ERROR_BYTES = 1_048_576
/** How long images may take once their client left: their cost is known when they came. */
const IMAGE_WAIT: Millis = 30_000

/** An answer that is held until all of it is there. It has the life of a BackendAnswer, and is never `passing`. */
class BufferedAnswer<A> extends BackendAnswer<A> {
  readonly #read: (bytes: Buffer) => Steps<A | undefined>
  readonly #pieces = new Pieces(MOST_ANSWER_BYTES)
  #size = 0
  /** Set once a large one is about to be read. */
  #reading: Reading<void> | undefined
  readonly #measure: Measure | undefined
  readonly #patience: Millis

  constructor(
    clock: Clock,
    { settings, measure, kind }: Pick<Target, 'settings' | 'measure' | 'kind'>,
    read: (bytes: Buffer) => Steps<A | undefined>,
  ) {
    super(clock, settings)
    this.#read = read
    this.#measure = measure
    this.#patience = kind === 'image' ? IMAGE_WAIT : USAGE_WAIT
  }

  data(bytes: Buffer): void {
    this.#size += bytes.length
    if (this.#size > MOST_ANSWER_BYTES) return void this.giveUp(this.failure('answer too large'))
    this.#pieces.push(bytes)
    this.keep(this.#size, bytes.length)
  }

  end(): void {
    readTogether(this)
  }

  broken(cause: string): void {
    this.fail(this.failure(cause))
  }

  /** Nothing of an answer has come: a backend that breaks off here hardly wrote all of it. */
  work(): Work {
    return { outputBytes: 0 }
  }

  /** Reads all of it: a large one when the turn of its account comes. */
  read(): void {
    if (this.state === 'over') return
    const costs = this.#size > LIGHT_BYTES ? this.costs : undefined
    if (!costs) {
      const bytes = this.#pieces.join()
      try {
        this.#conclude(bytes, allAtOnce(this.#read(bytes)))
      } catch (error) {
        this.#unreadable(error)
      }
      return
    }
    // From here on it waits for us.
    this.deadlines.callOff()
    costs.held.copies(() => this.#readLarge(costs))
  }

  #readLarge(costs: AnswerCosts): void {
    if (this.state === 'over') return
    this.#reading = costs.beginToRead(this.#readJoined())
    this.#reading.done.catch((error: unknown) => this.#unreadable(error))
  }

  *#readJoined(): Steps<void> {
    const bytes = this.#pieces.join()
    yield
    this.#conclude(bytes, yield* this.#read(bytes))
  }

  #conclude(bytes: Buffer, answer: A | undefined): void {
    if (answer) return void this.complete(answer)
    const error = bytes.length > MAX_ERROR_BYTES ? undefined : errorIn(bytes)
    this.fail(error === undefined ? this.failure('malformed answer') : ofError(error, {}))
  }

  /** Such as nesting that overflows the stack: the backend's doing, whatever it is. */
  #unreadable(error: unknown): void {
    if (error instanceof VectorSizeError) return void this.fail(failedToFit(error.message))
    this.fail(this.failure(`unreadable answer: ${error instanceof Error ? error.name : String(error)}`))
  }

  protected override onSent(): void {
    this.#measure?.sent()
    this.deadlines.after(this.settings.answerTimeout, () => this.late('answer timeout'))
  }

  /** A request that was not sent yet has cost nothing; a running answer gets the time to report its usage. */
  protected override clientLeaves(): void {
    if (this.state === 'connecting') this.leave()
    else this.deadlines.after(this.#patience, () => this.leave())
  }

  protected override onOver(): void {
    this.#pieces.drop()
    this.#reading?.drop()
  }

  /** All of an answer may have been written that never came. */
  protected override workIfFailed(): Work {
    return {}
  }

  /** Its backend worked all the time, and nothing shows how much it made. */
  protected override workIfLeft(): Work {
    return this.#measure ? { ...UNSEEN, least: this.#measure.ofWhole(PROMPT_ONLY) } : UNSEEN
  }
}

/** Answers that came in one turn are read together. */
const readTogether = atEndOfTurn<{ read(): void }>(answers => {
  for (const answer of answers) answer.read()
})

import type { Reading } from '../../gateway/responses/kept-responses.ts'
import type { Denied } from '../../policy/denial.ts'
import { allAtOnce, type Steps } from '../../wire/steps.ts'
import type { HeldBody } from '../ingress/body-memory.ts'
import type { HttpCall } from '../listener/call.ts'
import { ClientLeft } from '../listener/request-input.ts'
import type { ClientApp } from './client-app.ts'

/** Dependencies of reading kept responses. */
export type ReadingApp = Pick<ClientApp, 'bodies' | 'turns'>

/** Parsing fewer bytes than this takes no longer than parsing a small body. */
const SMALL_BYTES = 32_768

/**
 * Reads kept responses for one request, at the cost of its account: what it takes counts among the bodies in memory, and
 * parsing has its turn among those of costly bodies. Each step is the last one where the client has left.
 */
export class KeptReading implements Reading {
  readonly #app: ReadingApp
  readonly #call: HttpCall
  readonly #account: string
  readonly #held: HeldBody

  constructor(app: ReadingApp, call: HttpCall, account: string) {
    this.#app = app
    this.#call = call
    this.#account = account
    this.#held = app.bodies.open({ account, address: call.clientAddress })
    call.onClosed(() => this.#held.release())
  }

  readonly hold = (bytes: number): Denied | undefined => {
    this.#proveWanted()
    this.#held.add(bytes)
    const { denial } = this.#held
    return denial && { denial }
  }

  readonly work = async <T>(bytes: number, steps: Steps<T>): Promise<T> => {
    const { turns } = this.#app
    const wanted = this.#whileWanted(steps)
    return bytes > SMALL_BYTES
      ? turns.runSteps(this.#account, wanted)
      : turns.run(this.#account, 'small', () => allAtOnce(wanted))
  }

  /** Whether it was so little that others of the account need not wait for it. */
  get isSmall(): boolean {
    return this.#held.bytes <= SMALL_BYTES
  }

  /** All that is read stays until its answer is out: it is refused no more. */
  complete(): void {
    this.#held.complete()
  }

  /** Releases the bytes read: they are kept no longer, or count elsewhere from now on. */
  release(): void {
    this.#held.release()
  }

  *#whileWanted<T>(steps: Steps<T>): Steps<T> {
    for (;;) {
      this.#proveWanted()
      const step = steps.next()
      if (step.done === true) return step.value
      yield
    }
  }

  #proveWanted(): void {
    if (this.#call.gone) throw new ClientLeft()
  }
}

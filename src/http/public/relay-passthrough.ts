import type { EndedAnswer } from '../../gateway/attempt/outcome.ts'
import type { PassthroughAnswer } from '../../gateway/passthrough/answer.ts'
import type { Cancel } from '../../gateway/ports.ts'
import type { HttpCall } from '../listener/call.ts'

export interface PassthroughTerms {
  readonly headers: Readonly<Record<string, string>>
  /** Whether it is settled: else the last byte waits until it is. */
  readonly isPaid: boolean
}

const NOTHING: Buffer = Buffer.alloc(0)

/**
 * Passes an answer on as it comes, no faster than the client reads. `settle` is awaited before its end, and where it is
 * not paid yet, before its last byte. One that breaks off breaks the connection: never a clean end.
 * Resolves when nothing more will be written.
 */
export function relayPassthrough(
  call: HttpCall,
  answer: PassthroughAnswer,
  { headers, isPaid }: PassthroughTerms,
  settle: (ending: EndedAnswer) => Promise<void>,
): Promise<void> {
  const out = new PassthroughResponse(call, answer, headers, isPaid)
  return new Promise((resolve, reject) => {
    let stopWatching: Cancel = () => {}
    const finish = (ending: EndedAnswer | Promise<EndedAnswer>, end: () => void) => {
      stopWatching()
      Promise.resolve(ending)
        .then(settle)
        .then(end)
        .then(resolve, (error: unknown) => {
          // An answer that cannot be settled must not end well.
          if (call.response.headersSent) out.breakOff()
          reject(error)
        })
    }
    // Who shuts down does not wait for a usage.
    const leave = () => finish(call.wasCut ? answer.abort() : answer.clientLeft(), () => {})
    if (call.gone) return leave()
    const { crowded } = call
    if (crowded) return finish(answer.abort(), () => call.deny(crowded))
    stopWatching = call.onGone(leave)
    out.begin()
    answer.attach({
      write: bytes => out.write(bytes),
      end: ending => finish(ending, () => out.end(ending)),
    })
  })
}

/**
 * The response that an answer is passed on to. Unpaid, it holds back what may be the last byte, and of an empty answer the
 * headers.
 */
class PassthroughResponse {
  readonly #call: HttpCall
  readonly #answer: PassthroughAnswer
  readonly #headers: Readonly<Record<string, string>>
  readonly #isPaid: boolean
  #last = NOTHING

  constructor(call: HttpCall, answer: PassthroughAnswer, headers: Readonly<Record<string, string>>, isPaid: boolean) {
    this.#call = call
    this.#answer = answer
    this.#headers = headers
    this.#isPaid = isPaid
  }

  begin(): void {
    if (!this.#isPaid) return
    this.#writeHead()
    this.#call.response.flushHeaders()
  }

  write(bytes: Buffer): void {
    this.#writeHead()
    const { response } = this.#call
    const held = this.#last
    const holds = !this.#isPaid && this.#answer.isEnding
    this.#last = holds ? bytes.subarray(-1) : NOTHING
    if (held.length > 0) response.write(held)
    const takesMore = response.write(holds ? bytes.subarray(0, -1) : bytes)
    this.#call.countUnread()
    if (takesMore) return
    this.#answer.pause()
    response.once('drain', () => this.#answer.resume())
  }

  end({ how }: EndedAnswer): void {
    const { request, response, gone } = this.#call
    if (gone) return
    if (how !== 'well') return void this.breakOff()
    this.#writeHead()
    response.end(this.#last)
    this.#call.countUnread()
    if (!request.complete) request.resume()
  }

  /** Breaks the connection: a partial answer must not look complete. */
  breakOff(): void {
    this.#call.destroy()
  }

  #writeHead(): void {
    const { request, response } = this.#call
    if (response.headersSent) return
    // The backend did not wait for all of the body: what is left of it is not to be taken for a request.
    if (!request.complete) this.#call.rejectFurther()
    this.#call.writeHead(this.#answer.status, this.#headers)
    this.#call.passes()
  }
}

import type { Millis } from '../policy/config.ts'
import { type AttemptPorts, openAttempt, type Reader, type Target } from './attempt.ts'
import { errorIn, failed, type Outcome, ofError } from './outcome.ts'
import type { Cancel, Client } from './ports.ts'

/** An answer that is larger is a fault of the backend. */
const MAX_ANSWER_BYTES = 67_108_864
/** How long an answer may go on to tell its usage to a client that left. */
const USAGE_WAIT: Millis = 30_000

/** One attempt at a whole answer: all of it is read and checked before any of it is passed on. */
export function attemptWhole<A>(
  ports: AttemptPorts,
  target: Target,
  client: Client,
  read: (bytes: Buffer) => A | undefined,
): Promise<Outcome<A>> {
  return new Promise(resolve => {
    const chunks: Buffer[] = []
    let size = 0
    let dispatched = false
    let isRefused = false
    const timers: Cancel[] = []
    const finish = (outcome: Outcome<A>) => {
      for (const cancel of timers) cancel()
      resolve(outcome)
    }
    const giveUp = (outcome: Outcome<A>) => {
      exchange.abort()
      finish(outcome)
    }
    const reader: Reader = {
      sent: () => {
        dispatched = true
        timers.push(ports.clock.after(target.settings.answerTimeout, () => giveUp(failed('answer timeout', {}))))
      },
      head: status => {
        // Whoever refuses has not answered.
        if (status !== 200) isRefused = true
      },
      data: bytes => {
        chunks.push(bytes)
        size += bytes.length
        if (size > MAX_ANSWER_BYTES) giveUp(failed('answer too large', {}))
      },
      end: () => finish(readWhole(Buffer.concat(chunks), read)),
      failed: cause => finish(failed(cause, {})),
      // Nothing of an answer has come: whoever breaks off here hardly wrote all of it.
      work: () => ({ spoken: 0 }),
    }
    const exchange = openAttempt(ports, target, reader, finish)
    const leave = () => giveUp({ kind: 'left', ...(dispatched && !isRefused && { work: {} }) })
    timers.push(
      // What is not on its way yet has cost nothing.
      client.onGone(() => (dispatched ? timers.push(ports.clock.after(USAGE_WAIT, leave)) : leave())),
    )
  })
}

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

import type { Millis } from '../policy/config.ts'
import type { WholeAnswer } from '../wire/request.ts'
import { type AttemptPorts, failed, type Outcome, openAttempt, type Target } from './attempt.ts'
import type { Client } from './ports.ts'

/** An answer that is larger is a fault of the backend. */
const MAX_ANSWER_BYTES = 67_108_864
/** How long an answer may go on to tell its usage to a client that left. */
const USAGE_WAIT: Millis = 30_000

/** One attempt at a whole answer: all of it is read and checked before any of it is passed on. */
export function attemptWhole(
  ports: AttemptPorts,
  target: Target,
  client: Client,
  read: (bytes: Buffer) => WholeAnswer | undefined,
): Promise<Outcome<WholeAnswer>> {
  return new Promise(resolve => {
    const chunks: Buffer[] = []
    let size = 0
    const finish = (outcome: Outcome<WholeAnswer>) => {
      for (const cancel of timers) cancel()
      resolve(outcome)
    }
    const giveUp = (outcome: Outcome<WholeAnswer>) => {
      exchange.abort()
      finish(outcome)
    }
    const outcome = (): Outcome<WholeAnswer> => {
      try {
        const answer = read(Buffer.concat(chunks))
        return answer ? { kind: 'answered', answer } : failed('malformed answer')
      } catch (error) {
        // Such as nesting that overflows the stack: the backend's doing, whatever it is.
        return failed(`unreadable answer: ${error instanceof Error ? error.name : String(error)}`)
      }
    }
    let dispatched = false
    const reader = {
      sent: () => {
        dispatched = true
      },
      head: () => {},
      data: (bytes: Buffer) => {
        chunks.push(bytes)
        size += bytes.length
        if (size > MAX_ANSWER_BYTES) giveUp(failed('answer too large'))
      },
      end: () => finish(outcome()),
      failed: (cause: string) => finish(failed(cause)),
    }
    const exchange = openAttempt(ports, target, reader, finish)
    const timers = [ports.clock.after(target.timeouts.answerTimeout, () => giveUp(failed('answer timeout')))]
    timers.push(
      client.onGone(() => {
        timers.push(ports.clock.after(USAGE_WAIT, () => giveUp({ kind: 'left', dispatched })))
      }),
    )
  })
}

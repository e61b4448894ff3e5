import type { Meter, PassMethod } from '../../policy/config.ts'
import type { Cancel, Client, Clock, PassthroughBody, PassthroughHead, SendPassthrough } from '../ports.ts'
import { readExchange, type Target } from '../upstream/attempt.ts'
import type { Failed, Outcome, Rejected } from '../upstream/outcome.ts'
import { isSuccess, PassthroughAnswer } from './passthrough-answer.ts'
import { UsageMeter } from './usage-meter.ts'

/** One attempt at a request of a pass-through route. */
export interface PassthroughTarget
  extends Pick<Target, 'pool' | 'replica' | 'fresh' | 'path' | 'requestId' | 'settings' | 'traceparent'> {
  readonly method: PassMethod
  readonly body?: PassthroughBody
  readonly meter: Meter
  /** Runs when the request is on its way. */
  readonly dispatched: (usageMeter: UsageMeter) => void
}

export interface PassthroughPorts {
  readonly sendPassthrough: SendPassthrough
  readonly clock: Clock
}

/** Sends one attempt. It is answered with the headers of a 2xx, or once all of an answer that is paid by its usage is there. */
export function attemptPassthrough(
  { sendPassthrough, clock }: PassthroughPorts,
  target: PassthroughTarget,
  client: Client,
): Promise<Outcome<PassthroughAnswer>> {
  const { pool, replica, fresh, path, requestId, method, body, meter, settings, traceparent } = target
  return new Promise(resolve => {
    const watches: Cancel[] = []
    const usageMeter = new UsageMeter(clock, meter, body)
    const over = (outcome: Outcome<PassthroughAnswer>) => {
      for (const cancel of watches) cancel()
      resolve(outcome.kind === 'failed' || outcome.kind === 'rejected' ? lastly(outcome, usageMeter, body) : outcome)
    }
    const answer = new PassthroughAnswer({ clock, usageMeter, settings, isWhole: meter.by === 'usage' }, over)
    const said = { ...(body && { body }), ...(traceparent !== undefined && { traceparent }) }
    const request = { pool: pool.name, replica, fresh, path, requestId, method, ...said }
    const opening = {
      clock,
      isAnswer: isSuccess,
      open: (listener: Parameters<SendPassthrough>[1]) =>
        sendPassthrough(request, {
          ...toldTo(listener),
          head: (head: PassthroughHead) => {
            answer.headers = head.headers
            listener.head(head)
          },
        }),
    }
    const dispatched = () => target.dispatched(usageMeter)
    answer.begin(readExchange(opening, { settings, dispatched }, answer, over))
    watches.push(client.onGone(() => answer.leave()))
    if (body && 'upload' in body) watches.push(body.upload.onFault(() => answer.refuse()))
  })
}

/** The methods of a listener, whatever it is an instance of. */
const toldTo = (listener: Parameters<SendPassthrough>[1]) => ({
  connected: () => listener.connected(),
  data: (bytes: Buffer) => listener.data(bytes),
  end: () => listener.end(),
  failed: (error: Error, stale: boolean) => listener.failed(error, stale),
})

/** What was streamed to a backend is gone: no other attempt could be made. */
function lastly(
  outcome: Rejected | Failed,
  { dispatched }: UsageMeter,
  body: PassthroughBody | undefined,
): Rejected | Failed {
  if (!dispatched || !body || 'bytes' in body) return outcome
  return outcome.kind === 'rejected' ? { ...outcome, tooLong: false } : { ...outcome, next: 'nothing', again: false }
}

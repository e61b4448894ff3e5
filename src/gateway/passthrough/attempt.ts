import type { Meter, PassMethod } from '../../policy/config.ts'
import type { Cancel, CarriedBody, CarriedHead, Carry, Client, Clock } from '../ports.ts'
import { readExchange, type Target } from '../upstream/attempt.ts'
import type { Failed, Outcome, Rejected } from '../upstream/outcome.ts'
import { Gauge } from './gauge.ts'
import { isSuccess, PassedAnswer } from './passed-answer.ts'

/** One attempt at a request of a pass-through route. */
export interface PassTarget
  extends Pick<Target, 'pool' | 'replica' | 'fresh' | 'path' | 'requestId' | 'settings' | 'traceparent'> {
  readonly method: PassMethod
  readonly body?: CarriedBody
  readonly meter: Meter
  /** Runs when the request is on its way. */
  readonly dispatched: (gauge: Gauge) => void
}

export interface PassPorts {
  readonly carry: Carry
  readonly clock: Clock
}

/** Sends one attempt. It is answered with the headers of a 2xx, or once all of an answer that is paid by its usage is there. */
export function attemptPass(
  { carry, clock }: PassPorts,
  target: PassTarget,
  client: Client,
): Promise<Outcome<PassedAnswer>> {
  const { pool, replica, fresh, path, requestId, method, body, meter, settings, traceparent } = target
  return new Promise(resolve => {
    const watches: Cancel[] = []
    const gauge = new Gauge(clock, meter, body)
    const over = (outcome: Outcome<PassedAnswer>) => {
      for (const cancel of watches) cancel()
      resolve(outcome.kind === 'failed' || outcome.kind === 'rejected' ? lastly(outcome, gauge, body) : outcome)
    }
    const answer = new PassedAnswer({ clock, gauge, settings, isWhole: meter.by === 'usage' }, over)
    const said = { ...(body && { body }), ...(traceparent !== undefined && { traceparent }) }
    const request = { pool: pool.name, replica, fresh, path, requestId, method, ...said }
    const opening = {
      clock,
      isAnswer: isSuccess,
      open: (listener: Parameters<Carry>[1]) =>
        carry(request, {
          ...toldTo(listener),
          head: (head: CarriedHead) => {
            answer.headers = head.headers
            listener.head(head)
          },
        }),
    }
    const dispatched = () => target.dispatched(gauge)
    answer.begin(readExchange(opening, { settings, dispatched }, answer, over))
    watches.push(client.onGone(() => answer.leave()))
    if (body && 'upload' in body) watches.push(body.upload.onFault(() => answer.refuse()))
  })
}

/** The methods of a listener, whatever it is an instance of. */
const toldTo = (listener: Parameters<Carry>[1]) => ({
  connected: () => listener.connected(),
  data: (bytes: Buffer) => listener.data(bytes),
  end: () => listener.end(),
  failed: (error: Error, stale: boolean) => listener.failed(error, stale),
})

/** What was streamed to a backend is gone: no other attempt could be made. */
function lastly(outcome: Rejected | Failed, { dispatched }: Gauge, body: CarriedBody | undefined): Rejected | Failed {
  if (!dispatched || !body || 'bytes' in body) return outcome
  return outcome.kind === 'rejected' ? { ...outcome, tooLong: false } : { ...outcome, next: 'nothing', again: false }
}

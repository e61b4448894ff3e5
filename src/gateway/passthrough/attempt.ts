import type { Meter, PassMethod } from '../../policy/config.ts'
import type { Client, Clock, PassthroughBody, SendPassthrough } from '../ports.ts'
import { readExchange, type Target } from '../upstream/attempt.ts'
import type { Outcome } from '../upstream/outcome.ts'
import { PassthroughAnswer } from './passthrough-answer.ts'
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
  const usageMeter = new UsageMeter(clock, meter, body)
  const upload = body && 'upload' in body ? { upload: body.upload } : {}
  const answer = new PassthroughAnswer({ clock, usageMeter, settings, isWhole: meter.by === 'usage', ...upload })
  const said = { ...(body && { body }), ...(traceparent !== undefined && { traceparent }) }
  const request = { pool: pool.name, replica, fresh, path, requestId, method, ...said }
  const open = (listener: Parameters<SendPassthrough>[1]) => sendPassthrough(request, listener)
  const dispatched = () => target.dispatched(usageMeter)
  return answer.start(readExchange({ clock, open }, { settings, dispatched }, answer), client)
}

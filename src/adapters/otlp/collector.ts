import { type Resource, resourceFromAttributes } from '@opentelemetry/resources'
import type { Secret } from '../../config/settings.ts'
import type { AlarmMessage } from '../../gateway/alarm-messages.ts'
import type { Alarm } from '../../gateway/ports.ts'

/** The service that sends spans and metrics. */
export interface SendingService {
  readonly name: string
  readonly version: string
  /** The process, among all of the service: a gateway, or a worker of one. */
  readonly instance: string
}

export const resourceOf = ({ name, version, instance }: SendingService): Resource =>
  resourceFromAttributes({ 'service.name': name, 'service.version': version, 'service.instance.id': instance })

/** The headers that go to a collector with every batch, in the clear. */
export const headersOf = (headers: ReadonlyMap<string, Secret>): Record<string, string> =>
  Object.fromEntries(Array.from(headers, ([name, secret]) => [name, secret.reveal()]))

/** The outcome of one sending. `code` is 0 where the collector took it. */
interface Sending {
  readonly code: number
  readonly error?: Error
}

/** The alarms of a collector: what is lost while it takes nothing, and that it takes again. */
interface LossAlarms {
  readonly lost: AlarmMessage
  readonly again: AlarmMessage
}

/** Takes what came of each sending, with how much it held; raises one alarm at the first loss, and one when there is none any more. */
export function lossReport(endpoint: string, alarm: Alarm, alarms: LossAlarms) {
  let lost = 0
  return (held: number, { code, error }: Sending): void => {
    if (code !== 0) {
      if (lost === 0) alarm(alarms.lost, { endpoint, error: error?.message ?? 'unknown' })
      lost += held
    } else if (lost > 0) {
      alarm(alarms.again, { endpoint, lost })
      lost = 0
    }
  }
}

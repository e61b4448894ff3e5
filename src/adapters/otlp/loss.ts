import type { Alarm } from '../../gateway/ports.ts'

/** What one sending came to. `code` is 0 where the collector took it. */
interface Sending {
  readonly code: number
  readonly error?: Error
}

/** The alarms of a collector: what is lost while it takes nothing, and that it takes again. */
interface LossAlarms {
  readonly lost: string
  readonly again: string
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

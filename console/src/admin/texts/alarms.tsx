import type { ComponentChildren } from 'preact'

export const ofThisGateway = (total: string, since: ComponentChildren) => (
  <>
    {total} alarms of the gateway that answers, which started {since}
  </>
)
export const noAlarm = 'No alarm matches.'
export const eachIsAlso = (
  <>
    Each is also a line of level error in the log of the gateway, and counts in <code>svc_alarms_total</code>.
  </>
)
export const alarmsTheNewestFirst = 'Alarms, newest first'
export const time = 'Time'
export const alarm = 'Alarm'
export const times = 'Times'

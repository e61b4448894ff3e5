import type { ComponentChildren } from 'preact'

export const sinceTheStart = (alarms: string, since: ComponentChildren) => (
  <>
    {alarms} of this gateway, which started {since}
  </>
)
export const noAlarmYet = 'No alarms yet.'
export const noAlarmMatches = 'No alarm matches.'
export const eachIsAlso = (
  <>
    Each is also a line of level error in the log of the gateway, and counts in <code>svc_alarms_total</code>.
  </>
)
export const alarmsTheNewestFirst = 'Alarms, newest first'
export const time = 'Time'
export const alarm = 'Alarm'
export const times = 'Times'

export const ofThisGateway = (total: string, since: string) =>
  `${total} alarms of the gateway that answers, since its start on ${since}`
export const noAlarm = 'No alarm has that word.'
export const eachIsAlso = (
  <>
    Each is also a line of level error in the log of the gateway, and counts in <code>svc_alarms_total</code>.
  </>
)
export const alarmsTheNewestFirst = 'Alarms, the newest first'
export const time = 'Time'
export const alarm = 'Alarm'
export const times = 'Times'

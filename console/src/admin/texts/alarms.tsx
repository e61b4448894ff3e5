export const findAnAlarm = 'Find an alarm'
export const alarms = 'Alarms'
export const whatThisGatewayProcess = 'What this gateway process wants you to know.'
export const ofThisGatewayProcess = (total: string | number, since: string | number) =>
  `${total} of this gateway process since its start, ${since}.`
export const noAlarm = 'No alarm has that word.'
export const eachIsAlso = (
  <>
    Each is also a line of level error in the log of the gateway, and counts in <code>svc_alarms_total</code>.
  </>
)
export const none = 'No alarm'
export const nothingNeedsYouSince = 'Nothing needs you since this process started.'
export const alarmsTheNewestFirst = 'Alarms, the newest first'
export const time = 'Time'
export const alarm = 'Alarm'
export const times = 'Times'

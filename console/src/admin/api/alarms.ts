import { ask } from '../../shared/api.ts'

export interface ShownAlarm {
  readonly at: string
  readonly message: string
  readonly fields: Readonly<Record<string, string | number | boolean>>
  /** The number of those that said the same within a minute. */
  readonly count: number
}

interface AlarmList {
  /** The start of the process. */
  readonly since: string
  /** Since then. */
  readonly total: number
  readonly data: readonly ShownAlarm[]
}

/** The newest alarms of the gateway that answers. */
export const listAlarms = () => ask<AlarmList>('/admin/alarms?limit=500')

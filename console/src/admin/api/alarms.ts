import { computed, signal } from '@preact/signals'
import { ask } from '../../shared/api.ts'
import { follow } from '../../shared/resource.ts'

export interface ShownAlarm {
  readonly at: string
  readonly message: string
  readonly fields: Readonly<Record<string, string | number | boolean>>
  /** Of those that said the same within a minute. */
  readonly count: number
}

interface AlarmList {
  /** The start of the process. */
  readonly since: string
  /** Since then. */
  readonly total: number
  readonly data: readonly ShownAlarm[]
}

const followed = follow<AlarmList>(() => ask('/admin/alarms?limit=500'), 15_000)

/** The newest alarms of the process. */
export const alarms = followed.shown
export const refreshAlarms = followed.run
export const followAlarms = followed.start

const seen = signal(0)

/** How many came since the page of them was last looked at in this tab. */
export const newAlarms = computed(() => Math.max(0, (alarms.value.data?.total ?? 0) - seen.value))

export const seeAlarms = (total: number): void => {
  seen.value = total
}

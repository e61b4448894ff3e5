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

/** What was looked at: so many, when the newest of them came. */
const seen = signal({ total: 0, at: '' })

/** How many came since the page of them was last looked at in this tab. What an operator did needs no other one. */
export const newAlarms = computed(() => {
  const { total = 0, data = [] } = alarms.value.data ?? {}
  const ofOperators = data.filter(({ at, fields }) => at > seen.value.at && 'by' in fields)
  return Math.max(0, total - seen.value.total - ofOperators.reduce((sum, { count }) => sum + count, 0))
})

export const seeAlarms = ({ total, data: [newest] }: AlarmList): void => {
  seen.value = { total, at: newest?.at ?? '' }
}

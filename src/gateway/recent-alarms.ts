import type { EpochMs, Millis } from '../policy/config.ts'
import type { Alarm, Clock } from './ports.ts'

/** An alarm, or several that said the same within a minute. */
export interface RecentAlarm {
  /** When the last of them came. */
  readonly at: EpochMs
  readonly message: string
  readonly fields: Readonly<Record<string, string | number | boolean>>
  readonly count: number
}

/** The newest alarms of this process, for operators who do not read its log. */
export class RecentAlarms {
  /** The start of the process. */
  readonly since: EpochMs
  readonly #clock: Clock
  readonly #clean: (text: string) => string
  /** Oldest first. */
  #alarms: readonly (RecentAlarm & { readonly key: string })[] = []
  #total = 0

  /** `clean` removes secrets. */
  constructor(clock: Clock, clean: (text: string) => string) {
    this.#clock = clock
    this.#clean = clean
    this.since = clock.now()
  }

  /** How many there were. */
  get total(): number {
    return this.#total
  }

  readonly add = (message: string, details: Parameters<Alarm>[1] = {}): RecentAlarm => {
    const at = this.#clock.now()
    const fields = Object.fromEntries(Object.entries(details).map(([name, value]) => [name, this.#shown(value)]))
    this.#total++
    const key = keyOf(message, fields)
    const same = this.#alarms.slice(-LOOKED_AT).find(each => each.key === key && at - each.at < SAME_WITHIN)
    const others = same ? this.#alarms.filter(each => each !== same) : this.#alarms.slice(-MOST + 1)
    const alarm = { at, message, fields, count: (same?.count ?? 0) + 1 }
    this.#alarms = [...others, { ...alarm, key }]
    return alarm
  }

  newest(limit: number): readonly RecentAlarm[] {
    return this.#alarms
      .slice(-limit)
      .map(({ key: _, ...alarm }) => alarm)
      .reverse()
  }

  #shown(value: unknown): string | number | boolean {
    if (typeof value === 'number' || typeof value === 'boolean') return value
    return this.#clean(String(value)).slice(0, MOST_TEXT)
  }
}

/** The key that equal alarms share: in an outage there is one for every request. */
const keyOf = (message: string, { requestId: _, ...fields }: RecentAlarm['fields']): string =>
  `${message} ${JSON.stringify(fields)}`

/** The newest alarms, among which an equal one is looked for. */
const LOOKED_AT = 20
const SAME_WITHIN: Millis = 60_000
const MOST = 500
const MOST_TEXT = 1000

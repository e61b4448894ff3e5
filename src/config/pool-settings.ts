import type { NanoUsd } from '../policy/nano-usd.ts'
import type { Unit } from './model/units.ts'
import { POOL_FIELDS } from './pool-fields.ts'

/** A setting of a pool that is a number. Its unit, its default, its bounds and its description are those of the schema. */
export interface PoolSetting {
  /** Where a pool writes it, and where `failover` does for all pools: `eject.after`. */
  readonly path: UnitPath
  /** How a changed value affects clients. */
  readonly change: 'nothing' | 'high is more'
  /** The text in `plan` for an omitted value without a default. */
  readonly absent?: string
  /** The settings without any of which it means nothing: then `show` and `plan` leave it out. */
  readonly needs?: readonly ('maxConcurrent' | 'maxConcurrentEach')[]
}

export interface PoolSettingGroup {
  readonly [part: string]: PoolSetting
}

/**
 * Every setting of a pool that is a number, in the order of `show`. Settings, defaults, `show` and `plan` follow from a row; in
 * YAML the parts of a group stand in a section.
 */
const rows = {
  /** Tokens that the replicas take, where it was declared. */
  context: { path: 'context', change: 'high is more', absent: "the model's" },
  /** Running requests at once in this process. */
  maxConcurrent: { path: 'max_concurrent', change: 'high is more', absent: 'unlimited' },
  /** Running requests at once at one replica. */
  maxConcurrentEach: { path: 'max_concurrent_each', change: 'high is more', absent: 'unlimited' },
  /** How long one more waits. */
  queueTimeout: { path: 'queue_timeout', change: 'nothing', needs: ['maxConcurrent', 'maxConcurrentEach'] },
  /** How long a conversation stays that came here because pools before this one could not serve it. */
  stay: { path: 'stay', change: 'nothing', absent: 'not at all' },
  /** Maximum cost of the pool in any hour. */
  maxNanoUsdPerHour: { path: 'max_usd_per_hour', change: 'high is more', absent: 'unlimited' },
  connectTimeout: { path: 'connect_timeout', change: 'nothing' },
  /** Streams: from dispatch to the response headers. */
  headersTimeout: { path: 'headers_timeout', change: 'nothing' },
  /** Streams: from dispatch to the first content. */
  firstContentTimeout: { path: 'first_content_timeout', change: 'nothing' },
  /** Streams: between chunks. */
  idleTimeout: { path: 'idle_timeout', change: 'nothing' },
  /** Streams: from dispatch to the end. */
  streamTimeout: { path: 'stream_timeout', change: 'nothing' },
  /** Whole answers: from dispatch to the end of one attempt. */
  answerTimeout: { path: 'answer_timeout', change: 'nothing' },
  /** The longest Retry-After that is waited out before the next pool. */
  waitForRetryAfter: { path: 'wait_for_retry_after', change: 'nothing' },
  /** Consecutive failures after which a replica is ejected, and for how long the first time. */
  eject: {
    after: { path: 'eject.after', change: 'nothing' },
    for: { path: 'eject.for', change: 'nothing' },
  },
  /** When a replica is passed over, and its pool with it. */
  spill: {
    waitingOver: { path: 'spill.waiting_over', change: 'nothing', absent: 'never' },
    firstTokenOver: { path: 'spill.first_token_over', change: 'nothing', absent: 'never' },
  },
} as const satisfies Readonly<Record<string, PoolSetting | PoolSettingGroup>>

type Rows = typeof rows
type Fields = typeof POOL_FIELDS

/** Where a field with a unit is written. */
export type UnitPath = { [P in keyof Fields]: Fields[P] extends { readonly unit: string } ? P : never }[keyof Fields]

type ValueAt<P extends UnitPath> = Fields[P]['unit'] extends 'usd' | 'price' ? NanoUsd : number
type ValueOf<R> = R extends PoolSetting ? ValueAt<R['path']> : ValuesOf<R>
type MayBeAbsent<R> = R extends PoolSetting
  ? Fields[R['path']] extends { readonly default: unknown }
    ? false
    : true
  : false

type ValuesOf<R> = {
  readonly [K in keyof R as MayBeAbsent<R[K]> extends true ? never : K]: ValueOf<R[K]>
} & {
  readonly [K in keyof R as MayBeAbsent<R[K]> extends true ? K : never]?: ValueOf<R[K]>
}

/** The values of all rows. One without a default is absent where the files say nothing. */
export type PoolSettings = ValuesOf<Rows>

type PathsIn<R> = R extends PoolSetting ? R['path'] : PathsIn<R[keyof R]>
/** Fields that have code of their own, since more than a number decides them. */
type Apart = 'probe.every' | 'load.every' | `queue.${string}` | `cost_usd_per_${string}`
type Forgotten = Exclude<UnitPath, PathsIn<Rows[keyof Rows]> | Apart>

/** Does not compile while the schema has a field of a pool with a unit, and no row has its path. */
export const POOL_SETTINGS: Readonly<Record<keyof PoolSettings, PoolSetting | PoolSettingGroup>> = rows satisfies [
  Forgotten,
] extends [never]
  ? unknown
  : `no row for ${Forgotten}`
const NAMES = Object.keys(rows) as (keyof PoolSettings)[]

export const isSetting = (row: PoolSetting | PoolSettingGroup): row is PoolSetting => typeof row.path === 'string'

export const unitAt = (path: UnitPath): Unit['kind'] => POOL_FIELDS[path].unit

export function defaultAt(path: UnitPath): string | number | undefined {
  const field = POOL_FIELDS[path]
  return 'default' in field ? field.default : undefined
}

/** The settings that mean nothing beside the others: no request waits for room where any number may run. */
export const idleSettings = (settings: PoolSettings): readonly (keyof PoolSettings)[] =>
  NAMES.filter(name => {
    const row = POOL_SETTINGS[name]
    return isSetting(row) && row.needs?.every(needed => settings[needed] === undefined) === true
  })

/** Each setting that has a value and means something, with the value; of a group each part. */
export function* valuesOf(settings: PoolSettings): Generator<readonly [PoolSetting, number]> {
  const idle = idleSettings(settings)
  for (const name of NAMES) if (!idle.includes(name)) yield* valuesIn(POOL_SETTINGS[name], settings[name])
}

function* valuesIn(
  row: PoolSetting | PoolSettingGroup,
  value: PoolSettings[keyof PoolSettings],
): ReturnType<typeof valuesOf> {
  if (isSetting(row)) {
    if (typeof value === 'number') yield [row, value]
  } else if (typeof value === 'object') {
    const parts: Readonly<Record<string, number>> = value
    for (const [part, each] of Object.entries(row)) yield* valuesIn(each, parts[part])
  }
}

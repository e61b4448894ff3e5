import fc from 'fast-check'
import type { BegunCounter } from '../../../../../src/gateway/store/hold-store.ts'
import type { EpochMs } from '../../../../../src/policy/config.ts'
import {
  LIMIT_SCOPES,
  type LimitRule,
  type LimitScope,
  type LimitWindow,
  MEASURES,
  type Measure,
} from '../../../../../src/policy/limits/rule.ts'
import type { CounterName, RuleClaim } from '../../../../../src/policy/limits/rule-claim.ts'
import { windowOfField } from '../../../../../src/policy/limits/rule-claim.ts'
import { cellAt, slides } from '../../../../../src/policy/limits/rule-counter.ts'

/** A limit of a table, and how far it is above what is used already when a request asks; wide open where it is not given. */
export interface RuleSpec {
  readonly measure: Measure
  readonly per?: LimitWindow
  readonly of: LimitScope
  readonly key: number
  readonly model: boolean
  readonly room?: number
  readonly lastTurn?: number
}

/** Windows whose cells a gateway tells Redis: quarters, and those of calendars. */
export const ZONED = ['quarter', 'day@Australia:Lord_Howe', 'week@Europe:Berlin', 'month@America:New_York@26'] as const

const WINDOWS: readonly LimitWindow[] = [
  'second',
  'minute',
  'hour',
  'day',
  'week',
  'month',
  '1d',
  '7d',
  '30d',
  ...ZONED,
]

/** Sessions of two limits end after these. */
const IDLE: readonly [LimitWindow, LimitWindow] = ['idle:90s', 'idle:24h']

const spec: fc.Arbitrary<RuleSpec> = fc
  .record({
    measure: fc.constantFrom(...MEASURES),
    per: fc.constantFrom(...WINDOWS, 'minute' as const),
    of: fc.constantFrom(...LIMIT_SCOPES.filter(scope => scope !== 'everybody'), 'label:project' as const),
    key: fc.nat(1),
    model: fc.integer({ min: 0, max: 4 }).map(number => number === 0),
    room: fc.option(fc.integer({ min: -2, max: 4 }), { nil: undefined, freq: 3 }),
    scale: fc.constantFrom(1, 1, 100),
    lastTurn: fc.option(fc.constantFrom(1, 4, 40), { nil: undefined }),
  })
  .map(({ measure, per, of, room, scale, lastTurn, ...others }) => ({
    measure,
    of: of === 'session' && measure === 'concurrent' ? ('account' as const) : of,
    ...(measure !== 'concurrent' && { per: of === 'session' ? IDLE[others.key] : per }),
    ...(lastTurn !== undefined && of === 'session' && measure !== 'concurrent' && { lastTurn }),
    ...(room !== undefined && { room: measure === 'requests' || measure === 'concurrent' ? room : room * scale }),
    ...others,
  }))

/** Limits of a table that holds for long: of windows that a test of an hour lies in, and so low that each refuses now and then. */
export const lasting: fc.Arbitrary<readonly RuleSpec[]> = fc.array(
  fc.record({
    measure: fc.constantFrom(...MEASURES.filter(measure => measure !== 'concurrent')),
    per: fc.constantFrom('day' as const, 'week' as const, 'month' as const, '7d' as const, '30d' as const),
    of: fc.constantFrom('account' as const, 'key' as const, 'user' as const, 'plan' as const),
    key: fc.nat(1),
    model: fc.boolean(),
    room: fc.integer({ min: 3, max: 30 }),
  }),
  { maxLength: 5 },
)

/** The limits that may count one request; none of most. */
export const specs: fc.Arbitrary<readonly RuleSpec[]> = fc.oneof(
  fc.constant([]),
  fc.array(spec, { minLength: 1, maxLength: 3 }),
  fc.array(spec, { minLength: 4, maxLength: 12, size: 'max' }),
)

/** Claims of such limits; shared groups have a name of `sequence`. If two share a counter, the first applies. */
export function ruleClaims(
  specs: readonly RuleSpec[],
  sequence: string,
  mostOf: (claim: RuleClaim, room: number | undefined) => number,
): readonly RuleClaim[] {
  const claims = new Map<string, RuleClaim>()
  for (const { measure, per, of, key, model, room, lastTurn } of specs) {
    const rule: LimitRule = {
      ...{ measure, most: 1, of },
      ...(per && { per }),
      ...(model && { model: 'svc-core' }),
      ...(lastTurn !== undefined && { lastTurn }),
    }
    const name = { group: groupOf(of, key, sequence), field: fieldOf(rule, key) }
    const claim = { rule, ...name }
    const text = `${name.group} ${name.field}`
    if (!claims.has(text)) claims.set(text, { ...claim, rule: { ...rule, most: mostOf(claim, room) } })
  }
  return [...claims.values()]
}

function groupOf(of: LimitScope, key: number, sequence: string): string {
  if (of === 'user') return `user:${key}`
  if (of === 'session') return 'session'
  if (of === 'label:project') return key === 0 ? 'label:project=web' : `org:${sequence} label:project=api`
  if (of === 'plan' || of === 'org') return `${of}:${sequence} ${key}`
  return 'account'
}

const fieldOf = ({ measure, per, of, model }: LimitRule, key: number): string =>
  `${measure}/${per ?? ''}/${of === 'key' ? `key_${key}` : of === 'session' ? `ses_${key}` : ''}/${model ?? ''}`

/** The initial cells of counters, which differ with `seed`. */
export function begunOf(names: readonly CounterName[], seed: number, at: EpochMs): readonly BegunCounter[] {
  return names.map((name, place) => {
    const per = windowOfField(name.field)
    const index = cellAt(per, at)
    const count = slides(per) ? (seed + place) % 4 : (seed + place) % 2
    const counter = Array.from({ length: count }, (_, cell) => ({
      index: index - 20 * (count - 1 - cell),
      used: (seed * (cell + 3)) % 50,
      held: 0,
    }))
    return { name, counter }
  })
}

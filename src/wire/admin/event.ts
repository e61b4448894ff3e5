import type { Config, EpochMs, Millis } from '../../policy/config.ts'
import type { LimitUse } from '../../policy/counters/limit-use.ts'
import { keyOfWindow, type Window } from '../../policy/decision.ts'
import type { Caller } from '../../policy/facts.ts'
import type { Labels } from '../../policy/label-values.ts'
import { COLUMN_RULES, type ColumnRule, mostOf } from '../../policy/limits/named-rules.ts'
import type { Readings } from '../../policy/limits/readings.ts'
import { type LimitRule, ruleName } from '../../policy/limits/rule.ts'
import { addNanoUsd, type NanoUsd, ZERO_USD } from '../../policy/nano-usd.ts'
import { planName, planOf } from '../../policy/plan.ts'
import { usdText } from '../money.ts'
import {
  type AnySchema,
  cases,
  defaulted,
  fixed,
  flag,
  list,
  map,
  moment,
  number,
  optional,
  orNull,
  type RecordOf,
  record,
  type Schema,
  type TypeOf,
  text,
  whole,
} from '../schema/schema.ts'
import { LIMIT_USE, shownLimitUse } from './limit-use.ts'

type ColumnFields = { readonly [Reading in ColumnRule['reading']]: Schema<number> } & {
  readonly [Reading in ColumnRule['reading'] as `${Reading}_limit`]: Schema<number | null>
}

/** The use of each limit that screens show, by the name of its reading, and the limit itself. */
const COLUMN_FIELDS = Object.fromEntries(
  COLUMN_RULES.flatMap(({ reading, meaning }): readonly (readonly [string, AnySchema])[] => [
    [reading, whole(meaning)],
    [`${reading}_limit`, orNull(whole('Null without such a limit, and without a plan.'))],
  ]),
) as ColumnFields

type ShownLimits = RecordOf<ColumnFields>

/** An account's use of its limits. Amounts are exact decimals of US dollars; limits are null without a plan. */
export const STANDING = record(
  {
    event: fixed('standing'),
    at: moment(),
    account: text(),
    label: text(),
    plan: text(),
    used_usd: text(),
    held_usd: text(),
    limit_usd: orNull(text('The plan’s allowance and any credit granted.')),
    reset: moment('When the billing window ends.'),
    ...COLUMN_FIELDS,
    under_way: whole('Running requests.'),
    // Gateways before 0.2 do not send them.
    limits: defaulted(list(LIMIT_USE, 'Every limit that can refuse its requests.'), []),
  },
  'Standing',
  'An account’s usage against its limits. Amounts are exact decimals in US dollars; limits are null without a plan.',
)

export interface ShownStanding extends TypeOf<typeof STANDING> {}

/** A failed attempt at a pool. */
export const FAILURE = record({ pool: text(), cause: text() }, 'Failure', 'A failed attempt at a pool.')

/** The members of a remembered request, as the log has them. */
const REMEMBERED_FIELDS = {
  request_id: text(),
  at: moment(),
  method: text(),
  path: text(),
  status: whole('499 when the client left before its answer.'),
  ms: number(),
  account: orNull(text('Null where the client could not be identified.')),
  gateway: optional(text('The gateway that served it, if several are followed.')),
  plan: optional(text()),
  labels: optional(map(text(), 'The values of its labels; of a refused request, as they were sent.')),
  session: optional(text('The id of its conversation, or a digest of it.')),
  asked: optional(text('The model the client named, or the default model.')),
  model: optional(text()),
  route: optional(text()),
  pool: optional(text()),
  code: optional(text()),
  type: optional(text()),
  limit: optional(text('The limit that refused it: `tokens per day of key`.')),
  usd: optional(text()),
  interrupted: optional(text('Why its answer broke off.')),
  input_tokens: optional(whole()),
  output_tokens: optional(whole()),
  cached_tokens: optional(whole('Input tokens that the backend read from its cache.')),
  cache_write_tokens: optional(whole('Input tokens that the backend wrote into its cache.')),
  skipped_events: optional(whole('Unreadable events from its backend, which were skipped.')),
  cost_nano_usd: optional(whole<NanoUsd>()),
  estimated: optional(flag('True if the backend did not report its usage.')),
  tools: optional(map(whole(), 'Hosted tool calls by name.')),
  failures: optional(list(FAILURE)),
}

/** A request that a gateway remembers. */
export const REMEMBERED = record(
  { event: optional(fixed('request')), ...REMEMBERED_FIELDS },
  'RememberedRequest',
  'A finished request, from a gateway’s memory.',
)

export interface ShownRemembered extends TypeOf<typeof REMEMBERED> {}

/** A remembered request for commands, which print no kind of event. */
export const REMEMBERED_REQUEST = record(REMEMBERED_FIELDS)

/** A request that is over, as the gateway's log has it. Prompts, answers and keys are in none of them. */
const REQUEST = record(
  {
    event: fixed('request'),
    ...REMEMBERED_FIELDS,
    standing: orNull(STANDING),
  },
  'RequestEvent',
  'A finished request. `standing` is its account’s usage just after it; null without an account, and while the store does not answer.',
)

export interface ShownRequest extends TypeOf<typeof REQUEST> {}

/** The number of events missing here, because they arrived faster than they were read. */
const DROPPED = record(
  { event: fixed('dropped'), count: whole() },
  'DroppedEvent',
  'The number of events missing here, because they arrived faster than they were read.',
)

export interface ShownDropped extends TypeOf<typeof DROPPED> {}

/** Events of another gateway of the fleet stop arriving, or arrive again. */
const FOLLOWED = record(
  {
    event: fixed('gateway'),
    gateway: text(),
    followed: flag(),
    problem: optional(text('Why it is not.')),
  },
  'GatewayEvent',
  'Events of another gateway of the fleet stop arriving, or arrive again.',
)

export interface ShownFollowed extends TypeOf<typeof FOLLOWED> {}

/** The kinds of events that every follower knows. */
export const EVENT_KINDS = { request: REQUEST, standing: STANDING, dropped: DROPPED, gateway: FOLLOWED }

/** One event of those. */
export const EVENT = cases('event', EVENT_KINDS)

export type ShownEvent = TypeOf<typeof EVENT>

/** A request that is over, as the gateway's log has it. */
export interface RequestEnd {
  readonly at: EpochMs
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly ms: Millis
  readonly account?: string | undefined
  /** The id of the key that it came with. */
  readonly key?: string | undefined
  readonly plan?: string | undefined
  readonly labels?: Labels | undefined
  /** The id of its conversation, or a digest of it. */
  readonly session?: string | undefined
  /** Empty where the client named no model. */
  readonly asked?: string | undefined
  readonly model?: string | undefined
  readonly rule?: string | undefined
  readonly tools?: Readonly<Record<string, number>> | undefined
  readonly pool?: string | undefined
  readonly failures?: readonly { readonly pool: string; readonly cause: string }[] | undefined
  readonly code?: string | undefined
  readonly type?: string | undefined
  readonly limit?: LimitRule | undefined
  readonly interrupted?: string | undefined
  readonly skippedEvents?: number | undefined
  readonly inputTokens?: number | undefined
  readonly outputTokens?: number | undefined
  readonly cachedTokens?: number | undefined
  readonly cacheWriteTokens?: number | undefined
  readonly cost?: NanoUsd | undefined
  readonly estimated?: boolean | undefined
  /** The refusal's message to the client. Only its account may see it. */
  readonly message?: string | undefined
}

export function shownRequest(entry: RequestEnd, config: Config, standing: ShownStanding | null): ShownRequest {
  const { requestId, at, method, path, status, ms, account } = entry
  return {
    event: 'request',
    request_id: requestId,
    at: iso(at),
    method,
    path,
    status,
    ms,
    account: account ?? null,
    ...courseOf(entry, config),
    ...costOf(entry),
    standing,
  }
}

type Course =
  | ('plan' | 'labels' | 'session' | 'asked' | 'model' | 'route' | 'tools' | 'pool' | 'failures')
  | ('code' | 'type' | 'limit' | 'interrupted' | 'skipped_events')

/** Which way a request took. */
function courseOf(entry: RequestEnd, { defaultModel }: Config): Pick<ShownRequest, Course> {
  const { plan, labels, session, asked, model, rule, tools, pool, failures = [] } = entry
  const { code, type, limit, interrupted, skippedEvents } = entry
  return {
    ...(plan !== undefined && { plan }),
    ...(labels && { labels }),
    ...(session !== undefined && { session }),
    ...(asked !== undefined && { asked: asked || defaultModel.name }),
    ...(model !== undefined && { model }),
    ...(rule !== undefined && { route: rule }),
    ...(tools && { tools }),
    ...(pool !== undefined && { pool }),
    ...(failures.length > 0 && { failures }),
    ...(code !== undefined && { code }),
    ...(type !== undefined && { type }),
    ...(limit && { limit: ruleName(limit) }),
    ...(interrupted !== undefined && { interrupted }),
    ...(skippedEvents !== undefined && { skipped_events: skippedEvents }),
  }
}

/** Its tokens and cost. */
function costOf(entry: RequestEnd): Partial<ShownRequest> {
  const { inputTokens, outputTokens, cachedTokens, cacheWriteTokens, cost, estimated } = entry
  return {
    ...(inputTokens !== undefined && { input_tokens: inputTokens }),
    ...(outputTokens !== undefined && { output_tokens: outputTokens }),
    ...(cachedTokens !== undefined && { cached_tokens: cachedTokens }),
    ...(cacheWriteTokens !== undefined && { cache_write_tokens: cacheWriteTokens }),
    ...(cost !== undefined && { cost_nano_usd: cost, usd: usdText(cost) }),
    ...(estimated !== undefined && { estimated }),
  }
}

/** An account and its limits as stores have them. */
interface StoredStanding extends Readings {
  readonly record: Pick<Caller, 'account' | 'kind' | 'terms'> & { readonly label: string }
  readonly window: Window
  readonly at: EpochMs
}

export function shownStanding(config: Config, standing: StoredStanding, limits: readonly LimitUse[]): ShownStanding {
  const { record, used, held, window, concurrent, at } = standing
  const plan = planOf(config, record)
  const granted = record.terms.grants?.[keyOfWindow(window)] ?? ZERO_USD
  return {
    event: 'standing',
    at: iso(at),
    account: record.account,
    label: record.label,
    plan: planName(config, record),
    used_usd: usdText(used),
    held_usd: usdText(held),
    limit_usd: plan ? usdText(addNanoUsd(plan.monthlyNanoUsd, granted)) : null,
    reset: iso(window.end),
    ...shownLimits(
      ({ reading }) => standing[reading],
      ({ name }) => plan && mostOf(plan.limits, name),
    ),
    under_way: concurrent,
    limits: limits.map(shownLimitUse),
  }
}

function shownLimits(
  used: (limit: ColumnRule) => number,
  most: (limit: ColumnRule) => number | null | undefined,
): ShownLimits {
  const fields = COLUMN_RULES.flatMap(limit => {
    const found = most(limit) ?? Number.POSITIVE_INFINITY
    return [
      [limit.reading, used(limit)],
      [`${limit.reading}_limit`, Number.isFinite(found) ? found : null],
    ]
  })
  return Object.fromEntries(fields)
}

const iso = (at: EpochMs): string => new Date(at).toISOString()

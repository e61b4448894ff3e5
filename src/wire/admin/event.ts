import type { Config, EpochMs, Millis } from '../../policy/config.ts'
import type { LimitUse } from '../../policy/counters/limit-use.ts'
import type { Caller } from '../../policy/facts.ts'
import { type LimitRule, ruleName } from '../../policy/limits/limit-rule.ts'
import { COLUMN_RULES, type ColumnRule, mostOf } from '../../policy/limits/named-rules.ts'
import type { Readings } from '../../policy/limits/readings.ts'
import { addNanoUsd, type NanoUsd, nanoUsd, ZERO_USD } from '../../policy/nano-usd.ts'
import { planName, planOf } from '../../policy/plan.ts'
import type { JsonObject } from '../json-safety.ts'
import { usdText } from '../money.ts'
import { readShownLimitUse, type ShownLimitUse, shownLimitUse } from './limit-use.ts'
import { count, flag, given, list, number, object, oneOf, orNull, text } from './record-fields.ts'

/** One line of what operators follow. Prompts, answers and keys are in none of them. */
export type ShownEvent = ShownRequest | ShownStanding | ShownDropped | ShownFollowed

/** A request that is over, as the gateway's log has it. */
export interface ShownRequest {
  readonly event: 'request'
  /** Where several gateways are followed: the one that had it. */
  readonly gateway?: string
  readonly request_id: string
  readonly at: string
  readonly method: string
  readonly path: string
  /** 499 when the client left before its answer. */
  readonly status: number
  readonly ms: number
  /** Null where the client could not be identified. */
  readonly account: string | null
  readonly plan?: string
  /** The model the client named, or the default model. */
  readonly asked?: string
  readonly model?: string
  readonly route?: string
  readonly tools?: Readonly<Record<string, number>>
  readonly pool?: string
  readonly failures?: readonly { readonly pool: string; readonly cause: string }[]
  readonly code?: string
  readonly type?: string
  /** The limit that refused: `tokens per day of key`. */
  readonly limit?: string
  readonly input_tokens?: number
  readonly output_tokens?: number
  /** Of the input, what the backend read from its cache, and what it wrote into it. */
  readonly cached_tokens?: number
  readonly cache_write_tokens?: number
  readonly cost_nano_usd?: NanoUsd
  readonly usd?: string
  readonly estimated?: boolean
  readonly interrupted?: string
  /** Events of its backend that could not be read, and that its answer went on without. */
  readonly skipped_events?: number
  /** The account's usage just after the request; null without an account, and while the store does not answer. */
  readonly standing: ShownStanding | null
}

/** What an account has used of its limits. Amounts are exact decimals of US dollars; limits are null without a plan. */
export interface ShownStanding extends ShownLimits {
  readonly event: 'standing'
  readonly at: string
  readonly account: string
  readonly label: string
  readonly plan: string
  readonly used_usd: string
  readonly held_usd: string
  /** What the plan allots, and what was granted. */
  readonly limit_usd: string | null
  /** When the billing window ends. */
  readonly reset: string
  /** Requests. */
  readonly under_way: number
  /** All that may refuse its requests. */
  readonly limits: readonly ShownLimitUse[]
}

/** What is used of each limit that screens show, by the name of its reading, and the limit itself. */
type ShownLimits = { readonly [Reading in ColumnRule['reading']]: number } & {
  readonly [Reading in ColumnRule['reading'] as `${Reading}_limit`]: number | null
}

/** Events that are missing at this place, because they came faster than they were read. */
export interface ShownDropped {
  readonly event: 'dropped'
  readonly count: number
}

/** Events of another gateway of the fleet are missing from here on, or come again. */
export interface ShownFollowed {
  readonly event: 'gateway'
  readonly gateway: string
  readonly followed: boolean
  /** Why it is not. */
  readonly problem?: string
}

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
  /** What a client that was refused learned. Only its account may see it. */
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
  | ('plan' | 'asked' | 'model' | 'route' | 'tools' | 'pool' | 'failures')
  | ('code' | 'type' | 'limit' | 'interrupted' | 'skipped_events')

/** Which way a request took. */
function courseOf(entry: RequestEnd, { defaultModel }: Config): Pick<ShownRequest, Course> {
  const { plan, asked, model, rule, tools, pool, failures = [], code, type, limit, interrupted, skippedEvents } = entry
  return {
    ...(plan !== undefined && { plan }),
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

/** What it came to. */
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

/** What a store has of an account and its limits. */
interface StoredStanding extends Readings {
  readonly record: Pick<Caller, 'account' | 'kind' | 'terms'> & { readonly label: string }
  readonly window: { readonly start: EpochMs; readonly end: EpochMs }
  readonly at: EpochMs
}

export function shownStanding(config: Config, standing: StoredStanding, limits: readonly LimitUse[]): ShownStanding {
  const { record, used, held, window, concurrent, at } = standing
  const plan = planOf(config, record)
  const granted = record.terms.grants?.[window.start] ?? ZERO_USD
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

/** Reads an event that a gateway sent. Throws TypeError where it is of another form. */
export function readShownEvent(value: unknown): ShownEvent {
  const record = object(value, 'event')
  const event = oneOf(['request', 'standing', 'dropped', 'gateway'], record, 'event')
  if (event === 'dropped') return { event, count: count(record, 'count') }
  if (event === 'gateway') return readFollowed(record)
  return event === 'standing' ? readShownStanding(record) : readRequest(record)
}

const readFollowed = (record: JsonObject): ShownFollowed => ({
  event: 'gateway',
  gateway: text(record, 'gateway'),
  followed: flag(record, 'followed'),
  ...given(text, record, ['problem']),
})

export function readShownStanding(value: unknown): ShownStanding {
  const record = object(value, 'standing')
  return {
    event: 'standing',
    at: text(record, 'at'),
    account: text(record, 'account'),
    label: text(record, 'label'),
    plan: text(record, 'plan'),
    used_usd: text(record, 'used_usd'),
    held_usd: text(record, 'held_usd'),
    limit_usd: record.limit_usd === null ? null : text(record, 'limit_usd'),
    reset: text(record, 'reset'),
    ...shownLimits(
      ({ reading }) => count(record, reading),
      ({ reading }) => orNull(count, record, `${reading}_limit`),
    ),
    under_way: count(record, 'under_way'),
    // A gateway of a version before this one says nothing of them.
    limits: record.limits === undefined ? [] : list(record.limits, 'limits').map(readShownLimitUse),
  }
}

const readRequest = (record: JsonObject): ShownRequest => ({
  event: 'request',
  request_id: text(record, 'request_id'),
  at: text(record, 'at'),
  method: text(record, 'method'),
  path: text(record, 'path'),
  status: count(record, 'status'),
  ms: number(record, 'ms'),
  account: record.account === null ? null : text(record, 'account'),
  ...given(text, record, [
    'gateway',
    'plan',
    'asked',
    'model',
    'route',
    'pool',
    'code',
    'type',
    'limit',
    'usd',
    'interrupted',
  ]),
  ...given(count, record, ['input_tokens', 'output_tokens', 'cached_tokens', 'cache_write_tokens', 'skipped_events']),
  ...given(readNanoUsd, record, ['cost_nano_usd']),
  ...(record.estimated !== undefined && { estimated: record.estimated === true }),
  ...(record.tools !== undefined && { tools: readTools(object(record.tools, 'tools')) }),
  ...(record.failures !== undefined && { failures: list(record.failures, 'failures').map(readFailure) }),
  standing: record.standing === null ? null : readShownStanding(record.standing),
})

const readNanoUsd = (record: JsonObject, field: string): NanoUsd => nanoUsd(count(record, field))

const readTools = (tools: JsonObject): Record<string, number> =>
  Object.fromEntries(Object.keys(tools).map(name => [name, count(tools, name)]))

function readFailure(value: unknown): { readonly pool: string; readonly cause: string } {
  const failure = object(value, 'failure')
  return { pool: text(failure, 'pool'), cause: text(failure, 'cause') }
}

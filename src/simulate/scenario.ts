import { ago, moment } from '../config/model/formats.ts'
import { unitOf } from '../config/model/units.ts'
import { limitRuleOf } from '../config/resolve/limits.ts'
import type { TokenClaims } from '../gateway/accounts/sign-in/claimed-sign-in.ts'
import type { Calendar } from '../policy/calendar.ts'
import type { Config, EpochMs, Millis, Plan } from '../policy/config.ts'
import { type AccountCounters, calendarOf } from '../policy/counters/account-counters.ts'
import { keyOfWindow, windowOf } from '../policy/decision.ts'
import type { Caller } from '../policy/facts.ts'
import { CALENDAR_RULES, type CalendarReading, nameOfRule } from '../policy/limits/named-rules.ts'
import { countedBy, type LimitRule } from '../policy/limits/rule.ts'
import type { RuleClaim } from '../policy/limits/rule-claim.ts'
import { cellAt, NO_CELLS, type RuleCounter } from '../policy/limits/rule-counter.ts'
import { aliasNamed } from '../policy/model.ts'
import { type NanoUsd, ZERO_USD } from '../policy/nano-usd.ts'
import type { Headers } from '../wire/openai/signals.ts'
import { type CaseKind, type Path, pathOf, shortBody } from './endpoints.ts'
import type { Case, TestsFile, Requests as WrittenRequests, Usage as WrittenUsage } from './file.ts'

/** A request that was never sent, and the state of the gateway that it would meet. */
export interface Scenario {
  readonly at: EpochMs
  readonly who: Who
  readonly path: Path
  readonly body: Buffer
  /** Header values by lower-case name. */
  readonly headers: Headers
  readonly usage: Usage
  /** The faults by name of the pool; all other pools are well. */
  readonly pools: ReadonlyMap<string, PoolFault>
  /** The loads by name of the pool; the engines of the others have nothing to do. */
  readonly loads: ReadonlyMap<string, PoolLoad>
  /** The pool whose share of traffic the conversation belongs to; absent for none. */
  readonly share?: string
}

/** Ejected since it failed before, or failing when it is tried. */
export type PoolFault = 'down' | 'failing'

/** The load of every replica of a pool. */
export interface PoolLoad {
  /** Requests that wait at its engine. */
  readonly waiting: number
  /** How long each stream of the last 30 s waited for its first token. */
  readonly firstToken?: Millis
  /** The state of each replica, in the order of the pool. */
  readonly replicas: readonly ReplicaGiven[]
  /** Requests that have its slots, in the order in which they got them. */
  readonly inFlight: readonly RequestGroup[]
  /** Requests that wait in its queue, in the order in which they came. */
  readonly queued: readonly RequestGroup[]
}

/** The name by which a group has the account of the simulated request. */
export const SENDER = 'sender'

/** Requests of others at a pool. */
export interface RequestGroup {
  readonly requests: number
  /** The plan of their accounts; absent for that of the sender. */
  readonly plan?: Plan
  readonly org?: string
  /** The name of the account that all of them belong to; absent where each has one of its own. */
  readonly account?: string
  /** Bytes of each body. */
  readonly bytes: number
}

/** The state of a replica before a request. `running` counts requests, the rest counts tokens of prompts. */
export interface ReplicaGiven {
  /** Tokens of the beginning of this request's prompt that it has cached. */
  readonly cached: number
  readonly running: number
  readonly held: number
  readonly owed: number
}

/** An account on a plan, the bearer of a token with these claims, or the sender of an Authorization header that belongs to no account here. */
type Who = OnPlan | { readonly claims: TokenClaims } | { readonly authorization: string | undefined }

/** An account on a plan, and perhaps in an org. */
interface OnPlan {
  readonly plan: Plan
  readonly org?: string
}

/** A caller on a plan, in an org if one is named: a device where it is the plan of guests. */
export function callerOn({ plan, org }: OnPlan, { guestPlan }: Config): Caller {
  const isGuest = plan === guestPlan
  return {
    kind: isGuest ? 'guest' : 'developer',
    account: isGuest ? 'a guest' : 'an account',
    keyPrefix: null,
    terms: isGuest ? {} : { override: plan.name, ...(org !== undefined && { org }) },
  }
}

/** The usage that an account is taken to have before a request: by the name of its reading, the requests of each calendar window. */
interface Usage extends Readonly<Record<CalendarReading, number>> {
  /** Usage of the last minute, all at once, `age` ago. */
  readonly minute: { readonly requests: number; readonly tokens: number; readonly age: Millis }
  /** Settled in the month. */
  readonly month: NanoUsd
  /** Held by running requests. */
  readonly held: NanoUsd
  readonly underWay: number
  /** The spend of all guests together in the UTC day. */
  readonly guests: NanoUsd
  /** Rules whose `most` is also used, all at once and now. */
  readonly rules: readonly LimitRule[]
}

/** The counters of an account that used as much. */
export function countersOf(usage: Usage, at: EpochMs, calendar?: Calendar): AccountCounters {
  const { minute, month, held, underWay } = usage
  const { requests, tokens, age } = minute
  const bucket = { second: Math.floor((at - age) / 1000), requests, tokens }
  return {
    minute: requests > 0 || tokens > 0 ? [bucket] : [],
    calendar: calendarOf(usage, Math.floor(at / 1000)),
    concurrent: underWay,
    spend: { [keyOfWindow(windowOf(at, calendar))]: { used: month, held } },
  }
}

/** The counters of rules in a scenario. As much is used of each that counts the same, whatever the plan. */
export function ruleCountersOf({ at, usage }: Scenario): (claim: RuleClaim) => RuleCounter {
  const used = new Map(usage.rules.map(rule => [countedBy(rule), rule]))
  return ({ rule }) => {
    // The requests of a day have a counter like this where they are counted by days of a zone.
    const found = used.get(countedBy(rule)) ?? (nameOfRule(rule) === 'per_day' && { most: usage.day })
    return found && found.most > 0 ? [{ index: cellAt(rule.per, at), used: found.most, held: 0 }] : NO_CELLS
  }
}

/** A request and its world as a case, or a command line, describes them. The texts are in order. */
export type Situation = Omit<Case, 'name' | 'expect' | 'now'> & {
  readonly now?: EpochMs
  /** Hosted tools of a chat in short form. */
  readonly tools?: readonly string[]
}

/** The moment of tests that name none. */
export const SOME_DAY: EpochMs = Date.UTC(2026, 0, 1, 12)

/** The request that a situation describes; undefined when it names no sender and there is no default plan. */
export function scenarioOf(config: Config, situation: Situation): Scenario | undefined {
  const { now = SOME_DAY, usage, pools, headers, request, share } = situation
  const who = whoOf(config, situation)
  return (
    who && {
      at: now,
      who,
      ...sentBy(config, situation),
      headers: lowNames({ ...headers, ...request?.headers }),
      usage: usageOf(usage),
      pools: new Map(Object.entries(pools ?? {}).flatMap(([name, state]) => faultOf(name, state))),
      loads: new Map(Object.entries(pools ?? {}).flatMap(([name, state]) => loadOf(config, name, state))),
      ...(share !== undefined && { share }),
    }
  )
}

export const SPOKEN = ['chat', 'chat_tokens', 'input', 'prompt', 'request'] as const

export type Given = NonNullable<TestsFile['given']>

/** A case with what is given; what it says itself takes the place of that, field by field. */
export function situationOf(config: Config, given: Given, own: Omit<Case, 'name' | 'expect'>): Situation {
  const { chat, ...rest } = given
  const speaks = SPOKEN.some(field => own[field] !== undefined)
  // A model that takes no chat has a text of its own kind.
  const isChat = kindOf(config, own.model ?? given.model) === 'chat'
  const said = speaks || chat === undefined || !isChat ? {} : { chat }
  const { plan: _plan, ...anybody } = rest
  const { now, ...merged } = {
    ...(own.auth === undefined && own.claims === undefined ? rest : anybody),
    ...said,
    ...own,
  }
  const at = now === undefined ? undefined : readMoment(now)
  return { ...merged, ...(at !== undefined && { now: at }) }
}

function whoOf(config: Config, { plan, org, auth, claims }: Situation): Who | undefined {
  if (claims !== undefined) return { claims }
  if (auth !== undefined) return { authorization: auth === 'none' ? undefined : `Bearer ${auth}` }
  const found = plan === undefined ? config.defaultPlan : config.plans.get(plan)
  return found && { plan: found, ...(org !== undefined && { org }) }
}

/** The request as it is sent: as it is written, or made of the short forms. */
export function sentBy(config: Config, situation: Situation): { readonly path: Path; readonly body: Buffer } {
  const { request, stream, max_tokens: maxTokens, tools } = situation
  if (request) {
    const { path = pathOf.chat, body } = request
    return { path, body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) }
  }
  const { kind, text } = saidBy(config, situation)
  const model = situation.model === 'none' ? undefined : situation.model
  const capped = kind === 'chat' && maxTokens !== undefined && { maxTokens: unitOf('count', maxTokens) }
  const streamed = kind === 'chat' && stream !== undefined && { stream }
  const hosted = kind === 'chat' && tools !== undefined && { tools }
  return {
    path: pathOf[kind],
    body: shortBody({ kind, text, ...(model !== undefined && { model }), ...capped, ...streamed, ...hosted }),
  }
}

const HELLO = 'Hello'
/** A text of so many tokens, as routes count them; one of these is the role of the message. */
export const textOfTokens = (tokens: number): string => 'bla '.repeat(tokens - 1)

/** Where a situation has no texts, the kind of the model decides the body. */
function saidBy(
  config: Config,
  { chat, chat_tokens: tokens, input, prompt, model }: Situation,
): { kind: CaseKind; text: string } {
  if (input !== undefined) return { kind: 'embedding', text: input }
  if (prompt !== undefined) return { kind: 'image', text: prompt }
  if (chat !== undefined) return { kind: 'chat', text: chat }
  if (tokens !== undefined) return { kind: 'chat', text: textOfTokens(unitOf('count', tokens)) }
  return { kind: kindOf(config, model), text: HELLO }
}

/** The kind of request for a name. An unknown name means a chat; so does one that only pass-through routes serve, which a chat is refused. */
export function kindOf(config: Config, name: string | undefined): CaseKind {
  const found = name === undefined ? undefined : (config.models.get(name) ?? aliasNamed(config, name)?.model)
  return found === undefined || found.kind === 'passthrough' ? 'chat' : found.kind
}

function usageOf(written: WrittenUsage = {}): Usage {
  const { minute = {}, month_usd, reserved_usd, concurrent, guests_usd, limits = [] } = written
  const count = (value: string | number | undefined) => (value === undefined ? 0 : unitOf('count', value))
  const usd = (value: number | undefined) => (value === undefined ? ZERO_USD : unitOf('usd', value))
  return {
    minute: {
      requests: count(minute.requests),
      tokens: count(minute.tokens),
      age: minute.oldest === undefined ? 0 : (ago.read(minute.oldest) ?? 0),
    },
    ...calendarUsage(reading => count(written[reading]?.requests)),
    month: usd(month_usd),
    held: usd(reserved_usd),
    underWay: count(concurrent),
    guests: usd(guests_usd),
    rules: limits.flatMap(row => limitRuleOf(row) ?? []),
  }
}

const calendarUsage = (count: (reading: CalendarReading) => number) =>
  Object.fromEntries(CALENDAR_RULES.map(({ reading }) => [reading, count(reading)])) as Record<CalendarReading, number>

type PoolState = NonNullable<Situation['pools']>[string]

const faultOf = (name: string, state: PoolState): readonly [string, PoolFault][] =>
  state === 'down' || state === 'failing' ? [[name, state]] : []

function loadOf(config: Config, name: string, state: PoolState): readonly [string, PoolLoad][] {
  if (typeof state !== 'object') return []
  const { waiting = 0, first_token: firstToken, replicas = [] } = state
  const count = (value: string | number = 0) => unitOf('count', value)
  const load = {
    waiting: count(waiting),
    inFlight: groupsOf(config, state.in_flight),
    queued: groupsOf(config, state.queued),
    replicas: replicas.map(({ cached, running, held, owed }) => ({
      ...{ cached: count(cached), running: count(running), held: count(held), owed: count(owed) },
    })),
  }
  return [[name, firstToken === undefined ? load : { ...load, firstToken: unitOf('duration', firstToken) }]]
}

/** The groups that a file lists; a number is one group. */
export function groupsOf({ plans }: Config, written: WrittenRequests = []): readonly RequestGroup[] {
  if (!Array.isArray(written)) return [{ requests: unitOf('count', written), bytes: 0 }]
  return written.map(({ requests, plan: named, org, account, bytes = 0 }) => {
    const plan = named === undefined ? undefined : plans.get(named)
    return {
      requests: unitOf('count', requests),
      bytes: unitOf('size', bytes),
      ...(plan && { plan }),
      ...(org !== undefined && { org }),
      ...(account !== undefined && { account }),
    }
  })
}

/** A moment as a file or a command line writes it; undefined when it is none. */
export const readMoment = (text: string): EpochMs | undefined => moment.read(text)

export const lowNames = (headers: Readonly<Record<string, string>>): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

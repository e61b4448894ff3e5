import { type Calendar, firstDayOf, spanAt, UTC_CALENDAR } from './calendar.ts'
import type {
  Alias,
  Commit,
  EpochMs,
  HeldPrice,
  HostedTool,
  Mirror,
  Model,
  Place,
  Plan,
  Pool,
  Route,
} from './config.ts'
import {
  type Denied,
  type FrozenDenial,
  type InvalidReason,
  invalid,
  type PlanDenial,
  type QuotaDenial,
  type RateDenial,
  type RuleDenial,
  type ValidationDenial,
} from './denial.ts'
import type { Labels } from './label-values.ts'
import type { CountRule } from './limits/named-rules.ts'
import type { NoticeRule } from './limits/notice-rule.ts'
import type { Readings } from './limits/readings.ts'
import type { LimitWindow } from './limits/rule.ts'
import type { RuleClaim } from './limits/rule-claim.ts'
import type { RuleReading } from './limits/rule-counter.ts'
import { windowIn } from './limits/zoned-window.ts'
import type { NanoUsd } from './nano-usd.ts'

/** The decision on a request. `explain` says why. */
export type Decision = Allowed | DeniedAt

/** A denial, the stage that denies, and the line of the files that causes it. */
export interface DeniedAt<D extends DecidedDenial = DecidedDenial> extends Denied<D> {
  readonly stage: Stage
  readonly at?: Place
}

type DecidedDenial = ValidationDenial | PlanDenial | FrozenDenial

export type InvalidAt = DeniedAt<ValidationDenial>

/** The stages of a decision. `rate`, `quota` and `send` deny later, at the admission and the dispatch. */
export type Stage = 'who' | 'body' | 'model' | 'route' | 'gate' | 'rate' | 'quota' | 'send'

/** The terms of an allowed request, kept as long as the request runs. */
export interface Allowed {
  /** The alias that selected the model: the one in the request, or the default. */
  readonly alias?: Alias
  readonly plan: Plan
  readonly model: Model
  /** The route that upgraded the request. */
  readonly route?: Route
  /** In the order of attempts. */
  readonly pools: readonly Pool[]
  readonly claims: Claims
  /** Hosted tools that the model may call. */
  readonly tools?: readonly HostedTool[]
  readonly commit: Commit
  /** The requested size of images, or the model's first. */
  readonly imageSize?: string
  /** The request's label values by label, from its key or else from its headers. Absent without labels. */
  readonly labels?: Labels
  /** The notices that the files declare. Absent for guests, and if there are none. */
  readonly notices?: readonly NoticeRule[]
  /** The mirror that gets a copy of the request. Absent if the request is outside the sample. */
  readonly mirror?: Mirror
}

/** A request's claims on an account's limits: all of them are granted in one step, or none. */
export interface Claims {
  /** Counted rules with a name, whose counters are in the record of the account. */
  readonly limits: readonly CountRule[]
  /** All other rules, each with its counter. Absent where there are none. */
  readonly rules?: readonly RuleClaim[]
  /** Prompt tokens. Token limits count them and the granted output. */
  readonly input: number
  readonly spend: SpendClaim
  readonly output: OutputClaim
  /** Images and seconds that limits may count; absent where the request has neither. */
  readonly pieces?: Pieces
}

/** The most images and seconds of a request. */
export interface Pieces {
  /** Images to generate. */
  readonly images?: number
  /** Seconds of a backend's time, if it is paid by the second. */
  readonly seconds?: number
}

export interface SpendClaim {
  /** Absent when overage has no cap: the request is recorded, never refused. */
  readonly limit?: NanoUsd
  /** The plan's own allotment, which clients see. */
  readonly allotment: NanoUsd
  readonly overageEnabled: boolean
  readonly window: Window
  readonly price: HeldPrice
  /** Priced pieces: the requested images; for hosted tools, nano-USD at a price of 1. */
  readonly items: number
}

/** Output tokens per choice, granted between `min` and `want` as the token and spend limits allow. Both are 0 if nothing is generated as text. */
export interface OutputClaim {
  readonly want: number
  readonly min: number
  readonly choices: number
}

/** A billing window: start <= at < end. */
export interface Window {
  readonly start: EpochMs
  readonly end: EpochMs
  /**
   * UTC midnight of the window's first day. Spend and credit are stored under it, so that a month keeps them when its zone changes.
   * Like `per`, absent for UTC months that begin on the 1st; their key is their start.
   */
  readonly key?: EpochMs
  /** The name of the month in counters, with its zone. */
  readonly per?: LimitWindow
}

/** The moment under which a billing window's spend and credit are stored. */
export const keyOfWindow = ({ start, key = start }: Window): EpochMs => key

/** The verdict of `judge` on claims. */
export type Verdict = Admit | Refuse

export interface Admit {
  readonly granted: Granted
  readonly readings: Readings
  /** The use of each rule among the claims, in their order. */
  readonly rules?: readonly RuleReading[]
}

export interface Refuse extends Denied<RateDenial | RuleDenial | QuotaDenial> {
  readonly readings: Readings
  /** The use of each rule among the claims, in their order. */
  readonly rules?: readonly RuleReading[]
}

/** The grant of an admission, held until it settles. */
export interface Granted {
  /** Output cap per choice; it is sent to the backend, so that the bound binds. */
  readonly output: number
  /** Tokens held: input, and output of every choice. */
  readonly tokens: number
  readonly cost: NanoUsd
}

/** A record that is built field by field: spreading optional fields would cost more than the rest of a decision. */
export type Mutable<T> = { -readonly [Field in keyof T]: T[Field] }

/** The billing window at a moment: a month of the calendar. */
export function windowOf(at: EpochMs, calendar: Calendar = UTC_CALENDAR): Window {
  const { index, start, end } = spanAt('month', calendar, at)
  const per = windowIn('month', calendar)
  return per === 'month' ? { start, end } : { start, end, key: firstDayOf('month', calendar, index) * DAY_MS, per }
}

const DAY_MS = 86_400_000

/** Refuses a field at a stage, with its position in the files. */
export function invalidAt(stage: Stage, field: string, problem: string, at?: Place, reason?: InvalidReason): InvalidAt {
  const denied = { ...invalid(field, problem, reason), stage }
  return at ? { ...denied, at } : denied
}

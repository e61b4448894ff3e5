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
import type { LimitWindow } from './limits/limit-rule.ts'
import type { CountRule } from './limits/named-rules.ts'
import type { NoticeRule } from './limits/notice-rule.ts'
import type { Readings } from './limits/readings.ts'
import type { RuleClaim } from './limits/rule-claim.ts'
import type { RuleReading } from './limits/rule-counter.ts'
import { windowIn } from './limits/zoned-window.ts'
import type { NanoUsd } from './nano-usd.ts'

/** The decision on a request. `explain` says why. */
export type Decision = Allowed | DeniedAt

/** A denial, the stage that denies, and the line of the files that it stands on. */
export interface DeniedAt<D extends DecidedDenial = DecidedDenial> extends Denied<D> {
  readonly stage: Stage
  readonly at?: Place
}

type DecidedDenial = ValidationDenial | PlanDenial | FrozenDenial

export type InvalidAt = DeniedAt<ValidationDenial>

/** The stages of a decision in words; `rate`, `quota` and `send` deny only later, when the limits are asked. */
export type Stage = 'who' | 'body' | 'model' | 'route' | 'gate' | 'rate' | 'quota' | 'send'

/** The terms of an allowed request, kept as long as the request runs. */
export interface Allowed {
  /** The alias the request came by, named or by default. */
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
  /** The size of the images asked for, or the model's first. */
  readonly imageSize?: string
  /** The values of its labels, by label: of its key, or else of its headers. Absent where it has none. */
  readonly labels?: Labels
  /** The notices of the files; absent where there are none, and for guests. */
  readonly notices?: readonly NoticeRule[]
  /** Where a copy of the request goes. Absent where it is in no sample. */
  readonly mirror?: Mirror
}

/** A request's claims on an account's limits: all of them are granted in one step, or none. */
export interface Claims {
  /** Counted rules with a name, whose counters are in the record of the account. */
  readonly limits: readonly CountRule[]
  /** All other rules, each with its counter. Absent where there are none. */
  readonly rules?: readonly RuleClaim[]
  /** Prompt tokens: they and the granted output are what is taken of limits of tokens. */
  readonly input: number
  readonly spend: SpendClaim
  readonly output: OutputClaim
  /** Images and seconds that limits may count; absent where the request has neither. */
  readonly pieces?: Pieces
}

/** The most images and seconds of a request. */
export interface Pieces {
  /** Images that are made. */
  readonly images?: number
  /** Seconds of a backend's time, where it is paid by the second. */
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
  /** Pieces that are paid for: images asked for; for hosted tools, nano-USD at a price of 1. */
  readonly items: number
}

/** Output tokens per choice, 0 where nothing is said: granted between min and want, as much as the tokens and spend limits leave. */
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
   * The midnight, UTC, of its first day, by which spend and credit are stored: a month keeps them where its zone changes. Absent,
   * as the next one, for months of UTC that begin on the 1st, whose key is their start.
   */
  readonly key?: EpochMs
  /** The month as counters name it, with its zone. */
  readonly per?: LimitWindow
}

/** The moment by which the spend of a billing window, and the credit for it, are stored. */
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

/** A thing that is built field by field: to spread what may be there costs more than all the rest of a decision. */
export type Mutable<T> = { -readonly [Field in keyof T]: T[Field] }

/** The billing window of a moment: its month. */
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

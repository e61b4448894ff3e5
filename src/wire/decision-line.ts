import type { EpochMs } from '../policy/config.ts'
import type { Granted, Mutable } from '../policy/decision.ts'
import type { Denial } from '../policy/denial.ts'
import {
  type Caller,
  type CallerKey,
  type Facts,
  type Health,
  type InferenceRequest,
  type OrgTerms,
  type StoredTerms,
  termsOfStored,
} from '../policy/facts.ts'
import { readingsOfStored, type StoredReadings, storedReadings } from '../policy/limits/readings.ts'
import type { ClaimsLine, DecisionRecord, Judged, Outcome, Seen } from '../policy/record.ts'

/** The form of these lines: older gateways wrote others. */
export const LINE_VERSION = 2

/**
 * A line of the decision log, which is a record laid out to be read fast: first what is the request's own, then what
 * it has in common with many others, last what few readers need.
 */
export type DecisionLine = OwnPart & SharedPart & LastPart

export interface OwnPart {
  readonly v: typeof LINE_VERSION
  readonly id: string
  readonly at: EpochMs
  readonly account: string
  /** The key that the request came with. Absent for a sign-in, and in lines of older gateways. */
  readonly key?: Omit<CallerKey, 'name'>
  readonly request: InferenceRequest
  readonly seen?: SeenPart
  /** Either this or the denial ends the part. */
  readonly granted?: Granted
  readonly denial?: Denial
}

export interface SharedPart {
  readonly revision: string
  readonly caller: Caller['kind']
  readonly terms: StoredTerms
  /** The terms of the account's org. Absent where it has none. */
  readonly orgTerms?: OrgTerms
  readonly health: Health
  readonly signals: Facts['signals']
  readonly verdict: Outcome['verdict']
  readonly plan: string
  readonly model?: string
  readonly route?: string
  readonly pools?: readonly string[]
}

export interface LastPart {
  readonly claims?: ClaimsLine
  /** The minute as it was read. Only where there are claims. */
  readonly minute?: NonNullable<Judged['minute']>
}

type SeenPart = Exclude<Seen, Judged> | (Omit<Judged, 'minute' | 'readings'> & { readonly readings: StoredReadings })

/** The record of a line, without claims and minute where none are given. */
export function recordOfLine(own: OwnPart, shared: SharedPart, { claims, minute }: LastPart = {}): DecisionRecord {
  const { id, at, account, key, request, seen, granted, denial } = own
  const { revision, caller: kind, health, signals, verdict, plan } = shared
  const outcome: Mutable<Outcome> = withChoice({ verdict, plan }, shared)
  if (denial) outcome.denial = denial
  if (granted) outcome.granted = granted
  if (claims) outcome.claims = claims
  const terms = termsOfStored(shared.terms)
  const caller: Mutable<Caller> = { kind, account, keyPrefix: null, terms }
  if (shared.orgTerms) caller.orgTerms = shared.orgTerms
  if (key) caller.key = key
  const facts: Facts = { at, caller, request, health, signals }
  return seen ? { id, revision, facts, seen: seenOf(seen, minute), outcome } : { id, revision, facts, outcome }
}

type Choice = { readonly [Field in 'model' | 'route' | 'pools']?: Outcome[Field] | undefined }

function withChoice<T extends object>(
  to: T,
  { model, route, pools }: Choice,
): T & Mutable<Pick<Outcome, keyof Choice>> {
  const chosen: T & Mutable<Pick<Outcome, keyof Choice>> = to
  if (model !== undefined) chosen.model = model
  if (route !== undefined) chosen.route = route
  if (pools) chosen.pools = pools
  return chosen
}

function seenOf(seen: SeenPart, minute: Judged['minute']): Seen {
  if (!('readings' in seen)) return seen
  const judged = { ...seen, readings: readingsOfStored(seen.readings) }
  return minute ? { ...judged, minute } : judged
}

/** A record with the names of its line, for programs that read both. */
export function namedAsInLine(record: DecisionRecord): object {
  const { seen } = record
  if (!seen || !('readings' in seen)) return record
  return { ...record, seen: { ...seen, readings: storedReadings(seen.readings) } }
}

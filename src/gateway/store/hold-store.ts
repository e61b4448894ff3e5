import type { EpochMs, Millis } from '../../policy/config.ts'
import type { Charge, Hold } from '../../policy/counters/account-counters.ts'
import type { Claims, Refuse } from '../../policy/decision.ts'
import type { OrgTerms, Terms } from '../../policy/facts.ts'
import type { Readings } from '../../policy/limits/readings.ts'
import type { CounterName, JoinedCell } from '../../policy/limits/rule-claim.ts'
import type { RuleCounter, RuleReading, RuleUse } from '../../policy/limits/rule-counter.ts'
import type { NanoUsd } from '../../policy/nano-usd.ts'
import type { Judged } from '../../policy/record.ts'
import type { Checkpoint } from '../../records/hold.ts'

/**
 * Admission and its end: one facet of the Store, see there for atomicity, clock and outages.
 *
 * A request holds what it was granted from `admit` to `settle` or `refund`, each of which has an effect once per
 * request id. A hold is a lease of LEASE_MS that `heartbeat` renews. `sweep` settles a hold whose lease ran out at its
 * last checkpoint, as an orphan; a settlement that arrives after that charges the difference.
 */
export interface HoldStore {
  /** Judges the claims and takes what they are granted, in one step. Repeating a request id changes nothing. */
  admit(admission: Admission): Promise<Admitted>
  /** Begins the counters of rules that have not begun. */
  beginCounters(account: string, begun: readonly BegunCounter[]): Promise<void>
  /** The use of the rules among claims at this moment, in their order. */
  readRules(account: string, claims: Pick<Claims, 'rules'>): Promise<readonly RuleReading[]>
  /** Judges and takes another round of a running request. Repeating a round changes nothing. */
  extend(extension: Extension): Promise<Extended>
  /**
   * Renews the leases of running requests and keeps their checkpoints. An orphan holds again what it held, less what it was
   * charged, even past a limit. Resolves to the ids of these. Requests that ended otherwise are ignored.
   */
  heartbeat(heartbeats: readonly Heartbeat[]): Promise<readonly string[]>
  /** Ends a hold at what the request used and writes its ledger row, once per request id. Durable. */
  settle(settlement: Settlement): Promise<void>
  /** Ends a hold without a charge. Requests of the minute and the day are not given back. Durable. */
  refund(hold: Hold): Promise<void>
  /** Settles holds whose lease ran out at their last checkpoint; one without a checkpoint costs nothing. Resolves to how many there were. */
  sweep(): Promise<number>
}

/** How long a hold outlives its last heartbeat. */
export const LEASE_MS: Millis = 30_000

/** A request to be admitted. */
export interface Admission {
  readonly requestId: string
  /** The hash of the key; absent for a sign-in, which needs no key. */
  readonly keyHash?: string
  readonly account: string
  /** The terms of the account that the claims were made for. */
  readonly terms: Terms
  /** Those of its org. */
  readonly orgTerms?: OrgTerms
  readonly claims: Claims
  /** A limit of one UTC day that all guests share, taken beside the account's own; given back as the hold is. */
  readonly shared?: { readonly limit: NanoUsd }
  /** Judges without taking anything: an answer that admits has the hold that an admission would make, and nothing is counted. */
  readonly isTrial?: boolean
}

export type Admitted =
  | {
      readonly outcome: 'admitted'
      readonly hold: Hold
      readonly readings: Readings
      /** The use of each rule among the claims; absent for a repetition. */
      readonly rules?: readonly RuleUse[]
    }
  | AdmissionDenied
  /** Counters of rules that begin with what the ledger knows: nothing was taken. Begin them, and ask again. */
  | { readonly outcome: 'counters-missing'; readonly counters: readonly CounterName[]; readonly at: EpochMs }
  /** The key stopped working since it was looked up, or the account is gone. */
  | { readonly outcome: 'key-gone' }
  /** Terms of the account or of its org, or the window changed in between: decide again with these. */
  | { readonly outcome: 'stale'; readonly terms: Terms; readonly orgTerms?: OrgTerms; readonly at: EpochMs }
  /** The daily limit of all guests is spent or held; it is renewed at midnight UTC. */
  | { readonly outcome: 'guests-spent'; readonly retryAfterMs: Millis; readonly judged: Judged }

/** A counter of rules, and what it begins with. */
export interface BegunCounter {
  readonly name: CounterName
  readonly counter: RuleCounter
}

/** A limit refused the claims; nothing was taken. `readings` are those in `judged`. */
export interface AdmissionDenied extends Refused {
  readonly judged: Judged
  /** The last second that counts in the minute of the account; 0 where none does. */
  readonly newest: number
}

/** A limit refused. The admission has the readings of rules. */
export type Refused = Omit<Refuse, 'rules'>

/** Another round of a running request. */
export interface Extension {
  readonly hold: Hold
  /** The round of the hold plus one. */
  readonly round: number
  /** The usage of the rounds so far: the checkpoint from here on. */
  readonly soFar: Settlement
  /** The claims of the new round. Its requests, day and concurrency are not judged again. */
  readonly claims: Claims
}

export type Extended =
  | { readonly outcome: 'extended'; readonly hold: Hold }
  /** A limit refused the round, and nothing changed: the request may still be settled at its usage so far. */
  | Refused
  /** The hold ended, because its lease ran out; one that was charged as an orphan gets no further round. */
  | { readonly outcome: 'ended' }

/** The heartbeat of a running request. */
export interface Heartbeat {
  readonly hold: Hold
  /** Its checkpoint: what it would be settled at now. Absent before it was dispatched. */
  readonly soFar?: Settlement
}

/** A request's charge: its tokens of the minute, and its bill. */
export interface Settlement extends Checkpoint {
  readonly hold: Hold
  /** Counters of limits that came while it ran, which are charged with the first of its rows. */
  readonly joined?: readonly JoinedCell[]
}

/** The part of a settlement that counts against the limits of the account. */
export function chargeOf({ tokens, bill, pieces }: Settlement): Charge {
  const charge = { tokens, cost: bill.cost, input: bill.inputTokens }
  return pieces ? { ...charge, pieces } : charge
}

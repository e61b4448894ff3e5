import type { Charge, Hold } from '../policy/counters/account-counters.ts'
import type { Pieces } from '../policy/decision.ts'
import type { StoredReadings } from '../policy/limits/readings.ts'
import type { HeldRules, TakenCell, Weight } from '../policy/limits/rule-claim.ts'
import type { Watch } from '../policy/notices.ts'
import { type Fields, type RecordOf, shapeOf } from './fields.ts'
import { BILL } from './ledger-row.ts'
import { flag, jsonOf, list, moment, nanoUsds, number, optional, record, text, yes } from './shape.ts'

// The hold of a running request, declared once. The types that policy decides with are in policy: a field added there
// does not compile until it has its shape here.

export const PIECES = record<Pieces>({ images: optional(number), seconds: optional(number) })

export const CHARGE = record<Charge>({
  tokens: number,
  cost: nanoUsds,
  input: optional(number),
  pieces: optional(PIECES),
})

const WEIGHT = record<Weight>({ input: number, output: number, images: number, seconds: number, cost: number })
const TAKEN_CELL = record<TakenCell>({ group: text, field: text, cell: number })
const HELD_RULES = record<HeldRules>({ weight: WEIGHT, taken: list(TAKEN_CELL) })

export const HOLD = record<Hold>({
  requestId: text,
  account: text,
  second: number,
  window: number,
  at: number,
  round: number,
  output: number,
  tokens: number,
  cost: nanoUsds,
  spent: CHARGE,
  rules: optional(HELD_RULES),
  apart: optional(flag),
})

/** Amounts a request would settle at, without its hold. */
export const CHECKPOINT = {
  /** The tokens that count in the minute; for images fewer than their model counts. */
  tokens: number,
  bill: shapeOf(BILL),
  /** Images and seconds, which limits count beside tokens and cost; absent if there are neither. */
  pieces: optional(PIECES),
  /** The limits that notices are about; absent if there are none. */
  watches: optional(jsonOf<readonly Watch[]>()),
} satisfies Fields

export interface Checkpoint extends RecordOf<typeof CHECKPOINT> {}

const READINGS = record<StoredReadings>({
  requests: number,
  tokens: number,
  day: number,
  open: number,
  used: nanoUsds,
  held: nanoUsds,
})

/** A running request as a backup has it. */
const HOLD_STATE = {
  hold: HOLD,
  readings: READINGS,
  leaseUntil: moment,
  /** Its checkpoint. */
  soFar: optional(shapeOf(CHECKPOINT)),
  /** It counts against the daily limit of all guests. */
  shared: optional(yes),
} satisfies Fields

/** A running request, whose hold counts in no other record. */
export interface HoldState extends RecordOf<typeof HOLD_STATE> {}

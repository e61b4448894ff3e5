import type { Admission, Admitted, Extension, Heartbeat, Settlement } from '../../gateway/store/hold-store.ts'
import type { KeptBounds, KeptResponse } from '../../gateway/store/response-store.ts'
import type { HeldPrice } from '../../policy/config.ts'
import type { Claims, OutputClaim, SpendClaim, Window } from '../../policy/decision.ts'
import { COUNT_RULES, type CountRule } from '../../policy/limits/named-rules.ts'
import type { Readings } from '../../policy/limits/readings.ts'
import { type LimitWindow, MEASURES, NAMED_WINDOWS } from '../../policy/limits/rule.ts'
import type { RuleClaim } from '../../policy/limits/rule-claim.ts'
import type { RuleUse } from '../../policy/limits/rule-counter.ts'
import { CHECKPOINT, HOLD, PIECES } from '../../records/hold.ts'
import {
  bytes,
  constant,
  either,
  flag,
  json,
  list,
  nanoUsds,
  number,
  optional,
  record,
  repeatedJson,
  text,
  word,
} from '../../records/shape.ts'

// The messages of each request, after the parts that they are made of.

const price = record<HeldPrice>({ input: nanoUsds, output: nanoUsds, item: optional(nanoUsds) })
const window = record<Window>({ start: number, end: number, key: optional(number), per: optional(word<LimitWindow>()) })

/** Both sides have the table of named rules. */
const countRule = record<CountRule>({
  name: constant(COUNT_RULES.map(({ name }) => name)),
  measure: constant(MEASURES),
  most: number,
  per: optional(constant<LimitWindow>(NAMED_WINDOWS)),
})
const ruleClaim = record<RuleClaim>({ group: text, field: text, rule: repeatedJson })
const spend = record<SpendClaim>({
  limit: optional(nanoUsds),
  allotment: nanoUsds,
  overageEnabled: flag,
  window,
  price,
  items: number,
})
const output = record<OutputClaim>({ want: number, min: number, choices: number })

const claims = record<Claims>({
  limits: list(countRule),
  rules: optional(list(ruleClaim)),
  input: number,
  spend,
  output,
  pieces: optional(PIECES),
})

export const settlement = record<Settlement>({
  hold: HOLD,
  ...CHECKPOINT,
  joined: optional(json),
})
export const heartbeat = record<Heartbeat>({ hold: HOLD, soFar: optional(settlement) })
export const extension = record<Extension>({ hold: HOLD, round: number, soFar: settlement, claims })

export const admission = record<Admission>({
  requestId: text,
  keyHash: optional(text),
  account: text,
  terms: repeatedJson,
  orgTerms: optional(repeatedJson),
  claims,
  shared: optional(record<NonNullable<Admission['shared']>>({ limit: nanoUsds })),
  isTrial: optional(flag),
})

const readings = record<Readings>({
  requests: number,
  tokens: number,
  day: number,
  concurrent: number,
  used: nanoUsds,
  held: nanoUsds,
})
const ruleUse = record<RuleUse>({ index: number, used: number, held: number })

type Granted = Extract<Admitted, { readonly outcome: 'admitted' }>
const ADMITTED = ['admitted'] as const

/** A refusal is JSON. */
export const admitted = either<Admitted, 'outcome', 'admitted'>(
  'outcome',
  'admitted',
  record<Granted>({
    outcome: constant(ADMITTED),
    hold: HOLD,
    readings,
    rules: optional(list(ruleUse)),
  }),
  json,
)

export const keptResponse = record<KeptResponse>({
  account: text,
  id: text,
  items: list(text),
  sealed: bytes,
  keep: number,
})
export const keptBounds = record<KeptBounds>({ bytes: number, responses: number, total: number })

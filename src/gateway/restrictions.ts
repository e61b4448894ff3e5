import type { StoredTerms } from '../policy/facts.ts'
import {
  isIdle,
  kindOf,
  type LimitRule,
  type Measure,
  type NAMED_WINDOWS,
  type ScopeKind,
} from '../policy/limits/rule.ts'
import type { AccountState, OrgRecord } from '../records/account.ts'
import type { KeyState } from '../records/key.ts'
import { type SchemaStep, TERMS_MEMBERS, termsStepOf } from '../records/terms.ts'

/** The greatest step. A restriction that this build is the first to know takes the next one. */
export const NEWEST_STEP = 1

/** A step for each member of a record: the compiler refuses a record with a member that has none. */
export type StepsOf<Stored> = { readonly [Member in keyof Stored]-?: SchemaStep }

export const KEY_STEPS: StepsOf<KeyState> = {
  hash: 0,
  account: 0,
  keyPrefix: 0,
  createdAt: 0,
  number: 0,
  id: 0,
  name: 0,
  status: 0,
  lastUsedAt: 0,
  // The key that replaced this one. Its own status or `expiresAt` ends it.
  replacedBy: 0,
  origin: 0,
  expiresAt: 1,
  models: 1,
  addresses: 1,
  limits: 1,
  apart: 1,
  labels: 1,
}

export const ACCOUNT_STEPS: StepsOf<AccountState> = {
  account: 0,
  kind: 0,
  label: 0,
  createdAt: 0,
  activeKey: 0,
  keys: 0,
  believedAt: 0,
  // Older builds accept none.
  invitation: 0,
  // An older build would open an account of its own for the sign-in, with a second quota and past a freeze.
  signIns: 1,
  // An older build sends none.
  contacts: 0,
  // Its members have steps of their own.
  terms: 0,
}

export const ORG_STEPS: StepsOf<OrgRecord> = { org: 0, createdAt: 0, terms: 0 }

export const TERMS_STEPS = Object.fromEntries(
  TERMS_MEMBERS.map(member => [member, termsStepOf(member)]),
) as StepsOf<StoredTerms>

/** The members of a limit and the words in them: a limit on what an older build cannot count restricts as well. */
const RULE_STEPS: StepsOf<LimitRule> = { measure: 1, most: 1, per: 1, of: 1, model: 1, lastTurn: 1, warn: 1 }

const MEASURE_STEPS: Readonly<Record<Measure, SchemaStep>> = {
  requests: 1,
  tokens: 1,
  input_tokens: 1,
  output_tokens: 1,
  images: 1,
  seconds: 1,
  usd: 1,
  concurrent: 1,
}

const WINDOW_STEPS: Readonly<Record<(typeof NAMED_WINDOWS)[number], SchemaStep>> = {
  second: 1,
  minute: 1,
  hour: 1,
  day: 1,
  week: 1,
  month: 1,
  quarter: 1,
}

const SCOPE_STEPS: Readonly<Record<ScopeKind, SchemaStep>> = {
  account: 1,
  key: 1,
  user: 1,
  session: 1,
  label: 1,
  plan: 1,
  org: 1,
  everybody: 1,
}

/** The step of a key, or of the part of one that is about to be written. */
export const stepOfKey = (key: Partial<KeyState>): SchemaStep =>
  greatestStep(stepOf(key, KEY_STEPS), stepOfRules(key.limits))

/** The step of an account. */
export const stepOfAccount = (account: Partial<AccountState>): SchemaStep =>
  greatestStep(stepOf(account, ACCOUNT_STEPS), stepOfTerms(account.terms ?? {}))

/** The step of an org. */
export const stepOfOrg = (org: Partial<OrgRecord>): SchemaStep =>
  greatestStep(stepOf(org, ORG_STEPS), stepOfTerms(org.terms ?? {}))

/** The step of the terms of an account or an org. */
export const stepOfTerms = (terms: StoredTerms): SchemaStep =>
  greatestStep(stepOf(terms, TERMS_STEPS), stepOfRules(terms.limits))

const stepOfRules = (rules: readonly LimitRule[] = []): SchemaStep => greatestStep(...rules.map(stepOfRule))

function stepOfRule(rule: LimitRule): SchemaStep {
  const { measure, per, of } = rule
  const window = per === undefined ? 0 : (WINDOW_STEPS as Readonly<Record<string, SchemaStep>>)[per]
  return greatestStep(
    stepOf(rule, RULE_STEPS),
    MEASURE_STEPS[measure],
    isIdle(per) ? SCOPE_STEPS.session : (window ?? 0),
    of === undefined ? 0 : SCOPE_STEPS[kindOf(of)],
  )
}

/** The greatest step of the members that a record has. */
function stepOf<Stored extends object>(record: Partial<Stored>, steps: StepsOf<Stored>): SchemaStep {
  let step: SchemaStep = 0
  for (const [member, value] of Object.entries(record))
    if (value !== undefined) step = greatestStep(step, steps[member as keyof Stored])
  return step
}

/** A member that is in no table comes from a newer build, and restricts nothing: what does has a step, which refuses the store. */
export const greatestStep = (...steps: readonly (SchemaStep | undefined)[]): SchemaStep =>
  Math.max(0, ...steps.map((step = 0) => step)) as SchemaStep

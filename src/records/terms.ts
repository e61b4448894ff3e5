import type { Overage } from '../policy/config.ts'
import type { StoredTerms, Terms } from '../policy/facts.ts'
import { countedBy, type LimitRule } from '../policy/limits/rule.ts'

/**
 * The amount by which a stored member raises the schema of its store. An older build drops members that it does not know, so one
 * that restricts a key or an account has a step that older builds refuse. 0: every build that can open the store enforces the
 * member, or may ignore it.
 */
export type SchemaStep = 0 | 1

/** How the terms of accounts and orgs are stored and compared, by member. */
type Members = {
  readonly [Member in keyof Terms]-?: {
    readonly step: SchemaStep
    /** The value in the text that Redis keeps; undefined leaves the member out. */
    readonly write: (value: NonNullable<StoredTerms[Member]>) => unknown
    readonly isSame: (one: Terms[Member], other: Terms[Member]) => boolean
  }
}

const asItIs = <T>(value: T): T => value
const isEqual = <T>(one: T, other: T): boolean => one === other
const NO_LIMITS: readonly LimitRule[] = []
const NO_GRANTS: NonNullable<Terms['grants']> = {}

/** A new member does not compile until it is here, and goes to the end: scripts of Redis compare texts. */
const MEMBERS: Members = {
  override: { step: 0, write: asItIs, isSame: isEqual },
  claimed: { step: 0, write: asItIs, isSame: isEqual },
  overage: { step: 0, write: asItIs, isSame: (one, other) => overageKey(one) === overageKey(other) },
  grants: {
    step: 0,
    write: grants => {
      const sorted = Object.entries(grants).sort(([a], [b]) => Number(a) - Number(b))
      return sorted.length > 0 ? Object.fromEntries(sorted) : undefined
    },
    isSame: (one = NO_GRANTS, other = NO_GRANTS) => {
      const windows = Object.keys(one)
      const isSameIn = (window: string) => one[Number(window)] === other[Number(window)]
      return windows.length === Object.keys(other).length && windows.every(isSameIn)
    },
  },
  frozen: { step: 1, write: asItIs, isSame: isEqual },
  org: { step: 1, write: asItIs, isSame: isEqual },
  limits: {
    step: 1,
    write: limits => (limits.length > 0 ? limits : undefined),
    isSame: (one = NO_LIMITS, other = NO_LIMITS) =>
      one === other || (one.length === other.length && one.every((limit, index) => isSameLimit(limit, other[index]))),
  },
  // An older build would keep the org as an operator's choice.
  orgClaimed: { step: 0, write: asItIs, isSame: isEqual },
  deactivated: { step: 1, write: asItIs, isSame: isEqual },
}

const overageKey = (overage: Overage | undefined): boolean | number | undefined =>
  typeof overage === 'object' ? overage.capNanoUsd : overage

const isSameLimit = (one: LimitRule, other: LimitRule | undefined): boolean =>
  other !== undefined && one.most === other.most && countedBy(one) === countedBy(other)

type Member = keyof Terms

/** The members of terms, in the order in which they are stored. */
export const TERMS_MEMBERS = Object.keys(MEMBERS) as readonly Member[]

export const termsStepOf = (member: Member): SchemaStep => MEMBERS[member].step

/** Whether two terms are equal, whatever the order of their members. Usually they are the same object. */
export const sameTerms = (one: Terms, other: Terms): boolean =>
  one === other || TERMS_MEMBERS.every(member => isSameIn(member, one, other))

function isSameIn(member: Member, one: Terms, other: Terms): boolean {
  const isSame: (one: never, other: never) => boolean = MEMBERS[member].isSame
  return isSame(one[member] as never, other[member] as never)
}

/** The text of stored terms; the same for equal terms with any order of members. */
export function termsTextOf(stored: StoredTerms): string {
  const written: Partial<Record<Member, unknown>> = {}
  for (const member of TERMS_MEMBERS) if (stored[member] !== undefined) written[member] = writtenIn(member, stored)
  return JSON.stringify(written)
}

function writtenIn(member: Member, stored: StoredTerms): unknown {
  const write: (value: never) => unknown = MEMBERS[member].write
  return write(stored[member] as never)
}

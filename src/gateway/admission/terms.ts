import type { EpochMs, Overage } from '../../policy/config.ts'
import type { OrgTerms, Terms } from '../../policy/facts.ts'
import { countedBy, type LimitRule } from '../../policy/limits/limit-rule.ts'
import { type NanoUsd, nanoUsd, ZERO_USD } from '../../policy/nano-usd.ts'
import { type CountedLimit, limitText } from '../../wire/admin/limit.ts'
import { usdText } from '../../wire/money.ts'
import type { AuditRow, TermsChange } from '../store/account-store.ts'
import { orgId } from '../store/org-store.ts'

/** Keep the 8 newest grants. Not by age: a fast clock would drop the current one. */
const GRANTS_KEPT = 8

/** Terms after a change, and what the audit says of it. */
interface Changed extends Pick<AuditRow, 'action' | 'before' | 'after'> {
  readonly terms: Terms
}

export function changed(terms: Terms, change: TermsChange['change']): Changed {
  if ('override' in change) return setTo(terms, 'override', change.override, 'set-plan', plan => plan ?? '')
  if ('overage' in change) return setTo(terms, 'overage', change.overage, 'set-overage', overageText)
  if ('org' in change) return setTo(terms, 'org', change.org, 'set-org', orgText)
  if ('frozen' in change)
    return setTo(terms, 'frozen', change.frozen || null, change.frozen ? 'freeze' : 'thaw', frozenText)
  if ('limit' in change) return limited(terms, change.limit)
  if ('withoutLimit' in change) return unlimited(terms, change.withoutLimit)
  return granted(terms, change)
}

/** Terms with one of them set anew, or without it. */
function setTo<Name extends keyof Terms>(
  current: Terms,
  name: Name,
  value: Terms[Name] | null,
  action: AuditRow['action'],
  text: (value: Terms[Name] | null) => string,
): Changed {
  const { [name]: before, ...others } = current
  const terms = value === null ? others : { ...others, [name]: value }
  return { terms, action, before: text(before), after: text(value) }
}

function limited(terms: Terms, limit: LimitRule): Changed {
  const { limits, before } = withoutLimit(terms, limit)
  return {
    terms: { ...terms, limits: [...limits, limit] },
    action: 'set-limit',
    before: before ? limitText(before) : '',
    after: limitText(limit),
  }
}

function unlimited(terms: Terms, counted: CountedLimit): Changed {
  const { limits, before } = withoutLimit(terms, counted)
  const { limits: _before, ...others } = terms
  return {
    terms: limits.length === 0 ? others : { ...others, limits },
    action: 'unset-limit',
    before: before ? limitText(before) : '',
    after: '',
  }
}

/** The limits but for the one that counts the same, and that one. */
function withoutLimit({ limits = [] }: Terms, counted: CountedLimit) {
  const isOther = (limit: LimitRule) => countedBy(limit) !== countedBy(counted)
  return { limits: limits.filter(isOther), before: limits.find(limit => !isOther(limit)) }
}

function granted(terms: Terms, { window, grant }: { readonly window: EpochMs; readonly grant: NanoUsd }): Changed {
  const before = terms.grants?.[window] ?? ZERO_USD
  const after = nanoUsd(Math.max(0, before + grant))
  const grants = { ...terms.grants, [window]: after }
  return {
    terms: withGrants(terms, grants),
    action: 'grant',
    before: grantText(before),
    after: grantText(after),
  }
}

export function withClaim({ claimed: _before, ...terms }: Terms, claimed: string | undefined): Terms {
  return claimed === undefined ? terms : { ...terms, claimed }
}

/** Whether they say the same, in whatever order. Mostly they are the same object. */
export const sameTerms = (a: Terms, b: Terms): boolean => a === b || COMPARISONS.every(isSame => isSame(a, b))

/** Compares each member: a new one does not compile until it is here. */
const SAME: { readonly [Member in keyof Terms]-?: (a: Terms, b: Terms) => boolean } = {
  override: (a, b) => a.override === b.override,
  claimed: (a, b) => a.claimed === b.claimed,
  overage: (a, b) => overageKey(a.overage) === overageKey(b.overage),
  frozen: (a, b) => a.frozen === b.frozen,
  org: (a, b) => a.org === b.org,
  limits: (a, b) => sameLimits(a.limits, b.limits),
  grants: (a, b) => sameGrants(a.grants, b.grants),
}

const COMPARISONS = Object.values(SAME)

const NO_LIMITS: NonNullable<Terms['limits']> = []

const sameLimits = (a = NO_LIMITS, b = NO_LIMITS): boolean =>
  a === b || (a.length === b.length && a.every((limit, index) => sameLimit(limit, b[index])))

const sameLimit = (a: LimitRule, b: LimitRule | undefined): boolean =>
  b !== undefined && a.most === b.most && countedBy(a) === countedBy(b)

/** Whether an org that is there says the same. */
export const sameOrgTerms = (a: OrgTerms | undefined, b: OrgTerms | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && sameTerms(a, b))

/** A grant of nothing is none. */
function withGrants({ grants: _before, ...terms }: Terms, grants: Record<EpochMs, NanoUsd>): Terms {
  const newestFirst = Object.entries(grants)
    .filter(([, grant]) => grant > 0)
    .sort(([a], [b]) => Number(b) - Number(a))
  const kept = newestFirst.slice(0, GRANTS_KEPT)
  return kept.length === 0 ? terms : { ...terms, grants: Object.fromEntries(kept) }
}

const NO_GRANTS: NonNullable<Terms['grants']> = {}

function sameGrants(a = NO_GRANTS, b = NO_GRANTS): boolean {
  const windows = Object.keys(a)
  return windows.length === Object.keys(b).length && windows.every(window => a[Number(window)] === b[Number(window)])
}

const overageKey = (overage: Overage | undefined): boolean | number | undefined =>
  typeof overage === 'object' ? overage.capNanoUsd : overage

function overageText(overage: Overage | null | undefined): string {
  if (overage === null || overage === undefined) return ''
  if (typeof overage === 'object') return `${usdText(overage.capNanoUsd)} USD`
  return overage ? 'on' : 'off'
}

const frozenText = (frozen: true | null | undefined): string => (frozen ? 'frozen' : '')

const orgText = (org: string | null | undefined): string => (org ? orgId(org) : '')

const grantText = (grant: NanoUsd): string => (grant === 0 ? '' : `${usdText(grant)} USD`)

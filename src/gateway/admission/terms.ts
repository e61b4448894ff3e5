import type { EpochMs, Overage } from '../../policy/config.ts'
import type { OrgTerms, Terms } from '../../policy/facts.ts'
import { countedBy, type LimitRule } from '../../policy/limits/rule.ts'
import { type NanoUsd, nanoUsd, ZERO_USD } from '../../policy/nano-usd.ts'
import type { AuditRow } from '../../records/audit.ts'
import { sameTerms } from '../../records/terms.ts'
import { type CountedLimit, limitText } from '../../wire/admin/limit.ts'
import { usdText } from '../../wire/money.ts'
import type { SignedIn, TermsChange } from '../store/account-store.ts'
import { orgId } from '../store/org-store.ts'

/** Keep the 8 newest grants. Not by age: a fast clock would drop the current one. */
const GRANTS_KEPT = 8

/** Changed terms, with their audit text. */
interface Changed extends Pick<AuditRow, 'action' | 'before' | 'after'> {
  readonly terms: Terms
}

export function changed(terms: Terms, change: TermsChange['change']): Changed {
  if ('override' in change) return setTo(terms, 'override', change.override, 'set-plan', plan => plan ?? '')
  if ('overage' in change) return setTo(terms, 'overage', change.overage, 'set-overage', overageText)
  if ('org' in change) return setOrg(terms, change.org)
  if ('frozen' in change) return change.frozen ? setTo(terms, 'frozen', true, 'freeze', frozenText) : thawed(terms)
  if ('deactivated' in change) {
    const action = change.deactivated ? 'freeze' : 'thaw'
    return setTo(terms, 'deactivated', change.deactivated || null, action, deactivatedText)
  }
  if ('limit' in change) return limited(terms, change.limit)
  if ('withoutLimit' in change) return unlimited(terms, change.withoutLimit)
  return granted(terms, change)
}

/** Terms with one of them set or removed. */
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

/** An operator also thaws what the identity provider deactivated, which may do so again. */
function thawed({ frozen, deactivated, ...terms }: Terms): Changed {
  const before = [frozenText(frozen), deactivatedText(deactivated)].filter(text => text !== '')
  return { terms, action: 'thaw', before: before.join(', '), after: '' }
}

/** An operator's choice takes the place of the org of the token. */
function setOrg({ orgClaimed, ...terms }: Terms, org: string | null): Changed {
  const set = setTo(terms, 'org', org, 'set-org', orgText)
  return orgClaimed ? { ...set, before: `${set.before} by its groups` } : set
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

/** The limits except the one that counts the same, and that one. */
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

/** The terms after a sign-in: with the plan of its token, and with the org unless an operator chose another. */
export function withClaims(
  terms: Terms,
  { claimed, org }: { readonly [Claim in 'claimed' | 'org']: SignedIn[Claim] | undefined },
): Terms {
  const { claimed: _plan, ...others } = terms
  const kept = claimed === undefined ? others : { ...others, claimed }
  if (kept.org !== undefined && !kept.orgClaimed) return kept
  const { org: _org, orgClaimed: _mark, ...rest } = kept
  return org === undefined ? rest : { ...rest, org, orgClaimed: true }
}

/** True if an existing org has the same terms. */
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

function overageText(overage: Overage | null | undefined): string {
  if (overage === null || overage === undefined) return ''
  if (typeof overage === 'object') return `${usdText(overage.capNanoUsd)} USD`
  return overage ? 'on' : 'off'
}

const frozenText = (frozen: true | null | undefined): string => (frozen ? 'frozen' : '')

const deactivatedText = (deactivated: true | null | undefined): string => (deactivated ? 'deactivated' : '')

const orgText = (org: string | null | undefined): string => (org ? orgId(org) : '')

const grantText = (grant: NanoUsd): string => (grant === 0 ? '' : `${usdText(grant)} USD`)

import type { EpochMs, Overage } from '../../policy/config.ts'
import type { Terms } from '../../policy/facts.ts'
import { type NanoUsd, nanoUsd, ZERO_USD } from '../../policy/nano-usd.ts'
import { usdText } from '../../wire/money.ts'
import type { AuditRow, TermsChange } from '../store/account-store.ts'

/** Keep the 8 newest grants. Not by age: a fast clock would drop the current one. */
const GRANTS_KEPT = 8

/** Terms after a change, and what the audit says of it. */
interface Changed extends Pick<AuditRow, 'action' | 'before' | 'after'> {
  readonly terms: Terms
}

export function changed(terms: Terms, change: TermsChange['change']): Changed {
  if ('override' in change) {
    const { override, ...others } = terms
    const next = change.override === null ? others : { ...others, override: change.override }
    return { terms: next, action: 'set-plan', before: override ?? '', after: change.override ?? '' }
  }
  if ('overage' in change) {
    const { overage, ...others } = terms
    const next = change.overage === null ? others : { ...others, overage: change.overage }
    return { terms: next, action: 'set-overage', before: overageText(overage), after: overageText(change.overage) }
  }
  if ('frozen' in change) {
    const { frozen, ...others } = terms
    const next: Terms = change.frozen ? { ...others, frozen: true } : others
    return {
      terms: next,
      action: change.frozen ? 'freeze' : 'thaw',
      before: frozenText(frozen),
      after: frozenText(next.frozen),
    }
  }
  const { window, grant } = change
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

/** Whether they say the same, in whatever order. */
export const sameTerms = (a: Terms, b: Terms): boolean =>
  a.override === b.override &&
  a.claimed === b.claimed &&
  overageKey(a.overage) === overageKey(b.overage) &&
  a.frozen === b.frozen &&
  sameGrants(a.grants, b.grants)

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

const frozenText = (frozen: true | undefined): string => (frozen ? 'frozen' : '')

const grantText = (grant: NanoUsd): string => (grant === 0 ? '' : `${usdText(grant)} USD`)

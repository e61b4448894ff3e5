import type { Claims } from '../decision.ts'
import type { LimitRule } from '../limits/rule.ts'
import type { RuleUse } from '../limits/rule-counter.ts'
import { isLastTurn, lastTurns } from './session-turn.ts'

/** No notice is longer, in bytes: so much is reserved for it, since the worst case is one token per byte. */
export const NOTICE_BYTES = 240

/** Whether requests of rules may end with a notice to the model. */
export const mayWarn = (rules: readonly { readonly rule: LimitRule }[]): boolean =>
  rules.some(({ rule }) => rule.warn !== undefined)

/** Whether a request ends with a notice for a limit. */
export const isWarned = (claims: Claims, rule: LimitRule, use: RuleUse | undefined): boolean =>
  rule.warn !== undefined && (shareOf(rule, use) >= rule.warn || (use !== undefined && isLastTurn(rule, use, claims)))

const shareOf = ({ most }: LimitRule, use: RuleUse | undefined): number => Math.floor((100 * (use?.used ?? 0)) / most)

/**
 * The notice at the end of a request whose session used the share of its limit at which the operator has it warned, by what
 * was settled before the request; undefined where it has none.
 */
export function sessionNotice(claims: Claims, uses: readonly RuleUse[] | undefined): string | undefined {
  const warned = (claims.rules ?? []).flatMap(({ rule }, place) => {
    const share = shareOf(rule, uses?.[place])
    return rule.warn !== undefined && share >= rule.warn ? [share] : []
  })
  const last = lastTurns(claims, uses).find(({ warn }) => warn !== undefined)
  if (last) {
    const tokens = (last.lastTurn ?? 0).toLocaleString('en-US')
    return `[Notice of the gateway: this is the last answer within the budget of this session, of at most ${tokens} tokens. Write down where the work stands and what comes next.]`
  }
  const share = Math.max(...warned)
  return warned.length === 0
    ? undefined
    : `[Notice of the gateway: this session has used ${Math.min(share, 100)} % of its budget. Finish the present step, and write down where the work stands.]`
}

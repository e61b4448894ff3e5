import type { Claims, OutputClaim } from '../decision.ts'
import type { LimitRule } from '../limits/rule.ts'
import type { RuleUse } from '../limits/rule-counter.ts'
import { isClosed } from '../limits/session-cell.ts'
import { costOf } from '../price.ts'
import { amountOf, weightOf } from './weight.ts'

/** A request, to a limit that sets a last turn aside: one that leaves room for it, the last one itself, or one after that. */
type Turn = 'usual' | 'last' | 'closed'

/** Claims as limits of sessions let them be judged, and the most that each rule among them allows to this request. */
export interface TurnedClaims {
  readonly claims: Claims
  /** One for each place of a rule; absent where none sets a last turn aside. */
  readonly mosts?: readonly number[]
}

/**
 * Bounds the answer of a request that is the last turn of its session, and leaves what is set aside to no other. `uses` is what
 * was used before it. redis/holds/rules.lua has the same.
 */
export function claimsInTurn(claims: Claims, uses: readonly RuleUse[] = []): TurnedClaims {
  const { rules, output } = claims
  if (!rules?.some(({ rule }) => rule.lastTurn !== undefined)) return { claims }
  let bound = Number.POSITIVE_INFINITY
  const mosts = rules.map(({ rule }, place) => {
    if (rule.lastTurn === undefined) return rule.most
    const turn = turnOf(rule, uses[place] ?? UNUSED, claims)
    if (turn === 'closed') return 0
    if (turn === 'usual') return rule.most - setAside(rule, claims)
    bound = Math.min(bound, boundOf(rule, output))
    return rule.most
  })
  const { want, min, choices } = output
  return { claims: { ...claims, output: { want: Math.min(want, bound), min: Math.min(min, bound), choices } }, mosts }
}

/** The limits to which a request is the last turn. */
export const lastTurns = (claims: Claims, uses: readonly RuleUse[] = []): readonly LimitRule[] =>
  (claims.rules ?? []).flatMap(({ rule }, place) => (isLastTurn(rule, uses[place] ?? UNUSED, claims) ? [rule] : []))

export const isLastTurn = (rule: LimitRule, use: RuleUse, claims: Claims): boolean =>
  rule.lastTurn !== undefined && turnOf(rule, use, claims) === 'last'

/** The rules of a further round of an answer: they leave what is set aside, and grant no last turn. */
export const rulesOfRound = (claims: Claims): Claims['rules'] =>
  claims.rules?.map(claim => {
    const { lastTurn, ...rule } = claim.rule
    if (lastTurn === undefined) return claim
    return { ...claim, rule: { ...rule, most: Math.max(0, rule.most - setAside(claim.rule, claims)) } }
  })

const UNUSED: RuleUse = { index: 0, used: 0, held: 0 }

function turnOf(rule: LimitRule, { index, used }: RuleUse, claims: Claims): Turn {
  const { want, min, choices } = claims.output
  if (isClosed(index)) return 'closed'
  if (want === 0) return 'usual'
  return used + amountIn(rule, claims, min * choices) + setAside(rule, claims) <= rule.most ? 'usual' : 'last'
}

/** How much the last turn of a session may take: a prompt like this one, and the answer that is set aside. */
const setAside = (rule: LimitRule, claims: Claims): number =>
  amountIn(rule, claims, boundOf(rule, claims.output) * claims.output.choices)

/** The most output tokens per choice of a last turn. */
const boundOf = ({ lastTurn = 0 }: LimitRule, { choices }: OutputClaim): number =>
  Math.max(1, Math.floor(lastTurn / choices))

function amountIn({ measure }: LimitRule, claims: Claims, output: number): number {
  const { input, spend } = claims
  const cost = costOf(spend.price, input, output, spend.items)
  return amountOf(measure, weightOf(claims, { tokens: input + output, cost }))
}

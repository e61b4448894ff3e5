import type { Config } from '../../policy/config.ts'
import { leastClaims } from '../../policy/decide.ts'
import type { Mutable } from '../../policy/decision.ts'
import { type CountRule, limitsOf, mostOf } from '../../policy/limits/named-rules.ts'
import { planOf } from '../../policy/plan.ts'
import type { Identified } from '../accounts/identified.ts'
import type { Clock } from '../ports.ts'
import type { Admission } from '../store/hold-store.ts'
import type { Store } from '../store/store.ts'
import { type Refusal, refusal } from './admit.ts'

interface LookPorts {
  readonly config: Config
  readonly store: Pick<Store, 'holds'>
  readonly clock: Clock
}

/**
 * The refusal that any request of the account would end with, because its minute or its day is full, or as many requests
 * are running as may be; undefined where there is room for some request. It takes nothing. It is one call of the store,
 * so it is for requests that cost more than that before their admission.
 */
export async function noRoom(
  { config, store, clock }: LookPorts,
  requestId: string,
  { caller, keyHash }: Identified,
): Promise<Refusal | undefined> {
  const { account, terms, orgTerms } = caller
  const plan = planOf(config, caller)
  // The admission says what that means.
  if (!plan) return undefined
  const claims = leastClaims(config, plan, terms, clock.now())
  const { limit, ...spend } = claims.spend
  const admission: Mutable<Admission> = {
    requestId,
    account,
    terms,
    claims: { ...claims, spend, limits: withoutRoom(claims.limits) },
  }
  if (orgTerms) admission.orgTerms = orgTerms
  if (keyHash !== undefined) admission.keyHash = keyHash
  const judged = await store.holds.admit(admission)
  // The admission also finds changes in between.
  if (!('denial' in judged) || judged.denial.code !== 'rate_limit_exceeded') return undefined
  const { denial, readings } = judged
  // The admission would say first that the month is spent.
  if (limit !== undefined && readings.used >= limit) return undefined
  if (denial.type !== 'concurrency') return refusal({ denial }, claims, judged)
  const most = mostOf(claims.limits, 'max_concurrent')
  if (readings.concurrent < most) return undefined
  return refusal({ denial: { ...denial, limit: most } }, claims, judged)
}

/** Under a limit of no request at a time nothing is ever granted, and all limits that are asked before it are judged. */
const withoutRoom = (limits: readonly CountRule[]): readonly CountRule[] => [
  ...limits.filter(({ measure }) => measure !== 'concurrent'),
  ...NOTHING_GRANTED,
]

const NOTHING_GRANTED = limitsOf({ max_concurrent: 0 })

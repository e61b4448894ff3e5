import { type AccountCounters, holdOf, NO_COUNTERS, take } from '../../src/policy/counters/account-counters.ts'
import { judge } from '../../src/policy/counters/judge.ts'
import { decide } from '../../src/policy/decide.ts'
import { limitsOf } from '../../src/policy/limits/named-rules.ts'
import { config, facts, NOON, rows, told as tell } from './table.ts'

/** The policy's result for every row, and for a second request on a plan with one per minute. */
export const told: string[] = rows.map(([, given]) => tell(decide(config, given)))

const decision = decide(config, facts())
if (!('denial' in decision)) {
  const claims = { ...decision.claims, limits: limitsOf({ rpm: 1, tpm: 1e9 }) }
  let standing: AccountCounters = NO_COUNTERS
  for (const requestId of ['first', 'second']) {
    const verdict = judge(standing, claims, NOON)
    told.push('denial' in verdict ? 'refuse' : 'admit')
    if ('denial' in verdict) continue
    const { start } = claims.spend.window
    standing = take(standing, holdOf(standing, verdict.granted, { requestId, account: 'a', window: start }, NOON))
  }
}

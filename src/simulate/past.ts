import type { Loaded } from '../config/settings.ts'
import { decide } from '../policy/decide.ts'
import { type Decision, keyOfWindow, type Verdict } from '../policy/decision.ts'
import type { Denial } from '../policy/denial.ts'
import { explain, type Step } from '../policy/explain.ts'
import { type Flip, flipsOf } from '../policy/flip.ts'
import {
  countersOf,
  countersOfRules,
  type DecisionRecord,
  endOf,
  type Judged,
  judgeAgain,
  type Outcome,
  outcomeOf,
  type Seen,
} from '../policy/record.ts'
import { namingSomePhrase, stagesOf } from './stages.ts'

/** A request of the decision log, decided again. */
export interface Past {
  readonly record: DecisionRecord
  /** The outcome by these files; absent where they allow a request that was refused before any readings were taken. */
  readonly again?: Outcome
  /** Whether the files in use are those that decided it then. */
  readonly sameFiles: boolean
  /** True if the result is the same, to the byte. */
  readonly agrees: boolean
  readonly steps: readonly Step[]
  /** Changes that would have had it admitted, each tried out. */
  readonly flips: readonly Flip[]
}

/** Decides a recorded request again, by the functions that decided it and on what they were given. */
export function pastOf({ config }: Pick<Loaded, 'config'>, record: DecisionRecord): Past {
  const { facts, seen } = record
  const decision = decide(config, facts)
  const end = endOf(decision, seen)
  const again = end && outcomeOf(config, facts, decision, end)
  const judged = seen && 'readings' in seen ? seen : undefined
  const steps = stepsOf(decision, explain(config, facts, decision), record, judged)
  return {
    record,
    ...(again && { again }),
    sameFiles: record.revision === config.revision,
    agrees: JSON.stringify(again) === JSON.stringify(record.outcome),
    steps: namingSomePhrase(steps, config.matchers),
    flips: again?.denial && judged && !judged.shared ? flipsAt(config, record, decision, judged) : [],
  }
}

/** Times are in the clock of the gateway that decided. */
function flipsAt(config: Loaded['config'], { facts }: DecisionRecord, decision: Decision, judged: Judged) {
  if ('denial' in decision) return []
  const counters = countersOf(judged, keyOfWindow(decision.claims.spend.window))
  return flipsOf(config, { ...facts, at: judged.at }, counters, countersOfRules(judged))
}

function stepsOf(
  decision: Decision,
  why: readonly Step[],
  { facts, seen }: DecisionRecord,
  judged: Judged | undefined,
): readonly Step[] {
  const { request } = facts
  if ('denial' in decision || !seen) return stagesOf({ decision, why, request })
  const unlimited = why.filter(({ stage }) => !LIMITS.has(stage))
  if (!judged) return [...stagesOf({ decision, why: unlimited, request }), unjudgedStep(seen)]
  const verdict = judgeAgain(decision.claims, judged)
  const guests = judged.shared && { limit: judged.shared.limit }
  const limited = stagesOf({ decision, why, request, verdict, ...(guests && { guests }) })
  return isRefused(verdict, guests) ? limited : [...limited, ...why.filter(({ stage }) => stage === 'send')]
}

const LIMITS: ReadonlySet<string> = new Set(['rate', 'quota', 'send'])

const isRefused = (verdict: Verdict, guests: object | undefined): boolean => 'denial' in verdict || guests !== undefined

function unjudgedStep(seen: Seen): Step {
  if ('tool' in seen)
    return {
      stage: 'gate',
      outcome: 'deny',
      text: `the server of the tool ${seen.tool} did not describe its parameters`,
    }
  if ('gone' in seen) {
    const what = seen.gone === 'key' ? 'its key stopped working' : 'its account was gone'
    return { stage: 'rate', outcome: 'deny', text: `${what} by then` }
  }
  return { stage: 'rate', outcome: 'deny', text: 'the store did not answer' }
}

/** The code of the denial, or undefined where the request was admitted. */
export const denialOf = ({ again, record }: Past): Denial | undefined => (again ?? record.outcome).denial

import type { Loaded } from '../config/settings.ts'
import { planName } from '../policy/plan.ts'
import type { JsonObject } from '../wire/json-safety.ts'
import { type Answer, answerOf, errorFields } from './answer.ts'
import { boundsOf, type Mismatch, mismatches } from './matching.ts'
import type { Trial } from './trial.ts'

/** What expectations are compared with, by the names that they give it. */
export function seenOf(loaded: Loaded, trial: Trial): JsonObject {
  const { facts, decision, denial, admitted, sent } = trial
  const answer = answerOf(loaded, trial)
  const allow = decision?.verdict === 'allow' ? decision : undefined
  return {
    ...errorFields(answer.body),
    plan: facts && planName(loaded.config, facts.caller),
    model: allow?.model.name ?? (denial && 'model' in denial ? denial.model : undefined),
    route: allow?.route?.name,
    pools: allow?.pools.map(({ name }) => name),
    served_by: sent && 'servedBy' in sent.end ? sent.end.servedBy.name : undefined,
    attempted: sent?.attempted,
    max_tokens: facts?.request.kind === 'chat' ? admitted?.hold.output : undefined,
    ...answer,
    headers: namedLow(answer.headers),
  }
}

const namedLow = (headers: Answer['headers']): JsonObject =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** All that is not as a case expects. */
export function unexpected(expect: JsonObject, seen: JsonObject): readonly Mismatch[] {
  return Object.entries(expect).flatMap(([name, expected]) => {
    const wanted =
      name === 'headers' && typeof expected === 'object' && !boundsOf(expected) ? lowNames(expected) : expected
    return mismatches(wanted, seen[name], name)
  })
}

const lowNames = (headers: object | null): JsonObject =>
  Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]))

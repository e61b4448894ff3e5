import type { DecisionRecord } from '../policy/record.ts'
import { isObject } from '../wire/body.ts'

/** The same without the claims, which are a third of what a line costs to read. */
export function readWithoutClaims(line: string): DecisionRecord | undefined {
  // No text of a client holds this: its quotes are escaped.
  const claims = line.lastIndexOf(',"claims":{')
  return (claims === -1 ? undefined : readRecord(`${line.slice(0, claims)}}}`)) ?? readRecord(line)
}

/** Reads a line of the decision log; undefined where it is none, such as one that a crash cut short. */
export function readRecord(line: string): DecisionRecord | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isRecord(value) ? value : undefined
  } catch {
    // Whoever reads counts it.
    return undefined
  }
}

/** Enough to know whose line it is: gateways write no other lines of this version. */
function isRecord(value: unknown): value is DecisionRecord {
  if (!isObject(value) || value.v !== 1 || typeof value.id !== 'string') return false
  const { facts, outcome } = value
  if (!isObject(facts) || !isObject(outcome) || typeof outcome.plan !== 'string') return false
  const { caller, request, health, signals } = facts
  return isObject(caller) && isObject(caller.terms) && isObject(request) && isObject(health) && isObject(signals)
}

import type { Config, NanoUsd } from '../policy/config.ts'
import { decide } from '../policy/decide.ts'
import type { Allow, Readings } from '../policy/decision.ts'
import type { Denial } from '../policy/denial.ts'
import type { Caller, Facts, InferenceRequest } from '../policy/facts.ts'
import type { Hold } from '../policy/standing.ts'
import type { ToolCalls } from '../policy/tools.ts'
import type { Usage } from '../wire/usage.ts'
import { type Admission, type Store, StoreUnavailable } from './store.ts'

/** A request that may be sent, and what it holds until it is settled. */
export interface AdmittedCall {
  readonly caller: Caller
  readonly request: InferenceRequest
  readonly decision: Allow
  readonly hold: Hold
  readonly readings: Readings
  readonly revision: string
  /** What the rounds before the present one weighed, of an answer with hosted tools. */
  readonly spent?: Spent
}

/** What the rounds of an answer weighed that are over. */
export interface Spent extends Usage {
  /** Whether a backend did not report its usage of one of them. */
  readonly estimated: boolean
  /** Calls of hosted tools. */
  readonly calls: ToolCalls
}

export interface Applicant {
  readonly requestId: string
  /** Absent for a sign-in. */
  readonly keyHash?: string
  readonly facts: Facts
  /** What all guests together may spend in a day; asked of guests alone. */
  readonly guestsPerDay?: NanoUsd
}

/** Changes of terms or window between decision and admission that are followed before giving up. */
const MAX_DECISIONS = 3

/** Decides on a request and takes what it claims. Decides again when its terms or window changed in between. */
export async function admit(config: Config, store: Store, applicant: Applicant): Promise<AdmittedCall | Denial> {
  let { facts } = applicant
  for (let round = 0; round < MAX_DECISIONS; round++) {
    const { caller, request } = facts
    const decision = decide(config, facts)
    if (decision.verdict === 'deny') return decision.denial

    const admitted = await store.admit(admissionOf(applicant, caller, decision))
    switch (admitted.outcome) {
      case 'admitted':
        return { ...admitted, caller, request, decision, revision: config.revision }
      case 'refused':
        return admitted.denial
      case 'key-gone':
        return goneDenial(applicant)
      case 'guests-spent':
        return {
          code: 'rate_limit_exceeded',
          type: 'daily_limit',
          shared: true,
          retryAfterMs: admitted.retryAfterMs,
        }
      case 'stale':
        facts = { ...facts, at: admitted.at, caller: { ...caller, terms: admitted.terms } }
    }
  }
  throw new StoreUnavailable(
    `terms or window of ${facts.caller.account} changed ${MAX_DECISIONS} times during one admission`,
  )
}

function admissionOf(applicant: Applicant, { kind, account, terms }: Caller, { claims }: Allow): Admission {
  const { requestId, keyHash, guestsPerDay } = applicant
  return {
    requestId,
    ...(keyHash !== undefined && { keyHash }),
    account,
    terms,
    claims,
    ...(kind === 'guest' && guestsPerDay !== undefined && { shared: { limit: guestsPerDay } }),
  }
}

const goneDenial = ({ keyHash }: Applicant): Denial =>
  keyHash === undefined
    ? { code: 'INVALID_TOKEN', problem: 'Sign in again: the account of this token is gone.' }
    : { code: 'INVALID_KEY' }

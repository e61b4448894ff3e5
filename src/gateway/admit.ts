import type { Config } from '../policy/config.ts'
import { decide } from '../policy/decide.ts'
import type { Allow, Readings } from '../policy/decision.ts'
import type { Denial } from '../policy/denial.ts'
import type { Caller, Facts, InferenceRequest } from '../policy/facts.ts'
import type { Hold } from '../policy/standing.ts'
import { type Store, StoreUnavailable } from './store.ts'

/** A request that may be sent, and what it holds until it is settled. */
export interface AdmittedCall {
  readonly caller: Caller
  readonly request: InferenceRequest
  readonly decision: Allow
  readonly hold: Hold
  readonly readings: Readings
  readonly revision: string
}

export interface Applicant {
  readonly requestId: string
  readonly keyHash: string
  readonly facts: Facts
}

/** Changes of plan or window between decision and admission that are followed before giving up. */
const MAX_DECISIONS = 3

/** Decides on a request and takes what it claims. Decides again when its plan or window changed in between. */
export async function admit(config: Config, store: Store, applicant: Applicant): Promise<AdmittedCall | Denial> {
  const { requestId, keyHash } = applicant
  let { facts } = applicant
  for (let round = 0; round < MAX_DECISIONS; round++) {
    const { caller, request } = facts
    const decision = decide(config, facts)
    if (decision.verdict === 'deny') return decision.denial

    const { account, plan } = caller
    const admitted = await store.admit({ requestId, keyHash, account, plan, claims: decision.claims })
    switch (admitted.outcome) {
      case 'admitted':
        return { ...admitted, caller, request, decision, revision: config.revision }
      case 'refused':
        return admitted.denial
      case 'key-gone':
        return { code: 'INVALID_KEY' }
      case 'stale':
        facts = { ...facts, at: admitted.at, caller: { ...caller, plan: admitted.plan } }
    }
  }
  throw new StoreUnavailable(
    `plan or window of ${facts.caller.account} changed ${MAX_DECISIONS} times during one admission`,
  )
}

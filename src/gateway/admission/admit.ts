import type { Config, Millis } from '../../policy/config.ts'
import type { Hold } from '../../policy/counters/account-counters.ts'
import { decide } from '../../policy/decide.ts'
import type { Allowed, Claims, Decision, Mutable } from '../../policy/decision.ts'
import type { Denial, Denied } from '../../policy/denial.ts'
import type { Caller, Facts, InferenceRequest } from '../../policy/facts.ts'
import type { Labels } from '../../policy/label-values.ts'
import { labelsFor } from '../../policy/labels.ts'
import type { Readings } from '../../policy/limits/readings.ts'
import type { RuleUse } from '../../policy/limits/rule-counter.ts'
import type { NanoUsd } from '../../policy/nano-usd.ts'
import { planOf } from '../../policy/plan.ts'
import {
  type End,
  guestsSpent,
  type Judged,
  judgedRules,
  readingsOfRules,
  type Seen,
  unjudgedDenial,
} from '../../policy/record.ts'
import type { ToolCalls } from '../../policy/tools.ts'
import type { RateState } from '../../wire/quota-headers.ts'
import type { Usage } from '../../wire/usage/usage.ts'
import type { Identified } from '../accounts/identified.ts'
import { beginCounters, type CounterStores } from '../store/begin-counters.ts'
import type { Admission, AdmissionDenied, Admitted, HoldStore } from '../store/hold-store.ts'
import type { LabelStore } from '../store/label-store.ts'
import { StoreUnavailable } from '../store/store.ts'
import { recordedLabels } from './label-cap.ts'
import { rateAt } from './rate-state.ts'

/** An admitted request, and its hold until it is settled. */
export interface AdmittedCall {
  readonly caller: Caller
  readonly request: InferenceRequest
  readonly decision: Allowed
  readonly hold: Hold
  readonly readings: Readings
  /** The use of each rule among the claims, in their order. */
  readonly rules?: readonly RuleUse[]
  readonly revision: string
  /** The weight of the earlier rounds of an answer with hosted tools. */
  readonly spent?: Spent
  /** How long it has waited in queues of pools. */
  readonly queued: { ms: Millis }
}

/** The weight of an answer's finished rounds. */
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
  /** As in Identified: asked before a refusal that the store did not say. */
  readonly confirm?: Identified['confirm']
  /** The most that all guests together may spend in a day; it holds for guests alone. */
  readonly guestsNanoUsdPerDay?: NanoUsd
}

/** A request that is not admitted. */
export interface Refusal extends Denied {
  /** Who was refused, as the store has the account by now. Absent where it did not come to a decision. */
  readonly caller?: Caller
  /** The names that its request is counted under. Absent where it has none, or did not come to a decision. */
  readonly names?: RequestNames
  /** The rest of the limits that it met, where one of them refuses it. */
  readonly rate?: RateState
}

/** The names that a request is counted under, beside its account and its model. */
export interface RequestNames {
  readonly labels?: Labels
  readonly session?: string
}

/** The names of a request with these labels; undefined where it has none. */
export function namesOf({ session }: InferenceRequest, labels: Labels | undefined): RequestNames | undefined {
  if (!labels && session === undefined) return undefined
  return { ...(labels && { labels }), ...(session !== undefined && { session }) }
}

/** The names of a request that is refused, as they were sent. */
function refusedNames(config: Config, { caller, request }: Facts): RequestNames | undefined {
  const plan = planOf(config, caller)
  const labels = plan ? labelsFor(config, plan, { caller, request }) : {}
  return namesOf(request, 'denial' in labels ? undefined : labels.values)
}

const UNAVAILABLE = { unavailable: true } as const

/** Changes of terms or window between decision and admission that are followed before giving up. */
const MAX_DECISIONS = 3

/** Called once with facts, decision, outcome, and the account's usage. */
export type Note = (facts: Facts, decision: Decision, end: End, seen?: Seen) => void

/** Decides on a request and takes what it claims. Decides again when its terms or window changed in between. */
export async function admit(
  config: Config,
  store: AdmissionStore,
  applicant: Applicant,
  note: Note = () => {},
): Promise<AdmittedCall | Refusal> {
  let { facts } = applicant
  let isKnown = applicant.confirm === undefined
  for (let round = 0; round < MAX_DECISIONS; round++) {
    const { caller, request } = facts
    const decided = decide(config, facts)
    const deny = (denial: Denial, seen?: Seen): Refusal => {
      note(facts, decided, { denial }, seen)
      const names = refusedNames(config, facts)
      return names ? { denial, caller, names } : { denial, caller }
    }
    if ('denial' in decided) return isKnown ? deny(decided.denial) : admitConfirmed(config, store, applicant, note)

    const outage = () => deny(unjudgedDenial(UNAVAILABLE), UNAVAILABLE)
    const { claims } = decided
    const admitted = await ask(config, store, admissionOf(applicant, caller, decided), outage)
    if ('denial' in admitted) return refusal(deny(admitted.denial, admitted.judged), claims, admitted)
    switch (admitted.outcome) {
      case 'admitted': {
        const { hold } = admitted
        const decision = await withRecorded(config, store, { caller, decided, hold }, outage)
        note(facts, decision, { granted: hold }, seenOf(claims, admitted))
        return callOf({ caller, request, decision, revision: config.revision }, admitted)
      }
      case 'key-gone': {
        const gone = goneOf(applicant)
        return deny(unjudgedDenial(gone), gone)
      }
      case 'guests-spent':
        return deny(guestsSpent(admitted.judged.at, admitted.retryAfterMs), admitted.judged)
      case 'stale':
        if (round === MAX_DECISIONS - 1) deny(unjudgedDenial(UNAVAILABLE), UNAVAILABLE)
        facts = { ...facts, at: admitted.at, caller: withTerms(caller, admitted) }
        isKnown = true
    }
  }
  throw new StoreUnavailable(
    `terms or window of ${facts.caller.account} changed ${MAX_DECISIONS} times during one admission`,
  )
}

/** A decision with its labels as they are recorded: of an admitted request, so that one that is refused adds no value. */
async function withRecorded(
  config: Config,
  { labels: store, holds }: AdmissionStore,
  { caller, decided, hold }: { readonly caller: Caller; readonly decided: Allowed; readonly hold: Hold },
  outage: () => void,
): Promise<Allowed> {
  const { labels } = decided
  if (!labels) return decided
  try {
    const recorded = await recordedLabels(config, store, { caller, labels, at: hold.at })
    return recorded === labels ? decided : { ...decided, labels: recorded }
  } catch (error) {
    if (error instanceof StoreUnavailable) outage()
    await holds.refund(hold)
    throw error
  }
}

const goneOf = ({ keyHash }: Applicant) => ({ gone: keyHash === undefined ? 'account' : 'key' }) as const

/** Decides again on the caller as the store has it, where the one that was recalled would be refused. */
async function admitConfirmed(
  config: Config,
  store: AdmissionStore,
  { confirm, ...applicant }: Applicant,
  note: Note,
): Promise<AdmittedCall | Refusal> {
  const confirmed = await confirm?.()
  if (confirmed && 'denial' in confirmed) return confirmed
  const { facts } = applicant
  return admit(config, store, { ...applicant, facts: { ...facts, caller: confirmed?.caller ?? facts.caller } }, note)
}

type AdmittedBy = Extract<Admitted, { outcome: 'admitted' }>

function seenOf(claims: Claims, { hold, readings, rules }: AdmittedBy): Judged {
  const judged: Mutable<Judged> = { at: hold.at, readings }
  if (rules) judged.rules = judgedRules(claims, rules)
  return judged
}

function callOf(
  { caller, request, decision, revision }: Pick<AdmittedCall, 'caller' | 'request' | 'decision' | 'revision'>,
  { hold, readings, rules }: AdmittedBy,
): AdmittedCall {
  const call: Mutable<AdmittedCall> = { caller, request, decision, hold, readings, revision, queued: { ms: 0 } }
  if (rules) call.rules = rules
  return call
}

/** Rate-limit headers go with a 429, not with a spent quota (402). */
export function refusal(refused: Refusal, claims: Claims, { judged, newest }: AdmissionDenied): Refusal {
  if (refused.denial.code !== 'rate_limit_exceeded') return refused
  return {
    ...refused,
    rate: rateAt(claims, judged.readings, { at: judged.at, newest, rules: readingsOfRules(claims, judged.rules) }),
  }
}

/** The store's facets that an admission takes. */
export interface AdmissionStore extends CounterStores {
  readonly labels: Pick<LabelStore, 'take'>
  readonly holds: Pick<HoldStore, 'admit' | 'beginCounters' | 'refund'>
}

/** Asks the store, once more where counters of new limits had to begin. */
async function ask(
  config: Config,
  store: AdmissionStore,
  admission: Admission,
  outage: () => void,
): Promise<Exclude<Admitted, { outcome: 'counters-missing' }>> {
  try {
    for (let round = 0; round < MAX_DECISIONS; round++) {
      const admitted = await store.holds.admit(admission)
      if ('denial' in admitted || admitted.outcome !== 'counters-missing') return admitted
      const { account, claims } = admission
      await beginCounters(config, store, { ...admitted, account, claims: claims.rules ?? [] })
    }
    throw new StoreUnavailable(`the counters of ${admission.account} could not be begun`)
  } catch (error) {
    if (error instanceof StoreUnavailable) outage()
    throw error
  }
}

/** The caller on the terms that the store has now. An account that left its org has none of those of the org. */
function withTerms({ orgTerms: _before, ...caller }: Caller, { terms, orgTerms }: Pick<Caller, 'terms' | 'orgTerms'>) {
  return orgTerms ? { ...caller, terms, orgTerms } : { ...caller, terms }
}

function admissionOf(applicant: Applicant, { kind, account, terms, orgTerms }: Caller, { claims }: Allowed): Admission {
  const { requestId, keyHash, guestsNanoUsdPerDay } = applicant
  const admission: Mutable<Admission> = { requestId, account, terms, claims }
  if (orgTerms) admission.orgTerms = orgTerms
  if (keyHash !== undefined) admission.keyHash = keyHash
  if (kind === 'guest' && guestsNanoUsdPerDay !== undefined) admission.shared = { limit: guestsNanoUsdPerDay }
  return admission
}

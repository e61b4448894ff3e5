import type { Loaded } from '../config/settings.ts'
import { identifyWith } from '../gateway/accounts/identify.ts'
import { claimedSignIn } from '../gateway/accounts/sign-in/claimed-sign-in.ts'
import type { AdmittedCall } from '../gateway/admission/admit.ts'
import { withClaims } from '../gateway/admission/terms.ts'
import { balancedRequest } from '../gateway/balance/balanced-request.ts'
import type { BalancedRequest } from '../gateway/balance/pool-balance.ts'
import { healthOf } from '../gateway/infer.ts'
import { namedRequest } from '../gateway/named-request.ts'
import type { SignedIn } from '../gateway/store/account-store.ts'
import { type AccountCounters, holdOf } from '../policy/counters/account-counters.ts'
import { judge } from '../policy/counters/judge.ts'
import { readRules } from '../policy/counters/rule-hold.ts'
import { decide } from '../policy/decide.ts'
import { type Allowed, type Decision, keyOfWindow, type Verdict } from '../policy/decision.ts'
import type { Denial, Denied } from '../policy/denial.ts'
import { explain, type Step } from '../policy/explain.ts'
import type { Caller, Facts } from '../policy/facts.ts'
import type { RuleClaim } from '../policy/limits/rule-claim.ts'
import type { RuleCounter } from '../policy/limits/rule-counter.ts'
import { guestsSpent } from '../policy/record.ts'
import type { Role } from '../policy/role.ts'
import { chooseForm } from '../wire/chosen-form.ts'
import type { ErrorForm } from '../wire/errors/forms.ts'
import type { WireRequest } from '../wire/openai/request.ts'
import { signalsOf } from '../wire/openai/signals.ts'
import { readAt } from './endpoints.ts'
import { type Granted, grantedIn } from './granted.ts'
import { callerOn, countersOf, ruleCountersOf, type Scenario } from './scenario.ts'
import { cachePrompt, poolsKnown, type Sent, send } from './send.ts'
import { choiceSteps, namingFoundPhrases, readStep, slotSteps, stagesOf, whoKnown } from './stages.ts'
import { namingUnweighedTools, withToolsWeighed } from './weighed-tools.ts'

/** The simulated way of a request, as far as it would come. */
export interface Simulation {
  /** The form of its error; absent for the one of the specification. */
  readonly form?: ErrorForm
  readonly facts?: Facts
  /** The role of an operator that groups of the sender grant. */
  readonly role?: Role
  readonly counters: AccountCounters
  /** The counter of a rule. */
  readonly ofRule: (claim: RuleClaim) => RuleCounter
  readonly decision?: Decision
  readonly verdict?: Verdict
  /** Set once the limits have admitted it. */
  readonly admitted?: AdmittedCall
  readonly sent?: Sent
  /** Why it is refused; absent when it is served. */
  readonly denial?: Denial
  /** The step of each stage, in the order of the stages. */
  readonly steps: readonly Step[]
}

const REQUEST_ID = 'req_hypothesis'

/** Takes a request the way of the gateway, by the same functions, without a network, a clock or a store. */
export async function simulate(loaded: Loaded, scenario: Scenario): Promise<Simulation> {
  const { path, headers } = scenario
  const { form } = chooseForm(loaded.settings.errors.form, path, headers)
  const simulation = await decided(loaded, scenario)
  const granted = grantedIn(loaded.settings, scenario)
  return { ...simulation, ...(granted && withGrants(simulation, granted)), form }
}

/** Names the groups behind plan and org in the step of the sender. */
const withGrants = ({ steps }: Simulation, { text, role }: Granted): Pick<Simulation, 'steps' | 'role'> => ({
  ...(role && { role }),
  steps: steps.map(step => (step.stage === 'who' ? { ...step, text: `${step.text} (${text})` } : step)),
})

async function decided(loaded: Loaded, scenario: Scenario): Promise<Simulation> {
  const { config } = loaded
  const { at, path, body, headers, usage } = scenario
  const counters = { counters: countersOf(usage, at, config.calendar), ofRule: ruleCountersOf(scenario) }
  const caller = await identified(loaded, scenario)
  if ('denial' in caller) return { ...counters, ...caller, steps: [whoRefused(caller)] }
  const wire = readAt(path, body, loaded, caller)
  if ('denial' in wire) return { ...counters, ...wire, steps: [whoKnown(caller, config), readStep(wire)] }
  const simulation = await simulationOf(loaded, scenario, { caller, wire, ...counters })
  const text = wire.routedText?.() ?? ''
  return { ...simulation, steps: namingFoundPhrases(simulation.steps, config.matchers, text, headers) }
}

interface Read {
  readonly caller: Caller
  readonly wire: WireRequest
  readonly counters: AccountCounters
  readonly ofRule: Simulation['ofRule']
}

async function simulationOf(
  loaded: Loaded,
  scenario: Scenario,
  { caller, wire, ...counters }: Read,
): Promise<Simulation> {
  const { config, settings } = loaded
  const { at, headers, share } = scenario
  const named = namedRequest(config, wire.request, { headers, session: wire.session })
  const known = poolsKnown(loaded, scenario)
  const read: Facts = {
    at,
    caller,
    request: { ...named, ...(share !== undefined && { draw: share }) },
    health: healthOf(known, loaded, at),
    signals: signalsOf(config, { wire, headers }),
  }
  const { request, unknown } = withToolsWeighed(settings, read.request, decide(config, read))
  const facts: Facts = { ...read, request }
  const decision = decide(config, facts)
  const why = explain(config, facts, decision)
  if ('denial' in decision) {
    const steps = namingUnweighedTools(stagesOf({ decision, why, request }), unknown)
    return { facts, ...counters, decision, denial: decision.denial, steps }
  }
  const balanced = balancedRequest(known.domains, { wire, headers, caller })
  cachePrompt(loaded, known, scenario, balanced)
  const simulation = await limited(loaded, scenario, { facts, ...counters, decision, balanced }, why, known)
  return { ...simulation, steps: namingUnweighedTools(simulation.steps, unknown) }
}

interface Decided {
  readonly facts: Facts
  readonly counters: AccountCounters
  readonly ofRule: Simulation['ofRule']
  readonly decision: Allowed
  readonly balanced: BalancedRequest | undefined
}

async function limited(
  { config, settings, fields }: Loaded,
  scenario: Scenario,
  { balanced, ...decided }: Decided,
  why: readonly Step[],
  known: ReturnType<typeof poolsKnown>,
): Promise<Simulation> {
  const { at, usage } = scenario
  const { facts, counters, ofRule, decision } = decided
  const { request, caller } = facts
  const verdict = judge(counters, decision.claims, at, readRules(decision.claims, ofRule, at))
  const reached = { decision, why, verdict, request }
  if ('denial' in verdict) return { ...decided, verdict, denial: verdict.denial, steps: stagesOf(reached) }

  const hold = holdOf(
    counters,
    verdict.granted,
    { requestId: REQUEST_ID, account: caller.account, window: keyOfWindow(decision.claims.spend.window) },
    at,
  )
  const limit = settings.guests?.guestsNanoUsdPerDay
  if (caller.kind === 'guest' && limit !== undefined && usage.guests + hold.cost > limit) {
    const denial = guestsSpent(at)
    const place = fields.get('guests.usd_per_day_total')
    return { ...decided, verdict, denial, steps: stagesOf({ ...reached, guests: { limit, ...(place && { place }) } }) }
  }
  const { readings } = verdict
  const admitted = { caller, request, decision, hold, readings, revision: config.revision, queued: { ms: 0 } }
  const sent = await send({ config, settings }, admitted, known, { scenario, balanced })
  const stages = slotSteps(stagesOf({ ...reached, sent }), decision.pools, sent)
  const steps = choiceSteps(stages, decision.pools, sent.choices)
  const denial = 'denial' in sent.end ? { denial: sent.end.denial } : {}
  return { ...decided, verdict, admitted, sent, ...denial, steps }
}

/** No account has a key here, and a token is of whom its claims say: its issuer is not asked. Each sign-in is the first of its account. */
async function identified({ config, settings }: Loaded, { who, at }: Scenario): Promise<Caller | Denied> {
  if ('plan' in who) return callerOn(who, config)
  const store = {
    keys: { findCaller: async () => undefined, recallCaller: () => undefined },
    accounts: {
      signIn: async ({ account, claimed, org }: SignedIn): Promise<Caller> => {
        const terms = withClaims({}, { claimed, org })
        return { kind: 'developer', account, keyPrefix: null, terms }
      },
      find: async () => undefined,
      findByLabel: async () => [],
    },
    orgs: { open: async (org: string) => ({ org, terms: {}, createdAt: at }) },
  }
  const { identity } = settings
  const verify = async () =>
    'claims' in who && identity
      ? claimedSignIn(who.claims, identity, at)
      : { problem: 'The token is not valid; sign in again.' }
  const ports = {
    config,
    settings,
    store,
    alarm: () => {},
    keyUses: { note: () => {} },
    ...(settings.identity && { verify }),
  }
  const authorization = 'claims' in who ? 'Bearer a.signed.token' : who.authorization
  const found = await identifyWith(ports).bearer(authorization, NO_CLIENT)
  return 'denial' in found ? found : found.caller
}

/** No key is known, so that no address is asked for. */
const NO_CLIENT = { clientAddress: '' }

const whoRefused = ({ denial }: Denied): Step => ({ stage: 'who', outcome: 'deny', text: denial.code })

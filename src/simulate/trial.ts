import type { Settings } from '../config/settings.ts'
import { newRequestId } from '../gateway/accounts/keys.ts'
import {
  type AdmissionStore,
  type AdmittedCall,
  type Applicant,
  admit,
  type Refusal,
} from '../gateway/admission/admit.ts'
import { balancedRequest } from '../gateway/balance/balanced-request.ts'
import { drawn } from '../gateway/balance/draw.ts'
import { healthOf } from '../gateway/infer.ts'
import { namedRequest } from '../gateway/named-request.ts'
import { Pools } from '../gateway/pools/pools.ts'
import type { Clock, Random } from '../gateway/ports.ts'
import type { Store } from '../gateway/store/store.ts'
import { AttemptPlanner } from '../gateway/upstream/attempt-planner.ts'
import { backendOf } from '../gateway/upstream/failover-ports.ts'
import { choiceIn } from '../gateway/upstream/replica-choice.ts'
import type { PoolChoice } from '../policy/balance/pool-choice.ts'
import { type Config, type EpochMs, type Pool, placeOf } from '../policy/config.ts'
import { counted } from '../policy/counted.ts'
import { decide } from '../policy/decide.ts'
import type { Allowed, Mutable } from '../policy/decision.ts'
import type { Denial, Denied } from '../policy/denial.ts'
import type { Step } from '../policy/explain.ts'
import type { Caller, Facts } from '../policy/facts.ts'
import { type DecisionRecord, outcomeOf } from '../policy/record.ts'
import type { ShownPool } from '../wire/admin/pool.ts'
import { chooseForm } from '../wire/chosen-form.ts'
import { errorTermsOf, renderDenial } from '../wire/errors/denial.ts'
import { isObject } from '../wire/json-safety.ts'
import type { WireRequest } from '../wire/openai/request.ts'
import { type Headers, signalsOf } from '../wire/openai/signals.ts'
import { addRate } from '../wire/quota-headers.ts'
import { type Path, readAt } from './endpoints.ts'
import type { Remedy } from './flips.ts'
import { pastOf } from './past.ts'
import type { Answer } from './result.ts'
import { choiceSteps, readStep, whoKnown } from './stages.ts'
import { callerFrom, type FoundCaller, type TrialSender, whoRefused } from './trial-sender.ts'
import { namingUnweighedTools, withToolsWeighed } from './weighed-tools.ts'

/** Parts of a running gateway, or a store without a gateway. */
export interface TrialPorts {
  readonly config: Config
  readonly settings: Settings
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  /** The state of the pools. Absent without a running gateway; all pools then count as healthy. */
  readonly pools?: Pools
  /** How many requests a pool has in all processes of the gateway; absent without one. */
  readonly loadOf?: (pool: Pool) => Promise<LoadNow>
}

/** Requests of a pool, as its operators see them. */
type LoadNow = Pick<ShownPool, 'in_flight' | 'waiting' | 'in_flight_over_store'>

/** A request as a client would send it. */
export interface TrialRequest {
  readonly path: Path
  readonly body: Buffer
  /** Header values by lower-case name. */
  readonly headers: Headers
}

/** The result of a trial: the answer that a request would get now, and why. */
export interface Trial {
  readonly at: EpochMs
  readonly facts?: Facts
  /** The decision, if the policy allows the request. */
  readonly decision?: Allowed
  /** The hold that the request would get, if the limits admit it. */
  readonly admitted?: AdmittedCall
  /** The pools in the order of attempts. */
  readonly pools: readonly PoolNow[]
  /** Absent if the request would be served. */
  readonly refusal?: { readonly denial: Denial; readonly answer: Answer }
  readonly steps: readonly Step[]
  /** Changes that would let it be served. */
  readonly remedies: readonly Remedy[]
  /** Hosted tools whose definitions only an MCP server knows; the prompt is counted without them. */
  readonly unweighed: readonly string[]
}

export interface PoolNow {
  readonly name: string
  readonly state: 'healthy' | 'ejected' | 'paused' | 'drained'
  /** The choice among its replicas; absent if it has only one. */
  readonly choice?: PoolChoice
}

/**
 * Runs a request through the gateway's own decision and admission, against the current state of its account in the store. Sends,
 * counts and reserves nothing. Rejects with StoreUnavailable.
 */
export async function tryRequest(ports: TrialPorts, sender: TrialSender, request: TrialRequest): Promise<Trial> {
  const { config, clock } = ports
  const at = clock.now()
  const found = await callerFrom(ports, sender)
  if ('denial' in found) return refusedEarly(ports, request, at, found, [whoRefused(sender, found)])
  const wire = readAt(request.path, request.body, ports, found.caller)
  if ('denial' in wire) return refusedEarly(ports, request, at, wire, [whoKnown(found.caller, config), readStep(wire)])
  return judged(ports, found, request, wire, at)
}

const refusedEarly = (
  { settings }: TrialPorts,
  request: TrialRequest,
  at: EpochMs,
  { denial }: Denied,
  steps: readonly Step[],
): Trial => ({
  ...{ at, pools: [], steps, remedies: [], unweighed: [] },
  refusal: { denial, answer: answerTo(settings, request, { denial }) },
})

async function judged(
  ports: TrialPorts,
  found: FoundCaller,
  request: TrialRequest,
  wire: WireRequest,
  at: EpochMs,
): Promise<Trial> {
  const { config, settings, pools } = ports
  const { caller } = found
  const named = namedRequest(config, wire.request, { headers: request.headers, session: wire.session })
  const read: Facts = {
    at,
    caller,
    request: pools
      ? drawn({ config, domains: pools.domains }, named, { wire, headers: request.headers, caller })
      : named,
    health: pools ? healthOf(pools, { config, settings }, at, caller.account) : { down: [] },
    signals: signalsOf(config, { wire, headers: request.headers }),
  }
  const { request: weighed, unknown } = withToolsWeighed(settings, read.request, decide(config, read))
  const { admitted, record } = await admittedAs(ports, found, { ...read, request: weighed })
  const past = pastOf({ config }, record)
  const decision = decide(config, record.facts)
  const choices = choicesOf(ports, { wire, headers: request.headers, caller, at })
  const allowed = 'denial' in decision ? {} : { decision, pools: poolsNow(ports, decision, record.facts, choices) }
  const trial: Trial = {
    ...{ at, facts: record.facts, pools: [], ...allowed },
    steps: namingUnweighedTools(past.steps, unknown),
    remedies: past.flips,
    unweighed: unknown,
  }
  if ('denial' in admitted) {
    const { denial } = admitted
    return { ...trial, refusal: { denial, answer: answerTo(settings, request, admitted) } }
  }
  return withChoices(sent(ports, request, await withFullPools(ports, { ...trial, admitted })))
}

/** Adds to the steps the pools that have no free slot now, before the pools in the order of attempts. */
async function withFullPools({ loadOf, settings }: TrialPorts, trial: Trial): Promise<Trial> {
  const { decision, steps } = trial
  if (!loadOf || !decision) return trial
  const full = decision.pools.map(async (pool): Promise<readonly Step[]> => {
    const { maxConcurrent: max, queue } = backendOf(settings, pool)
    const text = max === undefined ? undefined : fullText(pool.name, max, queue, await loadOf(pool))
    return text === undefined ? [] : [{ stage: 'send', outcome: 'pass', text, at: placeOf(pool, 'max_concurrent') }]
  })
  const added = (await Promise.all(full)).flat()
  return { ...trial, steps: [...steps.slice(0, -1), ...added, ...steps.slice(-1)] }
}

/** `onprem is full now: 4 of 4 slots are in use, and 1 request waits; the queue takes 12`; undefined for a pool with a free slot. */
function fullText(
  name: string,
  max: number,
  queue: { readonly max: number } | undefined,
  { in_flight, waiting, in_flight_over_store: overStore }: LoadNow,
): string | undefined {
  // A request that waits for a replica has a slot of the pool.
  const slots = overStore ?? Math.min(in_flight + waiting, max)
  if (slots < max) return undefined
  const rest = overStore === undefined ? in_flight + waiting - slots : waiting
  const waits = `${counted(rest, 'request')} ${rest === 1 ? 'waits' : 'wait'}${overStore === undefined ? '' : ' here'}`
  return `${name} is full now: ${slots} of ${max} slots are in use, and ${waits}${queue ? `; the queue takes ${queue.max}` : ''}`
}

/** Adds to the steps how each pool chooses among its replicas. */
function withChoices(trial: Trial): Trial {
  const choices = trial.pools.flatMap(({ choice }) => choice ?? [])
  return { ...trial, steps: choiceSteps(trial.steps, trial.decision?.pools ?? [], choices) }
}

/** Requests a trial admission, and keeps the facts that it was decided on. */
async function admittedAs(
  { config, settings, store, random }: TrialPorts,
  { keyHash }: FoundCaller,
  facts: Facts,
): Promise<{ readonly admitted: AdmittedCall | Refusal; readonly record: DecisionRecord }> {
  const id = newRequestId(facts.at, random)
  const applicant: Mutable<Applicant> = { requestId: id, facts }
  if (keyHash !== undefined) applicant.keyHash = keyHash
  if (settings.guests) applicant.guestsNanoUsdPerDay = settings.guests.guestsNanoUsdPerDay
  const records: DecisionRecord[] = []
  const admitted = await admit(config, trying(store), applicant, (facts, decision, end, seen) => {
    const outcome = outcomeOf(config, facts, decision, end)
    records.push({ id, revision: config.revision, facts, outcome, ...(seen && { seen }) })
  })
  const [record] = records
  if (!record) throw new Error('an admission ended without a decision')
  return { admitted, record }
}

/** A store that judges admissions and reserves nothing. Counters of new limits begin, as with a request. */
const trying = ({ holds, ledger, keys }: Store): AdmissionStore => ({
  // A trial records nothing, so it accepts any value.
  labels: { take: async () => undefined },
  ledger,
  keys,
  holds: {
    admit: admission => holds.admit({ ...admission, isTrial: true }),
    beginCounters: (account, begun) => holds.beginCounters(account, begun),
    refund: async () => {},
  },
})

/** The choice in each pool, from the gateway's view of its replicas. Without a gateway, as right after a start. */
function choicesOf(
  { pools = new Pools(), settings }: TrialPorts,
  { wire, headers, caller, at }: Asking,
): (pool: Pool) => PoolChoice | undefined {
  const balanced = balancedRequest(pools.domains, { wire, headers, caller })
  const ports = {
    pools,
    settingsOf: (pool: Pool) => backendOf(settings, pool),
    chance: () => 0,
    account: caller.account,
    declared: [],
    ...(balanced && { balanced }),
  }
  return pool => choiceIn(ports, pool, at)
}

interface Asking {
  readonly wire: WireRequest
  readonly headers: Headers
  readonly caller: Caller
  readonly at: EpochMs
}

function poolsNow(
  { pools }: TrialPorts,
  decision: Allowed,
  { at, caller, health }: Facts,
  choiceOf: (pool: Pool) => PoolChoice | undefined,
): readonly PoolNow[] {
  const stateOf = (pool: Pool): PoolNow['state'] =>
    pools && health.down.includes(pool.name) ? pools.of(pool.name).whyUnusable(pool, at, caller.account) : 'healthy'
  return decision.pools.map(pool => {
    const choice = choiceOf(pool)
    return { name: pool.name, state: stateOf(pool), ...(choice && { choice }) }
  })
}

/** Refuses an admitted request if none of its pools is known to be healthy. */
function sent({ settings, pools }: TrialPorts, request: TrialRequest, trial: Trial): Trial {
  const { at, decision, facts } = trial
  if (!pools || !decision || !facts || trial.pools.some(({ state }) => state === 'healthy')) return trial
  const ports = {
    pools,
    settingsOf: (pool: Pool) => backendOf(settings, pool),
    chance: () => 0,
    account: facts.caller.account,
    declared: decision.model.serve,
  }
  const denial = new AttemptPlanner(ports, decision.pools).denial(at)
  const names = trial.pools.map(({ name }) => name)
  const text = trial.pools.map(({ name, state }) => `${name} is ${state}`).join(', ')
  return {
    ...trial,
    steps: trial.steps.map(step => (step.stage === 'send' ? { ...step, outcome: 'deny', text } : step)),
    remedies: [{ change: 'pool', names }],
    refusal: { denial, answer: answerTo(settings, request, { denial }) },
  }
}

/** The answer to the client of a refused request. */
function answerTo(settings: Settings, { path, headers: sent }: TrialRequest, { denial, rate }: Refusal): Answer {
  const { form } = chooseForm(settings.errors.form, path, sent)
  const { status, headers, body } = renderDenial(denial, errorTermsOf(settings), form)
  if (!isObject(body)) throw new Error(`the body of ${denial.code} is no object`)
  const all: Record<string, string> = { ...headers }
  if (rate) addRate(all, rate)
  return { status, headers: all, body }
}

import type { Loaded } from '../config/settings.ts'
import { identifyWith } from '../gateway/accounts/identify.ts'
import type { AdmittedCall } from '../gateway/admission/admit.ts'
import type { Millis } from '../policy/config.ts'
import { decide } from '../policy/decide.ts'
import type { Allow, Decision, Step, Verdict } from '../policy/decision.ts'
import type { Denial } from '../policy/denial.ts'
import type { Caller, Facts } from '../policy/facts.ts'
import { judge } from '../policy/judge.ts'
import { type AccountCounters, holdOf } from '../policy/standing.ts'
import { isDenial } from '../wire/openai/body.ts'
import type { WireRequest } from '../wire/openai/request.ts'
import { signalsOf } from '../wire/openai/signals.ts'
import { readAt } from './endpoints.ts'
import { sayingWhatWasFound } from './found.ts'
import { sayingWhatIsNotWeighed, withToolsWeighed } from './hosted.ts'
import { callerOn, type Hypothesis } from './hypothesis.ts'
import { poolsKnown, type Sent, send } from './send.ts'
import { readStep, stagesOf } from './stages.ts'
import { standingOf } from './usage.ts'

/** What would become of a request, as far as it would come. */
export interface Trial {
  readonly facts?: Facts
  readonly standing: AccountCounters
  readonly decision?: Decision
  readonly verdict?: Verdict
  /** Set once the limits have admitted it. */
  readonly admitted?: AdmittedCall
  readonly sent?: Sent
  /** Why it is refused; absent when it is served. */
  readonly denial?: Denial
  /** What each stage said, in the order of the stages. */
  readonly steps: readonly Step[]
}

const DAY_MS: Millis = 86_400_000
const REQUEST_ID = 'req_hypothesis'

/** Takes a request the way of the gateway, by the same functions, without a network, a clock or a store. */
export async function tryOut(loaded: Loaded, hypothesis: Hypothesis): Promise<Trial> {
  const { config } = loaded
  const { at, path, body, headers, usage } = hypothesis
  const standing = standingOf(usage, at)
  const caller = await identified(loaded, hypothesis)
  if (isDenial(caller)) return { standing, denial: caller, steps: [whoRefused(caller)] }
  const wire = readAt(path, body, loaded)
  if (isDenial(wire)) return { standing, denial: wire, steps: [whoKnown(caller, hypothesis), readStep(wire)] }
  const trial = await identifiedTrial(loaded, hypothesis, { caller, wire, standing })
  const text = wire.routedText?.() ?? ''
  return { ...trial, steps: sayingWhatWasFound(trial.steps, config.matchers, text, headers) }
}

interface Read {
  readonly caller: Caller
  readonly wire: WireRequest
  readonly standing: AccountCounters
}

async function identifiedTrial(
  loaded: Loaded,
  hypothesis: Hypothesis,
  { caller, wire, standing }: Read,
): Promise<Trial> {
  const { config, settings } = loaded
  const { at, headers, pools } = hypothesis
  const known = poolsKnown(config, settings, pools, at)
  const patienceOf = (pool: string) => settings.backends.get(pool)?.waitForRetryAfter ?? 0
  const read: Facts = {
    at,
    caller,
    request: wire.request,
    health: { down: known.down(config.pools.values(), at, patienceOf) },
    signals: signalsOf(config, { wire, headers }),
  }
  const { request, unknown } = withToolsWeighed(settings, read.request, decide(config, read))
  const facts: Facts = { ...read, request }
  const decision = decide(config, facts)
  if (decision.verdict === 'deny') {
    const steps = sayingWhatIsNotWeighed(stagesOf({ decision, request }), unknown)
    return { facts, standing, decision, denial: decision.denial, steps }
  }
  const trial = await limited(loaded, hypothesis, { facts, standing, decision }, known)
  return { ...trial, steps: sayingWhatIsNotWeighed(trial.steps, unknown) }
}

interface Decided {
  readonly facts: Facts
  readonly standing: AccountCounters
  readonly decision: Allow
}

async function limited(
  { config, settings, fields }: Loaded,
  { at, usage, pools }: Hypothesis,
  decided: Decided,
  known: ReturnType<typeof poolsKnown>,
): Promise<Trial> {
  const { facts, standing, decision } = decided
  const { request, caller } = facts
  const verdict = judge(standing, decision.claims, at)
  const told = { decision, verdict, request }
  if (verdict.verdict === 'refuse') return { ...decided, verdict, denial: verdict.denial, steps: stagesOf(told) }

  const hold = holdOf(
    standing,
    verdict.granted,
    { requestId: REQUEST_ID, account: caller.account, window: decision.claims.spend.window.start },
    at,
  )
  const limit = settings.guests?.guestsNanoUsdPerDay
  if (caller.kind === 'guest' && limit !== undefined && usage.guests + hold.cost > limit) {
    const denial = guestsSpent(at)
    const place = fields.get('guests.usd_per_day_total')
    return { ...decided, verdict, denial, steps: stagesOf({ ...told, guests: { limit, ...(place && { place }) } }) }
  }
  const { readings } = verdict
  const admitted = { caller, request, decision, hold, readings, revision: config.revision }
  const sent = await send(settings, admitted, known, pools)
  const steps = stagesOf({ ...told, sent })
  const denial = 'denial' in sent.end ? { denial: sent.end.denial } : {}
  return { ...decided, verdict, admitted, sent, ...denial, steps }
}

const guestsSpent = (at: number): Denial => ({
  code: 'rate_limit_exceeded',
  type: 'daily_limit',
  shared: true,
  retryAfterMs: DAY_MS - (at % DAY_MS),
})

/** No account has a key here, and no token comes from a provider that was asked. */
async function identified({ config, settings }: Loaded, { who }: Hypothesis): Promise<Caller | Denial> {
  if ('plan' in who) return callerOn(who.plan, config)
  const store = {
    keys: { findCaller: async () => undefined },
    accounts: {
      signIn: async () => {
        throw new Error('no token is accepted here')
      },
    },
  }
  const verify = async () => ({ problem: 'The token is not valid; sign in again.' })
  const ports = { config, settings, store, alarm: () => {}, ...(settings.identity && { verify }) }
  const found = await identifyWith(ports).bearer(who.authorization)
  return isDenial(found) ? found : found.caller
}

const whoRefused = ({ code }: Denial): Step => ({ stage: 'who', outcome: 'deny', text: code })

function whoKnown({ account }: Caller, { who }: Hypothesis): Step {
  if (!('plan' in who)) throw new Error('a caller without a plan was identified')
  return { stage: 'who', outcome: 'pass', text: `${account} on plan ${who.plan.name}`, at: who.plan.at }
}

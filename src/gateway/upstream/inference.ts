import type { BackendSettings } from '../../config/settings.ts'
import { acceptsOf } from '../../policy/accepts.ts'
import { BACKEND_DIALECTS, type DialectName } from '../../policy/backend-dialects.ts'
import type { PromptSketch } from '../../policy/balance/prompt-sketch.ts'
import type { Millis, Model, Pool } from '../../policy/config.ts'
import { sessionNotice } from '../../policy/counters/session-notice.ts'
import { lastTurns } from '../../policy/counters/session-turn.ts'
import type { Allowed, Mutable } from '../../policy/decision.ts'
import { droppedAt, isNative, lossesAt, takesMarks, translationFor } from '../../policy/dialect.ts'
import type { InferenceRequest } from '../../policy/facts.ts'
import { LABELS } from '../../policy/providers/droppable.ts'
import { enginePriority, queueRankOf } from '../../policy/queue/rank.ts'
import { servedTo } from '../../policy/traffic/share.ts'
import type { WholeAnswer } from '../../wire/answer-reader.ts'
import type { Coordinates, InferenceKind } from '../../wire/dialect.ts'
import { DIALECTS, dialectOf } from '../../wire/dialects.ts'
import { readNative } from '../../wire/native/dialect.ts'
import type { AnswerTerms } from '../../wire/openai/answer.ts'
import type { BodyTerms, EngineTerms, NativeTerms, OwnDialect, StreamWanted } from '../../wire/openai/request.ts'
import type { Headers } from '../../wire/openai/signals.ts'
import { withNotice, withThinkingWithin } from '../../wire/session-notice.ts'
import { oneStep, type Steps } from '../../wire/steps.ts'
import type { LeasedCall } from '../admission/leases.ts'
import { settlementOf, usageOf } from '../admission/settlement.ts'
import { attemptBuffered } from '../answer/buffered.ts'
import { attemptFetched } from '../answer/fetched.ts'
import { type AnswerStream, answerId, attemptStream } from '../answer/stream.ts'
import type { AnswerWatch } from '../attempt/answer-watch.ts'
import type { Target } from '../attempt/attempt.ts'
import { Measure, type MeasureTerms } from '../attempt/measure.ts'
import { type Outcome, PROMPT_ONLY, UNSEEN, type Work } from '../attempt/outcome.ts'
import { balancedRequest } from '../balance/balanced-request.ts'
import type { Call } from '../call.ts'
import { allowedBetas } from '../pools/headers.ts'
import { type Lesson, lessonOf, PRIORITY, STREAM_OPTIONS, withLessons } from '../pools/lessons.ts'
import type { AttemptReport } from './attempt-report.ts'
import { bothTokens } from './compared-request.ts'
import { type Attempted, type AttemptPlace, failover, type Outbound } from './failover.ts'
import { failoverPorts } from './failover-ports.ts'
import { reportAttempt } from './in-flight-attempt.ts'
import type { UpstreamPorts } from './ports.ts'
import { stayingOf } from './staying.ts'

/** Sends an inference request to one pool after the other. `failures` are attempts of rounds before. */
export function forward<A>(
  gateway: UpstreamPorts,
  call: Call,
  admitted: LeasedCall,
  outbound: Inference<A>,
  failures = 0,
): Promise<Attempted<A>> {
  const { model, pools } = admitted.decision
  const context = 'context' in model ? model.context : 0
  const { wire, headers } = call
  const asking = { wire, headers, caller: admitted.caller }
  const balanced = balancedRequest(gateway.pools.domains, asking, () => outbound.sketch())
  const attempting = failover(failoverPorts(gateway, call, admitted, failures, balanced), pools, context, outbound)
  const staying = stayingOf(gateway, call)
  if (!staying) return attempting
  return attempting.then(attempted => {
    if (attempted.kind === 'answered')
      staying.servedBy(attempted.pool.name, servedTo(model, admitted.request), gateway.clock.now())
    return attempted
  })
}

/** An inference request as it is sent to replicas. Subclasses provide the body and read the answer. */
export abstract class Inference<A> implements Outbound<Target, A> {
  protected readonly gateway: UpstreamPorts
  protected readonly call: Call
  protected readonly admitted: LeasedCall
  readonly #watch: AnswerWatch | undefined
  readonly #startedAt: Millis
  /** The fields that backends of each pool refused of this request, by pool name. */
  readonly #reworded = new Map<string, readonly Lesson[]>()

  constructor(
    gateway: UpstreamPorts,
    call: Call,
    admitted: LeasedCall,
    startedAt = gateway.clock.elapsed(),
    watch?: AnswerWatch,
  ) {
    this.gateway = gateway
    this.#watch = watch
    this.call = call
    this.admitted = admitted
    this.#startedAt = startedAt
  }

  /** The body for the backends of a pool, in the public form. */
  protected abstract bodyFor(pool: Pool, engine: EngineTerms): Buffer

  abstract attempt(target: Target): Promise<Outcome<A>>

  /** The beginnings of its prompt. */
  sketch(): PromptSketch | undefined {
    return this.call.wire.sketch?.()
  }

  /** Says to a backend that its answer is fetched as a stream, though the client wants it whole. */
  protected streams(_pool: Pool): { readonly streams?: true } {
    return {}
  }

  /** The parts of a request that a pool of its dialect gets, and those that it does not. */
  protected nativeTerms(pool: Pool, engine: EngineTerms): NativeTerms {
    const { request } = this.call.wire
    const drops = request.kind === 'chat' ? droppedAt(pool, request) : []
    const accepts = request.kind === 'chat' && request.extras ? acceptsOf(this.admitted.decision.model) : undefined
    return {
      cut: lossesAt(pool, request),
      ...engine,
      passes: accepts ? [...pool.passes, ...accepts.keys()] : pool.passes,
      drops,
      ...this.streams(pool),
    }
  }

  /**
   * The members of a chat that only the gateway says, as far as the backends take them: the salt that hides its cached prompt
   * from other accounts, undefined if everybody may find it, and its place in the order of the engine.
   */
  #engineTerms({ caches, provider }: Pool, { isGuaranteed = false, isCopy = false }: AttemptPlace): EngineTerms {
    if (this.call.wire.request.kind !== 'chat') return {}
    const { caller, decision } = this.admitted
    const { priority } = queueRankOf(decision.plan, caller)
    return {
      cacheSalt: provider.facts.cacheSalt ? this.gateway.pools.domains.of(caches, caller).salt : undefined,
      priority: enginePriority(provider.facts.priority, { priority, isGuaranteed, isCopy }),
    }
  }

  /** The work that a crash is charged while no part of the answer has come. */
  protected unseen(measure: Measure): Work {
    return { ...UNSEEN, least: measure.ofWhole(PROMPT_ONLY) }
  }

  reword(pool: Pool, unsupported: string): boolean {
    const { request } = this.call.wire
    const before = this.#reworded.get(pool.name) ?? []
    const lesson = lessonOf(this.#adapted(pool), request, unsupported, before)
    const { clock, pools } = this.gateway
    const { lessons } = pools.of(pool.name)
    if (!lesson || !this.#mayFollow(lesson)) return false
    if (!lessons.allows(lesson, this.admitted.caller.account, clock.now())) return false
    this.#reworded.set(pool.name, [...before, lesson])
    return true
  }

  answered(pool: Pool): Pool {
    const lessons = this.#reworded.get(pool.name)
    const { clock, pools } = this.gateway
    const adapted = this.#adapted(pool)
    const proven = lessons?.filter(({ field }) => field !== STREAM_OPTIONS) ?? []
    if (proven.length > 0) pools.of(pool.name).learn(this.admitted.caller.account, proven, clock.now())
    return adapted
  }

  /** That a stream may go without `stream_options` is known at its end: once it told its usage unasked. */
  #usageLearner(pool: Pool): ((isTold: boolean) => void) | undefined {
    const lesson = this.#reworded.get(pool.name)?.find(({ field }) => field === STREAM_OPTIONS)
    if (!lesson) return undefined
    const { clock, pools } = this.gateway
    const { account } = this.admitted.caller
    const state = pools.of(pool.name)
    return isTold =>
      isTold ? state.learn(account, [lesson], clock.now()) : state.lessons.toldNoUsage(account, clock.now())
  }

  /** A pool as the requests of this account are sent to it, this one without what was refused of it. */
  #adapted(pool: Pool): Pool {
    const { clock, pools } = this.gateway
    const known = pools.of(pool.name).lessons.of(pool, this.admitted.caller.account, clock.now())
    const own = this.#reworded.get(pool.name)
    if (known.length === 0 && !own) return pool
    return withLessons(
      pool,
      [...known, ...(own ?? [])].filter(lesson => this.#mayFollow(lesson)),
    )
  }

  /** Whether the model lets a field be left out. */
  #mayFollow({ field, as }: Lesson): boolean {
    const { model } = this.admitted.decision
    return (
      as !== undefined ||
      field === STREAM_OPTIONS ||
      field === PRIORITY ||
      LABELS.has(field) ||
      model.kind !== 'chat' ||
      model.lossy === 'allow'
    )
  }

  report(place: AttemptPlace): AttemptReport {
    return reportAttempt(this.gateway, this.call, this.admitted, place)
  }

  #coordinates(pool: Pool, kind: InferenceKind): Coordinates {
    const stream = this.call.wire.stream !== undefined || this.streams(pool).streams === true
    return { kind, model: pool.model, stream }
  }

  /** The body with a notice to the model where the request's session is to be warned, and within the cap of a last turn. */
  #noticed(dialect: DialectName, body: Buffer): Buffer {
    const { request, decision, rules, hold } = this.admitted
    if (request.kind !== 'chat' || !decision.claims.rules) return body
    const isBounded = dialect === 'messages' && lastTurns(decision.claims, rules).length > 0
    const bounded = isBounded ? withThinkingWithin(body, hold.output) : body
    const notice = sessionNotice(decision.claims, rules)
    return notice === undefined ? bounded : withNotice(dialect, bounded, notice)
  }

  targetAt(place: AttemptPlace, traceparent: string | undefined): Target {
    const { replica, fresh, settings } = place
    const pool = this.#adapted(place.pool)
    const { admitted } = this
    const { request, spoken } = this.call.wire
    const { kind } = request
    const own = spoken?.own
    const native = own && request.kind === 'chat' && isNative(pool, request) ? own : undefined
    const dialect = dialectOf(pool)
    const engine = this.#engineTerms(pool, place)
    const measure = measureOf(this.gateway, admitted, pool)
    const watch = this.#watch
    watch?.begins()
    const target: Mutable<Target> = {
      pool,
      replica,
      fresh,
      path: (native ? DIALECTS[native.dialect] : dialect).path(this.#coordinates(pool, kind)),
      kind,
      body: this.#noticed(
        native ? native.dialect : translationFor(pool),
        native
          ? native.nativeBody(pool.model, admitted.hold.output, this.nativeTerms(pool, engine))
          : dialect.body(kind, this.bodyFor(pool, engine)),
      ),
      requestId: this.call.requestId,
      settings,
      commit: admitted.decision.commit,
      surplus: this.gateway.pools.of(pool.name).surplus,
      streamTime: Math.max(
        0,
        settings.streamTimeout - (this.gateway.clock.elapsed() - this.#startedAt - admitted.queued.ms),
      ),
      // The prompt is read from here on; images are charged once they came.
      dispatched: () => {
        watch?.sent(this.gateway.clock.now())
        admitted.lease.dispatched(() => settlementOf(admitted, pool, this.unseen(measure)))
      },
      measure,
    }
    if (request.kind === 'chat')
      target.grant = {
        tokens: admitted.hold.output * request.choices,
        charged: work => usageOf(admitted, work),
      }
    const firstToken = bothTokens(place.firstToken, watch)
    if (firstToken) target.firstToken = firstToken
    if (watch) target.watch = watch
    const usageTold = this.#usageLearner(place.pool)
    if (usageTold) target.usageTold = usageTold
    if (traceparent !== undefined) target.traceparent = traceparent
    if (native) {
      target.native = native.native
      const headers = nativeHeaders(native, this.call.headers, settings)
      if (headers) target.headers = headers
    }
    return target
  }
}

/** Measures an attempt by what its pool showed before. */
function measureOf({ clock, pools }: UpstreamPorts, { request, decision, spent }: LeasedCall, pool: Pool): Measure {
  const { model } = decision
  const terms: Mutable<MeasureTerms> = { clock, paced: pools.of(pool.name), thinks: thinks(model, request) }
  // The prompt of later rounds, and of files, is not known.
  if (request.kind === 'chat' && !spent && request.images === 0 && !request.native?.isUnbounded)
    terms.promptBytes = Math.max(request.textBytes, request.native?.bytes ?? 0)
  return new Measure(terms)
}

const thinks = (model: Model, request: InferenceRequest): boolean =>
  model.kind === 'chat' && request.kind === 'chat' && (request.thinking ?? model.thinking !== undefined)

/** The client's headers that a native request is sent with: the features that its pool allows. */
function nativeHeaders(
  { dialect }: OwnDialect,
  sent: Headers,
  settings: BackendSettings,
): Readonly<Record<string, string>> | undefined {
  const header = BACKEND_DIALECTS[dialect].betas?.header
  if (header === undefined) return undefined
  const allowed = allowedBetas(header, String(sent[header] ?? ''), settings)
  return allowed === undefined ? undefined : { [header]: allowed }
}

/** The size of vectors that a backend is asked for: those of models with one size know no such field. */
const dimensionsOf = (model: Model, request: InferenceRequest): number | undefined =>
  model.kind === 'embedding' && request.kind === 'embedding' && model.anyDimensions ? request.dimensions : undefined

/** An inference without hosted tools, whose body is the client's. */
abstract class WithoutHostedTools<A> extends Inference<A> {
  readonly #terms: BodyTerms

  constructor(gateway: UpstreamPorts, call: Call, admitted: LeasedCall, watch?: AnswerWatch) {
    super(gateway, call, admitted, undefined, watch)
    const { model, imageSize } = admitted.decision
    const accepts = acceptsOf(model)
    const dimensions = dimensionsOf(model, call.wire.request)
    this.#terms = {
      ...(accepts && { accepts }),
      ...(imageSize !== undefined && { imageSize }),
      ...(dimensions !== undefined && { dimensions }),
    }
  }

  protected override bodyFor(pool: Pool, engine: EngineTerms): Buffer {
    const { model, caps, provider } = pool
    const terms = {
      ...this.#terms,
      caps,
      facts: provider.facts,
      marks: takesMarks(pool),
      ...engine,
      ...this.streams(pool),
    }
    return this.call.wire.bodyFor(model, this.admitted.hold.output, terms)
  }
}

/** One that is answered whole. */
export class BufferedInference extends WithoutHostedTools<WholeAnswer> {
  override attempt(target: Target): Promise<Outcome<WholeAnswer>> {
    const { gateway, call, admitted } = this
    const { native, measure, pool } = target
    const { wire, client } = call
    const { request, isProse } = wire
    const terms = () => answerTerms(gateway, call, admitted.decision, pool.model)
    const read = (bytes: Buffer): Steps<WholeAnswer | undefined> =>
      native
        ? readNative(bytes, native)
        : (wire.readInSteps?.(bytes, terms()) ?? oneStep(() => wire.readAnswer(bytes, terms())))
    if (request.kind !== 'chat') return attemptBuffered(gateway, target, client, read)
    const { choices } = request
    if (this.streams(pool).streams) return attemptFetched(gateway, target, { client, choices, isProse, read })
    const learner = choices === 1 ? measure : undefined
    return attemptBuffered(gateway, target, client, bytes => readLearning(read(bytes), learner))
  }

  protected override streams(pool: Pool): { readonly streams?: true } {
    const { admitted, call } = this
    return isFetchedAsStream(pool, call.wire.request, admitted.hold.output) ? { streams: true } : {}
  }
}

/** Reads an answer, and has the measure of its model learn from its usage. */
function* readLearning(
  reading: Steps<WholeAnswer | undefined>,
  measure: Measure | undefined,
): Steps<WholeAnswer | undefined> {
  const answer = yield* reading
  if (answer?.usage) measure?.learn(answer.usage)
  return answer
}

/** A stream pays off from this many tokens: the backend of a shorter answer finishes soon after its client left. */
const LONG_OUTPUT = 1000

/** Whether a whole answer is fetched as a stream. Backends that parse calls out of what they stream are not all good at it. */
function isFetchedAsStream({ fetch, provider }: Pool, request: InferenceRequest, output: number): boolean {
  if (request.kind !== 'chat' || fetch === 'whole') return false
  if (fetch === 'stream') return true
  // The pieces of a stream are counted for each choice, whatever its usage leaves out.
  if (request.choices > 1) return provider.facts.choicesUsage === 'one'
  return output > LONG_OUTPUT && request.tools === 0
}

/** One that is answered by a stream. */
export class StreamedInference extends WithoutHostedTools<AnswerStream> {
  readonly #wanted: StreamWanted

  constructor(gateway: UpstreamPorts, call: Call, admitted: LeasedCall, wanted: StreamWanted, watch?: AnswerWatch) {
    super(gateway, call, admitted, watch)
    this.#wanted = wanted
  }

  override attempt(target: Target): Promise<Outcome<AnswerStream>> {
    const { client, wire } = this.call
    const terms = wire.isProse ? { maySkip: true as const, ...this.#wanted } : this.#wanted
    return attemptStream(this.gateway, target, terms, client)
  }
}

/** The terms for reading an answer that comes now. */
export const answerTerms = (
  { clock }: UpstreamPorts,
  { requestId }: Call,
  { model, claims }: Allowed,
  backendModel: string,
): AnswerTerms => ({
  model,
  backendModel,
  inputTokens: claims.input,
  id: answerId(requestId),
  created: Math.floor(clock.now() / 1000),
})

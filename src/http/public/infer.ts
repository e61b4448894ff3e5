import type { Identified } from '../../gateway/accounts/identified.ts'
import type { AdmittedCall, Refusal } from '../../gateway/admission/admit.ts'
import { fullestShare } from '../../gateway/admission/rate-state.ts'
import { atOnce, type ReadInTurn, workOnCopy } from '../../gateway/answer/copy.ts'
import { answerHeaders, poolComments } from '../../gateway/answer/headers.ts'
import type { Call, Waiter, WaitingCall } from '../../gateway/call.ts'
import { infer } from '../../gateway/infer.ts'
import type { Cancel, RequestTrace, TracedRequest } from '../../gateway/ports.ts'
import type { InferencePorts, Served } from '../../gateway/request.ts'
import type { Millis, Pool } from '../../policy/config.ts'
import type { Mutable } from '../../policy/decision.ts'
import type { Caller } from '../../policy/facts.ts'
import { ZERO_USD } from '../../policy/nano-usd.ts'
import { planOf } from '../../policy/plan.ts'
import type { Bill } from '../../records/ledger-row.ts'
import type { JsonObject } from '../../wire/json-safety.ts'
import { EventResponse, relay } from '../event-response.ts'
import type { HttpCall } from '../listener/call.ts'
import { refuseCaller } from '../listener/refuse-caller.ts'
import { chatForm, type StreamForm } from '../stream-form.ts'
import { SpokenAnswer } from './answer-form.ts'
import type { ClientApp } from './client-app.ts'
import { holdKept } from './kept-answer.ts'
import type { Received } from './receive.ts'
import { type Format, type ReceiveRequestApp, receiveRequest } from './receive-request.ts'

/** Dependencies of serving inference. */
type InferApp = InferencePorts &
  ReceiveRequestApp &
  Pick<ClientApp, 'bodies' | 'clock' | 'config' | 'feed' | 'random' | 'responses' | 'settings' | 'traces'>

/** Smaller answers are converted at once: waiting for a turn would take longer. */
const LIGHT_BYTES = 65_536

/** A stream whose backends are slow begins after as long, before one of them has answered. */
const HEADERS_WAIT: Millis = 25_000

/** How often a stream says that it waits, where it may. */
const WAITING_EVERY: Millis = 5000

/** Whether a body has tools where some are hosted: which ones depends on the plan, and they are asked before the admission. */
export const asksForTools = ({ tools }: JsonObject, { config }: Pick<ClientApp, 'config'>): boolean =>
  config.tools.size > 0 && Array.isArray(tools) && tools.length > 0

/** An endpoint that serves one kind of inference request. */
export function inference<P extends object>(format: Format<P>) {
  return async (app: InferApp, call: HttpCall, identified: Identified): Promise<void> => {
    const received = await receiveRequest(app, call, identified, format)
    if ('denial' in received) return refuseCaller(call, identified, received)
    const { value: wire, waited, decided, found } = received
    const { caller } = found
    const crowded = wire.thread && holdKept(app, call, caller.account, wire.thread.bytes)
    if (crowded) {
      decided()
      received.release()
      return refuseCaller(call, found, crowded)
    }
    const { note } = call
    notePlan(app, call, caller)
    note.asked = wire.request.model ?? ''

    const spoken = wire.spoken && new SpokenAnswer(app, call, wire)
    const late = wire.stream && new LateStart(app, call, spoken)
    const trying = (admitted: AdmittedCall, pool: Pool) => {
      call.tries(waited)
      noteAdmitted(call, admitted)
      decided()
      app.feed.began(caller.account)
      late?.trying(admitted, pool)
    }
    const asked = callOf(call, found, { wire, trying, bodyBytes: received.bytes })
    if (late) asked.waiter = late
    const trace = traceOf(app, call, { kind: wire.request.kind, stream: late !== undefined })
    if (trace) asked.trace = trace
    // Not awaited: what was asked need not be kept as long as the answer lasts.
    return answer(app, call, asked, { late, spoken }, received)
  }
}

/** The use-case's view of a call and of its caller. */
function callOf(
  client: HttpCall,
  { caller, keyHash, confirm }: Identified,
  { wire, trying, bodyBytes }: Required<Pick<Call, 'wire' | 'trying' | 'bodyBytes'>>,
): Mutable<Call> {
  const { requestId, request } = client
  const call: Mutable<Call> = { requestId, caller, headers: request.headers, client, wire, trying, bodyBytes }
  if (keyHash !== undefined) call.keyHash = keyHash
  if (confirm) call.confirm = confirm
  return call
}

/** How an answer is written. */
interface Writing {
  /** Set where a stream was asked for. */
  readonly late: LateStart | undefined
  /** Set where it was asked for in another dialect than that of chats. */
  readonly spoken: SpokenAnswer | undefined
}

async function answer(
  app: InferApp,
  call: HttpCall,
  asked: Call,
  { late, spoken }: Writing,
  { decided, release }: Pick<Received<unknown>, 'decided' | 'release'>,
): Promise<void> {
  const served = await infer(app, asked).finally(() => {
    late?.stop()
    decided()
    release()
  })
  noteFailures(call, served)
  if ('denial' in served) {
    noteRefused(app, call, served)
    return deny(call, served, late)
  }
  switch (served.kind) {
    case 'left':
      if (served.bill) noteBill(call, served.bill)
      // Its answer lost its room: the client still waits.
      if (call.crowded) call.deny(call.crowded)
      return
    case 'whole':
      return sendWhole(app, call, served, spoken)
    case 'stream': {
      if (!late) throw new Error('a stream answered a request that did not ask for one')
      late.answers(served.admitted, served.pool)
      return relay(call, late.events, { stream: served.stream, form: late.answeredBy(served) }, async ending => {
        const bill = await served.ending.end(ending.how, ending)
        noteBill(call, bill)
        // An answer in rounds may have more failures by now.
        noteFailures(call, served)
        if (ending.how !== 'well') call.note.interrupted = ending.cause
        call.note.skippedEvents = ending.skippedEvents
        return bill
      })
    }
  }
}

/** Sends a whole answer, in the form of its client. */
async function sendWhole(
  app: Pick<ClientApp, 'settings'>,
  call: HttpCall,
  served: Extract<Served, { readonly kind: 'whole' }>,
  spoken: SpokenAnswer | undefined,
): Promise<void> {
  const { admitted, pool, bill, bytes } = served
  noteBill(call, bill)
  call.note.skippedEvents = served.skippedEvents
  const headers = answerHeaders(app.settings.brand, admitted, pool, bill.cost)
  if (!spoken) return call.send(200, 'application/json', bytes, headers)
  spoken.addHeaders(headers, served)
  const write = async (inTurn: ReadInTurn) => spoken.keep(await inTurn(spoken.whole(served)), served, inTurn)
  const { saidBytes } = spoken
  const isLight = bytes.length + saidBytes <= LIGHT_BYTES
  const written = isLight ? { is: await write(atOnce) } : await workOnCopy(call.costs, write, saidBytes)
  if (written !== 'lost') return call.send(200, 'application/json', written.is, headers)
  if (call.crowded) call.deny(call.crowded)
}

/** Begins to trace a request, where tracing is on. */
export function traceOf(
  { traces }: Pick<ClientApp, 'traces'>,
  call: HttpCall,
  asked: Pick<TracedRequest, 'kind' | 'stream'>,
): RequestTrace | undefined {
  if (!traces) return undefined
  const { traceparent } = call.request.headers
  const { requestId, path, request } = call
  const traced = { requestId, path, method: request.method ?? '', ...asked }
  call.trace = traces.begin(typeof traceparent === 'string' ? { ...traced, traceparent } : traced)
  return call.trace
}

/** Dependencies of opening streams. */
type LateApp = Pick<ClientApp, 'clock' | 'settings'>

/** Starts a stream that is overdue before any pool has answered; failover continues behind it. */
class LateStart implements Waiter {
  readonly events: EventResponse
  readonly #app: LateApp
  readonly #call: HttpCall
  readonly #spoken: SpokenAnswer | undefined
  #overdue = false
  #tried: { readonly admitted: AdmittedCall; readonly pool: Pool } | undefined
  /** Cancels the timer that opens the stream, or says who waits. */
  #cancel: Cancel

  constructor(app: LateApp, call: HttpCall, spoken: SpokenAnswer | undefined) {
    this.events = new EventResponse(call, app.clock)
    this.#app = app
    this.#call = call
    this.#spoken = spoken
    this.#cancel = this.#openLater()
  }

  stop(): void {
    this.#cancel()
  }

  /** While it waits in a queue it is not overdue. Where its operator accepts that, it says how many wait. */
  waits({ admitted, waiting }: WaitingCall): Cancel {
    this.#cancel()
    if (waiting) this.#sayWaiting(admitted, waiting)
    return () => {
      this.#cancel()
      if (!this.events.opened) this.#cancel = this.#openLater()
    }
  }

  #openLater(): Cancel {
    return this.#app.clock.after(HEADERS_WAIT, () => {
      this.#overdue = true
      this.#openIfOverdue()
    })
  }

  #sayWaiting(admitted: AdmittedCall, waiting: () => number): void {
    this.#cancel = this.#app.clock.after(WAITING_EVERY, () => {
      if (!this.events.opened) this.#openBefore(admitted)
      this.events.comment(`: waiting, ${waiting()} in the queue\n\n`)
      this.#sayWaiting(admitted, waiting)
    })
  }

  trying(admitted: AdmittedCall, pool: Pool): void {
    this.#tried = { admitted, pool }
    this.#openIfOverdue()
  }

  /** The headers are made only here: nearly every stream begins in time. */
  #openIfOverdue(): void {
    if (!this.#overdue || !this.#tried || this.events.opened) return
    this.#openBefore(this.#tried.admitted)
  }

  /** Sends the headers before a pool has answered. */
  #openBefore(admitted: AdmittedCall): void {
    const [tried, spoken] = [this.#tried, this.#spoken]
    this.#open(admitted, undefined)
    // Made only then: the pool that answers may be another one.
    if (spoken && tried) this.#call.lastEvent = error => spoken.translated(tried).fail(error)
  }

  /** Names the answering pool: in the headers, or after them if they are sent. */
  answers(admitted: AdmittedCall, pool: Pool): void {
    if (!this.events.opened) this.#open(admitted, pool)
    else this.events.comment(poolComments(this.#app.settings.brand, admitted, pool))
  }

  #open(admitted: AdmittedCall, pool: Pool | undefined): void {
    const headers = answerHeaders(this.#app.settings.brand, admitted, pool, ZERO_USD)
    this.#spoken?.addHeaders(headers, { admitted })
    this.events.open(headers)
  }

  /** How the stream of a pool is written from its first event on. */
  answeredBy({ admitted, pool, stream }: Extract<Served, { readonly kind: 'stream' }>): StreamForm {
    if (!this.#spoken) return chatForm
    const form = this.#spoken.stream({ admitted, pool }, stream)
    this.#call.lastEvent = form.fail
    return form
  }
}

function deny(call: HttpCall, { denial, rate }: Refusal, late: LateStart | undefined): void {
  if (!late?.events.opened) {
    call.deny(denial, rate)
    return
  }
  call.note.code = denial.code
  call.note.interrupted = 'denied after the headers'
  late.events.end(call.lastWords(denial))
}

/** Notes the plan of a caller as it is known by now: it may change while a request is read. */
export function notePlan({ config }: Pick<ClientApp, 'config'>, { note }: HttpCall, caller: Caller | undefined): void {
  if (caller) note.plan = planOf(config, caller)?.name
}

/** Notes a request as it was admitted. */
export function noteAdmitted({ note }: HttpCall, admitted: AdmittedCall): void {
  const { decision, request } = admitted
  note.plan = decision.plan.name
  note.labels = decision.labels
  note.session = request.session
  note.limitShare ??= fullestShare(admitted)
}

/** Notes a request that was refused, or that no backend answered. */
export function noteRefused(app: Pick<ClientApp, 'config'>, call: HttpCall, { caller, names }: Refusal): void {
  notePlan(app, call, caller)
  if (!names) return
  call.note.labels = names.labels
  call.note.session = names.session
}

export function noteFailures({ note }: HttpCall, { failures }: Pick<Served, 'failures'>): void {
  note.failures = failures.map(({ pool, cause }) => ({ pool: pool.name, cause }))
}

export function noteBill({ note }: HttpCall, bill: Bill): void {
  note.model = bill.model
  note.pool = bill.pool
  note.inputTokens = bill.inputTokens
  note.outputTokens = bill.outputTokens
  note.cachedTokens = bill.cachedTokens
  note.cacheWriteTokens = bill.cacheWriteTokens
  note.cost = bill.cost
  note.estimated = bill.estimated
  if (bill.rule !== undefined) note.rule = bill.rule
  if (bill.tools) note.tools = bill.tools
}

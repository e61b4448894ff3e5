import type { AdmittedCall } from '../gateway/admit.ts'
import { answerHeaders } from '../gateway/answer-headers.ts'
import type { Identified } from '../gateway/identify.ts'
import { infer, type Served } from '../gateway/infer.ts'
import type { RequestTrace, TracedRequest } from '../gateway/ports.ts'
import type { Bill } from '../gateway/store.ts'
import type { Millis, Pool } from '../policy/config.ts'
import type { Denial } from '../policy/denial.ts'
import { planOf } from '../policy/plan.ts'
import { isDenial } from '../wire/body.ts'
import { denialEvent } from '../wire/denial.ts'
import type { WireRequest } from '../wire/request.ts'
import { readBody } from './body.ts'
import type { HttpCall } from './call.ts'
import type { App } from './endpoint.ts'
import { EventResponse } from './event-response.ts'
import { relay } from './relay.ts'

/** A stream whose backends are slow begins after as long, before one of them has answered. */
const HEADERS_WAIT: Millis = 25_000

/** An endpoint that serves one kind of inference request; `read` knows its body. */
export function inference(read: (bytes: Buffer, app: App) => WireRequest | Denial) {
  return async (app: App, call: HttpCall, { caller, keyHash }: Identified): Promise<void> => {
    const waitedFrom = app.clock.elapsed()
    const bytes = await readBody(call.request, app.settings.limits.bodyBytes)
    const waited = app.clock.elapsed() - waitedFrom
    if (isDenial(bytes)) return call.deny(bytes)
    const wire = read(bytes, app)
    if (isDenial(wire)) return call.deny(wire)
    const plan = planOf(app.config, caller)
    call.notes({ ...(plan && { plan: plan.name }), asked: wire.request.model ?? '' })

    const events = new EventResponse(call, app.clock)
    const start = new LateStart(app, events)
    const stopWaiting = wire.stream ? app.clock.after(HEADERS_WAIT, () => start.overdue()) : () => {}
    const trying = (admitted: AdmittedCall, pool: Pool) => {
      call.tries(waited)
      app.feed.began(caller.account)
      start.trying(admitted, pool)
    }
    const { headers } = call.request
    const trace = traceOf(app, call, { kind: wire.request.kind, stream: wire.stream !== undefined })
    const asked = {
      requestId: call.requestId,
      caller,
      wire,
      headers,
      client: call,
      trying,
      ...(trace && { trace }),
      ...(keyHash !== undefined && { keyHash }),
    }
    const served = await infer(app, asked).finally(stopWaiting)
    noteFailures(call, served)
    await answer(app, call, events, served)
  }
}

/** Begins to trace a request, where anybody does. */
export function traceOf(
  { traces }: App,
  call: HttpCall,
  asked: Pick<TracedRequest, 'kind' | 'stream'>,
): RequestTrace | undefined {
  const { traceparent } = call.request.headers
  const { requestId, path, request } = call
  const traced = { requestId, path, method: request.method ?? '', ...asked }
  call.trace = traces?.begin(typeof traceparent === 'string' ? { ...traced, traceparent } : traced)
  return call.trace
}

/** Begins a stream that is overdue with the pool that is being tried; failover goes on behind it. */
class LateStart {
  readonly #app: App
  readonly #events: EventResponse
  #overdue = false
  #tried: { readonly admitted: AdmittedCall; readonly pool: Pool } | undefined

  constructor(app: App, events: EventResponse) {
    this.#app = app
    this.#events = events
  }

  overdue(): void {
    this.#overdue = true
    this.#openIfOverdue()
  }

  trying(admitted: AdmittedCall, pool: Pool): void {
    this.#tried = { admitted, pool }
    this.#openIfOverdue()
  }

  /** The headers are made only here: nearly every stream begins in time. */
  #openIfOverdue(): void {
    if (!this.#overdue || !this.#tried) return
    const { admitted, pool } = this.#tried
    this.#events.open(answerHeaders(this.#app.settings.brand, admitted, pool, 0))
  }
}

async function answer(app: App, call: HttpCall, events: EventResponse, served: Served): Promise<void> {
  switch (served.kind) {
    case 'denied':
      return deny(call, events, served.denial)
    case 'left':
      if (served.bill) noteBill(call, served.bill)
      return
    case 'whole': {
      const { admitted, pool, bill, bytes } = served
      noteBill(call, bill)
      return call.send(200, 'application/json', bytes, answerHeaders(app.settings.brand, admitted, pool, bill.cost))
    }
    case 'stream':
      events.open(answerHeaders(app.settings.brand, served.admitted, served.pool, 0))
      return relay(call, events, served.stream, async ending => {
        noteBill(call, await served.settle(ending))
        // Of an answer in rounds there may be more by now.
        noteFailures(call, served)
        const { clean, cause, skipped } = ending
        if (skipped > 0) call.notes({ skippedEvents: skipped })
        if (!clean) call.notes({ interrupted: cause })
      })
  }
}

function deny(call: HttpCall, events: EventResponse, denial: Denial): void {
  if (events.opened) {
    call.notes({ code: denial.code, interrupted: 'denied after the headers' })
    events.end(denialEvent(denial, call.terms))
  } else call.deny(denial)
}

export function noteFailures(call: HttpCall, { failures }: Pick<Served, 'failures'>): void {
  call.notes({ failures: failures.map(({ pool, cause }) => ({ pool: pool.name, cause })) })
}

export function noteBill(call: HttpCall, bill: Bill): void {
  const { model, pool, rule, inputTokens, outputTokens, cost, estimated, tools } = bill
  const more = { ...(rule !== undefined && { rule }), ...(tools && { tools }) }
  call.notes({ model, pool, inputTokens, outputTokens, cost, estimated, ...more })
}

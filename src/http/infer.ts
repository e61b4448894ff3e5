import type { Settings } from '../config/settings.ts'
import type { Identified } from '../gateway/identify.ts'
import { infer, type Served } from '../gateway/infer.ts'
import { standingAfter } from '../gateway/quota.ts'
import type { LedgerRow } from '../gateway/store.ts'
import type { Denial } from '../policy/denial.ts'
import { isDenial } from '../wire/body.ts'
import { quotaHeaders } from '../wire/quota.ts'
import type { WireRequest } from '../wire/request.ts'
import { readBody } from './body.ts'
import type { HttpCall } from './call.ts'
import type { App } from './endpoint.ts'
import { relay } from './relay.ts'

/** An endpoint that serves one kind of inference request; `read` knows its body. */
export function inference(read: (bytes: Buffer, settings: Settings) => WireRequest | Denial) {
  return async (app: App, call: HttpCall, { caller, keyHash }: Identified): Promise<void> => {
    const bytes = await readBody(call.request, app.settings.limits.bodyBytes)
    if (isDenial(bytes)) return call.deny(bytes)
    const wire = read(bytes, app.settings)
    if (isDenial(wire)) return call.deny(wire)
    call.note = { plan: caller.plan, asked: wire.request.model ?? '' }

    const served = await infer(app, { requestId: call.requestId, keyHash, caller, wire, client: call })
    call.note = { ...call.note, failures: served.failures }
    await answer(app, call, served)
  }
}

async function answer(app: App, call: HttpCall, served: Served): Promise<void> {
  switch (served.kind) {
    case 'denied':
      return call.deny(served.denial)
    case 'left':
      noteRow(call, served.row)
      return
    case 'whole':
      noteRow(call, served.row)
      return call.send(200, 'application/json', served.bytes, answerHeaders(app, served, served.row.cost))
    case 'stream':
      return relay(call, served.stream, answerHeaders(app, served, 0), async ending => {
        noteRow(call, await served.settle(ending))
        if (!ending.clean) call.note = { ...call.note, interrupted: ending.cause }
      })
  }
}

function noteRow(call: HttpCall, { model, pool, inputTokens, outputTokens, cost, estimated }: LedgerRow): void {
  call.note = { ...call.note, model, pool, inputTokens, outputTokens, cost, estimated }
}

function answerHeaders(
  { settings }: App,
  { admitted, pool }: Extract<Served, { kind: 'whole' | 'stream' }>,
  cost: number,
): Record<string, string> {
  const { decision, hold } = admitted
  const shrunk = hold.output < decision.claims.output.want
  return {
    [`x-${settings.brand}-upstream`]: pool.name,
    ...quotaHeaders(settings.brand, standingAfter(admitted, cost)),
    // The cap is the gateway's own: without this the client could not tell why its answer stopped.
    ...(shrunk && { [`x-${settings.brand}-max-tokens`]: String(hold.output) }),
  }
}

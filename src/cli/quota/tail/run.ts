import type { AdminEndpoint, OperatorApi } from '../../../operator/api.ts'
import { follow } from '../../../operator/gateway-calls.ts'
import { remoteOperatorApi } from '../../../operator/remote.ts'
import { world } from '../../../server/world.ts'
import type { ShownEvent } from '../../../wire/admin/event.ts'
import { jsonLine } from '../../../wire/printable.ts'
import { untilStopped, writeLive } from '../../kit/terminal.ts'
import { TailModel } from './model.ts'

interface TailQuota {
  /** Its name, or `all`. */
  readonly gateway: string
  /** On a terminal. */
  readonly live: boolean
}

/** Shows the accounts of a gateway as they are at work, or writes JSON lines, until it is stopped. Rejects with CommandFailed when the gateway goes. */
export async function tailQuota(endpoint: AdminEndpoint, { gateway, live }: TailQuota): Promise<void> {
  const operator = remoteOperatorApi(endpoint)
  await untilStopped(async stop => {
    // Before the standings: what changes while they are read is not lost.
    const events = await follow(endpoint, { signal: stop.signal, gateway })
    if (live) await showLive(endpoint, operator, events, stop)
    else await writeLive(jsonLines(operator, events))
  })
}

async function showLive(
  { admin }: AdminEndpoint,
  operator: OperatorApi,
  events: AsyncIterable<ShownEvent>,
  stop: AbortController,
): Promise<void> {
  const revoke = async (account: string) => {
    const { key, label } = await operator.revoke(account)
    return `revoked ${key} of ${label}`
  }
  const model = new TailModel({ gateway: admin, now: world.clock.now, revoke })
  const { showTail } = await import('./terminal.ts')
  const take = async (source: AsyncIterable<ShownEvent>) => {
    for await (const event of source) {
      if (stop.signal.aborted) return
      model.apply(event)
    }
  }
  let failure: unknown
  // The failure is shown once the terminal is left.
  Promise.all([take(operator.standings()), take(events)])
    .catch((error: unknown) => {
      failure = error
    })
    .finally(() => stop.abort())
  await showTail(model, stop.signal)
  if (failure !== undefined) throw failure
}

async function* jsonLines(
  operator: OperatorApi,
  events: AsyncIterable<ShownEvent>,
): AsyncGenerator<string, void, undefined> {
  for await (const standing of operator.standings()) yield jsonLine(standing)
  for await (const event of events) yield jsonLine(event)
}

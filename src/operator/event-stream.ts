import type { Millis } from '../policy/config.ts'
import { CommandFailed, exitCodes } from '../server/failure.ts'
import { readShownEvent, type ShownEvent } from '../wire/admin/event.ts'
import { SseSplitter } from '../wire/sse.ts'
import type { AdminEndpoint } from './operator-api.ts'
import { openBody } from './remote.ts'

/** A gateway that lives says something every 15 s. */
const SILENCE_MAX: Millis = 45_000

export interface Follow {
  /** An id or label; all accounts without it. */
  readonly account?: string
  /** Ends it: nothing more comes then. */
  readonly signal: AbortSignal
}

/**
 * The requests of a gateway as they end, from the moment this resolves. They end with the signal; when the gateway
 * ends them, they reject with CommandFailed.
 */
export async function follow(
  { admin, token }: AdminEndpoint,
  { account, signal }: Follow,
): Promise<AsyncIterable<ShownEvent>> {
  const query = account === undefined ? '' : `?${new URLSearchParams({ account })}`
  const body = await openBody(`${admin}/admin/events${query}`, token, { signal, silence: SILENCE_MAX })
  return eventsIn(body, admin, signal)
}

async function* eventsIn(
  body: AsyncIterable<Buffer>,
  admin: string,
  signal: AbortSignal,
): AsyncGenerator<ShownEvent, void, undefined> {
  const splitter = new SseSplitter()
  let reason = 'it has ended'
  try {
    for await (const bytes of body) for (const data of splitter.push(bytes)) yield readShownEvent(JSON.parse(data))
  } catch (error) {
    reason = error instanceof Error ? error.message : String(error)
  }
  if (!signal.aborted) throw new CommandFailed(`✗ the gateway at ${admin} is gone: ${reason}`, exitCodes.unreachable)
}

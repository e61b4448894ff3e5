import type { ShownEvent, ShownStanding } from '../../../../src/wire/admin/event.ts'
import { askResponse } from '../../shared/api.ts'
import { eachText } from '../../shared/stream.ts'
import { type EndedRequest, listRequests } from '../api/requests.ts'
import * as text from '../texts/live.tsx'

/** Hears of a gateway's events. */
export interface Follower {
  /** The gateway whose requests are followed; `all` means the fleet. */
  readonly gateway: string
  /** Something happened, or an account stands so. */
  apply(event: ShownEvent): void
  /** Called once all accounts have been applied. */
  listed(): void
  /** A request that ended before the events began. */
  remember(request: EndedRequest): void
}

/** Follows gateways: what ends from now on, and beside it how every account stands. Rejects when either breaks off. */
export async function follow({ gateway, apply, listed, remember }: Follower, signal: AbortSignal): Promise<void> {
  // First the events: one that came between the two would be missed.
  const events = await askResponse(`/admin/events?${new URLSearchParams({ gateway })}`, undefined, signal)
  const standings = await askResponse('/admin/accounts', undefined, signal)
  await Promise.all([
    eachText(events, '\n\n', text => {
      if (text.startsWith('data: ')) apply(JSON.parse(text.slice('data: '.length)))
    }).then(() => {
      throw new Error(text.theGatewayEnded)
    }),
    eachText(standings, '\n', text => apply(JSON.parse(text) satisfies ShownStanding))
      .then(listed)
      .then(() => listRequests({}))
      .then(({ data }) => data.forEach(remember)),
  ])
}

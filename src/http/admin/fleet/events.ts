import { followAll } from '../../../gateway/fleet/follow.ts'
import { pathOf } from '../../../wire/admin-api/call.ts'
import * as calls from '../../../wire/admin-api/requests.ts'
import { EventResponse } from '../../event-response.ts'
import { FeedReader } from '../../feed.ts'
import type { HttpCall } from '../../listener/call.ts'
import type { Asked } from '../declared.ts'
import { accountIn } from '../exports.ts'
import type { OperatorApp } from '../operator-app.ts'
import { type AskedGateways, askedGateways } from './asked-gateways.ts'

/** Dependencies of the operator feed. */
type EventsApp = Pick<OperatorApp, 'feed' | 'fleet' | 'peers' | 'clock' | 'store' | 'settings' | 'config'>

/**
 * GET /admin/events: the requests of this gateway as they end, as server-sent events; of one account, or of all. With
 * `gateway` those of the fleet, each with the name of the gateway that had it.
 */
export async function followEvents(
  app: EventsApp,
  { query }: Asked<typeof calls.followEvents>,
  call: HttpCall,
): Promise<void> {
  const { kinds, gateway } = query
  const named = await accountIn(app, query.account)
  if ('denial' in named) return call.deny(named.denial)
  const asked = await askedGateways(app, gateway)
  if ('denial' in asked) return call.deny(asked.denial)
  const events = new EventResponse(call, app.clock)
  events.open({})
  // HEAD: there is nothing to wait for.
  if (call.request.method !== 'GET') return events.end('')
  const own = gateway === undefined ? undefined : app.fleet.self.name
  const reader = new FeedReader(
    (text, onDrain) => events.write(text, onDrain),
    named.account,
    asked.here ? kinds : [],
    own,
  )
  const path = pathOf(calls.followEvents, { query: { account: named.account, kinds } })
  await new Promise<void>(resolve => {
    const leave = app.feed.follow(reader, () => {
      leaveOthers()
      events.end('')
      resolve()
    })
    const leaveOthers = own === undefined ? () => {} : followOthers(app, asked, reader, path)
    call.onGone(() => {
      leave()
      leaveOthers()
      resolve()
    })
  })
}

const followOthers = ({ clock, peers }: EventsApp, { others }: AskedGateways, reader: FeedReader, path: string) =>
  followAll(
    { clock, followPeer: peers.follow, members: others, path },
    {
      event: (gateway, json) => reader.sendOf(gateway, json),
      changed: (gateway, problem) => reader.sendFollowed(gateway, problem),
    },
  )

import { followAll } from '../../../gateway/fleet/follow.ts'
import { invalid } from '../../../policy/denial.ts'
import { EventResponse } from '../../event-response.ts'
import { FEED_KINDS, FeedReader } from '../../feed.ts'
import type { HttpCall } from '../../listener/call.ts'
import { readQuery } from '../../listener/request-input.ts'
import { accountIn } from '../exports.ts'
import type { OperatorApp } from '../operator-app.ts'
import { type AskedGateways, askedGateways } from './asked-gateways.ts'

/** Dependencies of the operator feed. */
type EventsApp = Pick<OperatorApp, 'feed' | 'fleet' | 'peers' | 'clock' | 'store' | 'settings' | 'config'>

/**
 * GET /admin/events: the requests of this gateway as they end, as server-sent events; of one account, or of all. With
 * `gateway` those of the fleet, each with the name of the gateway that had it.
 */
export async function followEvents(app: EventsApp, call: HttpCall): Promise<void> {
  const query = readQuery(call, ['account', 'kinds', 'gateway'])
  if ('denial' in query) return call.deny(query.denial)
  const named = await accountIn(app, query.account)
  if ('denial' in named) return call.deny(named.denial)
  const kinds = query.kinds?.split(',').map(kind => FEED_KINDS.find(each => each === kind))
  const wanted = kinds?.filter(kind => kind !== undefined)
  if (wanted?.length !== kinds?.length)
    return call.deny(invalid('kinds', `must be some of ${FEED_KINDS.join(', ')}, with commas between`).denial)
  const asked = await askedGateways(app, query.gateway)
  if ('denial' in asked) return call.deny(asked.denial)
  const events = new EventResponse(call, app.clock)
  events.open({})
  // HEAD: there is nothing to wait for.
  if (call.request.method !== 'GET') return events.end('')
  const own = query.gateway === undefined ? undefined : app.fleet.self.name
  const reader = new FeedReader(
    (text, onDrain) => events.write(text, onDrain),
    named.account,
    asked.here ? wanted : [],
    own,
  )
  const words = new URLSearchParams({
    ...(named.account !== undefined && { account: named.account }),
    ...(query.kinds !== undefined && { kinds: query.kinds }),
  })
  await new Promise<void>(resolve => {
    const leave = app.feed.follow(reader, () => {
      leaveOthers()
      events.end('')
      resolve()
    })
    const leaveOthers = own === undefined ? () => {} : followOthers(app, asked, reader, `/admin/events?${words}`)
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

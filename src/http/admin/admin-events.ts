import type { Denied } from '../../policy/denial.ts'
import { type ShownStanding, shownStanding } from '../../wire/admin/event.ts'
import type { HttpCall } from '../listener/call.ts'
import type { App } from '../listener/endpoint.ts'
import { readQuery } from '../listener/request-input.ts'
import { EventResponse } from '../public/event-response.ts'
import { type AdminContext, accountNamed } from './admin-op.ts'
import { sendRows } from './exports.ts'
import { FeedReader } from './feed.ts'

type AdminStore = Pick<AdminContext, 'store' | 'settings' | 'config'>

/** GET /admin/events: the requests of this gateway as they end, as server-sent events; of one account, or of all. */
export async function followEvents(app: App, call: HttpCall): Promise<void> {
  const named = await readAccountQuery(app, call)
  if ('denial' in named) return call.deny(named.denial)
  const events = new EventResponse(call, app.clock)
  events.open({})
  // HEAD: there is nothing to wait for.
  if (call.request.method !== 'GET') return events.end('')
  await new Promise<void>(resolve => {
    const reader = new FeedReader((text, onDrain) => events.write(text, onDrain), named.account)
    const leave = app.feed.follow(reader, () => {
      events.end('')
      resolve()
    })
    call.onGone(() => {
      leave()
      resolve()
    })
  })
}

/** GET /admin/accounts: how accounts stand, as JSON lines: one of them, or all that have had a key. */
export async function listStandings(app: App, call: HttpCall): Promise<void> {
  const named = await readAccountQuery(app, call)
  if ('denial' in named) return call.deny(named.denial)
  await sendRows(call, standingsOf(app, named.account), standing => standing)
}

export async function* standingsOf(
  { store, config }: AdminStore,
  account?: string,
): AsyncGenerator<ShownStanding, void, undefined> {
  const names = account === undefined ? (await store.keys.list()).map(key => key.account) : [account]
  for (const name of new Set(names)) {
    const standing = await store.accounts.readUsage(name)
    if (standing) yield shownStanding(config, standing)
  }
}

/** Wrapped in an object, to differ from a denial. */
async function readAccountQuery(app: App, call: HttpCall): Promise<{ readonly account?: string } | Denied> {
  const query = readQuery(call, ['account'])
  if ('denial' in query || query.account === undefined) return 'denial' in query ? query : {}
  const record = await accountNamed(app, query.account)
  return 'denial' in record ? record : { account: record.account }
}

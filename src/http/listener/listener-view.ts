import type { ListenerSettings } from '../../config/settings.ts'
import { type Identify, identifyWith } from '../../gateway/accounts/identify.ts'
import type { ErrorTerms } from '../../wire/errors/bodies.ts'
import { errorTermsOf } from '../../wire/errors/denial.ts'
import { openToPages } from '../public/cors.ts'
import { passthroughEndpoints } from '../public/passthrough.ts'
import { type ClientAddresses, clientAddresses } from './client-address.ts'
import type { App, Endpoint } from './endpoint.ts'
import { type Match, router } from './router.ts'

/** What a listener makes of a snapshot, once. */
export interface ListenerView {
  readonly app: App
  readonly route: (method: string, path: string) => Match
  readonly terms: ErrorTerms
  readonly addresses: ClientAddresses
  readonly identify: Identify
  /** For operators, who are few, and must get in when clients are too many. */
  readonly uncounted: ListenerSettings
  /** Headers of every answer: names and values by turns. */
  readonly always: readonly string[]
}

/**
 * The view of each snapshot on a table of endpoints; the view of the last snapshot is kept. `isPublic`: pages of other origins
 * may read the answers.
 */
export function listenerViews(endpoints: readonly Endpoint[], isPublic: boolean): (app: App) => ListenerView {
  let last: ListenerView | undefined
  return app => {
    if (last?.app !== app) last = viewOf(app, endpoints, isPublic)
    return last
  }
}

/** Those of the table, and among those for clients what the files pass through. */
export const endpointsOf = (
  { config }: Pick<App, 'config'>,
  table: readonly Endpoint[],
  isPublic: boolean,
): readonly Endpoint[] => (isPublic ? [...table, ...passthroughEndpoints(config)] : table)

function viewOf(app: App, endpoints: readonly Endpoint[], isPublic: boolean): ListenerView {
  const { server, brand, listener } = app.settings
  return {
    app,
    route: router(endpointsOf(app, endpoints, isPublic), app.config.defaultModel.name),
    terms: errorTermsOf(app.settings),
    addresses: clientAddresses(server.trustedProxies),
    identify: identifyWith(app),
    uncounted: { ...listener, connections: Number.POSITIVE_INFINITY, connectionsPerAddress: Number.POSITIVE_INFINITY },
    always: Object.entries(isPublic ? openToPages(brand) : {}).flat(),
  }
}

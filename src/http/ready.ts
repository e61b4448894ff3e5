import { StoreUnavailable } from '../gateway/store.ts'
import type { HttpCall } from './call.ts'
import type { App } from './endpoint.ts'
import { UNCACHED } from './keys.ts'

/** GET /readyz for balancers: 503 once the process is on its way out, so that they send nobody here. */
export function showReady(app: App, call: HttpCall): void {
  if (app.ready()) call.json(200, { status: 'ready', revision: app.config.revision })
  else call.deny({ code: 'DRAINING' })
}

/**
 * The same for operators, with what is their business alone. A store that is down leaves it at 200: all gateways have
 * the same one, so that sending people to another helps nobody.
 */
export async function showReadyInDetail(app: App, call: HttpCall): Promise<void> {
  if (!app.ready()) return call.deny({ code: 'DRAINING' })
  const { config, generation, loadedAt, reloads } = app
  const { ok, failed, lastError } = reloads
  const record = {
    status: 'ready',
    revision: config.revision,
    generation,
    loaded_at: timeText(loadedAt),
    store: await storeState(app),
    reload: { ok, failed, ...(lastError && { last_error: { ...lastError, at: timeText(lastError.at) } }) },
  }
  call.json(200, record, UNCACHED)
}

/** Of no key. */
const NOBODY = '0'.repeat(64)

const storeState = ({ store }: App): Promise<'ok' | 'unavailable'> =>
  store.findCaller(NOBODY).then(
    () => 'ok' as const,
    (error: unknown) => {
      if (error instanceof StoreUnavailable) return 'unavailable'
      throw error
    },
  )

const timeText = (at: number): string => new Date(at).toISOString()

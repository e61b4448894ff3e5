import type { OwnRequests } from '../../../../src/wire/account/own-requests.ts'
import { ask } from '../../shared/api.ts'

/** The charge of a request that is over, as soon as the gateway lists it. */
export async function costOf(requestId: string): Promise<string | undefined> {
  for (const wait of WAITS_MS) {
    await new Promise(resolve => setTimeout(resolve, wait))
    const { data } = await ask<OwnRequests>('/v1/requests?limit=20')
    const usd = data.find(({ id }) => id === requestId)?.usd
    if (usd != null) return usd
  }
  return undefined
}

const WAITS_MS = [50, 500, 2000]

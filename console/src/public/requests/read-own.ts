import type { OwnRequests } from '../../../../src/wire/account/own-requests.ts'
import type { OwnRequest } from '../../../../src/wire/own-request.ts'
import { ask } from '../../shared/api.ts'

/** The newest requests of the account. */
export const newestOwn = (limit: number) => ask<OwnRequests>(`/v1/requests?limit=${limit}`)

/** One request of the account, however old: lists go on before an id, and no id is between this one and itself with a zero. */
export async function readOwn(id: string): Promise<OwnRequest | undefined> {
  const { data } = await ask<OwnRequests>(`/v1/requests?limit=1&before=${encodeURIComponent(`${id}0`)}`)
  return data.find(each => each.id === id)
}

/** Whether a request asked a model, as changes of keys in the console do not. */
export const hasAskedModel = ({ asked, model }: OwnRequest): boolean => asked !== null || model !== null

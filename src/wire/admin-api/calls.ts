import * as accounts from './accounts.ts'
import type { AdminCall } from './call.ts'
import * as config from './config.ts'
import * as fleet from './fleet.ts'
import * as keys from './keys.ts'
import * as notices from './notices.ts'
import * as pools from './pools.ts'
import * as requests from './requests.ts'
import * as search from './search.ts'
import * as sessions from './sessions.ts'
import * as usage from './usage.ts'

/** The calls of the admin API by families, in the order of the document. */
const FAMILIES = { keys, accounts, usage, requests, search, pools, notices, fleet, config, sessions }

/** Every call, with the name of its family and its own. */
export const ADMIN_CALLS: readonly NamedCall[] = Object.entries(FAMILIES).flatMap(([family, exported]) =>
  Object.entries<unknown>(exported).flatMap(([name, value]) => (isCall(value) ? [{ family, name, call: value }] : [])),
)

export interface NamedCall {
  readonly family: string
  readonly name: string
  readonly call: AdminCall
}

function isCall(value: unknown): value is AdminCall {
  return typeof value === 'object' && value !== null && 'method' in value && 'path' in value
}

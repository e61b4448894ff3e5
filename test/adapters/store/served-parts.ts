import { join } from 'node:path'
import { METHODS } from '../../../src/adapters/remote/protocol.ts'
import { StoreServer } from '../../../src/adapters/remote/store-server.ts'
import type { Admission, Admitted } from '../../../src/gateway/store/hold-store.ts'
import type { Store } from '../../../src/gateway/store/store.ts'
import { newDirectory } from './directory.ts'
import { claimsOf } from './fixtures.ts'

export const VERSION = '1.0.0'
export const ADMIT = METHODS.findIndex(({ facet, name }) => facet === 'holds' && name === 'admit')

export const admission: Admission = {
  requestId: 'req_1',
  account: 'acct_a',
  terms: { override: 'pro' },
  claims: claimsOf(),
}
const readings = { requests: 1, tokens: 1, day: 1, concurrent: 1, used: 0, held: 0 }
const spent = { tokens: 0, cost: 0 }
const times = { second: 0, window: 0, at: 0, round: 0 }
export const hold = { requestId: 'req_1', account: 'acct_a', ...times, output: 20, tokens: 30, cost: 50, spent }
export const granted = { outcome: 'admitted', hold, readings } as unknown as Admitted

/** A server of a store of which only these parts are asked. */
export async function serveParts(parts: object, endMs = 20) {
  const path = join(await newDirectory(), 'store.sock')
  const abandoned: string[] = []
  const alarms: string[] = []
  const server = new StoreServer({
    store: { accounts: { scanOrders: [] }, ...parts } as unknown as Store,
    abandon: async ids => void abandoned.push(...ids),
    version: VERSION,
    alarm: message => alarms.push(message),
    endMs,
  })
  await server.listen(path)
  return { path, server, abandoned, alarms }
}

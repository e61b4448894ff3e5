import type { JsonObject } from '../wire/openai/body.ts'
import type { Control, MintedByOperator, Streams } from './control.ts'
import { readAccounts, readKeys, readOwnedKey, readShownAccount, readShownKey } from './read.ts'

/** Runs an errand of the admin table, by its path. Rejects with CommandFailed when it is refused. */
export type RunErrand = (method: 'GET' | 'POST', path: string, body?: object) => Promise<JsonObject>

/** Control by errands, wherever they are run. */
export const controlOf = (run: RunErrand, streams: Streams): Control => ({
  ...streams,
  mint: async owner =>
    'device' in owner
      ? readMinted(await run('POST', '/admin/keys/guest', { device_id: owner.device }))
      : readMinted(await run('POST', '/admin/keys', owner)),
  list: async () => readKeys(await run('GET', '/admin/keys')),
  showKey: async key => readOwnedKey(await run('POST', '/admin/keys/show', { key })),
  rotate: async key => readMinted(await run('POST', '/admin/keys/rotate', { key })),
  revoke: async key => readShownKey(await run('POST', '/admin/keys/revoke', { key })),
  listAccounts: async query => readAccounts(await run('POST', '/admin/accounts/list', query)),
  showAccount: async account => readShownAccount(await run('POST', '/admin/accounts/show', { account })),
  setPlan: async (account, plan) => readShownAccount(await run('POST', '/admin/accounts/plan', { account, plan })),
  setOverage: async (account, overage) =>
    readShownAccount(await run('POST', '/admin/accounts/overage', { account, overage })),
  grant: async (account, usd) => readShownAccount(await run('POST', '/admin/accounts/grant', { account, usd })),
})

function readMinted(answer: JsonObject): MintedByOperator {
  const { value, base_url } = answer
  return { key: readShownKey(answer), ...(typeof value === 'string' && { value }), baseUrl: String(base_url) }
}

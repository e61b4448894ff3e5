import { countChange, mintOwnKey, revokeOwnKey, rotateOwnKey } from '../../gateway/accounts/own-keys.ts'
import type { Caller } from '../../policy/facts.ts'
import { planName } from '../../policy/plan.ts'
import { ownKey } from '../../wire/key.ts'
import type { HttpCall } from '../listener/call.ts'
import type { App } from '../listener/endpoint.ts'
import { oneField, readNothing } from '../listener/request-input.ts'

const readKey = oneField('key')

/** POST /v1/keys/developer: the full value once, the masked one ever after. */
export async function mintKey(app: App, call: HttpCall, caller: Caller): Promise<void> {
  const denied = (await readNothing(call)) ?? (await countChange(app.store.accounts, caller.account))
  if (denied) return call.deny(denied.denial)
  const plan = planName(app.config, caller)
  const { key, value } = await mintOwnKey(app.store.keys, app.random, app.settings.brand, caller.account)
  if (value === undefined) call.json(200, { key: key.keyPrefix, plan, existing: true }, UNCACHED)
  else call.json(200, { key: value, plan }, UNCACHED)
}

/** POST /v1/keys/developer/rotate. */
export async function rotateKey(app: App, call: HttpCall, caller: Caller): Promise<void> {
  const named = await readKey(call)
  if ('denial' in named) return call.deny(named.denial)
  const tooMany = await countChange(app.store.accounts, caller.account)
  if (tooMany) return call.deny(tooMany.denial)
  const rotated = await rotateOwnKey(app.store.keys, app.random, { ...owned(app, caller), named: named.value })
  // Of whatever else it names, the caller learns nothing.
  if (!rotated) return call.deny({ code: 'INVALID_KEY' })
  call.json(200, { key: rotated.value, plan: planName(app.config, caller), rotated: true }, UNCACHED)
}

/** POST /v1/keys/developer/revoke. */
export async function revokeKey(app: App, call: HttpCall, caller: Caller): Promise<void> {
  const named = await readKey(call)
  if ('denial' in named) return call.deny(named.denial)
  // Not counted: a key that leaked must end, however many were changed before. Without a mint it ends nothing more.
  const revoked = await revokeOwnKey(app.store.keys, { ...owned(app, caller), named: named.value })
  if (!revoked) return call.deny({ code: 'INVALID_KEY' })
  call.json(200, { key: revoked.keyPrefix, plan: planName(app.config, caller), revoked: true }, UNCACHED)
}

/** GET /v1/keys/developer: the active key, then those that ended. */
export async function listOwnKeys(app: App, call: HttpCall, caller: Caller): Promise<void> {
  const plan = planName(app.config, caller)
  const keys = await app.store.keys.listOf(caller.account)
  call.json(200, { object: 'list', data: keys.map(key => ownKey(key, plan)) }, UNCACHED)
}

/** No cache may keep a key, or whose it is. */
export const UNCACHED = { 'cache-control': 'no-store' }

const owned = ({ settings }: App, { account }: Caller) => ({ brand: settings.brand, account })

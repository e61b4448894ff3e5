import { isId, isOrg, LABEL, mintKey } from '../../gateway/accounts/accounts.ts'
import { DEVICE_ID, guestKey } from '../../gateway/accounts/guests.ts'
import { hashOf, newKey, toStoredKey } from '../../gateway/accounts/keys.ts'
import type { KeyRecord } from '../../gateway/store/key-store.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import { mostOf } from '../../policy/limits/limits.ts'
import { shownKey } from '../../wire/admin/key.ts'
import type { JsonObject } from '../../wire/json-safety.ts'
import { validator } from '../../wire/openai/validate.ts'
import { showAccount } from './admin-accounts.ts'
import {
  type AdminContext,
  type AdminOp,
  accountNamed,
  activeKeyNamed,
  ambiguous,
  keyNamed,
  NAME,
  textOf,
  unknownPlan,
} from './admin-op.ts'

const checkMint = validator({
  type: 'object',
  required: ['account'],
  properties: { account: { type: 'string', pattern: LABEL, description: 'must be one line of text' }, plan: NAME },
  additionalProperties: false,
})
const checkGuest = validator({
  type: 'object',
  required: ['device_id'],
  properties: {
    device_id: { type: 'string', pattern: DEVICE_ID, description: 'must be 1 to 256 printable characters' },
  },
  additionalProperties: false,
})
const checkKey = validator({
  type: 'object',
  required: ['key'],
  properties: { key: NAME },
  additionalProperties: false,
})

/** What operators do with keys. A full value is in the answer to a mint or a rotation, and nowhere else. */
export const keyOps: readonly AdminOp[] = [
  { method: 'GET', path: '/admin/keys', run: listKeys },
  { method: 'POST', path: '/admin/keys', check: checkMint, run: mint },
  { method: 'POST', path: '/admin/keys/guest', check: checkGuest, run: mintGuest },
  { method: 'POST', path: '/admin/keys/show', check: checkKey, run: show },
  { method: 'POST', path: '/admin/keys/rotate', check: checkKey, run: rotate },
  { method: 'POST', path: '/admin/keys/revoke', check: checkKey, run: revoke },
]

async function listKeys({ config, store }: AdminContext): Promise<object> {
  return { object: 'list', data: (await store.keys.list()).map(key => shownKey(config, key)) }
}

async function mint(context: AdminContext, body: JsonObject): Promise<object | Denied> {
  const named = textOf(body, 'account')
  const plan = body.plan === undefined ? undefined : textOf(body, 'plan')
  const wrong = plan === undefined ? undefined : unknownPlan(context.config, plan)
  if (wrong) return wrong
  if (isId(named)) return mintFor(context, named, plan)
  if (isOrg(named)) return invalid('account', 'is an org: the key is of one account, which may belong to it')
  if (plan === undefined) return invalid('plan', 'is required for a new account')
  const signedIn = await notTheirs(context, named)
  if (signedIn) return signedIn
  const { store, random, settings, by } = context
  return minted(context, await mintKey(store.keys, random, { brand: settings.brand, label: named, plan, by }))
}

/** A key for an account that is there already, on the plan it has unless one is given. */
async function mintFor(context: AdminContext, named: string, plan: string | undefined): Promise<object | Denied> {
  const record = await accountNamed(context, named)
  if ('denial' in record) return record
  if (record.kind === 'guest') return invalid('account', 'is a device, whose key is made by its device id')
  const { store, random, settings, by } = context
  const { account, terms } = record
  const [active] = await store.keys.listOf(account)
  if (active?.status === 'active') return minted(context, { outcome: 'exists', key: active })
  // First, so that the key never works on another plan.
  if (plan !== undefined && plan !== terms.override)
    await store.accounts.changeTerms({ account, change: { override: plan }, by })
  const value = newKey(settings.brand, random)
  const made = await store.keys.mint({ key: toStoredKey(value), owner: { account }, by })
  return minted(context, made.outcome === 'minted' ? { ...made, value } : made)
}

/** Users who sign in may choose the label in their token: that must not lead to a key and a plan for them. */
async function notTheirs({ store }: AdminContext, label: string): Promise<Denied | undefined> {
  const accounts = await store.accounts.findByLabel(label)
  const [signedIn] = accounts.filter(({ account }) => SIGNED_IN.test(account))
  if (!signedIn) return undefined
  if (accounts.length > 1) return ambiguous('account', label, accounts)
  return invalid('account', `an account that signed in calls itself \`${label}\`; if you mean it: ${signedIn.account}`)
}

/** Made of issuer and subject; those that operators open are shorter. */
const SIGNED_IN = /^acct_[0-9a-f]{40}$/

const minted = (
  { config, settings }: AdminContext,
  { outcome, key, value }: { readonly outcome: 'minted' | 'exists'; readonly key: KeyRecord; readonly value?: string },
): object => ({
  ...shownKey(config, key),
  existing: outcome === 'exists',
  base_url: `${settings.server.publicUrl}/v1`,
  ...(value !== undefined && { value }),
})

async function mintGuest(context: AdminContext, body: JsonObject): Promise<object | Denied> {
  const { config, settings, store, guestSecrets, by } = context
  const { brand } = settings
  if (!config.guestPlan) return invalid('device_id', 'the configuration serves no guests: add `guests`')
  if (guestSecrets.length === 0) {
    return invalid('device_id', 'the gateway makes the secret of guests when it first serves: start it once')
  }
  // An operator's word is not counted against any address.
  const asked = { brand, secrets: guestSecrets, deviceId: textOf(body, 'device_id'), counts: [], by }
  const made = await guestKey(store, asked)
  if (made.outcome !== 'key') return invalid('device_id', 'the key of this device was revoked; it gets no other')
  const caller = await store.keys.findCaller(hashOf(made.value))
  const key = caller && (await store.keys.findGuest(caller.account))
  if (!key) return { denial: { code: 'NOT_FOUND', problem: 'The key of this device has just been revoked.' } }
  const perDay = mostOf(config.guestPlan.limits, 'per_day')
  const cap = Number.isFinite(perDay) ? perDay : null
  return { ...minted(context, { outcome: 'minted', key, value: made.value }), rate_limit_per_day: cap }
}

async function show(context: AdminContext, body: JsonObject): Promise<object | Denied> {
  const key = await keyNamed(context, textOf(body, 'key'))
  if ('denial' in key) return key
  const owner = await showAccount(context, { account: key.account })
  return 'denial' in owner ? owner : { ...shownKey(context.config, key), owner }
}

async function rotate(context: AdminContext, body: JsonObject): Promise<object | Denied> {
  const current = await activeKeyNamed(context, textOf(body, 'key'))
  if ('denial' in current) return current
  if (current.kind === 'guest') {
    return invalid('key', 'the key of a device follows from the device and cannot be rotated; it can be revoked')
  }
  const { store, random, settings, by } = context
  const value = newKey(settings.brand, random)
  const { account, hash } = current
  const key = await store.keys.rotate({ account, current: hash, next: toStoredKey(value), by })
  return key ? { ...minted(context, { outcome: 'minted', key, value }), rotated: true } : ENDED
}

async function revoke(context: AdminContext, body: JsonObject): Promise<object | Denied> {
  const current = await activeKeyNamed(context, textOf(body, 'key'))
  if ('denial' in current) return current
  const key = await context.store.keys.revoke({ hash: current.hash, by: context.by })
  return key ? { ...shownKey(context.config, key), revoked: true } : ENDED
}

/** Another operator was first. */
const ENDED: Denied = {
  denial: { code: 'NOT_FOUND', problem: 'No active key has this value: it has just ended.' },
}

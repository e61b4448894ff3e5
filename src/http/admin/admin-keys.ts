import { LABEL } from '../../gateway/accounts/accounts.ts'
import { DEVICE_ID, guestKey } from '../../gateway/accounts/guests.ts'
import { hashOf } from '../../gateway/accounts/keys.ts'
import type { KeyRecord } from '../../gateway/store/key-store.ts'
import type { EpochMs } from '../../policy/config.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import { mostOf } from '../../policy/limits/named-rules.ts'
import { shownKey } from '../../wire/admin/key.ts'
import type { JsonObject } from '../../wire/json-safety.ts'
import { validator } from '../../wire/openai/validate.ts'
import { spanIn, tooManyKeys, WISH_FIELDS } from '../key-fields.ts'
import { showAccount } from './admin-accounts.ts'
import { apartFor, endedBefore, freshKey, mint, minted } from './admin-mint.ts'
import {
  type AdminContext,
  type AdminOp,
  accountNamed,
  activeKey,
  activeKeyNamed,
  endedKey,
  keyNamed,
  NAME,
  textOf,
} from './admin-op.ts'

const checkMint = validator({
  type: 'object',
  required: ['account'],
  properties: {
    account: { type: 'string', pattern: LABEL, description: 'must be one line of text' },
    plan: NAME,
    ...WISH_FIELDS,
  },
  additionalProperties: false,
})
const SPAN = { type: ['integer', 'string'] }
const checkList = validator({
  type: 'object',
  properties: { account: NAME, expiring_in: SPAN },
  additionalProperties: false,
})
const checkRotate = validator({
  type: 'object',
  required: ['key'],
  properties: { key: NAME, grace: SPAN, expires_in: SPAN },
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
  { method: 'GET', path: '/admin/keys', needs: 'viewer', run: listKeys },
  { method: 'POST', path: '/admin/keys/list', needs: 'viewer', check: checkList, run: listSome },
  { method: 'POST', path: '/admin/keys', needs: 'support', repeats: true, check: checkMint, run: mint },
  { method: 'POST', path: '/admin/keys/guest', needs: 'support', check: checkGuest, run: mintGuest },
  { method: 'POST', path: '/admin/keys/show', needs: 'viewer', check: checkKey, run: show },
  { method: 'POST', path: '/admin/keys/rotate', needs: 'support', repeats: true, check: checkRotate, run: rotate },
  { method: 'POST', path: '/admin/keys/revoke', needs: 'support', check: checkKey, run: revoke },
]

async function listKeys({ config, store }: AdminContext): Promise<object> {
  return { object: 'list', data: (await store.keys.list()).map(key => shownKey(config, key)) }
}

/** Keys of one account, or of all; those that work and end within a time, soonest first. */
async function listSome(context: AdminContext, body: JsonObject): Promise<object | Denied> {
  const { config, store, clock } = context
  const account = body.account === undefined ? undefined : await accountNamed(context, textOf(body, 'account'))
  if (account && 'denial' in account) return account
  const within = spanIn(body, 'expiring_in')
  if ('denial' in within) return within
  const keys = await (account ? store.keys.listOf(account.account) : store.keys.list())
  const { span } = within
  const shown = span === undefined ? keys : expiring(keys, clock.now() + span)
  return { object: 'list', data: shown.map(key => shownKey(config, key)) }
}

/** Keys that work and end by a moment, soonest first. */
function expiring(keys: readonly KeyRecord[], by: EpochMs): readonly KeyRecord[] {
  const end = ({ expiresAt = Number.POSITIVE_INFINITY }: KeyRecord) => expiresAt
  return keys.filter(key => key.status === 'active' && end(key) <= by).sort((a, b) => end(a) - end(b))
}

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
  const grace = spanIn(body, 'grace')
  if ('denial' in grace) return grace
  const life = spanIn(body, 'expires_in')
  if ('denial' in life) return life
  const fresh = await freshKey(context, '/admin/keys/rotate', body)
  // Named as before, the key is the one that a repetition would rotate once more.
  const before = context.repeatKey === undefined ? undefined : await activeKey(context, fresh.key.hash)
  if (before) return { ...minted(context, { outcome: 'minted', key: before, value: fresh.value }), rotated: true }
  const current = await activeKeyNamed(context, textOf(body, 'key'))
  if ('denial' in current) return current
  if (current.kind === 'guest') {
    return invalid('key', 'the key of a device follows from the device and cannot be rotated; it can be revoked')
  }
  if (current.replacedBy !== undefined)
    return invalid('key', `was replaced by ${current.replacedBy} already, and works on for a while; it can be revoked`)
  const { store, settings, by } = context
  const { account, hash } = current
  const most = settings.limits.keysPerAccount
  const key = await store.keys.rotate({
    ...{ account, current: hash, next: fresh.key, by, ...apartFor(context, fresh) },
    ...(grace.span !== undefined && { overlap: { grace: grace.span, most } }),
    ...(life.span !== undefined && { life: life.span }),
  })
  if (!key) return ENDED
  if ('outcome' in key) return tooManyKeys('grace', most)
  if (key.status !== 'active') return endedBefore(key)
  return { ...minted(context, { outcome: 'minted', key, value: fresh.value }), rotated: true }
}

async function revoke(context: AdminContext, body: JsonObject): Promise<object | Denied> {
  const current = await keyNamed(context, textOf(body, 'key'))
  if ('denial' in current) return current
  if (current.status === 'rotated') return endedKey(current)
  // Also one that was revoked: where that was answered 503, a server that takes over may not have it.
  const key = await context.store.keys.revoke({ hash: current.hash, by: context.by })
  if (key) return { ...shownKey(context.config, key), revoked: true }
  return current.status === 'active' ? ENDED : endedKey(current)
}

/** Another operator was first. */
const ENDED: Denied = {
  denial: { code: 'NOT_FOUND', problem: 'No active key has this value: it has just ended.' },
}

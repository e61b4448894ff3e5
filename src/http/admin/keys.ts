import { guestKey } from '../../gateway/accounts/guests.ts'
import { hashOf } from '../../gateway/accounts/keys.ts'
import type { KeyRecord } from '../../gateway/store/key-store.ts'
import type { EpochMs } from '../../policy/config.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import { mostOf } from '../../policy/limits/named-rules.ts'
import { shownKey } from '../../wire/admin/key.ts'
import type { AnswerOf, BodyOf } from '../../wire/admin-api/call.ts'
import * as calls from '../../wire/admin-api/keys.ts'
import { spanIn, tooManyKeys } from '../key-fields.ts'
import { showAccount } from './accounts.ts'
import { apartFor, endedBefore, freshKey, mint, minted, type ShownMint } from './mint.ts'
import {
  type AdminContext,
  type AdminOp,
  accountNamed,
  activeKey,
  activeKeyNamed,
  endedKey,
  keyNamed,
  opOf,
} from './op.ts'

/** The operators' calls on keys. A full value is in the answer to a mint or a rotation, and nowhere else. */
export const keyOps: readonly AdminOp[] = [
  opOf(calls.listKeys, listKeys),
  opOf(calls.listSomeKeys, listSome),
  opOf(calls.mintKey, mint),
  opOf(calls.mintGuestKey, mintGuest),
  opOf(calls.showKey, show),
  opOf(calls.rotateKey, rotate),
  opOf(calls.revokeKey, revoke),
]

async function listKeys({ config, store }: AdminContext): Promise<AnswerOf<typeof calls.listKeys>> {
  return { object: 'list', data: (await store.keys.list()).map(key => shownKey(config, key)) }
}

/** Keys of one account, or of all; those that work and end within a time, soonest first. */
async function listSome(
  context: AdminContext,
  body: BodyOf<typeof calls.listSomeKeys>,
): Promise<AnswerOf<typeof calls.listSomeKeys> | Denied> {
  const { config, store, clock } = context
  const account = body.account === undefined ? undefined : await accountNamed(context, body.account)
  if (account && 'denial' in account) return account
  const within = spanIn(body.expiring_in, 'expiring_in')
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

async function mintGuest(context: AdminContext, body: BodyOf<typeof calls.mintGuestKey>): Promise<ShownMint | Denied> {
  const { config, settings, store, guestSecrets, by } = context
  const { brand } = settings
  if (!config.guestPlan) return invalid('device_id', 'the configuration serves no guests: add `guests`')
  if (guestSecrets.length === 0) {
    return invalid('device_id', "the gateway makes the guests' secret when it first starts: start it once")
  }
  // An operator's word is not counted against any address.
  const asked = { brand, secrets: guestSecrets, deviceId: body.device_id, counts: [], by }
  const made = await guestKey(store, asked)
  if (made.outcome !== 'key') return invalid('device_id', 'the key of this device was revoked; a device gets only one')
  const caller = await store.keys.findCaller(hashOf(made.value))
  const key = caller && (await store.keys.findGuest(caller.account))
  if (!key) return { denial: { code: 'NOT_FOUND', problem: 'The key of this device has just been revoked.' } }
  const perDay = mostOf(config.guestPlan.limits, 'per_day')
  const cap = Number.isFinite(perDay) ? perDay : null
  const shown = minted(context, { outcome: 'minted', key, value: made.value })
  return 'denial' in shown ? shown : { ...shown, rate_limit_per_day: cap }
}

async function show(
  context: AdminContext,
  body: BodyOf<typeof calls.showKey>,
): Promise<AnswerOf<typeof calls.showKey> | Denied> {
  const key = await keyNamed(context, body.key)
  if ('denial' in key) return key
  const owner = await showAccount(context, { account: key.account })
  return 'denial' in owner ? owner : { ...shownKey(context.config, key), owner }
}

async function rotate(context: AdminContext, body: BodyOf<typeof calls.rotateKey>): Promise<ShownMint | Denied> {
  const grace = spanIn(body.grace, 'grace')
  if ('denial' in grace) return grace
  const life = spanIn(body.expires_in, 'expires_in')
  if ('denial' in life) return life
  const fresh = await freshKey(context, '/admin/keys/rotate', body)
  // Named as before, the key is the one that a repetition would rotate once more.
  const before = context.repeatKey === undefined ? undefined : await activeKey(context, fresh.key.hash)
  if (before) return rotated(minted(context, { outcome: 'minted', key: before, value: fresh.value }))
  const current = await activeKeyNamed(context, body.key)
  if ('denial' in current) return current
  if (current.kind === 'guest') {
    return invalid('key', 'the key of a device is derived from its id and cannot be rotated, only revoked')
  }
  if (current.replacedBy !== undefined)
    return invalid('key', `was already replaced by ${current.replacedBy} and is in its grace period; it can be revoked`)
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
  return rotated(minted(context, { outcome: 'minted', key, value: fresh.value }))
}

const rotated = (shown: ShownMint | Denied): ShownMint | Denied =>
  'denial' in shown ? shown : { ...shown, rotated: true }

async function revoke(
  context: AdminContext,
  body: BodyOf<typeof calls.revokeKey>,
): Promise<AnswerOf<typeof calls.revokeKey> | Denied> {
  const current = await keyNamed(context, body.key)
  if ('denial' in current) return current
  if (current.status === 'rotated') return endedKey(current)
  // Also one that was revoked: where that was answered 503, a server that takes over may not have it.
  const key = await context.store.keys.revoke({ hash: current.hash, by: context.by })
  if (key) return { ...shownKey(context.config, key), revoked: true }
  return current.status === 'active' ? ENDED : endedKey(current)
}

/** Another operator was first. */
const ENDED: Denied = {
  denial: { code: 'NOT_FOUND', problem: 'No active key has this value: the key has just ended.' },
}
